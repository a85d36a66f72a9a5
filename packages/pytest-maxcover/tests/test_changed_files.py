"""Changes of every kind in a real project: no failing test is missed without a word.

The project is a copy of jinja2 with templates, data files, a conftest.py and a suite of its own.
"""

import json
import shutil
from pathlib import Path

import jinja2
import pytest

from maxcover.cli import app
from test_recording import git, run

CONFTEST = """
import json
import os
from pathlib import Path

import pytest

import jinja2

HERE = Path(__file__).parent
NAME = "World"


def pytest_configure(config):
    os.environ["GREETING"] = "Hello"


@pytest.fixture(scope="session")
def env():
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"))
    made.globals["name"] = NAME
    return made


@pytest.fixture
def words():
    return json.loads((HERE / "data" / "words.json").read_text())


@pytest.fixture
def shop():
    return {"open": True}
"""
PAGES = """
import json
from pathlib import Path

DATA = Path(__file__).parent / "data"
SIZES = json.loads((DATA / "sizes.json").read_text())
_menu = None


def menu():
    global _menu
    if _menu is None:
        with open(DATA / "menu.json") as file:
            _menu = json.load(file)
    return _menu


def title(key):
    return menu()[key]


def size(key):
    return SIZES[key]


def _double(number):
    return 2 * number


LIMIT = _double(4)


def fits(number):
    return number <= LIMIT
"""
TESTS = """
import os
import subprocess
import sys
import warnings

import pages
import pytest

from jinja2 import Environment, Template, defaults


@pytest.mark.parametrize("number", [1, 2, 3])
def test_page(env, number):
    assert env.get_template("page.html").render(n=number) == f"<b>World: {number}!</b>"


def test_other_page(env):
    assert env.get_template("other.html").render() == "<b>other</b>"


def test_macro(env):
    assert env.get_template("menu.html").render() == "[a]"


def test_words(words):
    assert words == ["one", "two"]


def test_title():
    assert pages.title("a") == "First"


def test_title_again():
    assert pages.title("b") == "Second"


def test_size():
    assert pages.size("s") == 1


def test_fits():
    assert pages.fits(8)


def test_greeting():
    assert os.environ["GREETING"] == "Hello"


def test_shop(shop):
    assert shop["open"]


def test_blocks():
    assert defaults.BLOCK_START_STRING == "{%"
    assert Template("{% if 1 %}x{% endif %}").render() == "x"


def test_upper():
    assert Template("{{ 'a'|upper }}").render() == "A"


def test_center():
    assert Template("{{ 'a'|center(3) }}").render() == " a "


def test_warns():
    warnings.warn("old", FutureWarning)


def test_in_a_process():
    code = "print(open('data/words.json').read())"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "one" in said.stdout


@pytest.mark.skip(reason="later")
def test_later():
    pass


def test_plain():
    assert Environment().from_string("a").render() == "a"
"""
FILES = {
    "conftest.py": CONFTEST,
    "pages.py": PAGES,
    "test_pages.py": TESTS,
    "pytest.ini": "[pytest]\npythonpath = .\n",
    ".gitignore": "__pycache__\n.pytest_cache\n",
    "templates/base.html": "<b>{% block body %}{% endblock %}</b>",
    "templates/page.html": "{% extends 'base.html' %}"
    "{% block body %}{{ name }}: {{ n }}!{% endblock %}",
    "templates/other.html": "{% extends 'base.html' %}{% block body %}other{% endblock %}",
    "templates/macros.html": "{% macro item(x) %}[{{ x }}]{% endmacro %}",
    "templates/menu.html": "{% from 'macros.html' import item %}{{ item('a') }}",
    "data/words.json": '["one", "two"]',
    "data/menu.json": '{"a": "First", "b": "Second"}',
    "data/sizes.json": '{"s": 1}',
    "README.md": "About.",
}
HOOK = """def pytest_runtest_setup(item):
    os.environ["GREETING"] = ""
"""
# What changes: a file, a text in it, and what stands there afterwards.
MUTATIONS = {
    "template": ("templates/page.html", "!", "?"),
    "base template": ("templates/base.html", "<b>", "<i>"),
    "macros": ("templates/macros.html", "[", "("),
    "data of a fixture": ("data/words.json", "two", "three"),
    "data that is kept": ("data/menu.json", "Second", "Third"),
    "data read at import": ("data/sizes.json", "1", "2"),
    "fixture": ("conftest.py", '"open": True', '"open": False'),
    "constant of conftest": ("conftest.py", '"World"', '"Moon"'),
    "hook of conftest": ("conftest.py", '"Hello"', '"Goodbye"'),
    "constant": ("jinja2/defaults.py", 'START_STRING = "{%"', 'START_STRING = "{!"'),
    "function": ("jinja2/filters.py", "return soft_str(s).upper()", "return soft_str(s).lower()"),
    "function called at import": ("pages.py", "2 * number", "1 * number"),
    "settings": ("pytest.ini", "pythonpath = .", "pythonpath = .\nfilterwarnings = error"),
    "new hook": ("conftest.py", "HERE =", f"{HOOK}\n\nHERE ="),
}  # fmt: skip


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    package = Path(jinja2.__file__).parent
    shutil.copytree(package, folder / "jinja2", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    assert "19 tests" in run(folder, "--maxcover-record")
    return folder


@pytest.mark.parametrize("kind", MUTATIONS)
def test_no_failing_test_is_missed_in_silence(recorded, kind):
    name, old, new = MUTATIONS[kind]
    text = (recorded / name).read_text()
    assert old in text
    history = recorded / ".maxcover.shadow.jsonl"
    history.unlink(missing_ok=True)
    try:
        (recorded / name).write_text(text.replace(old, new))
        said = run(recorded, "--maxcover-since=HEAD", "--maxcover-shadow", check=False)
    finally:
        (recorded / name).write_text(text)
    _, failed, chosen = json.loads(history.read_text())
    assert failed, said
    is_listed = f"used by no recorded test: {name}." in said
    assert is_listed or {*failed} == {*chosen}, (failed, chosen, said)
    # What only the settings of pytest or another process reads is nobody's.
    assert is_listed == (kind in ("settings", "function called at import"))


def test_what_breaks_nothing_runs_nothing(recorded):
    for name, old, new in (
        ("pages.py", "import json\n", "import json  # for data\n# and more\n"),
        ("pages.py", "def fits", "def unused():\n    return 1\n\n\ndef fits"),
        ("test_pages.py", "def test_fits", "def helper():\n    pass\n\n\ndef test_fits"),
    ):
        text = (recorded / name).read_text()
        (recorded / name).write_text(text.replace(old, new))
        said = run(recorded, "--maxcover-since=HEAD")
        (recorded / name).write_text(text)
        assert "Nothing changed that a test runs." in said or old == "import json\n", said
    (recorded / "README.md").write_text("More.")
    said = run(recorded, "--maxcover-record-changed")
    (recorded / "README.md").write_text(FILES["README.md"])
    assert "Changed, and used by no recorded test: README.md." in said
    assert "19 deselected" in said


def test_the_command_lists_changed_files_too(recorded, monkeypatch, capsys):
    monkeypatch.chdir(recorded)
    (recorded / "README.md").write_text("More.")
    command = ["tests", "--coverage", ".maxcover.npz", "--budget", "1min", "--changed", "HEAD"]
    assert app.call(command) == 0
    (recorded / "README.md").write_text(FILES["README.md"])
    assert "Changed, and used by no recorded test: README.md" in capsys.readouterr().err
