"""The choice of the default preset: the rule, and the file that the evaluation reads."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

PRESETS = Path(__file__).resolve().parents[3] / "studies" / "presets"


@pytest.fixture(scope="module")
def study():
    path = PRESETS / "default_preset.py"
    if not path.is_file():
        pytest.skip("the studies are not part of the source distribution")
    spec = importlib.util.spec_from_file_location("default_preset", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_simplest_within_one_standard_error_is_chosen(study):
    noisy, far = [0.30, 0.50, 0.31, 0.51], [0.10, 0.30, 0.11, 0.31]
    best = [0.31, 0.49, 0.33, 0.50]
    scores = {"paper": {"d": far}, "mixed": {"d": noisy}, "mixed, skips": {"d": best}}
    assert study.choose(scores, ["d"]) == "mixed"
    scores["mixed, skips"] = {"d": [score + 0.1 for score in noisy]}
    assert study.choose(scores, ["d"]) == "mixed, skips"


def test_the_evaluation_has_a_choice_for_every_data_set(study):
    found = json.loads(study.CHOICE.read_text(encoding="utf-8"))
    assert list(found["without"]) == list(found["clusters"]) == list(study.SETS)
    assert set(found["without"].values()) <= set(study.CANDIDATES)
    assert list(found["candidates"]) == list(study.CANDIDATES)
