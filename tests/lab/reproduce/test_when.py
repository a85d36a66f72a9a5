"""`when`: a cell in its tiniest form: ensembles, leads, intervals, and going on after a stop."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maxcover.cli.app import call
from maxcover.errors import OptionError
from maxcover.lab.reproduce import when

DOCS = next(up / "docs" for up in Path(__file__).parents if (up / "docs" / "lab").is_dir())
PAPER = next(one for one in when.ENSEMBLES if one.name == "N = 100")


def test_there_are_sixty_cells_of_two_hundred_graphs():
    cells = when.cells()
    assert len({cell.name for cell in cells}) == len(cells) >= 60
    assert {cell.graphs for cell in cells if cell.ensemble.n_sets < 1000} == {200}
    assert {cell.graphs for cell in cells if cell.ensemble.n_sets >= 1000} == {40}
    assert {*when.QUICK} == {cell.ensemble.name for cell in when.cells(quick=True)}


@pytest.mark.parametrize("ensemble", when.ENSEMBLES, ids=lambda one: one.name)
def test_an_ensemble_is_what_it_says(ensemble):
    small = replace(ensemble, n_sets=30)
    problem = small.problem(0.3, 0)
    again = small.problem(0.3, 0)
    assert problem.indices.tobytes() == again.indices.tobytes()
    assert problem.indices.tolist() != small.problem(0.3, 1).indices.tolist()
    assert problem.n_sets == 30
    assert problem.budget == int(0.3 * problem.costs.sum())
    if ensemble.family != "words":
        assert problem.costs.max() <= ensemble.costs
    assert problem.weights.max() <= ensemble.weights
    if ensemble.family == "forest":
        assert problem.n_edges < problem.n_sets + problem.n_elements


def test_a_cell_is_measured_once(tmp_path):
    path, cell = tmp_path / "when.jsonl", when.Cell(PAPER, 0.05, 3)
    (row,) = when.measure_cells([cell], path=path)
    (again,) = when.measure_cells([cell], path=path)
    assert row == again == json.loads(path.read_text())
    assert {*row["leads"]} == {*when.METHODS}
    for mean, low, high in row["leads"].values():
        assert low <= mean <= high
    assert row["leads"]["bp"][0] >= row["leads"]["matched"][0]
    assert row["leads"]["bound"][0] >= row["leads"]["auto"][0] >= row["leads"]["bp"][0]
    list(when.measure_cells([cell._replace(graphs=4)], path=path))
    assert [one["graphs"] for one in when.read_rows(path)] == [4]
    path.write_text("{}\n")
    with pytest.raises(OptionError, match="a cell in each line"):
        when.read_rows(path)


def test_an_unsettled_interval_is_called_that():
    values = dict.fromkeys((*when.METHODS, "g-greedy"), 100.0)
    one = when.GraphRow(values | {"bp": 103.0}, {"bp": 1.0}, True, False, True)
    other = one._replace(values=values | {"bp": 98.0})
    row = when.summary(when.Cell(PAPER, 0.05, 2), [one, other])
    said = when.sentence(row)
    assert "bp +0.50 % [-2.00, +3.00] not settled" in said
    assert "matched +0.00 % [+0.00, +0.00] same" in said
    with pytest.raises(OptionError, match="at least 2 graphs"):
        when.summary(when.Cell(PAPER, 0.05, 2), [one])


def test_the_command_writes_a_map(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    asked = ["reproduce", "when", "--quick", "--graphs", "2", "--cell", "all equal", "--jobs", "1"]
    assert call([*asked, "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.count("spread: all equal") == len(when.SHARES)
    rows = when.read_rows(tmp_path / "when-quick.jsonl")
    assert np.mean([row["tied"] for row in rows]) == 1
    assert {path.suffix for path in tmp_path.iterdir()} == {".jsonl", ".png", ".svg"}
