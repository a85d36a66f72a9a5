"""The table of the blind reading is that of the key and the verdicts that are kept."""

import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "studies" / "readings"
READINGS = dict.fromkeys(("thirteenth", "thirteenth-again", "fourteenth", "fourteenth-again"), 40)


@pytest.fixture(scope="module")
def readings():
    spec = importlib.util.spec_from_file_location("readings", FOLDER / "readings.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", READINGS)
def test_the_table_is_computed_from_what_is_kept(readings, capsys, name):
    readings.print_table(FOLDER / name)
    shown = capsys.readouterr().out
    assert "verdicts-1.txt: 0 of 10 controls wrong" in shown
    for method in ("new", "old"):
        assert f"| all | {READINGS[name]} | {method} |" in shown


@pytest.mark.parametrize("name", READINGS)
def test_everybody_read_every_letter(readings, name):
    key = json.loads((FOLDER / name / "key.json").read_text(encoding="utf-8"))
    letters = {
        (text, letter) for text, about in key["texts"].items() for letter in about["letters"]
    }
    for path in (FOLDER / name).glob("verdicts*.txt"):
        assert path.read_text(encoding="utf-8").startswith("#")
        assert set(readings.read_verdicts(path)) == letters


def test_no_text_is_in_two_pools():
    locks = sorted(FOLDER.glob("used/*.json"))
    rows = [row for path in locks for row in json.loads(path.read_text()).get("clusters", [])]
    for column in ("id", "sha256"):
        assert len({row[column] for row in rows}) == len(rows)


def test_kappa(readings):
    assert readings.kappa([("yes", "yes"), ("no", "no"), ("partly", "partly")]) == 1
    assert readings.kappa([("yes", "no"), ("no", "yes")]) == -1
