"""Small files that want much are read or refused: little time and memory, only our errors."""

import subprocess
import sys

import pytest

import maxcover as mc
from maxcover.texts.read.sources import read_upload
from tests import sweeps
from tests.hostile_files import FILES, docx

# Reads a file in a process of its own; prints what became of it, CPU seconds and megabytes.
_READ = """
import sys, time
from pathlib import Path
from maxcover.errors import MaxcoverError
from maxcover.texts.read.sources import kind_of, read_document
path = Path(sys.argv[1])
began = time.process_time()
try:
    found = f"read {len(read_document(path, kind=kind_of(path)))}"
except MaxcoverError as error:
    found = "refused"
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
print(found.split()[0], time.process_time() - began, peak)
"""

READ = {
    "subject of 46 kB.eml", "subject of 373 kB.eml", "subject of 16 MB.eml", "parameters.eml",
    "the same parameter.eml", "operators.pdf", "span.docx", "merged.docx", "table.docx",
    "deep.docx",
}  # fmt: skip


@pytest.mark.parametrize("number", sweeps.cases(len(FILES)))
def test_little_time_and_memory_and_only_our_errors(number, tmp_path):
    name = list(FILES)[number]
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    run = [sys.executable, "-c", _READ, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=100)
    found, seconds, megabytes = done.stdout.split()
    assert found == ("read" if name in READ else "refused")
    assert float(seconds) < 2 or not sweeps.WHOLE
    assert int(megabytes) < 300


def test_merged_cells_are_one_cell():
    [(_, text)] = read_upload("a.docx", FILES["span.docx"]())
    assert text == "| Hello there my friend. |\n|---|"


def test_what_is_deleted_or_moved_is_not_read():
    run = "<w:r><w:t>{}</w:t></w:r>".format
    moved = f"<w:moveFrom>{run('from here')}</w:moveFrom><w:ins>{run(' ferry')}</w:ins>"
    data = docx(f"<w:p>{run('The')}{moved}<w:r><w:tab/><w:t>is late.</w:t></w:r></w:p>")
    assert list(read_upload("a.docx", data)) == [("a.docx", "The ferry\tis late.")]


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("maxcover.texts.read.sources.MOST_BYTES", 10)
    from maxcover.texts.read.sources import read_clusters, read_document

    path = tmp_path / "a.txt"
    path.write_text("The ferry is late.")
    with pytest.raises(mc.errors.TextError, match=r"at most 10 bytes in .*a\.txt, got 18"):
        read_document(path, kind="text")
    path.write_text('"a"\n"The ferry is late."')
    lines = read_clusters(path)
    assert next(lines)[1]().documents == ("a",)
    with pytest.raises(mc.errors.TextError, match="line 2"):
        next(lines)
