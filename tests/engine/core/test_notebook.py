"""What objects show in a notebook: escaped, without scripts, and with all their rows."""

import re

import pytest

import maxcover as mc
from maxcover.engine.core import notebook

HOSTILE = "<script>alert('1')</script>"
TEXTS = [
    f"The harbour {HOSTILE} is closed & quiet. Nobody was hurt in the storm on Sunday.",
    "Ferries start again on Tuesday. The mayor thanked the crews of the ferries.",
]


@pytest.fixture(scope="module")
def problem():
    return mc.CoverageProblem.from_sets(
        {HOSTILE: ["a", "b"], "second": ["b", "c"], "third": ["d"]},
        costs=[2, 1, 1],
        weights={"a": 3, "b": 1, "c": 1, "d": 0.5},
        budget=3,
    )


@pytest.fixture(scope="module")
def shown(problem):
    solution = mc.solve(problem)
    forged = mc.certify(problem, [1])
    object.__setattr__(forged, "value", 99.0)
    return {
        "problem": problem,
        "solution": solution,
        "plan": mc.cover(problem, target=1.0),
        "curve": mc.budget_curve(problem, [1, 2, 3]),
        "summary": mc.summarize(TEXTS, budget=20),
        "packed": mc.pack(TEXTS, budget=80, query="harbour"),
        "comparison": mc.compare(*TEXTS),
        "verified": mc.verify(problem, solution),
        "refused": mc.verify(problem, forged),
        "explanation": solution.explain(),
        "rows": mc.select([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], budget=2),
    }


NAMES = [
    *("problem", "solution", "plan", "curve", "summary", "packed", "comparison"),
    *("verified", "refused", "explanation", "rows"),
]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_is_shown_can_run_or_load(shown, name):
    html = shown[name]._repr_html_()
    assert type(html) in {str, notebook.Html}
    assert not re.search(r"<script|<style|<link|<img|\son\w+=|javascript:|url\(", html)


@pytest.mark.parametrize("name", ["problem", "solution", "plan", "summary", "packed", "comparison"])
def test_texts_are_escaped(shown, name):
    assert "&lt;script&gt;" in shown[name]._repr_html_()


@pytest.mark.parametrize("name", NAMES)
def test_tags_are_balanced(shown, name):
    html = shown[name]._repr_html_()
    open_tags: list[str] = []
    for closing, tag in re.findall(r"<(/?)(\w+)[^>]*>", html):
        if closing:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert not open_tags


def test_the_words_say_what_was_proven(shown, problem):
    assert "Proven best" in shown["solution"]._repr_html_()
    assert "Proven cheapest" in shown["plan"]._repr_html_()
    assert list(shown["plan"]) == list(problem.set_labels)
    assert "proven: every statement was checked" in shown["verified"]._repr_html_()
    assert "not so: value, cost and labels are as stated" in shown["refused"]._repr_html_()
    weak = mc.certify(mc.generate.biregular(100, 300, 9, 3, budget=50, seed=0), [0])
    assert "Proven best" not in weak.certificate
    assert "at least" in weak.certificate


def test_objects_are_as_long_as_their_rows(shown):
    for name in ("solution", "curve", "summary", "packed"):
        thing = shown[name]
        assert len(thing) == len(list(thing)) == len(thing.to_pandas()) == thing.to_arrow().num_rows
    assert list(shown["solution"]) == list(shown["solution"].labels)
    assert [s.text for s in shown["summary"]] == shown["summary"].to_pandas()["text"].tolist()
    assert [point.value for point in shown["curve"]] == shown["curve"].values.tolist()


@pytest.mark.parametrize("form", ["to_pandas", "to_arrow"])
def test_a_problem_survives_the_way_through_a_table(problem, form):
    table = getattr(problem, form)()
    again = mc.CoverageProblem.from_table(table, costs="cost", weights="weight", budget=3)
    assert again.to_pandas().equals(problem.to_pandas())
    assert mc.solve(again).value == mc.solve(problem).value


def test_long_tables_are_cut_and_say_so():
    problem = mc.generate.biregular(100, 300, 9, 3, budget=50, seed=0)
    html = problem._repr_html_()
    assert html.count("<tr>") == notebook.SHOWN + 1
    assert f"and {100 - notebook.SHOWN} more" in html


def test_everything_that_can_be_drawn_draws_itself(shown, problem):
    drawn = [shown["solution"], shown["curve"]]
    for thing in [*drawn, mc.beliefs(problem, beta=1.0, mu=0.5)]:
        assert thing.plot().axes


def test_a_decision_is_shown_in_words(shown):
    html = shown["explanation"]._repr_html_()
    assert "covered_by" not in html
    assert "loss at most" in html
    assert ">True<" not in html
