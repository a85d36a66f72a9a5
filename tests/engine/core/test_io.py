"""Files: exact round trips, and one kind of error for everything that is not our file."""

import io
import json
import os
import pickle
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from maxcover import METHODS, CoverageProblem, Solution, generate, load, save, solve
from maxcover.engine.core.io import FORMATS
from maxcover.errors import FileFormatError, OptionError
from tests import sweeps
from tests.instances import edge_cases, random_problem

ENDINGS = FORMATS


def same_problem(one, other) -> bool:
    for name in one.__dataclass_fields__:
        a, b = getattr(one, name), getattr(other, name)
        if hasattr(a, "__dataclass_fields__"):
            if not same_problem(a, b):
                return False
            continue
        if isinstance(a, np.ndarray):
            if a.dtype != b.dtype or not np.array_equal(a, b) or b.flags.writeable:
                return False
        elif a != b:
            return False
    return True


def labelled() -> CoverageProblem:
    """One of every kind of label, an infinite group limit, numbers without short decimals."""
    return CoverageProblem.from_sets(
        {"a": ["ü", 1, (2, ("x", None))], 7: [1, 2.5, True + 1j.imag], None: [], ("t", 1): ["ü"]},
        costs={"a": 1 / 3, 7: 0.1, None: 1e-80, ("t", 1): 5},
        budget=2**0.5,
        forbidden=[None],
        groups={"a": "g", 7: ("h", 1)},
        max_items={"g": 1},
        max_cost={("h", 1): 0.25},
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip_of_labels_and_limits(ending, tmp_path):
    problem = labelled()
    save(problem, tmp_path / f"p{ending}")
    assert same_problem(problem, load(tmp_path / f"p{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", edge_cases())
def test_round_trip_of_edge_cases(ending, name, tmp_path):
    problem = edge_cases()[name]
    save(problem, str(tmp_path / f"p{ending}"))
    assert same_problem(problem, load(str(tmp_path / f"p{ending}")))


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip_of_random_problems(ending, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(60):
        problem = random_problem(rng)
        save(problem, tmp_path / f"p{ending}")
        assert same_problem(problem, load(tmp_path / f"p{ending}"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip_of_a_solution(ending, tmp_path):
    for method in METHODS:
        solution = solve(labelled(), method=method)
        save(solution, tmp_path / f"s{ending}")
        again = load(tmp_path / f"s{ending}")
        assert isinstance(again, Solution)
        for name in ("value", "cost", "upper_bound", "gap", "stopped", "bound_by"):
            assert getattr(again, name) == getattr(solution, name)
        assert again.status == "unverified"
        assert again.labels == solution.labels
        assert again.trace == solution.trace
        assert again.method == method
        assert again.selected.dtype == np.int64
        assert again.selected.tolist() == solution.selected.tolist()
        assert not again.selected.flags.writeable


def test_tables_are_read_by_one_convention(tmp_path):
    """What pyarrow or a spreadsheet wrote is a problem; it has no budget of its own."""
    problem = generate.biregular(20, 60, 9, 3, budget=20)
    table = problem.to_arrow()
    pq.write_table(table, tmp_path / "p.parquet")
    csv.write_csv(table, tmp_path / "p.csv")
    for name in ("p.parquet", "p.csv"):
        assert solve(load(tmp_path / name, budget=20)).value == solve(problem).value
        with pytest.raises(FileFormatError, match="expected a budget, got none in 'p"):
            load(tmp_path / name)
    named = table.rename_columns(["set", "element", "price", "weight"])
    pq.write_table(named, tmp_path / "p.parquet")
    read = load(tmp_path / "p.parquet", budget=20, costs="price")
    assert read.costs.sum() == problem.costs.sum()


def test_plain_json_is_read_and_names_count_once(tmp_path):
    path = tmp_path / "sets.json"
    path.write_text('{"sets": {"a": ["x", "y"], "b": ["y"]}, "budget": 1}')
    assert load(path).set_labels == ("a", "b")
    assert load(path, budget=2).budget == 2
    path.write_text('{"sets": {"a": ["x"], "a": ["y", "z"]}, "budget": 1}')
    with pytest.raises(FileFormatError, match="each name once in an object, got 'a' twice"):
        load(path)
    save(generate.greedy_trap(), path)
    path.write_text(path.read_text().replace("{", '{"budget": 99.0, ', 1))
    with pytest.raises(FileFormatError, match="got 'budget' twice"):
        load(path)


def test_only_regular_files_are_opened(tmp_path):
    """A pipe would be waited for without end."""
    for ending in (*ENDINGS, ".csv", ".parquet"):
        os.mkfifo(tmp_path / f"p{ending}")
        with pytest.raises(OptionError, match="expected a regular file, got a pipe"):
            load(tmp_path / f"p{ending}", budget=1)


@pytest.mark.parametrize("ending", [".txt", "", ".npz.gz", ".pickle"])
def test_other_endings_are_refused(ending, tmp_path):
    with pytest.raises(OptionError, match=r"ends in \.npz, \.json, got"):
        save(generate.greedy_trap(), tmp_path / f"p{ending}")
    with pytest.raises(OptionError, match=r"ends in \.npz, \.json, \.csv, \.tsv, \.parquet"):
        load(tmp_path / f"p{ending}")


def test_other_things_are_refused(tmp_path):
    with pytest.raises(OptionError, match="a CoverageProblem or a Solution, got"):
        save({}, tmp_path / "p.npz")
    labelled_by_objects = CoverageProblem.from_sets({frozenset({1}): [1]}, budget=1)
    for ending in ENDINGS:
        with pytest.raises(OptionError, match=r"labels to be text.*frozenset.*rename"):
            save(labelled_by_objects, tmp_path / f"p{ending}")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_the_operating_systems_to_explain(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize("ending", ENDINGS)
def test_writes_are_atomic(ending, tmp_path, monkeypatch):
    path = tmp_path / f"p{ending}"
    save(generate.greedy_trap(), path)
    before = path.read_bytes()

    def fails_half_way(record, target):
        target.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("maxcover.engine.core.io._write", fails_half_way)
    with pytest.raises(OSError, match="disk full"):
        save(labelled(), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def load_or_refuse(path: Path) -> CoverageProblem | Solution | None:
    """Return what a file holds, or None when it is refused; any other exception is a bug."""
    try:
        return load(path)
    except FileFormatError as error:
        assert "expected" in str(error)  # noqa: PT017 - every refusal says what was expected
        return None


@pytest.mark.parametrize(
    ("kind", "ending"),
    [("problem", ending) for ending in ENDINGS] + [("solution", end) for end in ENDINGS],
)
def test_corrupted_bytes_and_truncations(kind, ending, tmp_path):
    path = tmp_path / f"x{ending}"
    problem = labelled()
    save(problem if kind == "problem" else solve(problem), path)
    whole = path.read_bytes()
    refused, changes = 0, sweeps.cases(1_000)
    for k in changes:
        rng = np.random.default_rng(k)
        damaged = bytearray(whole)
        for position in rng.integers(0, len(whole), int(rng.integers(1, 4))):
            damaged[position] = int(rng.integers(0, 256))
        path.write_bytes(damaged)
        refused += load_or_refuse(path) is None
    lengths = np.random.default_rng(1).integers(0, len(whole), 500)
    for k in sweeps.cases(500):
        path.write_bytes(whole[: lengths[k]])
        assert load_or_refuse(path) is None
    assert refused > len(changes) / 4


def header(**change) -> dict:
    return {"format": "maxcover", "version": 1, "kind": "problem", **change}


GOOD = header(
    indptr=[0, 1], indices=[0], costs=[1.0], weights=[2.0], budget=1.0, required=[], forbidden=[]
)
ONE_CURVE = {"returns_indptr": [0, 1], "returns_steps": [1.0], "returns_strength": []}
ONE_ROW = {
    "limits_indptr": [0, 1], "limits_members": [0], "limits_amounts": [1.0], "limits_low": [0.0],
    "limits_high": [1.0], "limits_names": ["x"], "limits_n_budgets": 1, "limits_stated": {},
}  # fmt: skip
BAD_RECORDS = {
    "not an object": [1, 2],
    "null": None,
    "another program's": {"format": "other"},
    "nothing of ours": {},
    "a newer version": {**GOOD, "version": 2},
    "no version": {k: v for k, v in GOOD.items() if k != "version"},
    "version in words": {**GOOD, "version": "1"},
    "unknown kind": {**GOOD, "kind": "pickle"},
    "unknown field": {**GOOD, "colour": "red"},
    "field missing": {k: v for k, v in GOOD.items() if k != "costs"},
    "negative cost": {**GOOD, "costs": [-1.0]},
    "index out of range": {**GOOD, "indices": [5]},
    "index negative": {**GOOD, "indices": [-1]},
    "index beyond int32": {**GOOD, "indices": [2**32]},
    "index a fraction": {**GOOD, "indices": [0.5]},
    "index beyond int64": {**GOOD, "indices": [2**70]},
    "indptr falls": {**GOOD, "indptr": [1, 0]},
    "costs in words": {**GOOD, "costs": ["one"]},
    "costs nested": {**GOOD, "costs": [[1.0]]},
    "budget missing": {**GOOD, "budget": None},
    "budget a list": {**GOOD, "budget": [1]},
    "required nobody": {**GOOD, "required": [3]},
    "labels an object": {**GOOD, "set_labels": [{"a": 1}]},
    "labels too many": {**GOOD, "set_labels": ["a", "b"]},
    "labels a number": {**GOOD, "set_labels": 5},
    "a curve that is not there": {**GOOD, **ONE_CURVE, "returns_of": [5]},
    "a curve of nobody": {**GOOD, **ONE_CURVE, "returns_of": [0, 0]},
    "a curve without end": {**GOOD, **ONE_CURVE, "returns_of": [0], "returns_indptr": []},
    "steps that rise": {
        **GOOD,
        "returns_of": [0],
        "returns_indptr": [0, 2],
        "returns_steps": [1.0, 2.0],
        "returns_strength": [],
    },
    "no strength": {**GOOD, **ONE_CURVE, "returns_of": [-1]},
    "strengths of nobody": {**GOOD, **ONE_CURVE, "returns_of": [-2], "returns_strength": [1, 1]},
    "a chance of two": {**GOOD, **ONE_CURVE, "returns_of": [-2], "returns_strength": [2.0]},
    "a limit that nothing states": {**GOOD, **ONE_ROW, "limits_n_budgets": 0},
    "a budget of two sets": {**GOOD, **ONE_ROW, "limits_amounts": [1.0, 1.0]},
    "a negative amount": {**GOOD, **ONE_ROW, "limits_amounts": [-1.0]},
    "groups of two sets": {
        **GOOD,
        **ONE_ROW,
        "limits_n_budgets": 0,
        "limits_stated": {"groups": [["g"], ["g"]], "max_items": [["g", 1.0]]},
    },
    "conflicts of nobody": {
        **GOOD,
        **ONE_ROW,
        "limits_n_budgets": 0,
        "limits_stated": {"conflicts": [[0, 7]]},
    },
    "solution without fields": header(kind="solution"),
    "solution with a bad trace": header(kind="solution", selected=[0], trace=[[1]]),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_bad_records(name, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(BAD_RECORDS[name]))
    with pytest.raises(FileFormatError, match="expected"):
        load(path)


def test_the_good_record_is_good(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(GOOD))
    assert load(tmp_path / "x.json").n_sets == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["costs", "weights", "budget"])
def test_numbers_that_are_none(number, field, tmp_path):
    text = json.dumps({**GOOD, field: "HERE" if field == "budget" else ["HERE"]})
    (tmp_path / "x.json").write_text(text.replace('"HERE"', number))
    with pytest.raises(FileFormatError, match="expected"):
        load(tmp_path / "x.json")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"9" * 10_000,
        b'{"format": "maxcover", "version": ' + b"9" * 10_000 + b"}",
        '{"format": "maxcover\ud800"}'.encode("utf-16", "surrogatepass"),
    ],
    ids=["empty", "open", "not text", "deep", "deep objects", "digits", "long version", "utf-16"],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_hostile_bytes(content, ending, tmp_path):
    path = tmp_path / f"x{ending}"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="expected"):
        load(path)


class Bomb:
    """Leaves a file behind when unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return (Path.touch, (self.marker,))


def write_npz(path: Path, record: dict, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        text = np.frombuffer(json.dumps(record).encode(), dtype=np.uint8)
        for name, array in {"header": text}.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"{name}.npy", buffer.getvalue())
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def test_a_pickle_inside_is_never_run(tmp_path):
    marker = tmp_path / "ran"
    buffer = io.BytesIO()
    np.save(buffer, np.array([Bomb(marker)], dtype=object), allow_pickle=True)
    write_npz(tmp_path / "x.npz", header(budget=1), costs=buffer.getvalue())
    with pytest.raises(FileFormatError, match="expected"):
        load(tmp_path / "x.npz")
    (tmp_path / "y.npz").write_bytes(pickle.dumps(Bomb(marker)))
    with pytest.raises(FileFormatError, match="expected"):
        load(tmp_path / "y.npz")
    assert not marker.exists()


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(2, 1000000000)", "('a',)"])
def test_an_array_that_claims_to_be_huge(shape, tmp_path):
    """The header promises more than the file holds."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (63 - (len(text) + 10) % 64) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    write_npz(tmp_path / "x.npz", header(budget=1), costs=content)
    with pytest.raises(FileFormatError, match="expected"):
        load(tmp_path / "x.npz")


def test_a_compressed_header_that_is_damaged_inside(tmp_path):
    path = tmp_path / "x.npz"
    save(generate.greedy_trap(), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, zlib.compress(content))
    with pytest.raises(FileFormatError, match="expected"):
        load(path)


def test_a_curve_of_zero_is_saved(tmp_path):
    problem = CoverageProblem.from_sets([[1], [2]], returns=[0], budget=1)
    save(problem, tmp_path / "p.json")
    assert load(tmp_path / "p.json").returns.steps.tolist() == [0]


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "missing" / "p.json"
    with pytest.raises(FileNotFoundError) as refused:
        save(labelled(), path)
    assert refused.value.filename == str(path)


@pytest.mark.parametrize(
    ("data", "words"), [(b"set,element\n", "rows below"), (b"set,element\na,\xff\n", "in UTF-8")]
)
def test_a_table_without_rows_or_text_is_refused(data, words, tmp_path):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(FileFormatError, match=words):
        load(tmp_path / "t.csv", budget=1)
