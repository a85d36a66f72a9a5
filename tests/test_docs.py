"""What the documents say is so: their snippets run, their tables come from the code."""

import doctest
import importlib
import re
import shutil
import subprocess
import sys
import types
from collections import Counter
from functools import reduce
from pathlib import Path

import pytest

import maxcover
from maxcover import METHODS
from maxcover.errors import MissingExtraError

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page, tmp_path, monkeypatch):
    """Snippets in ```python fences with >>> prompts; one page is one session."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    fences = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    snippets = "\n".join(fence for fence in fences if ">>>" in fence)
    test = doctest.DocTestParser().get_doctest(snippets, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert result.failed == 0


def test_readme_and_start_page_run_in_an_empty_folder(tmp_path, monkeypatch):
    """With what `maxcover examples` writes from the installed package."""
    from maxcover.cli.app import call

    monkeypatch.chdir(tmp_path)
    assert call(["examples"]) == 0
    for page in (ROOT / "README.md", ROOT / "docs" / "start.md"):
        fences = re.findall(r"```(python|console)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        names: dict[str, object] = {}
        for kind, fence in fences:
            if kind == "console":
                for command in re.findall(r"^\$ maxcover (.+)$", fence, re.MULTILINE):
                    assert call(command.split()) == 0, command
            elif ">>>" in fence:
                test = doctest.DocTestParser().get_doctest(fence, names, page.name, str(page), 0)
                assert (
                    doctest.DocTestRunner(optionflags=OPTIONS).run(test, clear_globs=False).failed
                    == 0
                )
                names = test.globs
            else:
                exec(fence, names)  # noqa: S102 - our own page
    assert call(["solve", "examples/hubs.csv", "--budget", "5"]) == 0


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


def named_in_the_reference() -> set[str]:
    pages = (ROOT / "docs" / "reference").glob("*.rst")
    return {
        name
        for page in pages
        for name in re.findall(r"^\.\. auto\w+:: (\S+)", page.read_text("utf-8"), re.MULTILINE)
    }


def public_names(module: types.ModuleType) -> list[str]:
    """Return what a module offers: its list, or the functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


def test_the_reference_has_every_public_name():
    expected = set()
    for name in maxcover._HOMES:
        thing = getattr(maxcover, name)
        if isinstance(thing, types.ModuleType):
            expected |= {f"maxcover.{name}.{inner}" for inner in public_names(thing)}
        else:
            expected.add(f"maxcover.{name}")
    wings = "texts", "texts.packing", "lab.evaluate", "uses.sites"
    siblings = "maxcover_serve", "maxcover_scale.batch.spark"
    for package in (*(f"maxcover.{wing}" for wing in wings), *siblings):
        module = importlib.import_module(package)
        expected |= {
            f"{package}.{name}"
            for name in public_names(module)
            if getattr(maxcover, name, None) is not getattr(module, name)
        }
    assert expected - named_in_the_reference() == set()


@pytest.mark.parametrize("name", sorted(named_in_the_reference()))
def test_what_the_reference_names_is_there(name):
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            home = importlib.import_module(".".join(parts[:length]))
        except MissingExtraError as missing:
            pytest.skip(str(missing))
        except ImportError:
            continue
        thing = reduce(getattr, parts[length:], home)
        assert thing.__doc__
        return


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "reference").glob("*.rst")), ids=lambda page: page.name
)
def test_tables_are_described_in_the_reference(page):
    """Sphinx shows a constant without a word where its module says nothing about it."""
    for name, below in re.findall(
        r"^\.\. autodata:: (\S+)\n((?:   .*\n|\n)*)", page.read_text("utf-8"), re.MULTILINE
    ):
        assert re.sub(r"^ +:.*", "", below, flags=re.MULTILINE).strip(), name


def test_the_reference_has_every_command():
    from maxcover.cli.app import COMMANDS

    page = (ROOT / "docs" / "reference" / "command-line.md").read_text("utf-8")
    assert re.findall(r"^## maxcover (\w+)$", page, re.MULTILINE) == [*COMMANDS]


def test_the_picture_of_the_house_is_made_from_its_contracts():
    from scripts import draw_house

    page = draw_house.PAGE.read_text(encoding="utf-8")
    assert draw_house.FENCE.findall(page) == [draw_house.draw()], "run scripts/draw_house.py"


def test_where_the_house_answers_questions_there_is_something():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("| question |")[2].partition("\n\n")[0]
    paths = [name for name in re.findall(r"`([\w./-]+)`", table) if "/" in name]
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / path).exists() or (ROOT / "src" / "maxcover" / path).exists(), path


def test_no_file_name_stands_twice_in_the_package():
    names = [path.name for path in (ROOT / "src").rglob("*.py") if path.name != "__init__.py"]
    assert [name for name, count in Counter(names).items() if count > 1] == []


README = (ROOT / "README.md").read_text(encoding="utf-8")
SITE = "https://maxcover.github.io/maxcover/"
REPOSITORY = "https://github.com/maxcover/maxcover/"


@pytest.mark.parametrize("name", ["README.md", "CITATION.cff", "RELEASING.md", "docs/llms.txt"])
def test_links_to_our_own_pages_lead_somewhere(name):
    """Absolute links cannot be followed here, but the page each is made from has to be there."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for page in re.findall(re.escape(SITE) + r"([\w/-]+)\.html", text):
        assert any((ROOT / "docs" / page).with_suffix(end).exists() for end in (".md", ".rst")), (
            page
        )
    for path in re.findall(re.escape(REPOSITORY) + r"(?:blob|raw)/main/([\w./-]+)", text):
        assert (ROOT / path).exists(), path


def test_the_readme_of_a_release_has_no_relative_link():
    from scripts import release_text

    readme = release_text.absolute(README, REPOSITORY.rstrip("/"))
    targets = re.findall(r"\]\(([^)]+)\)", readme)
    assert targets
    assert all(re.match(r"https?:|#|mailto:", target) for target in targets)


def test_the_commands_of_the_readme_print_what_it_says():
    """Each ``$`` line of a console fence, with what stands below it; times may differ."""
    fence = "".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))
    commands = re.findall(r"^\$ (.+)\n((?:[^$].*\n)*)", fence, re.MULTILINE)
    assert commands
    for command, expected in commands:
        done = subprocess.run(
            [sys.executable, "-c", "from maxcover.cli.app import run; run()", *command.split()[1:]],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        said, shown = (
            [re.sub(r"[\d.]+ s$", "... s", line.rstrip()) for line in text.splitlines()]
            for text in (done.stdout, expected)
        )
        assert said == shown


def test_pictures_are_those_of_their_data():
    from scripts import pictures

    for name, make in pictures.FILES.items():
        stored = (ROOT / name).read_text(encoding="utf-8")
        assert stored == make(), f"{name} is out of date: run python scripts/pictures.py"


def test_tables_are_those_of_their_files():
    from scripts import page_tables

    filled = 0
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        filled += text.count("<!-- table: ")
        assert text == page_tables.renewed(text), f"{page.name}: run python scripts/page_tables.py"
        assert page_tables.renewed(page_tables.TABLE.sub(r"\1stale\4", text)) == text
    assert filled


def test_the_notebook_shows_what_its_cells_give():
    from scripts import notebook

    stored = notebook.NOTEBOOK.read_text(encoding="utf-8")
    assert stored == notebook.make(), "run python scripts/notebook.py"


def test_user_pages_are_written_for_users():
    from scripts import check_prose

    assert list(check_prose.faults()) == []


def test_the_page_of_belief_propagation_says_how_many_rounds():
    from maxcover.engine.solvers.numbers import NUMBERS

    own = NUMBERS.beliefs
    page = (ROOT / "docs" / "lab" / "belief-propagation.md").read_text(encoding="utf-8")
    assert f"in {own.rounds} rounds, or {own.few_rounds} on small problems" in page


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110


PROBLEMS = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")
