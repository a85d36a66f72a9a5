"""Texts of a release.

Call with `check`, with `readme FILE` to make its links absolute, or with `notes VERSION` for the
section of the changelog, which is the text of the release on GitHub.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file states: its own, and of the siblings that it pins."""
    places = {
        "meson.build": r"^\s+version: '(.+)',",
        "CITATION.cff": r"^version: (.+)$",
        "conda/recipe.yaml": r'^  version: "(.+)"$',
        "action.yml": r'"pytest-maxcover==(.+)"$',
        "server.json": r'^  "version": "(.+)",$',
    }
    projects = (root / "pyproject.toml", *root.glob("packages/*/pyproject.toml"))
    for path in projects:
        own = path.relative_to(root).as_posix()
        places[own] = r'(?:^version = "|"[\w-]*maxcover[\w\[\]-]*==)([\d.]+)"'
    found = {}
    for name, pattern in places.items():
        stated = re.findall(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = ", ".join(sorted({*stated})) or "none"
    return found


def absolute(readme: str, source: str) -> str:
    """Let relative links lead to the repository: PyPI has no files beside the README.

    Examples
    --------
    >>> absolute("[a](docs/a.md#b) [c](https://x.org) ![d](docs/d.png)", "https://example.org/r")
    '[a](https://example.org/r/blob/main/docs/a.md#b) [c](https://x.org) \
![d](https://example.org/r/raw/main/docs/d.png)'
    """
    links = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)]+)\)")
    return links.sub(
        lambda m: f"{m[1]}[{m[2]}]({source}/{'raw' if m[1] else 'blob'}/main/{m[3]})", readme
    )


def notes(changelog: str, version: str) -> str:
    r"""Return what the changelog says about a version; nothing if there is no such section.

    Examples
    --------
    >>> notes("# Changelog\n\n## [0.2.0] - 2026-11-17\n\n- New.\n\n## [0.1.0]\n", "0.2.0")
    '- New.'
    """
    section = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|^\[|\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    return section[1].strip() if section else ""


def main(arguments: list[str]) -> str:
    """Do what is asked for; return what went wrong, if anything."""
    if arguments == ["check"]:
        found = versions(ROOT)
        if len({*found.values()}) > 1:
            return f"expected one version everywhere, got {found}"
        print(f"version {found['pyproject.toml']}")
        return ""
    if len(arguments) == 2 and arguments[0] == "readme":
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        path = Path(arguments[1])
        text = absolute(path.read_text(encoding="utf-8"), project["urls"]["Source"])
        path.write_text(text, encoding="utf-8")
        return ""
    if len(arguments) == 2 and arguments[0] == "notes":
        found = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), arguments[1])
        if not found:
            return f"expected a section [{arguments[1]}] in CHANGELOG.md, got none"
        print(found)
        return ""
    return __doc__ or ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
