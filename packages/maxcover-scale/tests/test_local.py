"""The local engine: the same rows however it runs, whatever stops it, whatever is in the input."""

import json
import os
import re
import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from benchmarks._kills import Killer, batch_command
from benchmarks._synthetic_news import news
from tests import sweeps

import maxcover as mc
from maxcover import errors
from maxcover.cli import app
from maxcover_scale.batch import local
from maxcover_scale.batch.cluster import ClusterLimits, DocumentRow
from maxcover_scale.batch.workers import DIED
from results import (
    BUDGET,
    LIMITS,
    check_quarantine,
    poisoned,
    rows_of,
    small_news,
    write_lines,
    write_parquet,
)

CLUSTERS = sweeps.size(6_000)
KILLS = 4


@pytest.fixture(scope="module")
def clusters():
    return small_news(CLUSTERS)


@pytest.fixture(scope="module")
def expected(clusters, tmp_path_factory):
    """The rows of an undisturbed run with one worker, poison among them."""
    folder = tmp_path_factory.mktemp("expected")
    mixed = [*clusters[:50], *poisoned(), *clusters[50:]]
    source = write_parquet(folder / "news.parquet", mixed)
    report = local.batch(source, folder / "out", budget=BUDGET, limits=LIMITS, workers=1)
    assert (report.clusters, report.refused) == (CLUSTERS + 6, 6)
    return source, rows_of(folder / "out")


def test_rows_are_those_of_summarize(clusters, expected):
    _, rows = expected
    sentences = {}
    for cluster, rank, document, start, end, cost, gain, _ in rows["sentences"]:
        sentences.setdefault(cluster, []).append((rank, document, start, end, cost, gain))
    values = {row[0]: row[1:3] for row in rows["clusters"]}
    for documents in clusters[::60]:
        summary = mc.summarize([row.text.decode() for row in documents], budget=BUDGET)
        name = documents[0].cluster
        ranked = sorted(summary.sentences, key=lambda s: (-s.gain, s.index))
        assert sentences[name] == [
            (rank, documents[s.document].document, s.start, s.end, s.cost, s.gain)
            for rank, s in enumerate(ranked, start=1)
        ]
        assert values[name] == (summary.value, summary.upper_bound)


def test_poison_is_quarantined_with_reasons(expected):
    check_quarantine(expected[1])
    assert len(expected[1]["clusters"]) == CLUSTERS


def test_two_workers_give_the_same_rows(expected, tmp_path):
    local.batch(expected[0], tmp_path / "out", budget=BUDGET, limits=LIMITS, workers=2)
    assert rows_of(tmp_path / "out") == expected[1]
    assert (tmp_path / "out" / "_SUCCESS").exists()


def limited(source: Path, out: Path) -> list[str]:
    """Return the command with the options of `expected`."""
    limits = ("--max-documents", "1000", "--max-document-bytes", "200000")
    limits += ("--max-cluster-bytes", "1000000")
    return batch_command(source, out, "--budget", str(BUDGET), "--workers", "2", *limits)


def test_killed_at_random_and_resumed_gives_the_same_rows(expected, tmp_path):
    """Also: no process of a killed run is left. benchmarks/batch_kills.py does it 100 times."""
    out = tmp_path / "out"
    killer = Killer(limited(expected[0], out), seed=3, longest=3.0)
    assert killer.run(KILLS) == 3
    assert killer.kills > 1
    assert killer.slowest_end < 5
    assert rows_of(out) == expected[1]


def test_what_a_kill_leaves_between_two_steps_does_not_count(tmp_path):
    source, out = write_parquet(tmp_path / "news.parquet", small_news(9)), tmp_path / "out"
    local.batch(source, out, budget=BUDGET, workers=1)
    wanted = rows_of(out)
    (out / "_SUCCESS").unlink()
    (out / "clusters" / "part-00000000.parquet").unlink()  # killed before the last of its tables
    (out / "sentences" / "part-00000000.parquet").write_bytes(b"not done, so it does not count")
    torn = out / "clusters" / ".part-00000000.parquet.1.tmp"
    torn.write_bytes(b"torn")
    report = local.batch(source, out, budget=BUDGET, workers=1)
    assert (report.clusters, report.resumed) == (9, 0)
    assert not torn.exists()
    assert rows_of(out) == wanted


def test_each_shard_is_a_file_and_a_missing_one_is_made_again(expected, tmp_path, monkeypatch):
    monkeypatch.setattr(local, "SHARD_CLUSTERS", 16)
    out = tmp_path / "out"
    local.batch(expected[0], out, budget=BUDGET, limits=LIMITS, workers=2)
    assert rows_of(out) == expected[1]
    parts = sorted((out / "clusters").glob("*.parquet"))
    assert len(parts) >= CLUSTERS / 16
    ids = [name for part in parts for name in pq.read_table(part)["cluster"].to_pylist()]
    assert ids == sorted(ids)
    (out / "_SUCCESS").unlink()
    parts[-1].unlink()
    report = local.batch(expected[0], out, budget=BUDGET, limits=LIMITS, workers=2)
    assert 0 < report.clusters - report.resumed <= 16
    assert rows_of(out) == expected[1]


def die_of(text: str) -> float:
    """Count words, and end the process without notice at a certain one, as a crash would."""
    if "Poison" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(len(text.split()))


def test_a_process_that_dies_takes_only_its_cluster_with_it(tmp_path):
    deadly = [DocumentRow("deadly", "d", b"Some text. Poison it is. More text.")]
    mixed = [*small_news(5), deadly, [DocumentRow("z", "d", b"It rains today.")]]
    source = write_parquet(tmp_path / "news.parquet", mixed)
    report = local.batch(source, tmp_path / "out", budget=BUDGET, unit=die_of, workers=2)
    assert (report.clusters, report.refused) == (7, 1)
    rows = rows_of(tmp_path / "out")
    assert rows["quarantine"] == [("deadly", DIED, 1, str(source), 16)]
    source = write_parquet(tmp_path / "good.parquet", [mixed[0], mixed[-1]])
    local.batch(source, tmp_path / "good", budget=BUDGET, unit=die_of, workers=1)
    for table in ("sentences", "clusters"):
        wanted = rows_of(tmp_path / "good")[table]
        assert [row for row in rows[table] if row[0] in ("c00000000", "z")] == wanted


def test_json_lines_hold_a_cluster_each(clusters, expected, tmp_path):
    source = write_lines(tmp_path / "news.jsonl", clusters[:100])
    with source.open("ab") as file:
        file.write(b'{"id": "x", "documents": [{"text": 7}]}\n\n[1]\nno json\n{"id": "\xff"}\n')
        file.write(b'{"id": "long", "documents": ["' + b"x" * 2_000_000 + b'"]}\n')
        file.write(b'{"id": "last", "documents": [{"text": "It rains."}]}')
    report = local.batch(source, tmp_path / "out", budget=BUDGET, limits=LIMITS, workers=1)
    assert (report.clusters, report.refused) == (106, 5)
    names = {rows[0].cluster for rows in clusters[:100]}
    rows = rows_of(tmp_path / "out")
    for table in ("sentences", "clusters"):
        wanted = [row for row in expected[1][table] if row[0] in names]
        assert [row for row in rows[table] if row[0] != "last"] == wanted
    reasons = " ".join(row[1] for row in rows["quarantine"])
    for part in (
        "document 0: expected an object",
        "expected {",
        "not JSON",
        "not UTF-8",
        "a line of",
    ):
        assert part in reasons


def test_a_large_cluster_is_summarised_beside_the_others(tmp_path):
    large = next(iter(news(1, documents=60, sentences=50, seed=7)))
    mixed = [*small_news(3), [row._replace(cluster="large") for row in large]]
    source = write_parquet(tmp_path / "news.parquet", mixed)
    report = local.batch(source, tmp_path / "out", budget=BUDGET, workers=1, time_limit=1.0)
    assert (report.clusters, report.refused) == (4, 0)


def test_a_cluster_in_two_places_is_refused(tmp_path):
    rows = [
        [DocumentRow("a", "1", b"x")],
        [DocumentRow("b", "1", b"x")],
        [DocumentRow("a", "2", b"x")],
    ]
    source = write_parquet(tmp_path / "news.parquet", rows)
    with pytest.raises(errors.FileFormatError, match="to be neighbours"):
        local.batch(source, tmp_path / "out", budget=5)


def test_a_directory_of_another_run_is_refused(tmp_path):
    source = write_parquet(tmp_path / "news.parquet", small_news(2))
    local.batch(source, tmp_path / "out", budget=BUDGET, workers=1)
    with pytest.raises(errors.OptionError, match=r"options\.budget was 30, is 31"):
        local.batch(source, tmp_path / "out", budget=BUDGET + 1, workers=1)
    with pytest.raises(errors.OptionError, match="to be new, empty"):
        local.batch(source, tmp_path, budget=BUDGET, workers=1)
    with pytest.raises(errors.OptionError, match="unit"):
        local.batch(source, tmp_path / "other", budget=BUDGET, unit="miles")
    with pytest.raises(errors.FileFormatError, match="expected the columns"):
        local.batch(source, tmp_path / "other", budget=1, columns=local.Columns("a", "b", "c"))


def test_limits_bound_what_is_held():
    from maxcover_scale.batch.cluster import group_rows

    rows = (DocumentRow("c", str(i), b"x" * 100) for i in range(10_000))
    (cluster,) = group_rows(rows, ClusterLimits(documents=100))
    assert (cluster.documents, cluster.n_documents) == ([], 10_000)


def test_the_command_says_how_many(tmp_path, capsys):
    source = write_parquet(tmp_path / "news.parquet", [*small_news(3), *poisoned()[:2]])
    arguments = ["batch", str(source), str(tmp_path / "out"), "--budget", "30", "--workers", "1"]
    assert app.call(arguments) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.match(r"5 clusters: 3 summarised, 2 in quarantine \(.*quarantine\); ", last)
    assert app.call(arguments) == 3
    assert "5 of them in earlier runs" in capsys.readouterr().out
    assert app.call([*arguments, "--master", "x"]) == 2


def test_keys_with_other_names_are_hinted_at(tmp_path, capsys):
    line = {"topic": "a", "page": "1", "text": "The storm reached the coast on Monday night."}
    (tmp_path / "news.jsonl").write_text(
        "".join(json.dumps(line | {"topic": topic}) + "\n" for topic in "abc")
        + '{"topic": "b", "pa'
    )
    given = ["batch", str(tmp_path / "news.jsonl"), "--budget", "30", "--workers", "1"]
    assert app.call([*given, str(tmp_path / "out")]) == 3
    assert "--cluster, --document and --text" in capsys.readouterr().err
    named = ["--cluster", "topic", "--document", "page", str(tmp_path / "named")]
    assert app.call([*given, *named]) == 3  # what follows a line that is cut is not summarised
    assert "--cluster" not in capsys.readouterr().err
