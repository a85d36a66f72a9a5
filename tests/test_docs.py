"""What the documents say is so: their snippets run, their tables come from the code."""

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from maxcover import METHODS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page, tmp_path, monkeypatch):
    """Snippets in ```python fences with >>> prompts; one page is one session."""
    monkeypatch.chdir(tmp_path)
    fences = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    snippets = "\n".join(fence for fence in fences if ">>>" in fence)
    test = doctest.DocTestParser().get_doctest(snippets, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target


def test_the_table_of_methods_is_the_table_of_methods():
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+?) \| (.+?) \|$", PROBLEMS, re.MULTILINE)
    expected = [
        (name, method.title, f"{method.guarantee:.3f}" if method.guarantee else "none")
        for name, method in METHODS.items()
    ]
    assert rows == expected, "run scripts/methods_table.py and paste what it prints"


def test_the_picture_of_the_house_is_its_contract():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn: dict[str, set[str]] = {}
    for floor, room in re.findall(r"^\| (\d+) \| `([a-z]+)/?` \|", page, re.MULTILINE):
        drawn.setdefault(floor, set()).add(room)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert list(drawn.values()) == [set(re.split(r" [:|] ", floor)) for floor in contract]
    assert list(drawn) == [str(floor) for floor in range(len(contract), 0, -1)]


def test_every_decision_is_listed():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    assert re.findall(r"\(decisions/(.+?)\)", page) == files


def test_the_commands_of_the_readme_print_what_it_says(tmp_path):
    """Each ``$`` line of a console fence, with what stands below it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, text in re.findall(r'>>> (storm|harbour) = "(.+)"', readme):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    fence = "".join(re.findall(r"```console\n(.*?)```", readme, re.DOTALL))
    commands = re.findall(r"^\$ (.+)\n((?:[^$].*\n)*)", fence, re.MULTILINE)
    assert len(commands) >= 2
    for command, expected in commands:
        done = subprocess.run(
            [sys.executable, "-c", "from maxcover.cli.app import run; run()", *command.split()[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == expected, command


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


PROBLEMS = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
