"""Results as objects: they pickle, and what they print is one line."""

import pickle

import numpy as np
import pytest

import maxcover as mc

TEXT = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot."
PROBLEM = mc.CoverageProblem.from_sets({"a": [1, 2], "b": [2, 3]}, costs={"a": 1, "b": 2}, budget=2)
SUMMARY = mc.summarize(TEXT, budget=4)
PACKED = mc.pack([TEXT, "Cats purr."], query="Who barks?", budget=9)
RESULTS = {
    "problem": PROBLEM,
    "solution": mc.solve(PROBLEM),
    "plan": mc.cover(PROBLEM, target=0.5),
    "verification": mc.verify(PROBLEM, mc.solve(PROBLEM)),
    "explanation": mc.solve(PROBLEM).explain(),
    "alternatives": mc.alternatives(PROBLEM, within=0.5, n=2),
    "plan of phases": mc.plan(PROBLEM, [1, 2]),
    "sensitivity": mc.sensitivity(PROBLEM, n=3),
    "curve": mc.budget_curve(PROBLEM, [1, 2]),
    "beliefs": mc.beliefs(PROBLEM, beta=1.0, mu=1.0),
    "summary": SUMMARY,
    "sentence": SUMMARY.sentences[0],
    "summary curve": SUMMARY.curve([2, 4]),
    "comparison": mc.compare(TEXT, "Dogs bark at cats. Ferries sail."),
    "packed": PACKED,
    "passage": PACKED.passages[0],
    "left out": PACKED.left_out[0],
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_pickles(name):
    before = RESULTS[name]
    after = pickle.loads(pickle.dumps(before))  # noqa: S301 - our own bytes
    assert repr(after) == repr(before)
    if hasattr(before, "to_dict"):
        assert after.to_dict() == before.to_dict()
    if hasattr(before, "_repr_html_"):
        assert after._repr_html_() == before._repr_html_()


@pytest.mark.parametrize("name", [name for name in RESULTS if name != "verification"])
def test_every_result_prints_one_short_line(name):
    shown = repr(RESULTS[name])
    assert "\n" not in shown
    assert len(shown) < 260, shown


def test_the_printed_forms():
    assert repr(SUMMARY.sentences[0]).startswith("SummarySentence('Dogs bark at cats.', document 0")
    assert (
        repr(RESULTS["curve"]) == "BudgetCurve(2 budgets, 1 to 2, values up to 2, gaps up to 0.00%)"
    )
    assert repr(RESULTS["comparison"]).startswith("Comparison(only first: ")
    assert np.isfinite(PACKED.upper_bound)
