"""The same plain data mean the same problem, whichever way they come in."""

import csv
import json
import random

import pytest

import maxcover as mc
from maxcover import CoverageProblem
from maxcover.cli.app import call
from tests import sweeps
from tests.mistakes.test_doors import asked


def draw(case):
    """A small problem as plain data: elements are indices, written in any order."""
    rng = random.Random(case)
    n_elements = rng.randint(1, 7)
    sets = [rng.sample(range(n_elements), rng.randint(1, n_elements)) for _ in range(5)]
    given = {"sets": sets, "weights": [rng.randint(1, 9) for _ in range(n_elements)], "budget": 3}
    if rng.random() < 0.7:
        given["costs"] = [rng.randint(1, 3) for _ in sets]
    if rng.random() < 0.3:
        given["worth"] = [rng.randint(0, 3) for _ in sets]
    if rng.random() < 0.4:
        given["need"] = [rng.randint(1, 2) for _ in range(n_elements)]
    elif rng.random() < 0.4:
        given["regions"] = [rng.choice(["r", "s", None]) for _ in range(n_elements)]
        given["min_coverage"] = {}
    return given


def named(given):
    """The same problem with names of sets and elements, and data by name."""
    sides = {"costs": "s", "worth": "s", "weights": "e", "need": "e", "regions": "e"}
    by_name = {
        name: {f"{sides[name]}{k}": value for k, value in enumerate(given[name])}
        for name in sides.keys() & given.keys()
    }
    sets = {f"s{i}": [f"e{a}" for a in own] for i, own in enumerate(given["sets"])}
    return given | by_name | {"sets": sets}


def rows_of(given):
    """One row per edge, with a column for each kind of data, in shuffled order."""
    columns = {"cost": "costs", "worth": "worth", "weight": "weights", "need": "need"}
    rows = []
    for i, own in enumerate(given["sets"]):
        for a in own:
            row = {"set": i, "element": a}
            for column, name in columns.items():
                if name in given:
                    row[column] = given[name][i if column in ("cost", "worth") else a]
            rows.append(row)
    random.Random(0).shuffle(rows)
    return rows


def lists_of(given):
    return {name: own for name, own in given.items() if name not in ("sets", "budget", "regions")}


def ways(given, folder):
    """The same problem, as each constructor and as files hold it."""
    rows, options = rows_of(given), lists_of(given)
    options.pop("min_coverage", None)
    (folder / "given.json").write_text(json.dumps(given))
    with (folder / "given.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    edges = [{"set": row["set"], "element": row["element"]} for row in rows]
    return {
        "lists": CoverageProblem.from_sets(**given),
        "names": CoverageProblem.from_sets(**named(given)),
        "dict": CoverageProblem.from_dict(given),
        "dict of names": CoverageProblem.from_dict(json.loads(json.dumps(named(given)))),
        "table": CoverageProblem.from_table(rows, budget=3),
        "table and lists": CoverageProblem.from_table(edges, budget=3, **options),
        "load": mc.load(folder / "given.json"),
        "load a table": mc.load(folder / "given.csv", budget=3),
        "saved": CoverageProblem.from_dict(CoverageProblem.from_sets(**given).to_dict()),
    }


def answer_of(found):
    """What does not depend on the order of sets, by which ties are broken."""
    return found["value"], found["upper_bound"], found["status"]


@pytest.mark.parametrize("part", range(2))
def test_one_answer_of_every_door(part, tmp_path, capsys):
    anyio = pytest.importorskip("anyio")
    mcp = pytest.importorskip("mcp")
    from maxcover_serve.mcp import endpoint

    problems = [draw(case) for case in [*sweeps.cases(200)][part::2]]

    async def by_agents():
        async with mcp.Client(endpoint.make_server()) as client:
            return [await client.call_tool("solve", {"problem": given}) for given in problems]

    for given, tool in zip(problems, anyio.run(by_agents), strict=True):
        answers = {
            way: answer_of(mc.solve(problem).to_dict())
            for way, problem in ways(given, tmp_path).items()
        }
        code, shown = call(["solve", str(tmp_path / "given.json")]), capsys.readouterr().out
        assert code == (0 if json.loads(shown)["selected"] else 4)
        answers["command line"] = answer_of(json.loads(shown))
        status, answer = asked("solve", given)
        assert status == 200
        answers["service"] = answer_of(answer)
        answers["tool"] = answer_of(tool.structured_content)
        assert len({*answers.values()}) == 1, (given, answers)
