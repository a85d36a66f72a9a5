"""The front door: a short list, true to itself, and light."""

import importlib
import subprocess
import sys
import types

import pytest

import maxcover


def test_the_list_is_what_is_visible():
    assert set(maxcover.__all__) == set(maxcover._HOMES) == set(dir(maxcover))


@pytest.mark.parametrize("name", maxcover.__all__)
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
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        maxcover.colour  # noqa: B018 - looking is the test


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
        "print('maxcover.solvers' in sys.modules)"
    )
    assert run(program).strip() == "False"
