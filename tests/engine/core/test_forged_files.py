"""Forged and damaged files of solutions: the library, the command and the copied file agree."""

import inspect
import json
import random
import re
import runpy
import shutil

import pytest

import maxcover as mc
from maxcover import CoverageProblem, generate
from maxcover.cli.app import call
from maxcover.engine.core import verify as checker
from maxcover.errors import FileFormatError
from tests import sweeps

N_FILES = 2_000
SETS = {"a": [1, 2, 3], "b": [3, 4], "c": [5, 1], "d": [2, 6]}
LIMITED = {"groups": ["u", "u", "v", "v"], "max_items": 1, "conflicts": [("a", "c")]}
PROBLEMS = {
    "plain": lambda: generate.biregular(20, 60, 9, 3, budget=20, seed=5),
    "labelled": lambda: CoverageProblem.from_sets(SETS, costs=[2, 1.5, 1, 1], budget=3),
    "limited": lambda: CoverageProblem.from_sets(SETS, budget=3, **LIMITED),
    "chances": lambda: CoverageProblem.from_sets(
        SETS, budget=2, chance={"a": 0.5, "b": 0.7, "c": 0.9, "d": 0.2}
    ),
    "floors": lambda: CoverageProblem.from_sets(
        SETS, budget=3, regions={4: "r", 5: "s"}, min_coverage={"r": 1.0}
    ),
}
ODD = [
    None, True, False, "optimal", "heuristic", "HiGHS", "", [], [[]], {}, 0, 1, -1, 0.5, 1.0, 1e308,
    -1e308, 10**30, 10**400, -(10**400), 2**32, 2**63, 2**64, [0], [True], [1, 0], [0.0], ["a"],
    [None], [-1], [2**32], [2**70], [1e308] * 4,
]  # fmt: skip
TOKENS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000, "[" * 3000, '"', "nul"]


def with_odd_value(record, rng):
    name = rng.choice(sorted(record))
    return record | {name: rng.choice(ODD)}


def with_odd_entry(record, rng):
    name = rng.choice([name for name, held in sorted(record.items()) if isinstance(held, list)])
    held = list(record[name])
    held.insert(rng.randint(0, len(held)), rng.choice(ODD))
    return record | {name: held[rng.randint(0, 1) :]}


def with_other_number(record, rng):
    numbers = [name for name, held in sorted(record.items()) if isinstance(held, float)]
    name = rng.choice(numbers)
    factor = rng.choice([0, -1, 0.5, 0.999, 1.001, 2, 1e12, 1e-12])
    return record | {name: record[name] * factor}


def without_field(record, rng):
    gone = rng.choice(sorted(record))
    return {name: held for name, held in record.items() if name != gone}


def with_other_field(record, rng):
    name = rng.choice(["gap", "price", "shares", "price_unit", "row_prices", "pieces_edges", "x"])
    return {name: rng.choice(ODD)} | record


def with_target(record, rng):
    added = {"target": rng.choice([1.0, 0.5, record["value"]]), "share": rng.choice([None, 0.5, 1])}
    other = {"lower_bound": record["cost"], "status": "optimal"} if rng.random() < 0.5 else {}
    return record | added | other


def with_other_selection(record, rng):
    selected = [i for i in range(rng.choice([3, 4, 20])) if rng.random() < 0.5]
    return record | {"selected": selected, "labels": rng.choice([None, record["labels"]])}


def with_claims(record, rng):
    claims = {"status": "optimal", "bound_by": rng.choice(["HiGHS", "dual point"])}
    return record | claims | rng.choice([{}, {"upper_bound": record["value"]}, {"gap": 0.0}])


def text_of(record, rng):
    """A damaged text: cut off, with an odd token, with a key twice, or with other bytes."""
    text, kind = json.dumps(record), rng.choice(["cut", "token", "twice", "bytes"])
    if kind == "cut":
        return text[: rng.randrange(len(text))].encode()
    if kind == "token":
        where = rng.choice([*re.finditer(r"[-+.\de]+(?=[,\]}])", text)])
        return (text[: where.start()] + rng.choice(TOKENS) + text[where.end() :]).encode()
    if kind == "twice":
        name = rng.choice(sorted(record))
        return (text[:-1] + f", {json.dumps(name)}: {json.dumps(record[name])}}}").encode()
    data = bytearray(text.encode())
    data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


CHANGES = [
    with_odd_value, with_odd_entry, with_other_number, without_field, with_other_field,
    with_target, with_other_selection, with_claims,
]  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Paths of problems, each with records of answers: solved, greedy and of `cover`."""
    folder, found = tmp_path_factory.mktemp("saved"), []
    for name, make in PROBLEMS.items():
        problem, path = make(), folder / f"{name}.json"
        mc.save(problem, path)
        answers = [mc.solve(problem), mc.cover(problem, target=0.5)]
        if not len(problem.floors):
            answers.append(mc.solve(problem, method="greedy", bound="quick"))
        for answer in answers:
            mc.save(answer, folder / "answer.json")
            found.append((path, json.loads((folder / "answer.json").read_text())))
    return found


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The function `main` of a copy of the checker."""
    copy = shutil.copy(inspect.getfile(checker), tmp_path_factory.mktemp("copy") / "alone.py")
    return runpy.run_path(str(copy), run_name="alone")["main"]


def verdicts(problem, path, copied, capsys):
    """The first line and the exit code of each of the three."""
    try:
        report = str(mc.verify(mc.load(problem), mc.load(path)))
    except FileFormatError as error:
        report = str(checker.refusal(str(error)))
    code = checker.EXIT_CODES[report.partition(":")[0]]
    first = [(code, report.splitlines()[0])]
    for run in (lambda: call(["verify", str(problem), str(path), "--format", "text"]),
                lambda: copied([str(problem), str(path)])):  # fmt: skip
        code, said = run(), capsys.readouterr()
        first.append((code, said.out.splitlines()[0] if said.out else said.err))
    return first


@pytest.mark.parametrize("batch", range(4))
def test_one_verdict_on_forged_and_damaged_files(batch, saved, copied, tmp_path, capsys):
    outcomes, path = set(), tmp_path / "answer.json"
    for case in [*sweeps.cases(N_FILES)][batch::4]:
        rng = random.Random(case)
        problem, record = rng.choice(saved)
        if rng.random() < 0.25:
            path.write_bytes(text_of(record, rng))
        else:
            path.write_text(json.dumps(rng.choice(CHANGES)(record, rng)))
        found = verdicts(problem, path, copied, capsys)
        assert len({*found}) == 1, f"case {case}: {found}"
        outcomes.add(found[0][0])
    assert outcomes >= {0, 1}


@pytest.fixture
def example(tmp_path):
    """A problem and a greedy answer 10 % below the best, as files; and the record of the answer."""
    problem = generate.biregular(60, 180, 9, 3, budget=60, seed=1)
    mc.save(problem, tmp_path / "problem.json")
    mc.save(mc.solve(problem, method="greedy"), tmp_path / "answer.json")
    return (
        tmp_path / "problem.json",
        tmp_path / "answer.json",
        json.loads((tmp_path / "answer.json").read_text()),
    )


@pytest.mark.parametrize(
    "change",
    [
        {"status": "optimal"},
        {"upper_bound": float("-inf")},
        {"upper_bound": -1e308},
        {"selected": [True, 2]},
        {"gap": 0.0},
    ],
)
def test_what_was_edited_is_refused_everywhere(change, example, copied, capsys):
    problem, path, record = example
    path.write_text(json.dumps(record | change))
    assert {code for code, _ in verdicts(problem, path, copied, capsys)} == {1}


def test_a_target_says_that_the_budget_is_not_checked(example, copied, capsys):
    """An answer above the budget that calls itself one of `cover` is judged so."""
    problem, path, record = example
    plan = mc.cover(mc.load(problem), target=1.0)
    forged = record | {"selected": plan.selected.tolist(), "value": plan.value, "cost": plan.cost}
    path.write_text(json.dumps(forged | {"target": 1.0, "lower_bound": 0.0}))
    for code, first in verdicts(problem, path, copied, capsys):
        assert code == 0
        assert first.endswith(f"cost {plan.cost:.10g}; the budget is not checked")
