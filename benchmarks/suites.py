"""Test suites of real projects: what recording costs, and what the chosen tests find.

Sub-commands, each of which prints its figures:

- ``recording``: seconds of CPU without recording, with ``--maxcover-record``, and with the C tracer
  of coverage.py and ``--cov-context=test``, in turns; the pairs of test and line that only one has.
- ``wall``: the wall time that a plan predicts beside the time that it takes, also with ``-n 2``.
- ``order``: lines covered after 10, 25 and 50 % of the time by our order, beside the best selection
  for that time, random orders, the slowest test last, and pytest-testmon's order.
- ``mutants``: mutants that tests find in a part of the time: by lines, in our order, at random.
- ``fixes``: fixes of a repository, each taken back: is a test that fails among those chosen?

``--python`` is the interpreter to run, which needs pytest, pytest-cov, pytest-xdist and maxcover;
``--root`` the folder to run in, ``--source`` the packages that are covered and ``--tests`` what
pytest is given. Recordings go into ``--folder``.
"""

import argparse
import ast
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from _report import heading, table
from pytest_maxcover import choose, read_suite
from pytest_maxcover.planning import Budget, make_plan
from pytest_maxcover.record import Record
from pytest_maxcover.running import interval

OPTIONS = ("-q", "-o", "addopts=", "-W", "ignore")
PARTS = (0.1, 0.25, 0.5)
# Seconds that a run of a mutant may take, times those of the whole suite.
PATIENCE = 5.0
Pair = tuple[str, str, int]
Floats = NDArray[np.float64]


class Project:
    """A project with tests, as the command line names it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.root: Path = options.root.resolve()
        self.folder: Path = options.folder.resolve()
        self.sources: list[str] = options.source
        self.tests: list[str] = options.tests
        self.python: str = options.python
        self.more: list[str] = options.option
        self.record = self.folder / "record.npz"
        # a file that changes twice in a second may have the bytecode of another version
        is_changed = options.command in ("mutants", "fixes")
        self.environment = {"PYTHONDONTWRITEBYTECODE": "1" if is_changed else ""}
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, *more: str, tests: Iterable[str] = (), timeout: float | None = None) -> str:
        """Run pytest; return what it printed."""
        paths = (self.root, self.root / "src", *os.environ.get("PYTHONPATH", "").split(":"))
        environment = (
            os.environ
            | self.environment
            | {
                "PYTHONPATH": os.pathsep.join(str(path) for path in paths if str(path)),
                "PYTHONHASHSEED": "0",
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "COVERAGE_CORE": "ctrace",
                "COVERAGE_FILE": str(self.folder / ".coverage"),
            }
        )
        asked = [*tests] or self.tests
        if len(asked) > 100:
            (self.folder / "asked.txt").write_text("".join(f"{test}\n" for test in asked))
            asked = [f"@{self.folder / 'asked.txt'}"]
        command = [self.python, "-m", "pytest", *OPTIONS, f"--rootdir={self.root}", *self.more]
        done = subprocess.run(  # noqa: S603
            [*command, *more, *asked], cwd=self.root, env=environment, capture_output=True,
            text=True, check=False, timeout=timeout,
        )  # fmt: skip
        return done.stdout + done.stderr

    def recording(self) -> tuple[str, ...]:
        """Return the options that record."""
        sources = (f"--maxcover-source={source}" for source in self.sources)
        options = ("-p", "pytest_maxcover.plugin", "--maxcover-record")
        return (*options, f"--maxcover-file={self.record}", *sources)

    def recorded(self, runs: int = 1) -> Record:
        """Record the suite, if it is not recorded yet."""
        for _ in range(0 if self.record.exists() else runs):
            said = self.run("-p", "no:cacheprovider", *self.recording())
            if not self.record.exists():
                raise SystemExit(said)
        return Record.load(self.record)

    def failures(self, tests: Iterable[str] = (), timeout: float | None = None) -> set[str] | None:
        """Run tests; return those that fail, or None if they take too long."""
        cache = self.folder / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        try:
            self.run("-o", f"cache_dir={cache}", "--tb=no", tests=tests, timeout=timeout)
        except subprocess.TimeoutExpired:
            return None
        path = cache / "v" / "cache" / "lastfailed"
        return {*json.loads(path.read_text())} if path.exists() else set()


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def recording(options: argparse.Namespace) -> None:
    """Measure what recording costs, and compare the pairs."""
    project = Project(options)
    kinds = {
        "none": (),
        "maxcover": project.recording(),
        "ctrace": ("-p", "pytest_cov.plugin", "--cov-context=test", "--cov-report=",
                   *(f"--cov={source}" for source in project.sources)),
    }  # fmt: skip
    kinds = {kind: more for kind, more in kinds.items() if kind not in options.without}
    # what was measured is kept, so that a run can go on where another was ended
    path = project.folder / "cpu.jsonl"
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for kind, used in map(json.loads, read_lines(path)):
        taken[kind].append(used)
    for k in range(options.rounds):
        for kind, more in kinds.items():
            if len(taken[kind]) > k or (kind == "ctrace" and k):
                continue
            if kind == "maxcover":
                project.record.unlink(missing_ok=True)
            before = cpu()
            project.run("-p", "no:cacheprovider", *more)
            taken[kind].append(cpu() - before)
            with path.open("a") as file:
                file.write(json.dumps((kind, taken[kind][-1])) + "\n")
    heading(f"Recording {project.root.name}", python=project.python,
            load=f"{os.getloadavg()[0]:.0f}")  # fmt: skip
    least = min(taken["none"])
    table(("", "seconds of CPU", "least, of none", "median, of none"),
          [(kind, " ".join(f"{x:.1f}" for x in times), f"{min(times) / least:.3f}",
            f"{np.median(times) / np.median(taken['none']):.3f}")
           for kind, times in taken.items()])  # fmt: skip
    if "ctrace" in kinds:
        compare(project, options.show)


def pairs_of(rows: Iterable[tuple[str, str, NDArray[np.int64]]]) -> set[Pair]:
    return {(name, file, line) for name, file, lines in rows for line in lines.tolist()}


def compare(project: Project, show: int) -> None:
    """Compare the pairs of the recorder with those of coverage.py."""
    record, traced_suite = Record.load(project.record), read_suite([project.folder / ".coverage"])
    traced = pairs_of(traced_suite.runs())
    own = {
        (name, str(project.root / file), line) for name, file, line in pairs_of(record.rows.runs())
    }
    fixtures = {*record.fixtures}
    users = [(test, name) for test, names in record.uses.items() for name in names]
    by_fixture: dict[str, set[tuple[str, int]]] = {}
    for name, file, line in own:
        if name in fixtures:
            by_fixture.setdefault(name, set()).add((file, line))
    shared = {(test, *place) for test, name in users for place in by_fixture.get(name, ())}
    own = {pair for pair in own if pair[0] not in fixtures}
    files = {file for _, file, _ in traced}
    own, shared = ({p for p in pairs if p[1] in files} for pairs in (own, shared))
    lost = traced - own - shared
    # coverage.py charges a shared fixture to the test that came first, and to the last
    first = {pair for pair in lost if any(pair[1:] in places for places in by_fixture.values())}
    print(f"pairs: recorder {len(own | shared):,}, ctrace {len(traced):,}, "
          f"both {len((own | shared) & traced):,}, only recorder {len(own - traced):,}, only "
          f"recorder and by a shared fixture {len(shared - own - traced):,}, only ctrace "
          f"{len(lost - first):,}, only ctrace and by a shared fixture {len(first):,}")  # fmt: skip
    for name, pairs in (("only recorder", own - traced), ("only ctrace", lost - first)):
        places = Counter((file, line) for _, file, line in pairs)
        for (file, line), count in places.most_common(show):
            text = Path(file).read_text().splitlines()[line - 1] if line else ""
            test = min(test for test, *place in pairs if place == [file, line])
            print(f"{name:14} {count:6} {Path(file).name}:{line} {text.strip()[:60]} | {test[:90]}")


def wall(options: argparse.Namespace) -> None:
    """Compare the wall time that plans predict with the time that they take."""
    project = Project(options)
    record = project.recorded(runs=options.rounds)
    rows = []
    for workers in (1, 2):
        for part in PARTS:
            plugins = ("-p", "no:cacheprovider", "-p", "pytest_maxcover.plugin", "-p", "xdist")
            more = ("-n", "2") if workers > 1 else ()
            asked = f"--maxcover={100 * part:g}%time"
            said = project.run(*plugins, asked, f"--maxcover-file={project.record}", *more)
            plan = re.search(r"([\d,]+) of .*planned to take (.*?) after (.*?) of coll", said)
            ended = re.search(r"It took (.*) with the time to collect", said)
            if plan is None or ended is None:
                raise SystemExit(said)
            tests, outside, taken = map(seconds_of, (plan[2], plan[3], ended[1]))
            off = f"{taken / (tests + outside) - 1:+.1%}"
            rows.append((workers, f"{part:.0%}", plan[1], plan[2], plan[3], ended[1], off))
    heading(f"Wall time of {project.root.name}", tests=len(record.tests),
            outside=f"{record.outside:.2f}", load=f"{os.getloadavg()[0]:.0f}")  # fmt: skip
    table(("workers", "of the time", "tests", "planned", "collecting", "it took", "off"), rows)


def seconds_of(said: str) -> float:
    """Read a time such as "1 min 15 s"."""
    parts = re.findall(r"([\d.]+) (h|min|s)", said)
    return sum(float(number) * {"h": 3600, "min": 60, "s": 1}[unit] for number, unit in parts)


def order(options: argparse.Namespace) -> None:
    """Compare orders by the lines that they cover after a part of the time."""
    project = Project(options)
    record = project.recorded()
    suite = record.suite()
    seconds, shared, whole = suite.seconds, suite.shared, suite.total()
    rng = np.random.default_rng(options.seed)
    place = {test: k for k, test in enumerate(suite.tests)}
    # the order of a plan that may use half of the time, as it runs
    plan = make_plan(record, [*suite.tests], Budget(seconds=options.plan * whole))
    orders = {
        "ours": [[place[test] for test in plan.tests]],
        "random": [rng.permutation(len(place)).tolist() for _ in range(20)],
        "slowest last": [np.argsort(seconds, kind="stable").tolist()],
        "pytest-testmon": [testmon(suite.tests, seconds)],
    }
    rows = []
    for part in PARTS:
        best = choose(suite, budget=part * whole, target_gap=0.001)
        cells = [f"{part:.0%}", f"{best.share:.2%}", f"{best.bound:.2%}"]
        for named in orders.values():
            shares = []
            for tests in named:
                spent = np.array([seconds[k] for k in tests]).cumsum()
                costs = (
                    [spent[i] + shared.cost_of(tests[: i + 1]) for i in range(len(tests))]
                    if shared.costs.size
                    else spent
                )
                n = int(np.searchsorted(costs, part * whole + 1e-9, side="right"))
                value = best.problem.value(np.sort(np.array(tests[:n], dtype=np.int64)))
                shares.append(value / best.total)
            cells.append(f"{np.mean(shares):.2%} ({np.mean(shares) / best.share:.1%})")
        rows.append(tuple(cells))
    heading(f"Order of the tests of {project.root.name}", tests=len(suite.tests),
            lines=suite.n_lines, seconds=f"{whole:.1f}", seed=options.seed)  # fmt: skip
    table(("of the time", "best", "at most", *(f"{name} (of the best)" for name in orders)), rows)


def testmon(tests: Iterable[str], seconds: Floats) -> list[int]:
    """Return pytest-testmon's order: by the mean of the module, of the class, and of the test."""
    named = [test.partition("[")[0].split("::") for test in tests]
    means: dict[str, list[float]] = {}
    for parts, taken in zip(named, seconds.tolist(), strict=True):
        for key in ("::".join(parts[:1]), "::".join(parts[:-1])):
            means.setdefault(key, []).append(taken)
    mean = {key: float(np.mean(times)) for key, times in means.items()}
    return sorted(range(len(named)), key=lambda k: (
        mean["::".join(named[k][:1])], mean["::".join(named[k][:-1])], seconds[k], k))  # fmt: skip


SWAPS: dict[type, Callable[[], ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def changes_of(tree: ast.Module) -> Iterator[tuple[int, Callable[[], None]]]:
    """Yield the mutants of a file: the line, and what makes it."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for name in ("op", "ops"):
            value = getattr(node, name, None)
            old = value[0] if isinstance(value, list) and value else value
            if type(old) in SWAPS:
                new = SWAPS[type(old)]()
                swapped = [new, *value[1:]] if isinstance(value, list) else new
                yield line, lambda n=node, a=name, v=swapped: setattr(n, a, v)
        if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            other = not node.value if isinstance(node.value, bool) else node.value + 1
            yield line, lambda n=node, v=other: setattr(n, "value", v)
        if isinstance(node, ast.Return) and node.value is not None:
            yield line, lambda n=node: setattr(n, "value", ast.Constant(None))
        if isinstance(node, ast.If | ast.While):
            denied = ast.UnaryOp(ast.Not(), node.test)
            yield line, lambda n=node, v=denied: setattr(n, "test", v)


def mutants(options: argparse.Namespace) -> None:
    """Mutate lines that tests run; see which tests find it, and which selection has one."""
    project = Project(options)
    record = project.recorded()
    suite = record.suite()
    begin = time.perf_counter()
    if failing := project.failures():
        print(f"tests that fail anyway, left out: {len(failing)}")
    patience = PATIENCE * (time.perf_counter() - begin) + 10
    runners: dict[tuple[str, int], list[str]] = {}
    for name, file, lines in suite.runs():
        for line in lines.tolist():
            runners.setdefault((file, line), []).append(name)
    places = []
    for file in sorted({file for file, _ in runners}):
        text = (project.root / file).read_text()
        made = [*changes_of(ast.parse(text))]
        places += [(file, k) for k, (line, _) in enumerate(made) if (file, line) in runners]
    rng = np.random.default_rng(options.seed)
    drawn = [places[k] for k in rng.permutation(len(places))[: options.number]]
    # what was found is kept, so that a run can go on where another was ended
    path = project.folder / "mutants.jsonl"
    known = {(file, k): found for file, k, found in map(json.loads, read_lines(path))}
    for file, k in drawn:
        if (file, k) in known:
            continue
        source = project.root / file
        text = source.read_text()
        tree = ast.parse(text)
        line, change = [*changes_of(tree)][k]
        change()
        try:
            source.write_text(ast.unparse(ast.fix_missing_locations(tree)))
            failed = project.failures(sorted({*runners[file, line]}), timeout=patience)
        finally:
            source.write_text(text)
        known[file, k] = None if failed is None else sorted(failed - failing)
        with path.open("a") as rows:
            rows.write(json.dumps((file, k, known[file, k])) + "\n")
    found = [known[place] for place in drawn]
    endless, kills = found.count(None), [{*tests} for tests in found if tests]
    print(f"{len(drawn)} mutants of {len(places):,}, seed {options.seed}: {len(kills)} found by "
          f"some test, {endless} without end (left out), the others by none")  # fmt: skip
    shown(project, record, options, kills)


def shown(
    project: Project, record: Record, options: argparse.Namespace, kills: list[set[str]]
) -> None:
    """Print how many mutants the tests of a tenth of the time find."""
    suite = record.suite()
    whole = suite.total()
    rows = []
    for part in (0.1, 0.25):
        budget = part * whole
        lines = {*choose(suite, budget=budget).tests}
        planned = {*make_plan(record, [*suite.tests], Budget(seconds=budget)).tests}
        rng = np.random.default_rng(options.seed)
        luck = []
        for _ in range(20):
            tests = rng.permutation(len(suite.tests))
            n = int(np.searchsorted(suite.seconds[tests].cumsum(), budget, side="right"))
            luck.append(
                sum(not found.isdisjoint(suite.tests[k] for k in tests[:n]) for found in kills)
            )
        for name, found in (
            ("by lines", sum(not tests.isdisjoint(lines) for tests in kills)),
            ("in our order, with what fills", sum(not t.isdisjoint(planned) for t in kills)),
            ("random, mean of 20", round(float(np.mean(luck)))),
        ):
            low, high = interval(found, len(kills))
            share = found / len(kills)
            rows.append((f"{part:.0%}", name, f"{found} of {len(kills)}", f"{share:.0%}",
                         f"{low:.0%} to {high:.0%}"))  # fmt: skip
    heading(f"Mutants of {project.root.name}", tests=len(suite.tests), seconds=f"{whole:.1f}",
            load=f"{os.getloadavg()[0]:.0f}")  # fmt: skip
    table(("of the time", "selection", "found", "share", "95 % interval"), rows)


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "advice.detachedHead=false", *arguments]
    return subprocess.run(  # noqa: S603
        command, cwd=root, check=True, capture_output=True, text=True
    ).stdout


def fixes(options: argparse.Namespace) -> None:
    """Take fixes of a repository back, one by one; see which selection has a test that fails."""
    project = Project(options)
    commits = git(project.root, "log", "--no-merges", "--format=%H %s", options.upto).splitlines()
    # what was replayed is kept, so that a run can go on where another was ended
    path = project.folder / "fixes.jsonl"
    known = {row["commit"]: row for row in map(json.loads, read_lines(path))}
    for text in commits:
        commit, _, subject = text.partition(" ")
        if sum(bool(row["failed"]) for row in known.values()) >= options.number:
            break
        files = git(project.root, "diff-tree", "--no-commit-id", "--name-only", "-r", commit)
        names = files.split()
        code = [f for f in names if f.endswith(".py") and f.startswith(tuple(options.code))]
        is_fix = re.search(r"\bfix|issue|#\d", subject, re.IGNORECASE)
        if commit in known or not code or not is_fix or "tests/" not in files:
            continue
        known[commit] = {"commit": commit, "subject": subject, **replayed(project, commit, code)}
        print(json.dumps(known[commit]), flush=True)
        with path.open("a") as file:
            file.write(json.dumps(known[commit]) + "\n")
    git(project.root, "checkout", "-q", "-f", options.upto)
    rows = [row for row in known.values() if row["failed"]]
    heading(f"Fixes of {project.root.name} taken back", fixes=len(rows), seed=options.seed,
            without_a_failure=len(known) - len(rows))  # fmt: skip
    cells = []
    for name in sorted(rows[0]["caught"]):
        count = sum(row["caught"][name] for row in rows)
        low, high = interval(count, len(rows))
        share = count / len(rows)
        cells.append((name, f"{count} of {len(rows)}", f"{share:.0%}", f"{low:.0%} to {high:.0%}"))
    table(("selection", "caught", "share", "95 % interval"), cells)


def read_lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def replayed(project: Project, commit: str, code: list[str]) -> dict[str, object]:
    """Record a fix, take it back, and see which selections have a test that fails then."""
    git(project.root, "checkout", "-q", "-f", commit)
    git(project.root, "clean", "-fdq")
    project.record.unlink(missing_ok=True)
    project.run("-p", "no:cacheprovider", *project.recording())
    if not project.record.exists():
        return {"failed": 0, "caught": {}}
    record = Record.load(project.record)
    before = [f for f in code if git(project.root, "ls-tree", "--name-only", f"{commit}~1", f)]
    git(project.root, "checkout", "-q", f"{commit}~1", "--", *before)
    failed = ((project.failures() or set()) & {*record.tests}) - {*record.failed}
    changed = record.touched_tests(project.root, commit)
    whole = record.suite().total()
    rng = np.random.default_rng(0)
    caught = {}
    for part in (0.1, 0.25) if failed else ():
        budget = Budget(seconds=part * whole)
        tests = [record.tests[k] for k in rng.permutation(len(record.tests))]
        n = int(np.searchsorted(record.suite(tests).seconds.cumsum(), part * whole))
        for name, chosen in (
            (
                "with the change known",
                make_plan(record, record.tests, budget, changed=changed).tests,
            ),
            ("by lines alone", make_plan(record, record.tests, budget).tests),
            ("at random", tests[:n]),
        ):
            caught[f"{part:.0%} {name}"] = not failed.isdisjoint(chosen)
    return {"failed": len(failed), "tests": len(record.tests), "touched": len(changed),
            "seconds": whole, "caught": caught}  # fmt: skip


COMMANDS = {c.__name__: c for c in (recording, wall, order, mutants, fixes)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--source", action="append", required=True)
    parser.add_argument("--tests", nargs="+", default=["tests"])
    parser.add_argument("--option", action="append", default=[], help="further option of pytest")
    parser.add_argument("--folder", type=Path, required=True, help="where the recordings go")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--show", type=int, default=12, help="how many differing lines to show")
    parser.add_argument("--number", type=int, default=100, help="of mutants, or of fixes")
    parser.add_argument("--without", action="append", default=[], help="kind not to measure")
    parser.add_argument("--plan", type=float, default=0.5, help="part of the time to plan for")
    parser.add_argument("--code", action="append", default=[], help="folders with code, of fixes")
    parser.add_argument("--upto", default="HEAD", help="last commit of the fixes")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    COMMANDS[options.command](options)


if __name__ == "__main__":
    main()
