"""What `maxcover evaluate` does, on an invented data set."""

import csv
import json
from dataclasses import replace
from functools import partial

import pytest

from maxcover.errors import FileFormatError, OptionError
from maxcover.evaluate import harness, load
from maxcover.evaluate.case import Case
from maxcover.evaluate.methods import SUMMARIZERS, Summarizer, run_summarize
from maxcover.evaluate.rouge import Score
from maxcover.evaluate.table import (
    ResultTable,
    ahead_by_set,
    by_set,
    compare,
    coverage_by_set,
    to_csv,
    to_markdown,
)
from tests.evaluate import invented

OURS = [name for name, row in SUMMARIZERS.items() if row.package is None]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return invented.write(tmp_path_factory.mktemp("data") / "invented")


@pytest.fixture(scope="module")
def results(data):
    return harness.evaluate(harness.plan(data, methods=OURS, budget=9))


def test_every_summary_is_within_its_budget_and_scored(results):
    assert len(results) == 2 * len(OURS)
    assert all(0 < result.words <= 9 for result in results)
    assert all(0 <= score <= 1 for result in results for score in result.rouge1)


def test_the_oracle_is_above_everything_else(results):
    best = {x.cluster: x.rouge1.recall for x in results if x.method == "oracle"}
    assert all(x.rouge1.recall <= best[x.cluster] + 1e-9 for x in results)


def test_default_covers_the_optimum(results):
    exact = {x.cluster: x.value for x in results if x.method == "exact"}
    for result in results:
        if SUMMARIZERS[result.method].default_objective:
            assert result.value <= exact[result.cluster] * (1 + 1e-9)
        if result.method == "coverage":
            assert result.value == pytest.approx(exact[result.cluster])


@pytest.mark.parametrize("name", OURS)
def test_a_second_run_gives_the_same(name, data, results):
    again = harness.evaluate(harness.plan(data, methods=[name], budget=9))
    before = [result for result in results if result.method == name]
    assert [replace(x, seconds=0.0) for x in again] == [replace(x, seconds=0.0) for x in before]


def test_results_survive_the_file_and_are_not_run_again(data, results, tmp_path):
    file = tmp_path / "results.json"
    file.write_text(harness.to_json(results), encoding="utf-8")
    assert "numpy" in json.loads(file.read_text(encoding="utf-8"))["versions"]
    known = harness.from_json(file)
    assert known == results
    steps = []
    tasks = harness.plan(data, methods=OURS, budget=9)
    again = harness.evaluate(tasks, known=known, progress=lambda *step: steps.append(step))
    assert again == results
    assert not steps


@pytest.mark.parametrize("content", ["[]", "{}", '{"schema": "other/1"}', "no JSON"])
def test_other_files_are_refused(content, tmp_path):
    file = tmp_path / "results.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"results\.json"):
        harness.from_json(file)


def test_clusters_that_are_too_short_are_left_out(data):
    with pytest.raises(OptionError, match="lower the budget"):
        harness.plan(data, methods=["lead"], budget=1000)


def test_unknown_methods_are_refused(data):
    with pytest.raises(OptionError, match="unknown summarizer 'best'"):
        harness.plan(data, methods=["best"], budget=9)


def test_fill_skips_what_does_not_fit(data):
    case = Case(load(data)[0], 9)
    assert case.place.tolist() == [0, 1, 2, 0, 1, 2]
    assert case.costs[case.fill(range(6))].sum() <= 9
    assert case.fill([0, 1, 2]) == [0]  # 5 words, then 6 and 5 do not fit into 4
    assert case.texts([3, 0])[0].startswith("The harbour reopened")


def score(data, cluster, method, recall):
    mine = Score(recall, recall, recall)
    return harness.Result(
        data=data,
        cluster=cluster,
        method=method,
        budget=9,
        seed=0,
        words=9,
        sentences=2,
        rouge1=mine,
        rouge2=mine,
        rougeLsum=mine,
        value=None,
        proven=False,
        seconds=0.0,
    )


def test_every_data_set_weighs_the_same():
    results = [
        score("large", "a", "lead", 0.1),
        score("large", "b", "lead", 0.3),
        score("small", "c", "lead", 0.6),
    ]
    assert by_set(results).rows == [("lead", pytest.approx(0.2), 0.6, pytest.approx(0.4))]


def test_differences_are_paired():
    scores = [("a", 0.1), ("b", 0.5), ("c", 0.9)]
    results = [score("d", name, "lead", value) for name, value in scores]
    results += [score("d", name, "random", value - 0.05) for name, value in scores]
    rows = {row[0]: row for row in compare(results).rows}
    assert rows["lead"][3] is None
    assert rows["random"][3] == pytest.approx((0.05, 0.05, 0.05))  # no spread at all
    assert rows["random"][2].high - rows["random"][2].low > 0.1


def test_differences_are_of_the_clusters_that_both_have():
    results = [score("d", name, "lead", value) for name, value in (("a", 0.1), ("b", 0.9))]
    results.append(score("d", "b", "random", 0.8))
    rows = {row[0]: row for row in compare(results, first="lead").rows}
    assert (rows["lead"][1], rows["random"][1]) == (2, 1)
    assert rows["random"][3] == pytest.approx((0.1, 0.1, 0.1))
    apart = [score("d", "a", "lead", 0.1), score("d", "b", "random", 0.1)]
    assert {row[3] for row in compare(apart).rows} == {None}
    assert by_set([*results, score("e", "c", "lead", 0.3)]).rows[0] == ("random", 0.8, None, 0.8)


def test_who_is_ahead_on_which_set():
    results = [score("d", "a", "lead", 0.5), score("e", "b", "lead", 0.5)]
    results += [score("d", "a", "random", 0.6), score("e", "b", "random", 0.4)]
    results += [score("d", "a", "oracle", 1.0)]
    (row,) = ahead_by_set(results, first="lead").rows
    assert row[:3] == ("d", "random", 1)
    assert row[3].mean == pytest.approx(0.1)


def test_a_bound_stands_in_for_an_optimum_that_is_not_proven():
    mine = replace(score("d", "a", "coverage", 0.5), value=8.0, bound=10.0)
    exact = replace(score("d", "a", "exact", 0.5), value=7.0, bound=9.0)
    (row,) = coverage_by_set([mine, exact]).rows
    assert row == ("d", 1, 0, 1, None, pytest.approx(8 / 9), None)


def test_what_is_done_is_kept_when_the_work_is_interrupted(data, results, tmp_path):
    def interrupted(function, tasks):
        yield function(tasks[0])
        raise KeyboardInterrupt

    file = tmp_path / "results.json"
    tasks = harness.plan(data, methods=["lead", "random"], budget=9)
    with pytest.raises(KeyboardInterrupt):
        harness.evaluate(tasks, run_all=interrupted, keep=file)
    assert [x.method for x in harness.from_json(file)] == ["lead"]
    again = harness.evaluate(tasks, known=harness.from_json(file), keep=file)
    assert harness.from_json(file) == again
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_summarizer_of_ones_own(data):
    longer = Summarizer(run=partial(run_summarize, min_words=5), title="long sentences")
    results = harness.evaluate(
        harness.plan(data, methods=["lead"], budget=9, others={"longer": longer})
    )
    assert [x.method for x in results] == ["lead", "longer"] * 2
    assert json.loads(harness.to_json(results))["results"][1]["method"] == "longer"
    case = Case(load(data)[0], 9)
    assert all(len(text.split()) >= 5 for text in longer.run(case, 0).sentences)
    assert compare(results, first="longer").rows


def test_tables_are_written(results):
    table = compare(results, first="default")
    markdown = to_markdown(table)
    assert markdown.count("\n") == len(OURS) + 2
    assert "| lead | 2 | 0." in markdown
    header, *lines = csv.reader(to_csv(table).splitlines())
    assert len(lines) == len(OURS)
    assert {len(line) for line in lines} == {len(header)} == {len(table.columns) + 6}
    covered = coverage_by_set(results)
    assert covered.rows[0][:4] == ("invented", 2, 2, 2)
    assert to_markdown(ResultTable(("a",), [(None,)])) == "| a |\n| --- |\n|  |\n"
