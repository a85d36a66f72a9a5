"""What `scripts/fetch_data.py` fetches is checked before it appears. The network is not used."""

import io
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
from scripts import fetch_data


@pytest.fixture
def tree(tmp_path):
    """Files that git sorts and marks in its own way."""
    folder = tmp_path / "repository"
    for name, text in {
        "data/a.txt": "one",
        "data/a/b.txt": "two",
        "data/a-b": "three",
        "data/tool": "#!/bin/sh",
        "rest/c": "not asked for",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "data/tool").chmod(0o755)
    return folder


def id_of_git(folder, path):
    def git(*arguments):
        return subprocess.run(
            ["git", *arguments],  # noqa: S607 - of this machine
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    git("init", "--quiet")
    git("add", ".")
    return git("rev-parse", f"{git('write-tree')}:{path}")


def packed(folder, archive, extra=()):
    with tarfile.open(archive, "w:gz") as file:
        for name in ("data", "rest"):
            file.add(folder / name, f"repository-1234/{name}")
        for name, content in extra:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    return archive


def source(paths):
    return fetch_data.Source("someone/something", "1234", paths, "a licence")


@pytest.mark.parametrize("path", ["data", "data/a", "data/a.txt", "data/tool"])
def test_an_id_is_that_of_git(tree, path):
    assert fetch_data.git_id(tree / path) == id_of_git(tree, path)


def test_what_is_right_is_unpacked_and_nothing_else(tree, tmp_path):
    wanted = source({"data": fetch_data.git_id(tree / "data")})
    archive = packed(tree, tmp_path / "archive.tar.gz")
    out = tmp_path / "out" / "set"
    fetch_data.unpack(archive, wanted, out)
    fetch_data.unpack(archive, wanted, out)  # again, over what is there
    assert (out / "data/a/b.txt").read_text() == "two"
    assert not (out / "rest").exists()
    assert [path.name for path in out.parent.iterdir()] == ["set"]


@pytest.mark.parametrize("extra", ["more", "other content", "nothing"])
def test_what_is_wrong_leaves_no_trace(tree, tmp_path, extra):
    wanted = source({"data": fetch_data.git_id(tree / "data"), "rest/c": "0" * 40})
    if extra != "nothing":
        wanted = source({"data": fetch_data.git_id(tree / "data")})
    name = {"more": "x", "other content": "a.txt", "nothing": "../../../up"}[extra]
    archive = packed(
        tree, tmp_path / "archive.tar.gz", [(f"repository-1234/data/{name}", b"changed")]
    )
    with pytest.raises((ValueError, tarfile.TarError)):
        fetch_data.unpack(archive, wanted, tmp_path / "out" / "set")
    assert list((tmp_path / "out").iterdir()) == []
    assert not (tmp_path / "up").exists()


def test_a_broken_archive_is_told(tmp_path, capsys):
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no archive")
    said = fetch_data.main(["bc3", "--archive", str(broken), "--out", str(tmp_path / "out")])
    assert said.startswith("bc3: ")
    assert fetch_data.main([]) == ""
    assert len(capsys.readouterr().out.splitlines()) == len(fetch_data.SOURCES)


def test_every_source_is_pinned():
    for name, found in fetch_data.SOURCES.items():
        assert re.fullmatch(r"[0-9a-f]{40}", found.commit), name
        assert found.url.startswith("https://")
        assert found.paths
        for path, identity in found.paths.items():
            assert not Path(path).is_absolute()
            assert re.fullmatch(r"[0-9a-f]{40}", identity), path
