"""Fetch open evaluation sets from where their authors keep them, and check every byte.

    python scripts/fetch_data.py                     list the sets and their licences
    python scripts/fetch_data.py opinosis bc3        fetch these into data/sources/
    python scripts/fetch_data.py bc3 --archive FILE  unpack an archive that is already here

What arrives is held against the ids that git gives the same files: the id of a file or folder is a
checksum of all that is in it. Nothing appears in the target unless everything is right.
"""

import argparse
import hashlib
import shutil
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent


class Source(NamedTuple):
    """A repository at a commit, what is needed of it with its git id, and its licence."""

    repository: str
    commit: str
    paths: dict[str, str]
    licence: str

    @property
    def url(self) -> str:
        """Where the archive of the commit is."""
        return f"https://codeload.github.com/{self.repository}/tar.gz/{self.commit}"


SOURCES = {
    "bc3": Source(
        "dailykirt/ML_Enron_email_summary",
        "825731d9e306553eeb5f5112c8e85f3fc4e0dc1f",
        {"data/BC3_Email_Corpus": "779bfb92462e408be640adcc4b867d34fbf7019f"},
        "CC BY-SA 3.0",
    ),
    "cl_scisumm": Source(
        "WING-NUS/scisumm-corpus",
        "1dd68e44df5c94cc767cc301cd04e61c52e4bf68",
        {
            "data/Training-Set-2018": "08206a7c64dd48e6f41bdf40d4b4f5592b1ca640",
            "data/Test-Set-2018": "9898b6a260d88bfca979ed12b67296af5d0090cf",
            "data/Test-Set-2018-Gold": "01c1e7cefe1a841c97586f035d30253a7fd71d2f",
        },
        "CC BY 4.0; papers before 2016 were published under CC BY-NC-SA 3.0",
    ),
    "convosumm_email": Source(
        "Yale-LILY/ConvoSumm",
        "3e5567addb27cdea56c95661663d4cc7c18a02cc",
        {"data/vanilla-20230109T143631Z-001.zip": "459af83a5195d5d460ef8943f30e75cbae82986f"},
        "CC BY-SA 4.0",
    ),
    "mediqa_mas": Source(
        "abachaa/MEDIQA2021",
        "8d7fe20706dd6af0d089a0252a201c3da78ded8f",
        {"Task2": "d2bad317d25cbd94081e2e7dc584cfe7c586aa6f"},
        "CC BY 4.0",
    ),
    "opinosis": Source(
        "kavgan/opinosis-summarization",
        "7e351ea7cc38402134fded1e157710e12692c978",
        {"OpinosisDataset1.0_0.zip": "82b05609c21604fb2e8edcb790bb3c8f9c7494ce"},
        "Apache-2.0; the sentences are reviews of users",
    ),
    "oposum": Source(
        "stangelid/oposum",
        "da41cc88422aa7afcc5e2f287ffb52b6b901a04f",
        {
            "data/gold/aspects": "f9c90f261b6b51456cfbd443a2f337ca56ea3a5e",
            "data/gold/summaries": "650f56e2a9db8e5fc9ada9a4d48d44b29a2e40e3",
        },
        "Apache-2.0; the text is reviews of users",
    ),
    "squality_plot": Source(
        "nyu-mll/SQuALITY",
        "dc08d4f574639d773bc64ef3ab3527043108fb4e",
        {"data/v1-3/txt": "59173225c628f1787291e5cc5576e974bb60f303"},
        "CC BY 4.0 (summaries), Project Gutenberg License (stories)",
    ),
}


def git_id(path: Path) -> str:
    """Return the id that git gives a file or a folder."""
    return _object_id(path).hex()


def _object_id(path: Path) -> bytes:
    if not path.is_dir():
        return _digest("blob", path.read_bytes())
    # git sorts a folder as if its name ended with a slash
    entries = sorted(path.iterdir(), key=lambda entry: entry.name + "/" * entry.is_dir())
    content = b"".join(
        f"{_mode(entry)} {entry.name}".encode() + b"\0" + _object_id(entry) for entry in entries
    )
    return _digest("tree", content)


def _mode(path: Path) -> str:
    return "40000" if path.is_dir() else "100755" if path.stat().st_mode & 0o100 else "100644"


def _digest(kind: str, content: bytes) -> bytes:
    # the ids of git are SHA-1
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).digest()  # noqa: S324


def unpack(archive: Path, source: Source, target: Path) -> None:
    """Take what is needed out of an archive, check it, and put it into an empty or new folder.

    Raises
    ------
    ValueError
        Something is missing or has another id; the target is untouched.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        with tarfile.open(archive) as packed:
            for member in packed:
                # the first part is the name of the repository and the commit
                inside = member.name.partition("/")[2]
                needed = any(inside == p or inside.startswith(f"{p}/") for p in source.paths)
                if needed and member.isfile():
                    packed.extract(member.replace(name=inside), work, filter="data")
        for path, expected in source.paths.items():
            found = git_id(Path(work, path)) if Path(work, path).exists() else "nothing"
            if found != expected:
                raise ValueError(
                    f"expected {path} of {source.repository} with the id {expected}, got {found}; "
                    "the archive is damaged or is another one: remove it and fetch it again"
                )
        if target.exists():
            shutil.rmtree(target)
        Path(work).chmod(0o755)
        shutil.copytree(work, target)


def fetch(source: Source, archive: Path) -> None:
    """Download the archive of a source."""
    with urllib.request.urlopen(source.url, timeout=60) as answer, archive.open("wb") as file:  # noqa: S310 - https
        shutil.copyfileobj(answer, file)


def main(arguments: list[str]) -> str:
    """Do what is asked for; return what went wrong, if anything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[*SOURCES, []], help="the sets")
    parser.add_argument("--archive", type=Path, help="of the one set that is named")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "sources")
    options = parser.parse_args(arguments)
    if options.archive and len(options.names) != 1:
        return "expected one set with --archive"
    if not options.names:
        for name, source in SOURCES.items():
            print(f"{name:16} {source.repository:34} {source.licence}")
    for name in options.names:
        source = SOURCES[name]
        with tempfile.TemporaryDirectory() as work:
            archive = options.archive or Path(work, "archive.tar.gz")
            try:
                if not options.archive:
                    print(f"fetching {source.url}", flush=True)
                    fetch(source, archive)
                unpack(archive, source, options.out / name)
            except (OSError, ValueError, tarfile.TarError) as error:
                return f"{name}: {error}"
        print(f"{name}: in {options.out / name}, as its authors published it; {source.licence}")
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
