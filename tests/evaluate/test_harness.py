"""What `maxcover evaluate` does, on an invented data set."""

import csv
import json
from dataclasses import replace

import pytest

from maxcover.errors import FileFormatError, OptionError
from maxcover.evaluate import harness, load
from maxcover.evaluate.case import Case
from maxcover.evaluate.methods import SUMMARIZERS
from maxcover.evaluate.rouge import Score
from maxcover.evaluate.table import Table, by_set, compare, coverage_by_set, to_csv, to_markdown
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
        if result.method == "default":
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
    assert case.text([3, 0]).split("\n")[0].startswith("The harbour reopened")


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
    assert rows["lead"][2] is None
    assert rows["random"][2] == pytest.approx((0.05, 0.05, 0.05))  # no spread at all
    assert rows["random"][1].high - rows["random"][1].low > 0.1


def test_methods_on_different_clusters_are_not_compared():
    with pytest.raises(OptionError, match="same clusters"):
        compare([score("d", "a", "lead", 0.1), score("d", "b", "random", 0.1)])


def test_tables_are_written(results):
    table = compare(results, first="default")
    markdown = to_markdown(table)
    assert markdown.count("\n") == len(OURS) + 2
    assert "| lead | 0." in markdown
    header, *lines = csv.reader(to_csv(table).splitlines())
    assert len(lines) == len(OURS)
    assert {len(line) for line in lines} == {len(header)} == {len(table.columns) + 6}
    covered = coverage_by_set(results)
    assert covered.rows[0][:3] == ("invented", 2, 2)
    assert to_markdown(Table(("a",), [(None,)])) == "| a |\n| --- |\n|  |\n"
