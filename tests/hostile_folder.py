"""A folder of hostile things, among them secrets that no reader may show."""

import os
import shutil
import socket
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

#: A word that stands in every secret; and in nothing that may be read.
SECRET = "hunter2"  # noqa: S105 - bait
QUESTION = "what is the password of the crew"
_SECRET_TEXT = f"The password is {SECRET}. Whoever has the password has the key.\n"
_PLAIN = "The harbour opens at nine. The ferry to the island leaves at ten. The crew has a dog.\n"
_NESTED_FOLDERS = 10_000


@contextmanager
def hostile_folder():
    """Make the folder, and remove it, which takes more than `shutil` can."""
    # where there is memory for files, ten thousand folders take no time
    memory = "/dev/shm"  # noqa: S108 - a folder of its own is made there
    top = Path(tempfile.mkdtemp(dir=memory if Path(memory).is_dir() else None))
    try:
        yield _fill(top)
    finally:
        (top / "root" / "closed").chmod(0o700)
        # shutil cannot remove what lies so deep
        deep, inside = top / "root" / "deep", top / "inside"
        while deep.exists():
            with suppress(FileNotFoundError):
                (deep / "deep").rename(inside)
            deep.rmdir()
            with suppress(FileNotFoundError):
                inside.rename(deep)
        shutil.rmtree(top)


def _fill(top):
    root = top / "root"
    root.mkdir()
    (top / "outside.txt").write_text(_SECRET_TEXT)
    (top / "outside").mkdir()
    (top / "outside" / "more.txt").write_text(_SECRET_TEXT)
    (root / "harbour.txt").write_text(_PLAIN)
    (root / "crew.md").write_text("# Crew\n\nThe crew of the ferry has nine people and a dog.\n")
    hidden = (".ssh/id_rsa", ".ssh/key.txt", ".aws/credentials.txt", ".env", ".secret.txt")
    ignored = ("private.txt", "inner/own.txt", "built/made.txt", "vendored/theirs.md")
    for path in (*hidden, *ignored):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(_SECRET_TEXT)
    (root / ".gitignore").write_text(f"/private.txt\nbuilt/\n{'*a' * 200}b\n")
    (root / ".ignore").write_text("vendored\n")
    (root / "inner" / ".gitignore").write_text("*.txt\n")
    # an ignore file that is no file
    (root / "odd").mkdir()
    os.mkfifo(root / "odd" / ".gitignore")
    os.mkfifo(root / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(root)  # the name of a socket is short
        bound.bind("socket.txt")
        os.chdir(here)
    for name, target in {
        "zeros.txt": "/dev/zero",
        "terminal.md": "/dev/tty",
        "loop": "loop",
        "loop.txt": "loop.txt",
        "circle": ".",
        "parent": "..",
        "out.txt": "../outside.txt",
        "out": "../outside",
        "to_hidden.txt": ".ssh/key.txt",
        "dangling.txt": "nowhere",
    }.items():
        (root / name).symlink_to(target)
    (root / "new\nline.txt").write_text(_PLAIN)
    (root / os.fsdecode(b"\xff\xfe.txt")).write_text(_PLAIN)
    (root / "unreadable.bin").write_text(_PLAIN)
    (root / "unreadable.bin").chmod(0)
    (root / "closed").mkdir()
    (root / "closed").chmod(0)
    _nest(root)
    return root


def _nest(root):
    """Make folders inside one another, deeper than a path can say."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(_NESTED_FOLDERS):
        os.mkdir("deep", dir_fd=here)
        inside = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)
