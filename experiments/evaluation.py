"""Everything that `docs/lab/evaluation.md` reports, by one command.

    python experiments/evaluation.py ../shared/data --scores evaluation-scores.json

The method ``left-out`` is the honest one: on each data set it reads texts the way that was chosen
without that set (`default_preset.py` writes which), so nothing was tuned on what it is scored on.
``default`` is what is shipped, which all sets helped to choose. The other packages are needed
(``pip install --group peers``). A run takes about half an hour of one quiet core, with ``--all``
two hours; one that was interrupted goes on from the file of scores.
"""

import argparse
import json
from functools import partial
from pathlib import Path

from default_preset import BUDGETS, CANDIDATES, CHOICE, SETS
from maxcover.evaluate import harness
from maxcover.evaluate.methods import SUMMARIZERS, Summarizer, run_summarize
from maxcover.evaluate.table import (
    ResultTable,
    ahead_by_set,
    by_set,
    compare,
    coverage_by_set,
    rouge_2,
    to_csv,
    to_markdown,
)
from maxcover.reproduce.evaluation_plot import draw
from maxcover.reproduce.processes import in_order

LEFT_OUT = "left-out"
# What takes seconds for one long text is run on a part of the long texts, evenly spread.
SLOW = ("oracle", "lexrank", "lsa", "kl", "summa", "lexrank-package")
SLOW_CLUSTERS = {"cl_scisumm": 24, "squality_plot": 16}
EXACT_CLUSTERS = {"cl_scisumm": 12, "squality_plot": 8}


def plan(data: Path, choice: Path, *, everything: bool) -> list[harness.EvaluationTask]:
    """List every summarizer on every cluster, or the slow ones on a part of them."""
    chosen = json.loads(choice.read_text(encoding="utf-8"))["without"]
    quick = [method for method in SUMMARIZERS if method not in (*SLOW, "exact")]
    tasks = []
    for name in SETS:
        title = f"summarize() as chosen without {name}: {chosen[name]}"
        reading = CANDIDATES[chosen[name]].reading
        left_out = Summarizer(run=partial(run_summarize, **reading), title=title)
        budget = BUDGETS.get(name, 100)
        tasks += harness.plan(
            data / name, methods=quick, budget=budget, others={LEFT_OUT: left_out}
        )
        for methods, parts in ((SLOW, SLOW_CLUSTERS), (("exact",), EXACT_CLUSTERS)):
            most = None if everything else parts.get(name)
            tasks += harness.plan(data / name, methods=methods, budget=budget, most_clusters=most)
    return tasks


def overall(results: list[harness.Result]) -> ResultTable:
    """Return one table with the differences from the left-out choice and from what is shipped."""
    honest, shipped = (compare(results, first=first) for first in (LEFT_OUT, "default"))
    shipped_rows = {row[0]: row for row in shipped.rows}
    columns = (
        *("method", "clusters", "ROUGE-1", "left-out is ahead by", "default is ahead by"),
        *("ROUGE-2", "left-out is ahead in ROUGE-2 by", "of the oracle"),
    )
    rows = [(*row[:4], shipped_rows[row[0]][3], *row[4:6], row[7]) for row in honest.rows]
    return ResultTable(columns, rows)


def rounded(table: ResultTable) -> ResultTable:
    """Return a table with three digits in place of all."""
    short = [tuple(f"{x:.3f}" if isinstance(x, float) else x for x in row) for row in table.rows]
    return ResultTable(table.columns, short)


def main() -> None:
    """Run what the file of scores does not hold yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--choice", type=Path, default=CHOICE)
    parser.add_argument("--scores", type=Path, default=Path("evaluation-scores.json"))
    parser.add_argument("--figure", type=Path, default=Path("evaluation"))
    parser.add_argument("--all", action="store_true", help="the slow ones on every cluster, too")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    stored = harness.from_json(options.scores) if options.scores.is_file() else []
    results = harness.evaluate(
        plan(options.data, options.choice, everything=options.all),
        # quick to make, and the choice may be another one
        known=[result for result in stored if result.method != LEFT_OUT],
        run_all=partial(in_order, jobs=options.jobs),
        keep=options.scores,
    )
    table = overall(results)
    options.figure.with_suffix(".csv").write_text(to_csv(table), encoding="utf-8")
    draw(compare(results, first=LEFT_OUT), options.figure)
    for title, found in {
        "All methods": table,
        "ROUGE-1 by data set": rounded(by_set(results)),
        "ROUGE-2 by data set": rounded(by_set(results, rouge_2)),
        "Who is ahead of the left-out choice": ahead_by_set(results, first=LEFT_OUT),
        "Coverage": coverage_by_set(results),
    }.items():
        print(f"{title}\n\n{to_markdown(found)}")


if __name__ == "__main__":
    main()
