"""Everything that `docs/lab/evaluation.md` reports, by one command.

    python studies/presets/evaluation.py ../shared/data --scores evaluation-scores.json

The method ``left-out`` is the honest one: on each data set it reads texts the way that was chosen
without that set (`default_preset.py` writes which), so nothing was tuned on what it is scored on.
Where that choice has changed, give another file of scores.
``default`` is what is shipped, which all sets helped to choose. The other packages are needed
(``pip install --group peers``). A run takes about half an hour of one quiet core, with ``--all``
two hours; one that was interrupted goes on from the file of scores.
"""

import argparse
import json
from functools import partial
from pathlib import Path

from default_preset import BUDGETS, CANDIDATES, CHOICE, SETS
from maxcover.lab.evaluate import harness
from maxcover.lab.evaluate.methods import SUMMARIZERS, run_summarize
from maxcover.lab.evaluate.table import ResultTable, by_set, compare, to_markdown
from maxcover.lab.reproduce.pictures import draw_comparison

LEFT_OUT = "left-out"
# What takes seconds for one long text is run on a part of the long texts, evenly spread.
SLOW = ("oracle", "lexrank", "lsa", "summa")
SLOW_CLUSTERS = {"cl_scisumm": 24, "squality_plot": 16}
EXACT_CLUSTERS = {"cl_scisumm": 12, "squality_plot": 8}


def plan(data: Path, choice: Path, *, everything: bool) -> list[harness.EvaluationTask]:
    """List every summarizer on every cluster, or the slow ones on a part of them."""
    chosen = json.loads(choice.read_text(encoding="utf-8"))["without"]
    quick = [method for method in SUMMARIZERS if method not in (*SLOW, "exact")]
    tasks = []
    for name in SETS:
        left_out = partial(run_summarize, **CANDIDATES[chosen[name]].reading)
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
    results = harness.evaluate(
        plan(options.data, options.choice, everything=options.all),
        scores=options.scores,
        jobs=options.jobs,
    )
    draw_comparison(compare(results, first=LEFT_OUT), options.figure)
    tables = {"all sets": overall(results)}
    tables |= {name: compare(mine, first=LEFT_OUT) for name, mine in by_set(results).items()}
    for title, found in tables.items():
        print(f"{title}\n\n{to_markdown(found)}")


if __name__ == "__main__":
    main()
