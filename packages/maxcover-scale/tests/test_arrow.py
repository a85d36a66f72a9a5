"""The function on Arrow, and the engines that call it: Ray Data, Dask, Hugging Face datasets."""

from functools import partial

import polars as pl
import pyarrow as pa
import pytest

from maxcover.errors import FileFormatError, OptionError
from maxcover_scale.batch import arrow, local
from maxcover_scale.batch.cluster import TWICE
from maxcover_scale.batch.result_tables import NESTED
from results import BUDGET, rows_of, small_news

NEWS = small_news(6)
ROWS = [row for cluster in NEWS for row in cluster]
DOCUMENTS = pa.table(
    {
        "cluster_id": [row.cluster for row in ROWS],
        "doc_id": [row.document for row in ROWS],
        "text": [row.text.decode() for row in ROWS],
    }
)
CLUSTERS = pa.table(
    {
        "cluster_id": [cluster[0].cluster for cluster in NEWS],
        "text": [[row.text.decode() for row in cluster] for cluster in NEWS],
    }
)
summarize = partial(arrow.summarize, budget=BUDGET)


def plain(table: pa.Table) -> list[dict]:
    """Return the rows by cluster, without the seconds."""
    rows = sorted(table.to_pylist(), key=lambda row: row["cluster"])
    return [{name: row[name] for name in NESTED.names if name != "seconds"} for row in rows]


@pytest.fixture(scope="module")
def wanted():
    return plain(summarize(DOCUMENTS))


def test_rows_are_those_of_batch(wanted, tmp_path):
    local.batch(DOCUMENTS, tmp_path, budget=BUDGET, workers=1)
    found = rows_of(tmp_path)
    sentences = [
        (row["cluster"], *sentence.values()) for row in wanted for sentence in row["sentences"]
    ]
    assert found["sentences"] == sentences
    assert [row[:3] for row in found["clusters"]] == [
        (row["cluster"], row["value"], row["bound"]) for row in wanted
    ]


def test_whatever_holds_arrow_data(wanted):
    assert plain(summarize(CLUSTERS)) == wanted
    assert plain(summarize(DOCUMENTS.to_batches()[0])) == wanted
    assert plain(summarize(DOCUMENTS.to_reader())) == wanted
    assert plain(summarize(pl.DataFrame(DOCUMENTS))) == wanted
    assert plain(summarize(pl.DataFrame(CLUSTERS))) == wanted
    assert summarize(DOCUMENTS.slice(0, 0)).schema.equals(NESTED)


def test_what_is_wrong_is_told():
    with pytest.raises(OptionError, match="got dict"):
        summarize({})
    with pytest.raises(FileFormatError, match="expected the columns"):
        summarize(DOCUMENTS.drop_columns("text"))
    with pytest.raises(FileFormatError, match="to be neighbours"):
        summarize(pa.concat_tables([DOCUMENTS, DOCUMENTS]))
    twice = summarize(pa.concat_tables([CLUSTERS, CLUSTERS.slice(0, 1)]))
    assert twice["reason"].to_pylist() == [TWICE, None, None, None, None, None, TWICE]
    odd = pa.table({"cluster_id": ["a", "b"], "doc_id": [["1"], None], "text": [["x", "y"], None]})
    assert summarize(odd)["reason"].to_pylist() == ["2 texts, but 1 document ids", "no documents"]


def test_hugging_face(wanted, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset(CLUSTERS).with_format("arrow")
    found = data.map(summarize, batched=True, batch_size=4, remove_columns=data.column_names)
    assert plain(found.with_format("arrow")[:]) == wanted


def test_dask(wanted):
    dask = pytest.importorskip("dask")
    pieces = [DOCUMENTS.slice(0, 9), DOCUMENTS.slice(9)]
    tasks = [dask.delayed(summarize)(piece) for piece in pieces]
    found = dask.compute(*tasks, scheduler="threads")
    assert plain(pa.concat_tables(found)) == wanted


@pytest.mark.filterwarnings("ignore")  # what Ray warns of is not ours to mend
def test_ray(wanted):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.default_hash_shuffle_parallelism = 2  # 200 tasks for a few groups otherwise
        whole = ray.data.from_arrow(CLUSTERS).map_batches(
            summarize, batch_format="pyarrow", batch_size=4
        )
        assert plain(pa.concat_tables(ray.get(whole.to_arrow_refs()))) == wanted
        torn = ray.data.from_arrow(DOCUMENTS).groupby("cluster_id")
        grouped = torn.map_groups(summarize, batch_format="pyarrow")
        assert plain(pa.concat_tables(ray.get(grouped.to_arrow_refs()))) == wanted
    finally:
        ray.shutdown()
