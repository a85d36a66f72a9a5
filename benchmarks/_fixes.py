"""Beds of fixes: real commits that mend code, told by their messages without paths and numbers.

A bed is a list of commits. What is asked is the message of a commit, what there is to choose from
is the tree of its parent, and what should be in a context are the lines that the commit changes.
``fixes.json`` names the commits of the second bed: 60 of each of four repositories, which were
drawn and written down before anything was measured on them.
"""

import json
import random
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

#: The endings of the sources of each repository, first and second bed.
ENDINGS = {
    "sqlfluff": (".py",),
    "aiohttp": (".py",),
    "vitest": (".ts", ".tsx", ".mts", ".js", ".mjs", ".vue"),
    "hugo": (".go",),
    "tokio": (".rs",),
    "mockito": (".java",),
    "xarray": (".py",),
    "rubocop": (".rb",),
}
GIT = shutil.which("git") or "git"
SECOND_BED = ("tokio", "mockito", "xarray", "rubocop")
EACH, SEED, MOST_FILES, MOST_LINES, FEWEST_WORDS = 60, 1, 5, 200, 4
ASIDE = re.compile(
    r"(^|/)(tests?|__tests__|testdata|testscripts|testhelpers|fixtures?|examples?|docs?|docsv"
    r"|benchmarks?|benches|specs?|tests-build|stress-test|plugins/.*/test|e2e|scripts|utils?/test"
    r"|CHANGES|internal/test\w*)(/|$)|_test\.go$|\.(test|spec|test-d|bench)\.[mc]?[jt]sx?$"
    r"|(^|/)test_|conftest|\.d\.ts$|\.min\.|(^|/)(dist|node_modules|vendor)/",
    re.IGNORECASE,
)
_FIX = re.compile(r"\bfix|\bbug|regress|crash|panic|incorrect|wrong", re.IGNORECASE)
_NO_FIX = re.compile(
    r"typo|flaky|lint|docs?\b|test|\bci\b|bump|release|revert|mypy|benchmark|changelog|spelling"
    r"|modernize|^(?:chore|refactor|docs|ci)|clippy|warning|rubocop offense",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\s*(co-authored-by|signed-off-by|reviewed-by|\(cherry picked|backport|---+$|\* )",
    re.IGNORECASE,
)
# What a message says of places: addresses, packages, numbers of issues, paths.
_PLACES = (
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"^\s*\[[^\]]*\]"), " "),
    (re.compile(r"^\s*(\w+)\([^)]*\)!?:"), r"\1:"),
    (re.compile(r"^\s*[\w/.,\- {}*#]{1,40}?:\s"), " "),
    (re.compile(r"\(?#\d+\)?|(fix(es|ed)?|closes?|updates?) #\d+", re.IGNORECASE), " "),
    (re.compile(r"[\w.\-/]+/[\w.\-]+\.\w{1,4}\b"), " "),
    (
        re.compile(
            r"\b[\w\-]+\.(py|ts|tsx|mts|js|mjs|vue|go|rs|java|rb|md|rst|toml|ya?ml|json|cfg|pyx|pyi"
            r"|sql)\b"
        ),
        " ",
    ),
    (re.compile(r"\b\w+/[\w/]+\b"), " "),
    (re.compile(r"\s+"), " "),
)


class Fix(NamedTuple):
    """A commit: what is asked, and the lines that it changes, by path, as first and last."""

    repository: str
    commit: str
    parent: str
    query: str
    changed: dict[str, list[list[int]]]

    def lines(self) -> dict[str, set[int]]:
        """List the changed lines one by one."""
        return {
            path: {line for first, last in places for line in range(first, last + 1)}
            for path, places in self.changed.items()
        }


class Repository:
    """A clone, and a folder that holds the sources of one of its commits."""

    def __init__(self, clones: Path, name: str, folder: Path) -> None:
        found = [path for path in clones.iterdir() if path.name.endswith(name)]
        self.name, self.folder = name, folder
        self.clone = next(path / "repo" if (path / "repo").exists() else path for path in found)
        self._held: dict[str, str] = {}

    def git(self, *words: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own words
            [GIT, "-C", str(self.clone), *words], capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "replace")

    def check_out(self, fix: Fix, *, tests: bool) -> list[str]:
        """Write the sources of the parent of a fix into the folder; return their paths."""
        wanted = {}
        for row in self.git("ls-tree", "-r", fix.parent).splitlines():
            about, path = row.split("\t", 1)
            mode, kind, digest = about.split()
            source = kind == "blob" and mode != "120000" and path.endswith(ENDINGS[self.name])
            if source and (tests or path in fix.changed or not ASIDE.search(path)):
                wanted[path] = digest
        for path in self._held.keys() - wanted.keys():
            (self.folder / path).unlink()
        changed = [path for path, digest in wanted.items() if self._held.get(path) != digest]
        self._write({path: wanted[path] for path in changed})
        self._held = wanted
        return sorted(wanted)

    def _write(self, blobs: dict[str, str]) -> None:
        asked = "\n".join(blobs.values()).encode()
        done = subprocess.run(  # noqa: S603 - our own words
            [GIT, "-C", str(self.clone), "cat-file", "--batch"],
            input=asked,
            capture_output=True,
            check=True,
        ).stdout
        at = 0
        for path in blobs:
            end = done.index(b"\n", at)
            size = int(done[at:end].split()[2])
            own = self.folder / path
            if own.parent.is_file():
                own.parent.unlink()
            if own.is_dir():
                shutil.rmtree(own)
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(done[end + 1 : end + 1 + size])
            at = end + size + 2

    def read(self, commit: str) -> Fix | None:
        """Say what a commit asks and changes; None if it is no fix of a few sources."""
        parent, subject, body = self.git("show", "-s", "--format=%P%x01%s%x01%b", commit).split(
            "\x01"
        )
        status = [
            row.split("\t")
            for row in self.git("diff", "--name-status", parent, commit).splitlines()
        ]
        own = [row for row in status if row[-1].endswith(ENDINGS[self.name])]
        own = [row for row in own if not ASIDE.search(row[-1])]
        if not 1 <= len(own) <= MOST_FILES or any(row[0] != "M" for row in own):
            return None
        query = without_places(f"{subject}\n{body}")
        changed = {row[1]: self._places(parent, commit, row[1]) for row in own}
        fix = Fix(self.name, commit, parent, query, {k: v for k, v in changed.items() if v})
        n_lines = sum(map(len, fix.lines().values()))
        return fix if 0 < n_lines <= MOST_LINES and len(query.split()) >= FEWEST_WORDS else None

    def _places(self, parent: str, commit: str, path: str) -> list[list[int]]:
        hunks = re.finditer(
            r"^@@ -(\d+)(?:,(\d+))? \+", self.git("diff", "-U0", parent, commit, "--", path), re.M
        )
        found = []
        for hunk in hunks:
            first, size = int(hunk[1]), int(hunk[2] or 1)
            found.append([first, first + size - 1] if size else [max(first, 1)] * 2)
        return found


def without_places(message: str) -> str:
    """Give a message of a commit without paths, numbers of issues and signatures."""
    told = "\n".join(line for line in message.splitlines() if not _SIGNED.match(line))
    told = re.split(r"\n## Summary by|\nCo-authored", told)[0]
    for pattern, instead in _PLACES:
        told = pattern.sub(instead, told)
    return told.strip()[:1500]


def draw(clones: Path) -> Iterator[tuple[str, str]]:
    """Draw the commits of the second bed."""
    for name in SECOND_BED:
        repository = Repository(clones, name, Path())
        log = repository.git(
            "log", "--no-merges", "--first-parent", "-n", "3500", "--format=%H %P%x01%s", "HEAD"
        )
        rows = [row.split("\x01") for row in log.strip().split("\n")]
        some = [
            commits.split()[0]
            for commits, subject in rows
            if len(commits.split()) == 2 and _FIX.search(subject) and not _NO_FIX.search(subject)
        ]
        random.Random(SEED).shuffle(some)  # noqa: S311 - a drawing, no secret
        kept = (commit for commit in some if repository.read(commit) is not None)
        yield from ((name, commit) for commit, _ in zip(kept, range(EACH), strict=False))


def read_bed(clones: Path, folder: Path, bed: str) -> Iterator[tuple[Repository, Fix]]:
    """Read the fixes of a bed: the one of ``fixes.json``, or a file that names all of each fix."""
    held = json.loads((Path(bed) if bed else Path(__file__).with_name("fixes.json")).read_text())
    repositories: dict[str, Repository] = {}
    for row in held:
        name, commit = (row["repo"], row["commit"]) if isinstance(row, dict) else row
        own = repositories.get(name) or Repository(clones, name, folder / name)
        repositories[name] = own
        if isinstance(row, dict):
            yield own, Fix(name, commit, row["parent"], row["query"], row["truth"])
        elif (fix := own.read(commit)) is not None:
            yield own, fix


def judge(fix: Fix, parts: Sequence[tuple[str, int, int]]) -> tuple[float, float]:
    """Give the share of the changed lines that are shown, and whether a changed file is."""
    shown: dict[str, set[int]] = defaultdict(set)
    for path, first, last in parts:
        shown[path].update(range(first, last + 1))
    wanted = fix.lines()
    found = sum(len(lines & shown[path]) for path, lines in wanted.items())
    return found / sum(map(len, wanted.values())), float(any(shown[path] for path in wanted))


if __name__ == "__main__":
    import sys

    drawn = list(draw(Path(sys.argv[1])))
    Path(__file__).with_name("fixes.json").write_text(json.dumps(drawn, indent=0) + "\n")
