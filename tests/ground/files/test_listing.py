"""Listing: what patterns name, what ignore files leave out, what is never opened."""

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from maxcover.errors import OptionError, TooLargeError
from maxcover.ground.files.globs import compile_glob, matches
from maxcover.ground.files.listing import FileLimits, list_files
from maxcover.ground.files.opening import open_below, open_file
from maxcover.texts.read.sources import find_files, read_files
from tests import sweeps


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    for path in (
        *("src/steps.py", "src/deep/cache.py", "build/out.py", "node_modules/a.js", "notes.md"),
        *("secret.log", ".env", ".github/ci.yml", ".github/.key", "src/.hidden/a.py"),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n")
    (root / ".gitignore").write_text("build/\n*.log\n")
    (tmp_path / "outside.py").write_text("outside = 1\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    return root


def names(root, *patterns):
    return [file.path for file in list_files(root, patterns).files]


def test_globs_and_ignore_files(folder):
    assert names(folder, "**/*.py") == ["src/deep/cache.py", "src/steps.py"]
    assert names(folder, "src/*.py") == ["src/steps.py"]
    assert names(folder, "src", "src/steps.py") == ["src/deep/cache.py", "src/steps.py"]
    assert names(folder, ".") == ["notes.md", "src/deep/cache.py", "src/steps.py"]
    assert names(folder, str(folder / "src")) == names(folder, "./src/") == names(folder, "src/**")
    for none in ("none/*.py", "link.py", "build/out.py", "*.log", "[.]env", "?env", "**/.env"):
        assert names(folder, none) == []
    for wrong in ("../outside.py", "/etc/passwd", "a/../../b", "a\0b"):
        with pytest.raises(OptionError, match="expected paths below the root"):
            names(folder, wrong)


def test_hidden_files_are_found_when_they_are_named(folder):
    assert names(folder, ".env") == [".env"]
    assert names(folder, ".github") == names(folder, ".github/*.yml") == [".github/ci.yml"]
    assert names(folder, ".github/.key") == [".github/.key"]
    assert names(folder, "src/**") == ["src/deep/cache.py", "src/steps.py"]
    # whoever names a hidden folder as the root means it
    assert names(folder / ".github", "**") == ["ci.yml"]


def test_what_cannot_be_read_is_listed_with_the_reason(folder):
    os.mkfifo(folder / "pipe.txt")
    (folder / "loop").symlink_to("loop")
    (folder / "new\nline.txt").write_text("x")
    deep = folder.joinpath(*["d"] * 101)
    deep.mkdir(parents=True)
    found = dict(list_files(folder).skipped)
    assert found == {
        "pipe.txt": "a pipe",
        "link.py": "a link",
        "loop": "a link",
        "new\\nline.txt": "its name cannot be printed",
        "/".join(["d"] * 101): "deeper than 100 folders",
    }


def test_limits_say_what_to_leave_out(folder):
    with pytest.raises(TooLargeError, match=r"at most 2 files .* got 3 \('src/' 2, 'notes.md' 1\)"):
        list_files(folder, limits=FileLimits(files=2))
    with pytest.raises(TooLargeError, match=r"at most 10 bytes .*'src/' 12.*\.ignore"):
        list_files(folder, limits=FileLimits(total_bytes=10))


def test_only_regular_files_are_opened(folder):
    os.mkfifo(folder / "pipe.txt")
    with pytest.raises(OptionError, match=r"got a pipe.*standard input"):
        open_file(folder / "pipe.txt")
    with pytest.raises(OptionError, match="got a device"):
        open_file("/dev/zero")
    with pytest.raises(OptionError, match="got a pipe"):
        open_below(folder, "pipe.txt")
    with pytest.raises(IsADirectoryError):
        open_file(folder)
    with open_file(folder / "link.py") as file:
        assert file.read() == b"outside = 1\n"


def test_a_folder_that_becomes_a_link_is_not_followed(folder):
    listing = list_files(folder, ["src"])
    (folder.parent / "elsewhere").mkdir()
    (folder.parent / "elsewhere" / "steps.py").write_text("secret")
    (folder / "src").rename(folder / "gone")
    (folder / "src").symlink_to(folder.parent / "elsewhere")
    with pytest.raises(OSError, match="src"):
        listing.open("src/steps.py")


def test_a_hostile_glob_ends():
    glob = compile_glob("/".join(["*a" * 300, "**", "?*" * 100, "**", "*b"]))
    assert not matches(glob, ["a" * 250] * 100)
    assert matches(compile_glob("*a*b*c"), ["xxaxbcbc"])
    assert matches(compile_glob("**/a/**/a/**"), ["a"] * 100)


NAMES = ["a", "b", "c.txt", "d.log", "build", "src", "e.py", "x y", "f#", "!g", "lib"]
RULES = r"""a;b;*.txt;*.log;build/;src;/a;/src/;a/b;**/a;a/**;src/**/e.py;!a;!*.txt;!b/;*;!*/;\#x
\!g;f\#;x y;x\ y;c.txt ;*.[pt]*;[!a];[a-c];?;a*;**;/**/b;!src/e.py;#c;/*;!/src;d.l?g;build/*;[]a]
!build/lib;a/*/b;lib/;\a;*\.py;src/*.py;e.p\y;[^b];a**b;a/;!a/;[a;b\;[z-a]"""
RULES = RULES.replace("\n", ";").split(";")


def _plant(rng, folder, depth=0):
    """Make a folder with files, folders and ignore files."""
    for name in rng.sample(NAMES, rng.randint(2, 5)):
        if depth < 3 and rng.random() < 0.5:
            (folder / name).mkdir()
            _plant(rng, folder / name, depth + 1)
        else:
            (folder / name).write_text("x")
    if depth == 0 or rng.random() < 0.2:
        rules = [rng.choice(RULES) for _ in range(rng.randint(1, 6))]
        (folder / ".gitignore").write_text("\n".join(rules) + "\n")


def test_ignore_files_mean_what_git_means():
    """The judge is Git itself."""
    for case in sweeps.cases(300):
        root = Path(tempfile.mkdtemp())
        try:
            _plant(random.Random(case), root)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)  # noqa: S607 - whichever
            told = subprocess.run(
                ["git", "ls-files", "--others", "--exclude-standard", "-z"],  # noqa: S607
                cwd=root,
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split("\0")
            told = [path for path in told if path and not path.split("/")[-1].startswith(".")]
            assert sorted(names(root, "**")) == sorted(told), f"case {case}"
        finally:
            shutil.rmtree(root)


def test_a_file_of_a_folder_that_became_a_link_is_not_read(tmp_path):
    """Somebody may swap it after the folder was listed."""
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is swordfish, and nobody may read it.")
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text("Ferries stayed in the harbour all day.")
    sources = find_files([str(folder)])
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(secret)
    (folder / "b.txt").unlink()
    found = read_files(sources)
    assert found.documents == ("Ferries stayed in the harbour all day.",)
    assert [Path(one.path).name for one in found.skipped] == ["a.txt", "b.txt"]
    assert "a link" in found.skipped[0].reason
    named = find_files([str(folder / "a.txt")])  # whoever names a link means its target
    assert "swordfish" in read_files(named).documents[0]
