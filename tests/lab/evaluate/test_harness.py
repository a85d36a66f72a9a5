"""What `maxcover evaluate` does, on an invented data set."""

import json
from functools import partial

import pytest

from maxcover.errors import FileFormatError, OptionError
from maxcover.lab.evaluate import harness, load
from maxcover.lab.evaluate.case import Case
from maxcover.lab.evaluate.methods import DEFAULT_OBJECTIVE, SUMMARIZERS, run_summarize
from maxcover.lab.evaluate.peers import PEERS
from maxcover.lab.evaluate.rouge import Score
from maxcover.lab.evaluate.table import ResultTable, by_set, compare, to_markdown
from tests.lab.evaluate import invented

OURS = [name for name in SUMMARIZERS if name not in PEERS]


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
        if result.method in DEFAULT_OBJECTIVE:
            assert result.value <= exact[result.cluster] * (1 + 1e-9)
        if result.method == "coverage":
            assert result.value == pytest.approx(exact[result.cluster])


@pytest.mark.parametrize("name", OURS)
def test_a_second_run_gives_the_same(name, data, results):
    again = harness.evaluate(harness.plan(data, methods=[name], budget=9))
    before = [result for result in results if result.method == name]
    assert [x._replace(seconds=0.0) for x in again] == [x._replace(seconds=0.0) for x in before]


def test_results_survive_the_file_and_are_not_run_again(data, results, tmp_path):
    file = tmp_path / "results.json"
    tasks = harness.plan(data, methods=["lead", "random"], budget=9)
    found = harness.evaluate(tasks, scores=file)
    assert "numpy" in json.loads(file.read_text(encoding="utf-8"))["versions"]
    assert harness.read_scores(file) == found
    steps = []
    again = harness.evaluate(
        [*tasks, *harness.plan(data, methods=["mmr"], budget=9)],
        scores=file,
        progress=lambda *step: steps.append(step),
    )
    assert again[:4] == found
    assert steps == [(1, 2), (2, 2)]


@pytest.mark.parametrize("content", ["[]", "{}", '{"schema": "other/1"}', "no JSON"])
def test_other_files_are_refused(content, tmp_path):
    file = tmp_path / "results.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"results\.json"):
        harness.read_scores(file)


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
    assert compare(results).rows[0][2].mean == pytest.approx(0.4)
    assert {name: len(mine) for name, mine in by_set(results).items()} == {"large": 2, "small": 1}


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


def test_what_is_done_is_kept_when_the_work_is_interrupted(data, tmp_path):
    def interrupted(case, seed):
        raise KeyboardInterrupt

    file = tmp_path / "results.json"
    tasks = harness.plan(data, methods=["lead"], budget=9, others={"other": interrupted})
    with pytest.raises(KeyboardInterrupt):
        harness.evaluate(tasks, scores=file)
    assert [x.method for x in harness.read_scores(file)] == ["lead"]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_summarizer_of_ones_own(data):
    plain = partial(run_summarize, preset="plain")
    results = harness.evaluate(
        harness.plan(data, methods=["lead"], budget=9, others={"plain": plain})
    )
    assert [x.method for x in results] == ["lead", "plain"] * 2
    assert compare(results, first="plain").rows


def test_tables_are_written(results):
    table = compare(results, first="default")
    markdown = to_markdown(table)
    assert markdown.count("\n") == len(OURS) + 2
    assert len({len(line) for line in markdown.splitlines()}) == 1
    covered = {row[0]: row[8] for row in table.rows}
    assert covered["coverage"] == covered["exact"] == 1.0
    assert covered["lead"] is None
    assert to_markdown(ResultTable(("a", "b"), [("x", None)])) == "| a |\n| - |\n| x |\n"
