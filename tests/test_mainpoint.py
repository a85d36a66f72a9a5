"""The table of the blind reading is that of the key and the verdicts that are kept."""

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
FOLDER = EXPERIMENTS / "mainpoint"
READINGS = {
    "first": 49,
    "second": 58,
    "third": 43,
    "fourth": 106,
    "fifth": 38,
    "sixth": 44,
    "sixth-chats": 20,
    "sixth-documents": 30,
    "seventh": 36,
    "eighth": 40,
    "eighth-again": 40,
    "tenth": 40,
    "tenth-again": 40,
    "eleventh": 40,
    "eleventh-again": 40,
    "twelfth": 40,
    "twelfth-again": 40,
    "thirteenth": 40,
    "thirteenth-again": 40,
    "fourteenth": 40,
    "fourteenth-again": 40,
    "languages": 30,
}
LATER = [name for name in READINGS if name.startswith(("fifth", "sixth", "seventh"))]


@pytest.fixture(scope="module")
def mainpoint():
    spec = importlib.util.spec_from_file_location("mainpoint", EXPERIMENTS / "mainpoint.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", READINGS)
def test_the_table_is_computed_from_what_is_kept(mainpoint, capsys, name):
    mainpoint.print_table(FOLDER / name)
    shown = capsys.readouterr().out
    assert "verdicts-1.txt: 0 of 10 controls wrong" in shown
    for method in ("new", "old"):
        assert f"| all | {READINGS[name]} | {method} |" in shown


@pytest.mark.parametrize("name", READINGS)
def test_everybody_read_every_letter(mainpoint, name):
    key = json.loads((FOLDER / name / "key.json").read_text(encoding="utf-8"))
    letters = {
        (text, letter) for text, about in key["texts"].items() for letter in about["letters"]
    }
    for path in (FOLDER / name).glob("verdicts*.txt"):
        assert path.read_text(encoding="utf-8").startswith("#")
        assert set(mainpoint.read_verdicts(path)) == letters


def test_the_texts_that_were_read_are_those_of_the_lock():
    locked = json.loads((EXPERIMENTS / "mainpoint_pool.json").read_text(encoding="utf-8"))
    kinds = {row["id"]: row["kind"] for row in locked["clusters"]}
    read = []
    for name in ("first", "second", "third"):
        key = json.loads((FOLDER / name / "key.json").read_text(encoding="utf-8"))
        assert all(kinds[about["id"]] == about["kind"] for about in key["texts"].values())
        read += [about["id"] for about in key["texts"].values()]
    # every text of the pool was read once, those of the fourth reading again
    assert sorted(read) == sorted(kinds)
    key = json.loads((FOLDER / "fourth" / "key.json").read_text(encoding="utf-8"))
    assert all(kinds[about["id"]] == about["kind"] for about in key["texts"].values())
    assert all(len(row["sha256"]) == hashlib.sha256().digest_size * 2 for row in locked["clusters"])


@pytest.mark.parametrize("name", LATER)
def test_a_later_reading_is_of_its_own_pool(name):
    folder = FOLDER / name
    key, pool = (json.loads((folder / f"{name}.json").read_text()) for name in ("key", "pool"))
    kinds = {row["id"]: row["kind"] for row in pool["clusters"]}
    assert {one["id"]: one["kind"] for one in key["texts"].values()} == kinds
    first = json.loads((EXPERIMENTS / "mainpoint_pool.json").read_text(encoding="utf-8"))
    assert not kinds.keys() & {row["id"] for row in first["clusters"]}


def test_no_text_is_in_two_pools():
    locks = [EXPERIMENTS / "mainpoint_pool.json", *FOLDER.glob("*/pool.json")]
    rows = [row for path in locks for row in json.loads(path.read_text())["clusters"]]
    for column in ("id", "sha256"):
        assert len({row[column] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", LATER)
def test_every_text_of_a_later_pool_has_a_main_point(mainpoint, name):
    rows = json.loads((FOLDER / name / "pool.json").read_text(encoding="utf-8"))["clusters"]
    points = mainpoint.read_points(FOLDER / name / "points.tsv")
    assert list(points) == [row["id"] for row in rows]


def test_kappa(mainpoint):
    assert mainpoint.kappa([("yes", "yes"), ("no", "no"), ("partly", "partly")]) == 1
    assert mainpoint.kappa([("yes", "no"), ("no", "yes")]) == -1
