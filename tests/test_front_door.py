"""The front door: a short list, true to itself, and light."""

import ast
import importlib
import subprocess
import sys
import types
from importlib.metadata import version
from pathlib import Path

import pytest

import maxcover


def test_the_list_is_what_is_visible():
    assert set(maxcover.__all__) == {*maxcover._HOMES, "__version__"} == set(dir(maxcover))


def test_type_checkers_see_the_same_names_and_no_others():
    """Their imports are the table of homes, and what would take any name is hidden from them."""
    tree = ast.parse(Path(maxcover.__file__).read_text("utf-8"))
    guards = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: f"maxcover.{alias.name}" if line.module == "maxcover" else line.module
        for line in guards[0].body
        for alias in line.names
    }
    assert seen == maxcover._HOMES
    assert ast.unparse(guards[1].test) == "not TYPE_CHECKING"
    assert [node.name for node in guards[1].body] == ["__getattr__"]
    assert "__getattr__" not in [getattr(node, "name", "") for node in tree.body]


def test_the_version_and_the_program():
    assert maxcover.__version__ == version("maxcover")
    said = subprocess.run(
        [sys.executable, "-m", "maxcover", "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["maxcover", maxcover.__version__]


@pytest.mark.parametrize("name", maxcover._HOMES)
def test_every_name_opens_and_is_documented(name):
    thing = getattr(maxcover, name)
    home = importlib.import_module(maxcover._HOMES[name])
    assert thing is home or thing is getattr(home, name)
    if isinstance(thing, types.FunctionType | type | types.ModuleType):
        assert thing.__doc__


@pytest.mark.parametrize("name", maxcover.__all__)
def test_every_function_has_an_example(name):
    """Every public function has a doctest; the doctests are run with the tests."""
    thing = getattr(maxcover, name)
    functions = [thing] if isinstance(thing, types.FunctionType) else []
    if isinstance(thing, types.ModuleType) and thing.__name__ == "maxcover.generate":
        functions = [getattr(thing, public) for public in thing.__all__]
    for function in functions:
        assert ">>>" in function.__doc__, function.__name__


def test_unknown_names_are_unknown():
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        maxcover.colour  # noqa: B018 - looking is the test
    for near, name in (("summarise", "summarize"), ("coverageproblem", "CoverageProblem")):
        with pytest.raises(AttributeError, match=f"did you mean '{name}'"):
            getattr(maxcover, near)


def run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout


def test_importing_loads_nothing_heavy():
    program = "import sys, maxcover; print(*sorted(set(m.split('.')[0] for m in sys.modules)))"
    loaded = run(program).split()
    assert not {"scipy", "highspy", "pandas", "pyarrow", "networkx"} & set(loaded)


def test_a_problem_can_be_built_and_saved_without_a_solver():
    program = (
        "import sys, maxcover as mc; mc.CoverageProblem.from_sets([[1]], budget=1); mc.load; "
        "print('maxcover.engine.solvers' in sys.modules)"
    )
    assert run(program).strip() == "False"
