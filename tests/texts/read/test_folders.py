"""Folders: what cannot be read is skipped and named, and a strict caller refuses it."""

import json

import pytest

import maxcover as mc
from maxcover.cli.app import call
from maxcover.errors import TextError

TEXT = "The harbour of Alder Bay stays closed until Friday because of the storm."


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "c.txt").write_bytes("Die Fähre fährt.".encode("latin-1"))
    for name in ("d.pptx", "e.odt", "f.mbox"):
        (tmp_path / name).write_bytes(b"...")
    (tmp_path / "g.png").write_bytes(b"...")
    return tmp_path


def test_what_cannot_be_read_is_skipped_and_named(folder):
    summary = mc.summarize(folder)
    assert summary.text == TEXT
    assert {one.path.rpartition("/")[2] for one in summary.skipped} == {
        *("b.pdf", "c.txt", "d.pptx", "e.odt", "f.mbox")
    }
    assert all(one.reason for one in summary.skipped)


def test_a_named_file_is_not_skipped(folder):
    with pytest.raises(TextError, match="PDF"):
        mc.summarize(folder / "b.pdf")


def test_a_folder_of_nothing_that_can_be_read_is_refused(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"...")
    with pytest.raises(TextError, match="none of 1 files"):
        mc.summarize(tmp_path)


def test_the_command_line_names_them_and_may_be_strict(folder, capsys):
    assert call(["summarize", str(folder)]) == 0
    said = capsys.readouterr().err
    assert "skipped" in said
    assert "d.pptx" in said
    assert call(["summarize", "--strict", str(folder)]) != 0


@pytest.mark.parametrize("name", ["a.rtf", "a.tex", "a.csv", "a.pptx"])
def test_a_named_file_of_a_format_that_is_not_read_is_refused_with_what_to_do(tmp_path, name):
    (tmp_path / name).write_text(TEXT, encoding="utf-8")
    with pytest.raises(TextError, match=r"files are not read; (?:save|convert|pass) "):
        mc.summarize(tmp_path / name)
    assert call(["summarize", str(tmp_path / name), "--from", "text", "-q"]) == 0


def test_the_text_cells_of_a_notebook_are_read_as_markdown(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# The closed harbour\n", "\n", TEXT]},
        {"cell_type": "code", "source": "print('Ferries do not sail.')", "outputs": []},
    ]
    path = tmp_path / "harbour.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    assert mc.summarize(path).text == f"The closed harbour\n{TEXT}"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(TextError, match="cannot be read as notebook"):
        mc.summarize(path)
