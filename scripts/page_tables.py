"""Write the tables of pages from the files that hold their figures; with --check only compare.

A page has `<!-- table: NAME FILE... -->` before a table or a sentence and `<!-- end -->` after it.
NAME is a function of this script that makes it from the files (paths from `docs/`).
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from maxcover.engine.solvers import auto
from maxcover.engine.solvers.numbers import NUMBERS
from maxcover.lab.reproduce import when

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLE = re.compile(r"(<!-- table: (.+?) -->\s*)(.*?)(\s*<!-- end -->)", re.DOTALL)
_CURVES = {
    "greedy": "greedy",
    "g-greedy": "g-greedy",
    "bp-soft": "BP (the paper)",
    "bp-hard": "BP, hard coverage",
    "decimation": "BP decimation",
    "optimum": "proven optimum",
}


def markdown(heads: list[str], rows: list[list[Any]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def between(row: dict[str, Any], score: str, digits: int) -> str:
    """Return a mean difference from g-greedy with its interval."""
    middle, low, high = (row[f"{score}_{end}"] for end in ("minus_g_greedy", "low", "high"))
    return f"{middle:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def peaks_of_graphs(path: Path) -> str:
    """Tabulate Figure 2: each method, belief propagation at its peak."""
    found = json.loads(path.read_text("utf-8"))
    own = {row["curve"]: row for row in found["rows"] if row["mu"] is None}
    own |= {name: peak["weight"] for name, peak in found["peaks"].items()}
    rows = []
    for name, label in _CURVES.items():
        row = own[name]
        at = "" if row["mu"] is None else f", at its peak μ = {row['mu']:g}"
        weight = f"{row['weight']:.1f} ± {row['weight_error']:.1f}"
        apart = 0 if name == "g-greedy" else between(row, "weight", 2)
        rows.append([label + at, weight, apart, f"{row['of_the_best']:.4f}"])
    apart = "difference to g-greedy, 95 % interval"
    return markdown(["", "covered weight", apart, "of the optimum"], rows)


def decimation_by_price(path: Path) -> str:
    """Tabulate Figure 2: decimation minus g-greedy around the peak."""
    found = json.loads(path.read_text("utf-8"))
    own = [row for row in found["rows"] if row["curve"] == "decimation" and 4.5 <= row["mu"] <= 8]
    rows = [[f"{row['mu']:g}", between(row, "weight", 2)] for row in own]
    return markdown(["decimation minus g-greedy at μ", "mean and 95 % interval"], rows)


def statements_of_texts(*paths: Path) -> str:
    """Tabulate Figures 3 and 4: what the paper says, on each set of texts."""
    names, columns = [], []
    for path in paths:
        found = json.loads(path.read_text("utf-8"))
        peak, best = found["peaks"]["bp-soft"], found["best"]["bp-soft"]
        crossed, own = found["crossed"]["bp-soft"], found["own_mu"]["bp-soft"]
        lines = {row["curve"]: row for row in found["rows"] if row["mu"] is None}
        greedy, auto = lines["g-greedy"], lines["auto"]
        names.append(f"{found['data'].replace('_', ' ')}, Fig. {found['figure'][-1]}")
        columns.append(
            {
                "covered weight peaks at μ": f"{peak['weight']['mu']:g}",
                "ROUGE-1 peaks at μ": f"{peak['rouge1']['mu']:g}",
                "covered weight of g-greedy": f"{greedy['weight']:.3f}",
                "BP less g-greedy: covered weight": between(crossed["weight"], "weight", 3),
                "ROUGE-1, ours": between(crossed["rouge1"], "rouge1", 3),
                "ROUGE-1 as SumEval counts": between(crossed["sumeval"], "sumeval", 3),
                "with the best μ of each cluster: covered weight": between(own, "weight", 3),
                "the β that covers most": f"{best['weight']['beta']:g}",
                "beliefs converged at the peak": f"{peak['weight']['converged']:.0%}",
                "`auto` less g-greedy: covered weight": between(auto, "weight", 3),
                "`auto` less g-greedy: ROUGE-1, ours": between(auto, "rouge1", 3),
            }
        )
    rows = [[line, *(column[line] for column in columns)] for line in columns[0]]
    return markdown(["", *names], rows)


def unweighted(path: Path) -> str:
    """Tabulate what `benchmarks/unweighted.py` found."""
    found = json.loads(path.read_text("utf-8"))
    rows = [[row[0], *(f"{one:.1f}" for one in row[1:-1])] for row in found["rows"]]
    return markdown(found["columns"][:-1], rows)


def _name(row: dict[str, Any]) -> str:
    return f"{row['question']}: {row['ensemble']}"


def when_by_budget(path: Path) -> str:
    """Tabulate the leads of `method="bp"`, in brackets where the interval holds 0."""
    rows = when.read_rows(path)
    lines = []
    for name in sorted({_name(row) for row in rows}):
        own = {row["share"]: row for row in rows if _name(row) == name}
        cells = []
        for share in when.SHARES:
            mean, low, high = own[share]["leads"]["bp"] if share in own else (np.nan,) * 3
            shown = f"{mean:+.2f} ± {(high - low) / 2:.2f}"
            cells.append(shown if low > 0 or high < 0 else f"({shown})" if share in own else "")
        graphs = sorted({row["graphs"] for row in own.values()})
        lines.append([name, *cells, " to ".join(map(str, graphs[:1] + graphs[1:][-1:]))])
    return markdown(["ensemble", *(f"{100 * share:g} %" for share in when.SHARES), "graphs"], lines)


def when_by_way(path: Path) -> str:
    """Tabulate the leads of each way to run belief propagation, means over the budgets."""
    rows = when.read_rows(path)
    ways = ("one price", "matched", "serial", "bp", "decimation", "auto")
    lines = []
    for name in sorted({_name(row) for row in rows}):
        own = [row for row in rows if _name(row) == name]
        leads = [f"{np.mean([row['leads'][way][0] for row in own]):+.2f}" for way in ways]
        lines.append([name, *leads, f"{np.mean([row['converged'] for row in own]):.0%}"])
    return markdown(["ensemble", *ways, "converged"], lines)


def beliefs_in_default(path: Path) -> str:
    """Say what belief propagation adds to the default, by number of sets."""
    added: dict[int, list[float]] = {}
    for row in json.loads(path.read_text("utf-8")):
        added.setdefault(row["sets"], []).append(row["value"][0])
    most, size = max((float(np.mean(own)), size) for size, own in added.items())
    return f"In the default it adds {most:.1f} % at {size:,} sets."


def beliefs_by_family(path: Path) -> str:
    """Tabulate what `benchmarks/beliefs.py` found."""
    lines = []
    for row in json.loads(path.read_text("utf-8")):
        mean, low, high = row["value"]
        value = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
        gaps = f"{row['gap']:.3f}", f"{row['gap_without']:.3f}"
        lines.append(
            [f"{row['sets']:,}", row["family"], row["problems"], value, *gaps, f"{row['cpu']:.2f}"]
        )
    heads = ["sets", "family", "problems", "value, %", "gap, %", "gap without", "CPU, times"]
    return markdown(heads, lines)


def beside_nine(path: Path) -> str:
    """Say how `method="bp"` stands to the best of nine fixed prices."""
    rows = when.read_rows(path)
    apart = sorted(
        (row["leads"]["bp"][0] - row["leads"]["nine prices"][0], row["cell"], row["graphs"])
        for row in rows
    )
    mean = np.mean([one for one, _, _ in apart])
    below = [f"{cell} ({one:+.2f} %, {graphs} graphs)" for one, cell, graphs in apart if one < -0.2]
    worst = f"{apart[0][0]:+.2f} % at worst ({apart[0][1]})"
    return (
        "`bp` less the best of nine prices that are fixed for a cell, from half of the mean "
        f"matched price to twice it, in per cent of g-greedy: {mean:+.2f} in the mean of "
        f"{len(rows)} cells, {worst}; below by more than 0.2 %: {', '.join(below) or 'none'}."
    )


def graphs_of_cells(path: Path) -> str:
    """Say how many cells are measured, and on how many graphs each."""
    rows = when.read_rows(path)
    counts = sorted({row["graphs"] for row in rows}, reverse=True)
    parts = (f"{sum(row['graphs'] == n for row in rows)} on {n} graphs" for n in counts)
    return f"{len(rows)} of {len(when.cells())} cells are measured: {', '.join(parts)}."


def stages() -> str:
    """Tabulate the stages of `auto`: when they run, what they do, and why not."""
    tables = {
        "all": auto.FIRST, "effort fast": auto.FAST, "small, not fast": auto.SMALL_PROBLEMS,
        "large, not fast": auto.LARGE_PROBLEMS, "not fast": auto.PROOFS,
        "deadline, not fast": auto.SPARE_TIME,
    }  # fmt: skip
    rows = [
        [problems, stage.name, stage.title, "; ".join(one.said(NUMBERS) for one in stage.unless)]
        for problems, table in tables.items()
        for stage in table
    ]
    return markdown(["problems", "stage", "what it does", "not if"], rows)


def worth_of_stages(path: Path) -> str:
    """Tabulate what `benchmarks/ablation.py` found."""
    found = json.loads(path.read_text("utf-8"))
    return markdown(found["columns"], found["rows"])


def renewed(page: str) -> str:
    """Return a page with its tables made anew."""

    def fill(found: re.Match[str]) -> str:
        name, *files = found[2].split()
        table: str = globals()[name](*(DOCS / file for file in files))
        return found[1] + table + found[4]

    return TABLE.sub(fill, page)


def main() -> int:
    """Write the tables, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only fail where a page is stale")
    check = parser.parse_args().check
    stale = []
    for path in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))):
        page = path.read_text("utf-8")
        new = renewed(page)
        if new != page:
            stale.append(str(path.relative_to(DOCS.parent)))
            if not check:
                path.write_text(new, encoding="utf-8")
    if stale:
        print("stale, run scripts/page_tables.py:" if check else "written:", *stale)
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
