"""What `batch` reads, and what it makes of input that is not as it should be."""

import bz2
import gzip
import subprocess
import sys
from types import SimpleNamespace

import duckdb
import fsspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from maxcover.cli import app
from maxcover.errors import FileFormatError, OptionError
from maxcover_scale.batch import files, local
from maxcover_scale.batch.cluster import DEFAULT_LIMITS, TWICE, DocumentRow
from maxcover_scale.batch.json_lines import DEFAULT_COLUMNS
from maxcover_scale.batch.readers import open_input
from results import (
    BUDGET,
    row_per_document,
    rows_of,
    small_news,
    write_lines,
    write_parquet,
)

NEWS = small_news(4)


def rows(source, out) -> dict[str, list[tuple]]:
    local.batch(source, out, budget=BUDGET, workers=1)
    return rows_of(out)


def read(source) -> list[tuple]:
    """Return the clusters that are read, without where they were."""
    found = open_input(source, DEFAULT_COLUMNS, DEFAULT_LIMITS).clusters()
    return [(each.id, [row[1:3] for row in each.documents], each.refused) for each in found]


READ = [(rows[0].cluster, [row[1:3] for row in rows], "") for rows in NEWS]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """The rows of a plain Parquet file."""
    folder = tmp_path_factory.mktemp("wanted")
    return rows(write_parquet(folder / "news.parquet", NEWS), folder / "out")


def test_json_lines_with_a_row_per_document(wanted, tmp_path):
    source = tmp_path / "news.jsonl"
    source.write_bytes(row_per_document(NEWS))
    assert rows(source, tmp_path / "out") == wanted


# The lines of two clusters, and what stands in place of the first, a middle and the last of one.
LINES = row_per_document(NEWS[:3]).splitlines(keepends=True)
BAD = {
    "cut": lambda line: line[: len(line) // 2] + b"\n",
    "no text": lambda line: line.replace(b'"text"', b'"body"'),
    "no JSON": lambda line: b"?\n",
    "number": lambda line: b"7\n",
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("place", [0, 2, 3, 4, 5, 8])
def test_a_bad_line_quarantines_its_cluster_and_never_the_run(tmp_path, kind, place):
    lines = [*LINES]
    lines[place] = BAD[kind](lines[place])
    source = tmp_path / "news.jsonl"
    source.write_bytes(b"".join(lines))
    found = [*open_input(source, DEFAULT_COLUMNS, DEFAULT_LIMITS).clusters()]
    names = [cluster[0].cluster for cluster in NEWS[:3]]
    # Without an id, the line may belong to the cluster before or after it.
    near = {place // 3} if kind == "no text" else {max(place - 1, 0) // 3, min(place + 1, 8) // 3}
    refused = {each.id: each for each in found if each.refused}
    assert {*refused} - {None} == {names[k] for k in near}
    assert [each.id for each in found if not each.refused] == [n for n in names if n not in refused]
    assert not any(each.documents for each in refused.values())
    assert kind == "no text" or refused[None].line == place + 1
    for name in {*refused} - {None}:
        assert refused[name].file == str(source)
        assert kind == "no text" or f"line {place + 1} cannot be read" in refused[name].refused


def test_renamed_keys_are_said_at_once(tmp_path):
    source = tmp_path / "news.jsonl"
    source.write_bytes(row_per_document(NEWS).replace(b'"text"', b'"body"'))
    with pytest.raises(FileFormatError, match=r"got cluster_id, doc_id, body: .*with --cluster"):
        local.batch(source, tmp_path / "out", budget=BUDGET)
    assert not (tmp_path / "out").exists()


def test_texts_are_written_if_asked_for(wanted, tmp_path):
    source = write_lines(tmp_path / "news.jsonl", NEWS)
    local.batch(source, tmp_path / "out", budget=BUDGET, workers=1, with_text=True)
    found = rows_of(tmp_path / "out")["sentences"]
    assert [row[:-1] for row in found] == [row[:-1] for row in wanted["sentences"]]
    texts = {(row.cluster, row.document): row.text.decode() for rows in NEWS for row in rows}
    for cluster, _, document, start, end, _, _, text in found:
        assert texts[cluster, document][start:end] == text
    assert {row[-1] for row in wanted["sentences"]} == {None}


def test_a_budget_is_required(tmp_path, capsys):
    source = write_lines(tmp_path / "news.jsonl", NEWS)
    assert app.call(["batch", str(source), str(tmp_path / "out")]) == 2
    assert "--budget" in capsys.readouterr().err


def test_a_script_without_main_is_told_and_ends(tmp_path):
    source = write_lines(tmp_path / "news.jsonl", NEWS)
    script = tmp_path / "script.py"
    script.write_text(
        "from maxcover_scale.batch import local\n"
        f"local.batch({str(source)!r}, {str(tmp_path / 'out')!r}, budget=9, workers=1)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 1
    assert "expected batch below if __name__ == '__main__'" in done.stderr


def test_torn_rows_of_json_lines_are_refused(tmp_path):
    source = tmp_path / "news.jsonl"
    source.write_bytes(row_per_document([NEWS[0], NEWS[1], NEWS[0]]))
    with pytest.raises(FileFormatError, match="to be neighbours"):
        local.batch(source, tmp_path / "out", budget=BUDGET)


COMPRESSORS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


@pytest.mark.parametrize("ending", COMPRESSORS)
def test_compressed_lines(tmp_path, ending):
    plain = write_lines(tmp_path / "news.jsonl", NEWS)
    source = tmp_path / f"packed.jsonl.{ending}"
    source.write_bytes(COMPRESSORS[ending](plain.read_bytes()))
    assert read(source) == READ


def test_a_damaged_archive_is_refused_before_the_work(tmp_path):
    packed = gzip.compress(write_lines(tmp_path / "news.jsonl", NEWS).read_bytes())
    source = tmp_path / "packed.jsonl.gz"
    source.write_bytes(packed[:-20])
    with pytest.raises(FileFormatError, match=r"packed\.jsonl\.gz: cannot be read"):
        local.batch(source, tmp_path / "out", budget=BUDGET)
    assert not (tmp_path / "out").exists()


def test_directories_and_globs_without_what_writers_leave(tmp_path, monkeypatch):
    for name in ("a", "b c", "_temporary/0", ".hidden"):
        (tmp_path / name).mkdir(parents=True)
    write_parquet(tmp_path / "a" / "1.parquet", NEWS[:2])
    write_parquet(tmp_path / "b c" / "2.parquet", NEWS[2:])
    write_parquet(tmp_path / "_temporary" / "0" / "3.parquet", NEWS[:1])
    write_parquet(tmp_path / ".hidden" / "4.parquet", NEWS[:1])
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "a" / "_committed_1.parquet").touch()
    monkeypatch.chdir(tmp_path)
    for source in (tmp_path, f"{tmp_path}/**/*.parquet", "./[ab]*/?.*", "*/[!3].parquet", "."):
        assert read(source) == READ
    assert read(f"file://{tmp_path}/*/*.parquet") == READ


@pytest.fixture
def memory(monkeypatch):
    """A storage behind URLs, which is none of pyarrow's own."""
    held = fsspec.filesystem("memory")

    class Storage:
        @staticmethod
        def from_uri(given):
            if not given.startswith("memory://"):
                return fs.FileSystem.from_uri(given)
            return fs.PyFileSystem(fs.FSSpecHandler(held)), f"/{given[9:]}"

    replaced = {**vars(fs), "FileSystem": Storage}
    monkeypatch.setattr(files, "fs", SimpleNamespace(**replaced))
    yield held
    held.rm("/", recursive=True)


def test_remote_files(tmp_path, memory):
    memory.pipe("/news/1.parquet", write_parquet(tmp_path / "1.parquet", NEWS[:2]).read_bytes())
    memory.pipe("/news/2.parquet", write_parquet(tmp_path / "2.parquet", NEWS[2:]).read_bytes())
    memory.pipe("/news/_temporary/3.parquet", b"not yet")
    memory.pipe(
        "/lines.jsonl.gz", gzip.compress(row_per_document([*NEWS, [DocumentRow("x", "d", b"")]]))
    )
    assert read("memory://news") == read("memory://news/?.parquet") == READ
    assert read("memory://lines.jsonl.gz")[:4] == READ
    found = open_input("memory://lines.jsonl.gz", DEFAULT_COLUMNS, DEFAULT_LIMITS).clusters()
    assert [(each.file, each.line) for each in found][-1] == ("memory://lines.jsonl.gz", 13)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "nowhere://bucket/news.parquet",
            r"^nowhere://bucket/news.parquet: pyarrow does not open it",
        ),
        ("nothing.parquet", "nothing.parquet: no such file or directory"),
        ("*.jsonl", "found none"),
        ("news.csv", "expected .parquet, .jsonl, .ndjson"),
    ],
)
def test_what_cannot_be_read_is_told_as_it_was_given(source, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "news.csv").touch()
    with pytest.raises(FileFormatError, match=said):
        local.batch(source, tmp_path / "out", budget=BUDGET)


def test_results_go_to_a_local_directory(tmp_path, capsys):
    source = write_parquet(tmp_path / "news.parquet", NEWS)
    assert app.call(["batch", str(source), "s3://bucket/out", "--budget", "9"]) == 2
    assert "got s3://bucket/out" in " ".join(capsys.readouterr().err.split())


def test_ids_that_occur_twice_are_quarantined_with_their_places(tmp_path):
    source = write_lines(tmp_path / "news.jsonl", [NEWS[0], NEWS[1], NEWS[0]])
    found = rows(source, tmp_path / "out")
    name = NEWS[0][0].cluster
    assert found["quarantine"] == [(name, TWICE, 3, str(source), line) for line in (1, 3)]
    assert [row[0] for row in found["clusters"]] == [NEWS[1][0].cluster]


def test_documents_need_ids_of_their_own(tmp_path):
    clusters = [
        [DocumentRow("null", None, b"It rains."), DocumentRow("null", "d", b"It snows.")],
        [DocumentRow("twice", "d", b"It rains."), DocumentRow("twice", "d", b"It snows.")],
    ]
    found = rows(write_parquet(tmp_path / "a.parquet", clusters), tmp_path / "out")
    assert [row[:2] for row in found["quarantine"]] == [
        ("null", "a document without an id"),
        ("twice", "document 'd': the id occurs more than once"),
    ]
    lines = tmp_path / "a.jsonl"
    lines.write_text(
        '{"id": "null", "documents": [{"id": null, "text": "It rains."}]}\n'
        '{"id": "none", "documents": [{"text": "It rains."}]}\n'
        '{"id": "odd", "documents": [{"id": 1.5, "text": "It rains."}]}\n'
        '{"id": "empty", "documents": []}\n'
    )
    found = rows(lines, tmp_path / "lines")
    assert [(row[0], row[1].partition(":")[0], row[4]) for row in found["quarantine"]] == [
        ("empty", "no documents", 4),
        ("null", "a document without an id", 1),
        ("odd", "expected ids to be text or whole numbers", 3),
    ]
    assert [row[0] for row in found["sentences"]] == ["none"]


def test_quarantine_says_where(tmp_path):
    (tmp_path / "news").mkdir()
    write_parquet(tmp_path / "news" / "1.parquet", [NEWS[0]])
    second = write_parquet(
        tmp_path / "news" / "2.parquet", [NEWS[1], [DocumentRow("x", "d", None)]]
    )
    found = rows(tmp_path / "news", tmp_path / "out")
    assert found["quarantine"] == [("x", "document 'd': no text", 1, str(second), 4)]


def test_a_row_per_cluster_in_parquet(wanted, tmp_path):
    table = {
        "cluster_id": [cluster[0].cluster for cluster in NEWS],
        "doc_id": [[row.document for row in cluster] for cluster in NEWS],
        "text": [[row.text.decode() for row in cluster] for cluster in NEWS],
    }
    pq.write_table(pa.table(table), tmp_path / "news.parquet")
    assert rows(tmp_path / "news.parquet", tmp_path / "out") == wanted


def test_tables_in_memory(wanted, tmp_path):
    source = write_parquet(tmp_path / "news.parquet", NEWS)
    table = pq.read_table(source)
    for number, data in enumerate(
        (table, pl.read_parquet(source), duckdb.read_parquet(str(source)))
    ):
        assert rows(data, tmp_path / str(number)) == wanted
        report = local.batch(data, tmp_path / str(number), budget=BUDGET, workers=1)
        assert report.resumed == 4
    with pytest.raises(OptionError, match=r"input\.sha256 was"):
        local.batch(table.slice(3), tmp_path / "0", budget=BUDGET)
    with pytest.raises(OptionError, match="that can be read twice"):
        local.batch(table.to_reader(), tmp_path / "x", budget=BUDGET)
    with pytest.raises(OptionError, match="got list"):
        local.batch([], tmp_path / "x", budget=BUDGET)


def test_an_input_without_documents_is_told(tmp_path, capsys):
    source = tmp_path / "empty.jsonl"
    source.write_text("")
    arguments = ["batch", str(source), str(tmp_path / "out"), "--budget", "9", "--workers", "1"]
    assert app.call(arguments) == 4
    assert "holds no documents" in capsys.readouterr().err
