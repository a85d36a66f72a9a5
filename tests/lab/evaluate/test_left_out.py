"""The choice of the default preset: the rule, and the file that the evaluation reads."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments"


@pytest.fixture(scope="module")
def experiment():
    path = EXPERIMENTS / "default_preset.py"
    if not path.is_file():
        pytest.skip("the experiments are not part of the source distribution")
    spec = importlib.util.spec_from_file_location("default_preset", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_simplest_within_one_standard_error_is_chosen(experiment):
    noisy, far = [0.30, 0.50, 0.31, 0.51], [0.10, 0.30, 0.11, 0.31]
    best = [0.31, 0.49, 0.33, 0.50]
    scores = {"paper": {"d": far}, "mixed": {"d": noisy}, "mixed, skips": {"d": best}}
    assert experiment.choose(scores, ["d"]) == "mixed"
    scores["mixed, skips"] = {"d": [score + 0.1 for score in noisy]}
    assert experiment.choose(scores, ["d"]) == "mixed, skips"


def test_the_evaluation_has_a_choice_for_every_data_set(experiment):
    found = json.loads(experiment.CHOICE.read_text(encoding="utf-8"))
    assert list(found["without"]) == list(found["clusters"]) == list(experiment.SETS)
    assert set(found["without"].values()) <= set(experiment.CANDIDATES)
    assert list(found["candidates"]) == list(experiment.CANDIDATES)
