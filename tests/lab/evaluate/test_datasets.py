"""Data sets: whole, damaged, and DUC."""

import json
import shutil

import pytest

from maxcover.errors import FileFormatError
from maxcover.lab.evaluate.case import Cluster, Document
from maxcover.lab.evaluate.datasets import load

ROW = {
    "id": "c1",
    "documents": [{"id": "d1", "title": "Rain", "text": "It rains.\nMuch."}],
    "references": ["Rain."],
    "meta": {"year": 1999},
}


def write(folder, *lines):
    path = folder / "clusters.jsonl"
    path.write_bytes(
        b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
    )
    return path


def test_file_and_directory(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbf" + json.dumps(ROW).encode(), b"", {**ROW, "id": "c2"})
    clusters = load(path)
    assert clusters == load(str(tmp_path))
    assert clusters[0] == Cluster(
        "c1", (Document("d1", "Rain", "It rains.\nMuch."),), ("Rain.",), {"year": 1999}
    )
    assert clusters[1].id == "c2"


def test_title_and_meta_may_be_missing(tmp_path):
    path = write(tmp_path, {"id": "c", "documents": [{"id": "d", "text": ""}], "references": ["r"]})
    assert load(path)[0] == Cluster("c", (Document("d", "", ""),), ("r",), {})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "c2", "docu', "expected a JSON object"),
        (b"[" * 100_000, "expected a JSON object"),
        (b"\xff\xfe{}", "expected UTF-8"),
        ([1], "expected a JSON object, got list"),
        ({**ROW, "id": 7}, "'id' must be a str, got int"),
        ({**ROW, "id": "c1"}, "'c1' occurs a second time"),
        ({**ROW, "id": "c2", "documents": []}, "at least one document"),
        ({**ROW, "id": "c2", "references": []}, "one reference"),
        ({**ROW, "id": "c2", "references": [None]}, "every reference must be a text"),
        ({**ROW, "id": "c2", "documents": ["text"]}, "document 1: expected a JSON object, got str"),
        ({**ROW, "id": "c2", "documents": [{"id": "d"}]}, "'text' must be a str, got nothing"),
        ({**ROW, "id": "c2", "meta": []}, "'meta' must be a dict, got list"),
    ],
)
def test_damage_is_reported_with_file_and_line(tmp_path, line, message):
    path = write(tmp_path, ROW, b"", line)
    with pytest.raises(FileFormatError, match=message) as caught:
        load(path)
    assert f"{path}, line 3" in str(caught.value)


def test_a_file_cut_short_is_damaged(tmp_path):
    path = write(tmp_path, ROW, {**ROW, "id": "c2"})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match="line 2"):
        load(path)


def test_nothing_there(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        load(tmp_path / "absent")
    with pytest.raises(FileFormatError, match=r"neither clusters\.jsonl nor DUC"):
        load(tmp_path)
    with pytest.raises(FileFormatError, match="found none"):
        load(write(tmp_path))


def test_open_sets_load_whole(data):
    sizes = {path.parent.name: len(load(path)) for path in data.glob("*/clusters.jsonl")}
    assert sizes == {
        "bc3": 40,
        "cl_scisumm": 60,
        "convosumm_email": 387,
        "mediqa_mas": 130,
        "opinosis": 51,
        "oposum": 60,
        "squality_plot": 127,
    }


def test_duc_fixture(data):
    clusters = load(data / "duc_format_fixture")
    assert [cluster.id for cluster in clusters] == ["d39001t", "d39002t"]
    first = clusters[0]
    assert first.meta == {"assessors": ["A", "C"]}  # not the ten-word model of task 1
    assert first.references[0] == (
        "The port of Alder Bay reopened after three weeks of ice.\n"
        "Forty ships were waiting and grain prices had risen."
    )
    assert "harbor master\u2019s staff" in first.references[1]  # Windows-1252
    apw, nyt = first.documents
    assert (apw.id, apw.title) == ("APW19990101.0001", "")
    assert apw.text.startswith("The river port of Alder Bay reopened on Friday, three weeks after")
    assert (nyt.id, nyt.title) == ("NYT19990102.0002", "PORT OF ALDER BAY REOPENS")
    assert nyt.text == (
        "Shipping at Alder Bay, closed by ice since December, resumed Saturday as two icebreakers "
        "opened the channel.\nGrain traders at Poole & Sons said prices had risen 8.5 percent "
        "while the port was shut."
    )


@pytest.fixture
def duc_tree(tmp_path):
    """One cluster in the layout of DUC 2003, where references do not lie in numbered folders."""
    documents, models = tmp_path / "docs" / "d30001t", tmp_path / "models"
    documents.mkdir(parents=True)
    models.mkdir()
    (models / "D30001.M.100.T.B").write_text("A reference.\n")

    def add(source):
        data = source if isinstance(source, bytes) else source.encode()
        (documents / "APW1").write_bytes(data)
        return load(tmp_path)[0].documents[0]

    add.root, add.documents, add.models = tmp_path, documents, models
    return add


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # everything in place
        ("<DOC><DOCNO>N1</DOCNO><HEADLINE>H</HEADLINE><TEXT>T.</TEXT></DOC>", ("N1", "H", "T.")),
        # no end tag anywhere
        ("<DOC>\n<DOCNO> N1\n<HEADLINE> H\n<TEXT>\n<P>One.\n<P>Two.", ("N1", "H", "One.\nTwo.")),
        # lower case, attributes, no DOCNO, Windows line ends
        ("<doc>\r\n<text type='x'>\r\nOne\r\nline.\r\n</text>", ("APW1", "", "One line.")),
        # a trailer after the text; blank and indented lines begin paragraphs
        ("<TEXT>A\nb.\n\nC.\n   D.\n<TRAILER>x</TRAILER>", ("APW1", "", "A b.\nC.\nD.")),
        # entities, known, upper-case and typesetters'; an escaped tag is text
        ("<TEXT>R&amp;D &LT;p&GT; 5 &lt; 6 &LR; &QL;x&UR;</TEXT>", ("APW1", "", "R&D <p> 5 < 6 x")),
        # two texts in one file, a less-than sign that opens nothing
        ("<TEXT>A < 3.</TEXT><TEXT>B.</TEXT>", ("APW1", "", "A < 3.\nB.")),
        # headline of the older agencies
        ("<HEAD>Old</HEAD><TEXT>T</TEXT>", ("APW1", "Old", "T")),
        # notes to editors
        ("<TEXT>A <ANNOTATION> (MORE) </ANNOTATION> b.</TEXT>", ("APW1", "", "A b.")),
        # bytes that are neither UTF-8 nor Windows-1252
        (b"<TEXT>caf\xe9 \x81</TEXT>", ("APW1", "", "café \ufffd")),
        ("<TEXT></TEXT>", ("APW1", "", "")),
    ],
)
def test_loose_sgml(duc_tree, source, expected):
    document = duc_tree(source)
    assert (document.id, document.title, document.text) == expected


def test_references_in_the_assessors_html(duc_tree):
    (duc_tree.models / "D30001.M.100.T.A").write_text(
        '<html><body>\n<a name="1">[1]</a> <a href="#1" id=1>First one.</a>\n'
        '<a name="2">[2]</a> <a href="#2" id=2>Second &amp; last.</a>\n</body></html>\n'
    )
    duc_tree("<TEXT>x")
    assert load(duc_tree.root)[0].references == ("First one.\nSecond & last.", "A reference.")


def test_only_task_2_counts_where_tasks_are_numbered(duc_tree):
    duc_tree("<TEXT>x")
    (duc_tree.root / "models" / "4").mkdir()
    shutil.copy(
        duc_tree.models / "D30001.M.100.T.B", duc_tree.root / "models" / "4" / "D30001.M.100.T.Z"
    )
    assert load(duc_tree.root)[0].meta == {"assessors": ["B"]}


def test_damaged_trees_are_named(duc_tree):
    with pytest.raises(FileFormatError, match="APW1: expected a document with <TEXT>"):
        duc_tree("<DOC>nothing")
    (duc_tree.models / "D30002.M.100.T.B").write_text("No documents.")
    with pytest.raises(FileFormatError, match="no documents for D30002"):
        load(duc_tree.root)
    (duc_tree.root / "docs" / "d30002t").mkdir()
    with pytest.raises(FileFormatError, match="d30002t: expected one file per document"):
        duc_tree("<TEXT>x")
