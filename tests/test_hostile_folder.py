"""A folder of hostile things, read by the command line and by Python. Nothing hangs or leaks.

The service and the agent's tools meet the same folder in `packages/maxcover-serve/tests`.
"""

import subprocess
import sys
import threading

import pytest

import maxcover as mc
from maxcover.ground.files.listing import list_files
from maxcover.texts.packing import map_files, pack_files
from tests.hostile_folder import QUESTION, SECRET, hostile_folder


@pytest.fixture(scope="module")
def folder():
    with hostile_folder() as root:
        yield root


def test_python_reads_what_is_harmless(folder):
    summary = mc.summarize(folder, budget=10)
    packed = pack_files("**", query=QUESTION, budget=500, root=folder)
    mapped = map_files("**", budget=500, root=folder)
    assert "dog" in summary.text
    assert {path for path, _, _ in packed.parts} <= {"crew.md", "harbour.txt", "unreadable.bin"}
    assert "crew.md\n  1 # Crew" in mapped
    for text in (str(summary), summary.certificate, packed.text, mapped):
        assert SECRET not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["summarize", ".", "--budget", "10", "--format", "json"],
        ["summarize", "*", "--budget", "10"],
        ["pack", "--files", "**", "--query", QUESTION, "--budget", "500"],
    ],
)
def test_the_command_line_reads_what_is_harmless(folder, arguments):
    done = subprocess.run(
        [sys.executable, "-m", "maxcover", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "dog" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_a_pipe_that_is_named_is_refused_at_once(folder):
    done = subprocess.run(
        [sys.executable, "-m", "maxcover", "summarize", "pipe.txt", "--budget", "9"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "got a pipe" in done.stderr
    assert "Traceback" not in done.stderr


def test_files_that_are_renamed_while_they_are_read(tmp_path):
    for k in range(20):
        (tmp_path / f"{k}.txt").write_text(f"Ferry {k} leaves at ten and returns at {k}.")
    outside = tmp_path.parent / "outside.txt"
    outside.write_text(f"The password is {SECRET}.")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            for k in range(20):
                path = tmp_path / f"{k}.txt"
                path.rename(tmp_path / f"{k}.kept")
                path.symlink_to(outside)
                path.unlink()
                (tmp_path / f"{k}.kept").rename(path)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(30):
            listing = list_files(tmp_path)
            for file in listing.files:
                try:
                    with listing.open(file.path) as opened:
                        assert SECRET.encode() not in opened.read()
                except OSError:
                    pass
            packed = pack_files("**", query=QUESTION, budget=500, root=tmp_path)
            assert SECRET not in packed.text
    finally:
        stop.set()
        swapper.join()
