"""`verify` refuses every forgery that matters, and nothing that is true."""

import ast
import inspect
import json
import math
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import maxcover as mc
from maxcover import CoverageProblem, cover, generate, load, save, solve, verify
from maxcover.cli.app import call
from maxcover.engine.core import verify as checker
from maxcover.engine.core.bounds import Claim, proves
from maxcover.engine.core.solution import certify
from maxcover.errors import InfeasibleError, ProblemError
from tests import sweeps
from tests.engine.core import model_judge
from tests.engine.core.judge import Instance, draw
from tests.engine.core.test_model_judge import built, ways
from tests.instances import edge_cases

N_MUTATIONS = 10_000
BATCHES = 10


def distorted(numbers, rng: random.Random):
    """Change some prices; sometimes their number, sometimes to what is no number."""
    if numbers is None or rng.random() < 0.2:
        return None if rng.random() < 0.5 else np.full(rng.randint(0, 5), 0.7)
    return numbers * np.array([rng.choice([0, 1, 1, 3, -1, np.nan]) for _ in numbers])


def with_other_pieces(pieces, rng: random.Random):
    """Let pieces be about other edges, elements or shares."""
    if pieces is None or rng.random() < 0.3:
        return pieces
    change = {
        "elements": lambda old: old[::-1].copy(),
        "shares": lambda old: distorted(old, rng),
        "edges": lambda old: old + rng.choice([-1, 1, 100]),
        "indptr": np.zeros_like,
    }
    name = rng.choice(sorted(change))
    changed = change[name](getattr(pieces, name))
    return pieces if changed is None else pieces._replace(**{name: changed})


def forged(solution, problem, rng: random.Random):
    """Change one thing about a solution; return what it was and the forgery."""
    selected = solution.selected.tolist()
    kind = rng.choice(["value", "bound", "index", "drop", "add", "dual", "status", "cost", "label"])
    if kind == "value":
        return kind, replace(solution, value=solution.value * rng.choice([0.5, 1.01, 100]) + 1)
    if kind == "bound":
        return kind, replace(solution, upper_bound=solution.upper_bound * rng.random())
    if kind == "status":
        return kind, replace(solution, status="optimal")
    if kind == "cost":
        return kind, replace(solution, cost=solution.cost / 2 + 1)
    if kind == "label":
        return kind, replace(solution, labels=("forged",) * (len(selected) + 1))
    if kind == "dual" and solution.dual is not None:
        shares = (
            solution.dual.shares * np.array([rng.choice([0, 1, 3, -1]) for _ in selected or [1]])[0]
        )
        price = solution.dual.price * rng.choice([0.0, 0.5, 2.0, float("nan"), float("inf")])
        dual = solution.dual._replace(
            price=price,
            shares=shares,
            unit=rng.choice([1.0, 0.1, 7.0, 0.0, solution.dual.unit]),
            rows=distorted(solution.dual.rows, rng),
            floors=distorted(solution.dual.floors, rng),
            pieces=with_other_pieces(solution.dual.pieces, rng),
        )
        return kind, replace(solution, dual=dual)
    if kind == "index" and selected:
        selected[rng.randrange(len(selected))] = rng.choice([-1, problem.n_sets, 10**12])
    elif kind == "drop" and selected:
        selected.pop(rng.randrange(len(selected)))
    else:
        selected.append(rng.randrange(problem.n_sets))
    changed = np.array(selected, dtype=np.int64)
    return kind, replace(solution, selected=changed)


def truth_of(instance: Instance, solution) -> bool:
    """Whether all that a solution says of itself is true, by brute force in fractions."""
    chosen = solution.selected.tolist()
    n = len(instance.sets)
    if chosen != sorted(set(chosen)) or any(not 0 <= i < n for i in chosen):
        return False
    if not instance.allows(chosen, slack=True) or solution.labels is not None:
        return False
    value = instance.value(instance.covered(chosen))
    best = max(worth for worth, _ in instance.selections())
    close = Fraction(1, 10**9)
    if not np.isfinite(solution.value) or abs(Fraction(solution.value) - value) > close * value:
        return False
    if Fraction(solution.upper_bound) < best * (1 - close):
        return False
    return solution.status != "optimal" or value >= best * (1 - close)


@pytest.mark.parametrize("batch", sweeps.cases(BATCHES))
def test_forgeries(batch):
    rng = random.Random(batch)
    refused = 0
    for _ in range(N_MUTATIONS // BATCHES // 10):
        instance = draw(rng, most_sets=6)
        problem = CoverageProblem.from_edges(**instance.arguments())
        solution = solve(problem, method=rng.choice(["auto", "g-greedy", "exact"]))
        assert verify(problem, solution).ok
        for _ in range(10):
            kind, changed = forged(solution, problem, rng)
            report = verify(problem, changed)
            refused += not report.ok
            if report.ok and not report.trusted:
                assert truth_of(instance, report.solution), f"{kind}: {changed}\n{instance}"
    assert refused > N_MUTATIONS // BATCHES // 3


@pytest.mark.parametrize("batch", sweeps.cases(BATCHES))
def test_forgeries_of_all_limits_and_returns_mixed(batch):
    rng = random.Random(batch)
    refused, left = 0, N_MUTATIONS // BATCHES
    while left > 0:
        case = rng.randrange(10**9)
        given = model_judge.draw(case, most_sets=6)
        problem, best = built(given), model_judge.best_of(given)
        if problem is None or best is None:
            continue
        solution = solve(problem, seed=case, **rng.choice([{}, {"checkable": True}]))
        assert verify(problem, solution).ok
        for _ in range(10):
            left -= 1
            kind, changed = forged(solution, problem, rng)
            report = verify(problem, changed)
            refused += not report.ok
            if report.ok and not report.trusted:
                wrong = model_judge.judge(given, report.solution, best)
                assert not wrong, f"case {case}, {kind}: {wrong}"
    assert refused > N_MUTATIONS // BATCHES // 3


# What weights are in practice: quotients, means, sums and logarithms that no decimal is.
ODD = {
    "thirds": lambda rng, _: rng.randint(1, 20) / 3,
    "means of ratings": lambda rng, _: sum(rng.randint(1, 5) for _ in range(3)) / 3,
    "shares": lambda rng, _: rng.randint(1, 50) / 1234,
    "one by degree": lambda _, degree: 1 / max(degree, 1),
    "tenths of single precision": lambda rng, _: float(np.float32(rng.randint(1, 99) / 10)),
    "half precision": lambda rng, _: float(np.float16(rng.random() + 0.1)),
    "logarithms": lambda rng, _: math.log1p(rng.randint(1, 50)),
    "word weights": lambda rng, degree: rng.randint(1, 9) * math.log(1 + 100 / (1 + degree)),
    "decimals": lambda rng, _: round(rng.uniform(0.1, 9), rng.choice([1, 2, 3, 5])),
    "sums of tenths": lambda rng, _: sum([0.1] * rng.randint(1, 30)) + 0.2,
    "square roots": lambda rng, _: math.sqrt(rng.randint(1, 50)),
    "percentages": lambda rng, _: rng.randint(1, 999) / 7 * 0.01,
}


@pytest.mark.parametrize("family", ODD)
def test_nothing_true_is_refused_whatever_weights_are(family):
    # an ordinary run takes five
    for case in sweeps.cases(1000)[:: 1 if sweeps.WHOLE else 20]:
        given, rng = model_judge.draw(case), random.Random(case)
        degrees = np.bincount(given["elements"], minlength=given["n_elements"]).tolist()
        given["weights"] = [ODD[family](rng, degree) for degree in degrees]
        if "worth" in given:
            given["worth"] = [ODD[family](rng, 2) for _ in given["worth"]]
        problem = built(given)
        if problem is None:
            continue
        try:
            if case % 3:
                answer = solve(problem, seed=case, **ways(case // 3, problem))
            else:
                answer = mc.cover(problem, target=rng.choice([0.3, 0.5, 0.8]), seed=case)
        except InfeasibleError:
            continue
        assert verify(problem, answer).refused == (), f"case {case}"


def without_its_tree():
    """Return a problem with minima of value, and its answer without the proof by cases."""
    problem = generate.biregular(60, 180, 9, 3, budget=60, seed=2)
    problem = problem.replace(groups=[f"g{k % 3}" for k in range(60)], min_share=0.2)
    solution = solve(problem, checkable=True)
    assert verify(problem, solution, strict=True).outcome == "proven"
    assert solution.tree is not None
    return problem, replace(solution, tree=None)


def test_what_rests_on_somebodys_word_is_named():
    problem, solution = without_its_tree()
    report = verify(problem, solution)
    assert report.ok
    assert report.bound > solution.upper_bound
    assert report.trusted == (
        f"branch and bound: no selection is worth more than {solution.upper_bound:.15g}",
    )
    lower = replace(solution, upper_bound=solution.value - 1)
    assert not verify(problem, lower).ok


def test_what_is_somebodys_word_says_whose_wherever_it_is_printed():
    _, solution = without_its_tree()
    assert (solution.status, solution.bound_by) == ("optimal", "branch and bound")
    for words in (repr(solution), str(solution), solution._repr_html_()):
        assert words.count("optimal") == words.count("optimal according to branch and bound") > 0
    assert solution.certificate.startswith("Best according to branch and bound: no selection")
    assert "Proven" not in solution._repr_html_()
    checkable = replace(solution, bound_by="dual point")
    assert "according" not in repr(checkable)
    assert checkable.certificate.startswith("Proven best: ")


def test_a_checkable_bound_rests_on_nobody():
    for seed in range(5):
        problem = generate.biregular(100, 300, 9, 3, budget=100, seed=seed)
        plain, checkable = solve(problem), solve(problem, checkable=True)
        report = verify(problem, checkable)
        assert report.ok
        assert not report.trusted
        assert report.bound == checkable.upper_bound
        assert checkable.upper_bound >= plain.upper_bound


@pytest.mark.parametrize("name", edge_cases())
@pytest.mark.parametrize("method", mc.METHODS)
def test_edge_cases_hold(name, method):
    problem = edge_cases()[name]
    assert verify(problem, solve(problem, method=method)).refused == ()


def test_a_loaded_solution_is_verified_again(tmp_path):
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=5)
    solution = solve(problem)
    for ending in (".npz", ".json"):
        save(solution, tmp_path / f"s{ending}")
        again = load(tmp_path / f"s{ending}")
        assert again.status == "unverified"
        assert np.array_equal(again.dual.shares, solution.dual.shares)
        checked = verify(problem, again)
        assert checked.ok
        assert checked.solution.status == verify(problem, solution).solution.status


def test_the_command(tmp_path, capsys):
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=5)
    save(problem, tmp_path / "p.npz")
    save(solve(problem, checkable=True), tmp_path / "s.json")
    paths = [str(tmp_path / "p.npz"), str(tmp_path / "s.json")]
    assert call(["verify", *paths]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "proven"
    forged = json.loads((tmp_path / "s.json").read_text()) | {"value": 99999.0}
    (tmp_path / "s.json").write_text(json.dumps(forged))
    assert call(["verify", *paths, "--format", "text"]) == 1
    shown = capsys.readouterr().out
    assert "refused  not so: value, cost and labels are as stated" in shown
    assert shown.startswith("refused: 1 of the statements")
    assert call(["verify", paths[0], paths[0]]) == 2


def test_a_bound_that_is_somebodys_word_is_told_apart(tmp_path, capsys):
    """A file may say that HiGHS proved anything: that is no proof."""
    problem = generate.biregular(60, 180, 9, 3, budget=60, seed=1)
    greedy = solve(problem, method="greedy")
    save(problem, tmp_path / "p.npz")
    save(greedy, tmp_path / "s.json")
    paths = [str(tmp_path / "p.npz"), str(tmp_path / "s.json")]
    claims = {"status": "optimal", "bound_by": "HiGHS", "upper_bound": greedy.value}
    forged = json.loads((tmp_path / "s.json").read_text()) | claims
    (tmp_path / "s.json").write_text(json.dumps(forged))
    assert call(["verify", *paths, "--format", "text"]) == 3
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("trusted: all else holds, but the bound is the word of HiGHS")
    assert "optimal" not in first + "".join(others)
    assert call(["verify", *paths]) == 3
    assert json.loads(capsys.readouterr().out)["outcome"] == "trusted"
    assert call(["verify", *paths, "--strict", "--format", "text"]) == 1
    assert capsys.readouterr().out.startswith("refused: ")
    report = verify(problem, load(tmp_path / "s.json"), strict=True)
    assert report.outcome == "refused"
    assert not report.ok


@pytest.mark.parametrize("part", range(4))
def test_covers_without_a_budget_are_accepted(part):
    """Costs of a few thousandths, and a budget of 0, whose unit says nothing of them."""
    for k in [*sweeps.cases(2000)][part::4]:
        rng = random.Random(k)
        m = rng.randint(3, 8)
        sets = [rng.sample(range(m), rng.randint(1, min(4, m))) for _ in range(rng.randint(3, 7))]
        places = rng.choice([2, 3, 3])
        costs = [round(rng.randint(1, 9) / 10**places, places) for _ in sets]
        problem = CoverageProblem.from_sets(sets, costs=costs, budget=0)
        share = rng.choice([0.3, 0.5, 0.8, 1.0])
        plan = cover(problem, target=share, checkable=k % 2 == 0, seed=k)
        assert not verify(problem, plan).refused, f"case {k}"
        total = len({a for own in sets for a in own})
        least = min(
            sum(Fraction(str(costs[i])) for i in chosen)
            for size in range(len(sets) + 1)
            for chosen in combinations(range(len(sets)), size)
            if len({a for i in chosen for a in sets[i]}) >= Fraction(str(share)) * total
        )
        assert Fraction(plan.lower_bound) <= least * (1 + Fraction(1, 2**50)), f"case {k}"
        if plan.status == "optimal":
            assert abs(Fraction(plan.cost) - least) <= least / 2**50, f"case {k}"


def test_the_loosest_proof_is_accepted():
    """Whatever `certify` takes for a proof, `verify` takes too, to the last digit."""
    accepted = 0
    for k in sweeps.cases(2000):
        given, rng = model_judge.draw(k), random.Random(k)
        if rng.random() < 0.5:
            size = len(given["weights"])
            given["weights"] = [
                rng.choice([6, 1.2]) * 10.0 ** rng.randint(-2, 12) for _ in range(size)
            ]
        chosen = {i for i in range(given["n_sets"]) if rng.random() < 0.5}
        chosen = sorted((chosen | {*given["required"]}) - {*given["forbidden"]})
        try:
            problem = CoverageProblem.from_edges(**given)
            value = certify(problem, chosen).value
        except (InfeasibleError, ProblemError):
            continue
        low, high = value, 2 * value + 1
        for _ in range(200):
            middle = low + (high - low) / 2
            low, high = (middle, high) if proves(problem, value, middle) else (low, middle)
        claimed = certify(problem, chosen, claim=Claim(low, "HiGHS"))
        accepted += claimed.bound_by == "HiGHS"
        assert not verify(problem, claimed).refused, f"case {k}"
    assert accepted > 10


def test_the_checker_stands_alone(tmp_path):
    """Copied out, the file checks saved answers without maxcover, NumPy or anything installed."""
    alone = shutil.copy(inspect.getfile(checker), tmp_path / "alone.py")
    problem = generate.biregular(30, 90, 9, 3, budget=30, seed=5)
    greedy = solve(problem, method="greedy")
    claims = {"status": "optimal", "bound_by": "HiGHS", "upper_bound": greedy.value}
    answers = {
        "proven": solve(problem, checkable=True),
        "trusted": replace(greedy, **claims),
        "refused": replace(greedy, value=99999.0),
    }
    save(problem, tmp_path / "problem.json")
    for outcome, answer in answers.items():
        save(answer, tmp_path / "answer.json")
        command = [sys.executable, "-I", "-S", alone, "problem.json", "answer.json"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.stdout == f"{verify(problem, answer)}\n", run.stderr
        assert run.stdout.startswith(f"{outcome}: ")
        assert run.returncode == checker.EXIT_CODES[outcome]
    assert subprocess.run(command[:-1], capture_output=True, check=False).returncode == 2
    assert subprocess.run([*command, "--strict"], cwd=tmp_path, check=False).returncode == 1


def test_the_checker_imports_the_standard_library_alone():
    tree = ast.parse(inspect.getsource(checker))
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
