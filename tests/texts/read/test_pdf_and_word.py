"""PDF and Word files as text, in reading order, and what is refused."""

import builtins
import io
from pathlib import Path

import pytest

import maxcover as mc
from maxcover.errors import MissingExtraError, TextError
from maxcover.texts.read.pdf import read_pdf
from maxcover.texts.read.sources import find_files, kind_of, read_document, read_files, read_upload
from maxcover.texts.read.word import read_word

docx = pytest.importorskip("docx")

STORY = [
    "The harbour of Alder Bay stays closed until Friday.",
    "An engineer from Bremen replaces the worn cable of the crane.",
    "Ferries use the south quay in the meantime.",
]


def pdf(pages):
    """Write a PDF file of lines of text, one list for each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for lines in pages:
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        stream = f"BT /F1 11 Tf 14 TL 50 750 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {len(objects)} 0 R >>"
        )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return (out + head + table + trailer).encode("latin-1")


def word():
    """Write a Word file with a heading, a list and a table between two paragraphs."""
    document = docx.Document()
    document.add_heading("Harbour report", 1)
    document.add_paragraph(STORY[0])
    document.add_paragraph(STORY[1], style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, values in zip(table.rows, (("month", "ships"), ("March", "412")), strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    document.add_paragraph(STORY[2])
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def test_pages_in_order_without_heads_and_with_whole_words():
    pages = [
        [
            "Port report 2025",
            f"{STORY[k]} The ferry is de-",
            "layed again.",
            f"This is line{'abc'[k]}.",
            f"Page {k + 1}",
        ]
        for k in range(3)
    ]
    text = read_pdf("a.pdf", pdf(pages))
    assert "Port report" not in text
    assert "Page" not in text
    assert text.count("The ferry is delayed again.") == 3
    assert [text.index(sentence) for sentence in STORY] == sorted(map(text.index, STORY))


def test_a_short_file_keeps_its_edges():
    assert read_pdf("a.pdf", pdf([["Port report", STORY[0]]])).startswith("Port report")


def test_word_is_read_as_markdown():
    assert read_word("a.docx", word()).split("\n\n") == [
        "# Harbour report",
        STORY[0],
        f"- {STORY[1]}",
        "| month | ships |\n|---|---|\n| March | 412 |",
        STORY[2],
    ]


def test_files_are_known_by_their_endings(tmp_path):
    for name, data in (("a.pdf", pdf([STORY])), ("b.docx", word())):
        path = tmp_path / name
        path.write_bytes(data)
        text = read_document(path, kind=kind_of(path))
        assert mc.summarize(text, budget=9).text in STORY
        assert list(read_upload(name, data)) == [(name, text)]


@pytest.mark.parametrize(
    ("read", "data", "message"),
    [
        (read_pdf, b"%PDF-1.7 ...", "no PDF file that can be read"),
        (read_pdf, pdf([[]]), "OCR"),
        (read_word, b"PK...", "no Word file that can be read"),
    ],
)
def test_what_is_broken_is_said(read, data, message):
    with pytest.raises(TextError, match=message):
        read("it", data)


def test_the_extra_is_named(monkeypatch, tmp_path):
    genuine = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] == "pypdfium2":
            raise ImportError(name)
        return genuine(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"maxcover\[files\]"):
        read_pdf("it", b"")
    (tmp_path / "a.txt").write_text("The harbour is closed.", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4")
    found = read_files(find_files([str(tmp_path)]))
    assert [Path(one.path).name for one in found.skipped] == ["b.pdf"]
    assert "maxcover[files]" in found.skipped[0].reason
    with pytest.raises(MissingExtraError):
        read_files(find_files([str(tmp_path)]), strict=True)


def test_a_directory_has_them_too(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf([STORY]))
    assert find_files([str(tmp_path)]).files == [Path(tmp_path / "a.pdf")]
