"""Fuzz corpora: a real target, really fuzzed; the formats of what fuzzers record."""

import json
import random
import shutil
import subprocess
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.sweeps import cases

from maxcover import verify
from maxcover.cli.app import call
from maxcover.errors import FileFormatError, OptionError
from pytest_maxcover import choose, read_suite, with_durations
from pytest_maxcover.fuzz_corpus import put, read_corpus
from pytest_maxcover.suite import Recorder

TARGET = Path(__file__).parent / "target" / "calc.c"
SEED = "max(1,0x2f)*[pi,-e]/(3%2)<!4"


def shell(folder, *command, **environment):
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False,
        env=environment or None,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in a folder, in this process."""

    def running(folder, *arguments):
        monkeypatch.chdir(folder)
        return Done(call([*map(str, arguments)]), *capsys.readouterr())

    return running


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A target of libFuzzer, 100,000 runs of it, and what each input that it kept covers."""
    folder = tmp_path_factory.mktemp("fuzzed")
    shell(folder, "clang", "-g", "-O1", "-fsanitize=fuzzer", TARGET, "-o", "calc")
    for name in ("seeds", "corpus", "greedy"):
        (folder / name).mkdir()
    (folder / "seeds" / "first").write_text(SEED)
    shell(folder, "./calc", "-seed=1", "-runs=60000", "-max_len=64", "corpus", "seeds")
    merge = ("-set_cover_merge=1", "-merge_control_file=control.txt", "greedy", "corpus")
    shell(folder, "./calc", *merge)
    log = shell(folder, "./calc", *(f"corpus/{p.name}" for p in (folder / "corpus").iterdir()))
    (folder / "times.log").write_text(log)
    return folder


def features(folder, corpus):
    """Return how many features libFuzzer itself finds in a corpus."""
    log = shell(folder, "./calc", "-runs=0", corpus)
    return max(int(line.split(" ft: ")[1].split()[0]) for line in log.splitlines() if "ft:" in line)


def test_from_the_fuzzer_to_a_smaller_corpus(fuzzed, run):
    done = run(fuzzed, "corpus", "control.txt", "--into", "small", "-o", "size.png")
    assert done.returncode == 0, done.stderr
    assert "cover 100.00% of the" in done.stdout
    assert "Proven cheapest: no selection that covers 100.00% takes less than" in done.stdout
    assert (fuzzed / "size.png").read_bytes().startswith(b"\x89PNG")
    assert features(fuzzed, "small") == features(fuzzed, "corpus")
    size = {
        name: sum(path.stat().st_size for path in (fuzzed / name).iterdir())
        for name in ("corpus", "greedy", "small")
    }
    assert size["small"] < size["greedy"] < size["corpus"]
    fewest = run(fuzzed, "corpus", "control.txt", "--cost", "files").stdout.splitlines()
    assert len(fewest) <= len([*(fuzzed / "greedy").iterdir()])


def test_two_budgets(fuzzed, run):
    asked = ("--budget", "1kB", "--budget", "50files", "--format", "json")
    found = json.loads(run(fuzzed, "corpus", "control.txt", *asked).stdout)
    assert len(found["files"]) <= 50
    assert found["bytes"] <= 1000
    assert found["share"] <= found["bound"]["share"] <= found["share"] * 1.02
    names = ("seconds", "bytes")
    inputs, times = fuzzed / "corpus", [fuzzed / "times.log"]
    corpus = read_corpus([fuzzed / "control.txt"], names, inputs=inputs, times=times)
    assert (corpus.costs["bytes"] >= 1).all()
    selection = choose(corpus, budget={"seconds": 0.02, "bytes": 500})
    assert verify(selection.problem, selection.answer).ok
    assert selection.totals["bytes"] <= 500


def test_lists_and_links(fuzzed, run):
    asked = ("corpus", "control.txt", "--target", "90%", "--always", "corpus/a*")
    listed = run(fuzzed, *asked).stdout.splitlines()
    assert {name for name in listed if name.startswith("corpus/a")} == {
        f"corpus/{path.name}" for path in (fuzzed / "corpus").glob("a*")
    }
    null = run(fuzzed, *asked, "--format", "null").stdout
    assert null.split("\0")[:-1] == listed
    done = run(fuzzed, *asked, "--into", "linked", "--link", "-o", "keep.txt")
    assert done.returncode == 0, done.stderr
    assert (fuzzed / "keep.txt").read_text().splitlines() == listed
    assert all(path.stat().st_nlink == 2 for path in (fuzzed / "linked").iterdir())
    again = run(fuzzed, *asked, "--start", "keep.txt", "--format", "json")
    assert json.loads(again.stdout)["kept"] == len(listed)
    assert "new or empty folder" in run(fuzzed, *asked, "--into", "linked").stderr


@pytest.fixture(scope="module")
def traced(fuzzed):
    """The traces that afl-cmin keeps of the same corpus, without the forks of afl-fuzz."""
    shell(fuzzed, "afl-clang-fast", "-O1", "-fsanitize=fuzzer", TARGET, "-o", "calc.afl")
    shell(fuzzed, "afl-showmap", "-q", "-i", "corpus", "-o", "traces", "--", "./calc.afl")
    return fuzzed / "traces"


def test_traces_of_afl(fuzzed, traced, run):
    corpus = read_corpus([traced])
    assert len(corpus.tests) == len([*(fuzzed / "corpus").iterdir()])
    for name in corpus.tests[:5]:
        lines = {*(traced / name).read_text().split()}
        row = slice(*corpus.indptr[corpus.tests.index(name) :][:2])
        assert np.isin(corpus.block_of, corpus.indices[row]).sum() == len(lines)
    asked = ("--inputs", "corpus", "--cost", "files", "--into", "kept")
    assert run(fuzzed, "corpus", "traces", *asked).returncode == 0
    kept = {line for path in (fuzzed / "kept").iterdir()
            for line in (traced / path.name).read_text().split()}  # fmt: skip
    assert kept == {line for path in traced.iterdir() for line in path.read_text().split()}
    # where afl-cmin keeps them
    shutil.copytree(traced, fuzzed / "merged" / ".traces")
    assert read_corpus([fuzzed / "merged"]).tests == corpus.tests


def test_seconds_of_files(tmp_path):
    (tmp_path / "w.json").write_text('{"c/a": 2.5, "c/b": 3}')
    (tmp_path / "t.log").write_text("INFO: x\nExecuted c/a in 12 ms\nExecuted c/b in 0 ms\n")
    recorder = Recorder()
    recorder.add("c/a", "features", [1])
    recorder.add("c/b", "features", [1])
    suite = recorder.suite()
    assert with_durations(suite, [tmp_path / "w.json"]).seconds.tolist() == [2.5, 3]
    assert with_durations(suite, [tmp_path / "t.log"]).seconds.tolist() == [0.012, 0.0001]
    (tmp_path / "w.json").write_text('{"c/a": "soon"}')
    with pytest.raises(FileFormatError, match="expected durations"):
        with_durations(suite, [tmp_path / "w.json"])


def test_files_of_one_name_are_kept_apart(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_text(folder)
    put([str(tmp_path / "a" / "x"), str(tmp_path / "b" / "x")], tmp_path / "new", link=False)
    assert {path.read_text() for path in (tmp_path / "new").iterdir()} == {"a", "b"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"2\n0\na/x\na/y\nFT 0 1 2\nFT 1 3\n", "run the target with -set_cover_merge=1"),
        (b"2\n0\na/x\na/y\nFT 7 1 2\n", "expected a merge control file"),
        (b"2\n0\na/x\na/y\nFT 0 one\n", "expected a merge control file"),
        (b"12:1\n13:x\n", "expected lines tuple:hits"),
        (b"12:1\n13\n14:1\n", "expected lines tuple:hits"),
        (b'{"data": [{"files": []}]}', "write a table with the columns test, file and line"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_suite([tmp_path / "x"])


def test_what_the_command_refuses(tmp_path, run):
    (tmp_path / "control").write_text("2\n0\na/x\na/y\nFT 0 1 2\nFT 1 2 3\n")
    for arguments, message in (
        ([], "say where the files are with --inputs"),
        (
            ["--cost", "files", "--budget", "2"],
            "expected an amount such as 2MB, 500files, 90s or 3min, 5%",
        ),
        (
            ["--cost", "files", "--budget", "2furlongs"],
            "expected an amount such as 2MB, 500files, 90s or 3min, 5%",
        ),
        (["--budget", "5s"], "expected --times with the seconds"),
        (["--cost", "files", "--budget", "1file", "--target", "1"], "either a budget or a target"),
        (["--cost", "weight"], "'weight' is not one of 'bytes', 'files', 'seconds'"),
    ):
        done = run(tmp_path, "corpus", "control", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
    assert run(tmp_path, "corpus", "control", "--cost", "files").stdout == "a/x\na/y\n"
    with pytest.raises(OptionError, match="expected the file"):
        read_corpus([tmp_path / "control"], ["bytes"])


@pytest.mark.parametrize("seed", cases(2000))
def test_small_corpora_against_brute_force(seed):
    """Budgets of bytes and files, or a target, in whole numbers."""
    rng = random.Random(seed)
    n = rng.randint(1, 7)
    runs = [{rng.randrange(9) for _ in range(rng.randint(0, 5))} for _ in range(n)]
    recorder = Recorder()
    for k, features in enumerate(runs):
        recorder.add(f"f{k}", "features", np.array(sorted(features), dtype=np.int64))
    sizes = [rng.randint(1, 9) for _ in range(n)]
    suite = recorder.suite().with_costs(bytes=np.array(sizes, dtype=float), files=np.ones(n))
    everything = set().union(*runs)
    found = [
        (len(set().union(*(runs[k] for k in chosen))), sum(sizes[k] for k in chosen), len(chosen))
        for size in range(n + 1)
        for chosen in combinations(range(n), size)
    ]
    if rng.random() < 0.5 and everything:
        target = rng.choice([1.0, 0.5, 0.8])
        selection = choose(suite, target=target)
        needed = Fraction(repr(target)) * len(everything)
        least = min(cost for covered, cost, _ in found if covered >= needed)
        assert selection.bound <= least <= selection.totals["bytes"]
        assert selection.share >= target * (1 - 1e-12)
        assert selection.answer.status != "optimal" or selection.totals["bytes"] == least
    else:
        budget = {"bytes": rng.randint(0, sum(sizes)), "files": rng.randint(0, n)}
        selection = choose(suite, budget=budget)
        best = max(
            covered
            for covered, cost, size in found
            if cost <= budget["bytes"] and size <= budget["files"]
        )
        assert all(selection.totals[name] <= budget[name] for name in budget)
        assert selection.answer.value <= best <= selection.answer.upper_bound
        assert selection.answer.status != "optimal" or selection.answer.value == best
