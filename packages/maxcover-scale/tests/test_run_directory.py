"""The folder of a run: what may go on in it, and what others read from it."""

import multiprocessing
import os
from importlib import metadata

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

from maxcover.errors import OptionError
from maxcover_scale.batch import local
from maxcover_scale.batch.result_tables import TABLES
from maxcover_scale.batch.run_directory import RunDirectory
from results import BUDGET, rows_of, small_news, write_parquet

NEWS = small_news(3)


@pytest.fixture
def source(tmp_path):
    return write_parquet(tmp_path / "news.parquet", NEWS)


@pytest.fixture
def out(source, tmp_path):
    local.batch(source, tmp_path / "out", budget=BUDGET, workers=1)
    return tmp_path / "out"


def test_another_budget_input_or_version_is_refused_with_the_reason(source, out, monkeypatch):
    before = rows_of(out)
    with pytest.raises(OptionError, match=r"options\.budget was 30, is 31; repeat"):
        local.batch(source, out, budget=BUDGET + 1)
    with pytest.raises(OptionError, match=r"options\.method was not set, is greedy"):
        local.batch(source, out, budget=BUDGET, method="greedy")
    write_parquet(source, NEWS[:2])
    with pytest.raises(OptionError, match=r"input\.rows was 9, is 6; input\.sha256 was"):
        local.batch(source, out, budget=BUDGET)
    write_parquet(source, NEWS)
    monkeypatch.setattr(metadata, "version", lambda _: "9.9")
    with pytest.raises(OptionError, match=r"version was .*, is 9\.9"):
        local.batch(source, out, budget=BUDGET)
    assert rows_of(out) == before


def test_a_file_that_was_only_touched_or_moved_resumes(source, out):
    os.utime(source, (1, 1))
    moved = source.rename(source.with_name("moved.parquet"))
    assert local.batch(moved, out, budget=BUDGET).resumed == 3


def test_a_run_killed_at_its_very_start_goes_on(source, tmp_path):
    out = tmp_path / "new"
    out.mkdir()
    (out / "_lock").touch()
    (out / "._manifest.json.1.tmp").write_text("{")
    assert local.batch(source, out, budget=BUDGET, workers=1).clusters == 3
    assert not list(out.glob(".*.tmp"))
    with pytest.raises(OptionError, match="it is a file"):
        local.batch(source, source, budget=BUDGET)


def hold(out, ready, release):
    with RunDirectory(out, "{}"):
        ready.set()
        release.wait(60)


def test_two_runs_at_once_are_refused(source, tmp_path):
    out = tmp_path / "busy"
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    other = context.Process(target=hold, args=(out, ready, release))
    other.start()
    assert ready.wait(60)
    with pytest.raises(OptionError, match="another run is at work in"):
        RunDirectory(out, "{}")
    other.kill()  # the lock ends with the process, however that ended
    other.join()
    RunDirectory(out, "{}").close()


def test_tables_are_there_even_when_empty_and_others_read_them(source, out, tmp_path):
    nothing = write_parquet(tmp_path / "nothing.parquet", [])
    local.batch(nothing, tmp_path / "empty", budget=BUDGET, workers=1)
    for folder, clusters in ((out, 3), (tmp_path / "empty", 0)):
        for name, schema in TABLES.items():
            files = f"{folder}/{name}/*.parquet"
            assert len(list((folder / name).iterdir())) == 1
            wanted = pq.read_table(folder / name)
            assert wanted.schema.equals(schema)
            assert pl.read_parquet(files).to_arrow().num_rows == wanted.num_rows
            relation = duckdb.read_parquet(files)
            assert relation.columns == schema.names
            assert relation.fetchall() == [tuple(row.values()) for row in wanted.to_pylist()]
        assert pq.read_table(folder / "clusters").num_rows == clusters
        assert pq.read_table(folder / "quarantine").num_rows == 0
