"""What an executor keeps: found by every process, changed in place, or lost."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maxcover.distributed.piece_store import LostError, Resident


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path / 'blockmgr-a'},{tmp_path / 'other'}")
    return Resident("run", "shard-0")


def content():
    return {"a": np.arange(10_000.0), "b": np.arange(7), "none": np.empty(0), "n": (1, 2)}


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)
    return True


def test_another_process_finds_it(kept):
    kept.put("1", content())
    look = (
        "from maxcover.distributed.piece_store import *; print(Resident('run', 'shard-0').get('1'))"
    )
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(content())


def test_writing_into_what_was_read_changes_nothing(kept):
    kept.put("1", content())
    kept.get("1")["a"][:] = -1.0
    assert same(kept.get("1"), content())


def test_what_is_taken_is_changed_in_place_and_gone_under_its_old_name(kept):
    kept.put("1", content())
    number = Path(kept.folder / "1").stat().st_ino
    taken = kept.take("1")
    taken["a"][3] = 99.0
    with pytest.raises(LostError):
        kept.get("1")
    kept.put("2", {**taken, "n": (1, 2, 3, 4)})
    found = Resident("run", "shard-0").get("2")
    assert found["a"][3] == 99.0
    assert found["n"] == (1, 2, 3, 4)
    assert Path(kept.folder / "2").stat().st_ino == number


def test_arrays_may_change_places(kept):
    first, second = np.arange(5000.0), np.arange(5000.0) + 0.5
    kept.put("1", (first, second, first + 1))
    for k in range(1, 4):
        a, b, c = kept.take(str(k))
        kept.put(str(k + 1), (c, a, b))
        expected = [first, second, first + 1]
        expected = expected[-k % 3 :] + expected[: -k % 3]
        for found, value in zip(kept.get(str(k + 1)), expected, strict=True):
            np.testing.assert_array_equal(found, value)


def test_one_array_under_two_names_becomes_two(kept):
    array = np.arange(3000.0)
    kept.put("1", (array, array))
    a, b = kept.take("1")
    kept.put("2", (a, b + 1.0))
    found = kept.get("2")
    np.testing.assert_array_equal(found[0], array)
    np.testing.assert_array_equal(found[1], array + 1.0)


def test_other_sizes_make_another_file(kept):
    kept.put("1", content())
    kept.put("2", {"a": kept.take("1")["a"][:10]})
    assert same(kept.get("2"), {"a": np.arange(10.0)})


def test_a_task_that_broke_off_leaves_nothing_to_go_on_from(kept):
    kept.put("1", content())
    kept.take("1")["a"][:] = 0.0
    with pytest.raises(LostError):
        Resident("run", "shard-0").take("1")


def test_executors_of_one_host_find_what_the_other_kept(kept, tmp_path, monkeypatch):
    kept.put("1", content())
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "blockmgr-b"))
    other = Resident("run", "shard-0")
    assert "1" in other
    assert same(other.take("1"), content())
    other.put("2", content())
    assert same(kept.get("2"), content())
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path / "elsewhere" / "blockmgr-c"))
    with pytest.raises(LostError):
        Resident("run", "shard-0").get("2")
    other.clear()
    assert "2" not in kept


def test_only_what_is_named_stays(kept):
    for name in ("1", "2", "fixed"):
        kept.put(name, None)
    kept.keep_only("fixed", "2", None)
    assert ["1" in kept, "2" in kept, "fixed" in kept] == [False, True, True]
    assert kept.get("fixed") is None
