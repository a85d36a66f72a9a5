"""Every public function, every option, a list of bad values: only our errors, naming the option."""

import importlib
import inspect
import math
import pkgutil
import tempfile
import typing
from pathlib import Path

import click
import numpy as np
import pytest
from scipy import sparse

import maxcover as mc
from maxcover import generate
from maxcover.cli import choices
from maxcover.cli.app import load_command
from maxcover.engine.solvers import METHODS, MethodOptions
from maxcover.errors import InputWarning, MaxcoverError, OptionError
from maxcover.ground import calls, names
from maxcover.ground.answers import DualPoint, StatedAnswer
from maxcover.ground.options import (
    checked,
    fields_of,
    find_option,
    names_of,
    problem_schema,
    read_request,
)
from maxcover.ground.options.plain import fits, schema_of
from maxcover.texts import prepare
from maxcover.texts.packing.file_map import map_files
from maxcover.texts.packing.located import pack_files

PROBLEM = mc.CoverageProblem.from_sets([[1, 2], [2, 3]], costs=[1, 2], budget=2)
SOLUTION = mc.solve(PROBLEM)
TEXT = "Cats purr. Dogs bark at cats. All cats and dogs sleep a lot."
SAVED = Path(tempfile.mkdtemp(), "sets.json")
SAVED.write_text('{"sets": {"a": [1]}, "budget": 1}')
EDGES = {"sets": [0, 1], "elements": [0, 1], "budget": 2}
BAD = [
    object(), -1, math.nan, math.inf, 10**400, "x", "", b"x", [], {}, (), 3.5, True, None,
    Path("x"), [None], ["a", 1], {1}, 1j, print, np.array([[1.0]]), np.float64(-2), range(3),
]  # fmt: skip
CALLS = {
    "solve": (mc.solve, {"problem": PROBLEM}),
    "solve bp": (mc.solve, {"problem": PROBLEM, "method": "bp-decimation", "mu": 1.0, "beta": 1.0}),
    "budget_curve": (mc.budget_curve, {"problem": PROBLEM, "budgets": [1, 2]}),
    "beliefs": (mc.beliefs, {"problem": PROBLEM, "beta": 1.0, "mu": 1.0}),
    "summarize": (mc.summarize, {"documents": TEXT, "budget": 4}),
    "compare": (mc.compare, {"first": TEXT, "second": "Cats sleep."}),
    "pack": (mc.pack, {"passages": [TEXT, "Cats purr."], "budget": 8}),
    "prepare": (prepare, {"documents": [TEXT]}),
    "select": (mc.select, {"rows": [[1.0, 0.0], [0.0, 1.0]], "budget": 1}),
    "certify": (mc.certify, {"problem": PROBLEM, "selected": [0]}),
    "verify": (mc.verify, {"problem": PROBLEM, "solution": SOLUTION}),
    "load": (mc.load, {"path": SAVED}),
    "from_edges": (mc.CoverageProblem.from_edges, EDGES),
    "from_sets": (mc.CoverageProblem.from_sets, {"sets": [[1], [2]], "budget": 1}),
    "from_sparse": (mc.CoverageProblem.from_sparse, {"matrix": sparse.eye_array(2), "budget": 1}),
    "biregular": (
        generate.biregular,
        {"n_sets": 4, "n_elements": 4, "set_degree": 2, "element_degree": 2, "budget": 1},
    ),
    "erdos_renyi": (
        generate.erdos_renyi,
        {"n_sets": 4, "n_elements": 4, "mean_degree": 2, "budget": 1},
    ),
    "bmcp": (generate.bmcp, {"n_sets": 4, "n_elements": 4, "density": 0.5, "budget": 1}),
    "zipf": (generate.zipf, {"n_sets": 4, "n_elements": 4, "n_edges": 6, "budget": 1}),
}
# options that a function takes by ** without naming them
FURTHER = {
    "solve": tuple(MethodOptions.__annotations__),
    "solve bp": tuple(MethodOptions.__annotations__),
    "summarize": (
        *(o for o in inspect.signature(prepare).parameters if o not in ("documents", "unit")),
        *MethodOptions.__annotations__,
    ),
}


def parameters(name: str) -> list[str]:
    function, needed = CALLS[name]
    own = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    return [*dict.fromkeys((*own, *needed, *FURTHER.get(name, ())))]


WALK = [(name, option) for name in CALLS for option in parameters(name)]


@pytest.mark.parametrize(("name", "option"), WALK)
def test_bad_values_raise_our_errors_only(name, option):
    function, needed = CALLS[name]
    for value in BAD:
        try:
            function(**needed | {option: value})
        except (MaxcoverError, InputWarning) as error:
            said = str(error)
        else:
            said = option
        assert option in said, f"{option}={value!r}: {said}"


@pytest.mark.parametrize("name", ["solve", "summarize", "pack", "compare", "budget_curve", "zipf"])
def test_an_unknown_option_is_named_with_the_nearest(name):
    function, needed = CALLS[name]
    near = {"zipf": "sead"}.get(name, "timelimit")
    with pytest.raises(OptionError, match=rf"'{near}' .*did you mean '(time_limit|seed)'"):
        function(**needed | {near: 3})


# where the names of each tuple of `maxcover.ground.names` are the rows of a table, or a Literal
TABLES = {
    "BOUNDS": "maxcover.engine.core.bounds:BoundName",
    "CONCEPTS": "maxcover.texts.weigh.concepts:CONCEPTS",
    "COORDINATES": "maxcover.uses.sites.places:Coordinates",
    "COUNTERS": "maxcover.texts.packing.counters:NAMES",
    "COVERAGE": "maxcover.engine.solvers.beliefs:COVERAGE",
    "COVER_METHODS": "maxcover.engine.solvers.cover:CoverMethodName",
    "EFFORTS": "maxcover.engine.solvers.effort:EFFORTS maxcover.engine.solvers.effort:EffortName",
    "FIRST_MESSAGES": "maxcover.engine.solvers.bp:FirstName",
    "FORMS": "maxcover.texts.read.blocks:Form",
    "GRANULARITIES": "maxcover.texts.packing.pack:GRANULARITIES",
    "KINDS": "maxcover.texts.read.sources:KINDS",
    "LINES": "maxcover.texts.read.lines:LineMode",
    "METHODS": "maxcover.engine.solvers.solve:METHODS maxcover.engine.solvers.solve:MethodName",
    "METRICS": "maxcover.uses.rows.neighbours:MetricName",
    "ORDERS": "maxcover.texts.weigh.corpus:ORDERS",
    "PACK_ORDERS": "maxcover.texts.packing.layout:ORDERS",
    "PREFERENCES": "maxcover.texts.packing.pack:PREFERENCES",
    "PRESETS": "maxcover.texts.weigh.presets:PRESETS",
    "REPORTS": "maxcover.texts.report.formats:FORMATS",
    "SCHEDULES": "maxcover.engine.solvers.beliefs:ScheduleName",
    "SEARCHES": "maxcover.uses.rows.neighbours:SearchName",
    "UNITS": "maxcover.texts.words.units:UNITS maxcover.texts.words.units:UnitName",
    "WEIGHTS": "maxcover.texts.weigh.weights:WEIGHTS",
}


def test_every_tuple_of_names_has_its_table():
    assert {name for name in vars(names) if name.isupper()} == {*TABLES}


@pytest.mark.parametrize("name", TABLES)
def test_names_are_those_of_the_table(name):
    for place in TABLES[name].split():
        module, _, held = place.partition(":")
        found = getattr(importlib.import_module(module), held)
        assert (typing.get_args(found) or tuple(found)) == getattr(names, name), place


def test_the_options_of_methods_are_listed():
    rows = {name for row in METHODS.values() for name in row.options}
    assert rows == {*MethodOptions.__annotations__}


# functions that pass options on to the method
TO_METHODS = {"solve", "summarize"}
FUNCTIONS = {
    "solve": (mc.solve,),
    "cover": (mc.cover,),
    "summarize": (mc.summarize, prepare),
    "compare": (mc.compare, prepare),
    "pack": (mc.pack,),
    "pack_files": (pack_files,),
    "map_files": (map_files,),
    "select": (mc.select,),
    "explain": (mc.explain,),
    "plan": (mc.plan,),
    "alternatives": (mc.alternatives,),
    "sensitivity": (mc.sensitivity,),
    "verify": (mc.verify,),
    "budget_curve": (mc.budget_curve,),
}
# what a door makes of several calls
JOINED = {"sites", "summarize_files", "summary_curve", "read", "left_out"}


def test_every_call_is_a_function_or_several():
    assert {*calls.CALLS} == {*FUNCTIONS} | JOINED
    assert {*calls.ABOUT} <= {*calls.CALLS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_call_has_the_options_and_defaults_of_its_signature(name):
    written = {
        parameter.name: parameter.default
        for function in reversed(FUNCTIONS[name])
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    } | (dict.fromkeys(MethodOptions.__annotations__) if name in TO_METHODS else {})
    stated = {
        o: inspect.Parameter.empty if d is calls.NEEDED else d for o, d in calls.CALLS[name].items()
    }
    assert stated == written
    for option in calls.CALLS[name]:
        assert find_option(option, name).help.endswith(".")


def test_the_keys_of_a_problem_are_those_of_from_dict():
    taken = {*names_of(mc.CoverageProblem.from_edges)} - {"cls", "elements", "n_sets"}
    assert {*calls.PROBLEM} == taken


def test_what_a_door_lacks_is_there_and_has_a_reason():
    for lacking in calls.LACKING.values():
        for key, reason in lacking.items():
            call, _, option = key.rpartition(".")
            assert len(reason) > 10
            every = [*calls.CALLS.values(), *calls.ABOUT.values()]
            known = key in calls.CALLS or any(key in options for options in every)
            assert known if not call else option in calls.CALLS[call], key


# what the command line calls an option otherwise
SPELT = {"required": "require", "forbidden": "forbid"}
# options of one command that another call has, too
OF_FILES = {"root", "index"}


@pytest.mark.parametrize("name", [n for n in calls.CALLS if n not in calls.LACKING["command line"]])
def test_the_command_line_offers_every_option(name):
    command = load_command("pack" if name == "pack_files" else name)
    has = {parameter.name for parameter in command.params}
    lacks = [o for o in calls.offered("command line", name) if SPELT.get(o, o) not in has]
    assert lacks == []
    over = {o for o in calls.CALLS[name] if o in has} - {*calls.offered("command line", name)}
    assert over <= {"form"}  # of the output


ENDPOINTS = [n for n in calls.CALLS if n not in calls.LACKING["service"]]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_the_service_offers_every_option(name):
    tasks = pytest.importorskip("maxcover_serve.service.tasks")
    assert name in {call for row in tasks.TASKS.values() for call in row.calls}
    fields = fields_of(name, "service")
    assert {*fields} - {*calls.ABOUT[name], "time_limit"} == {
        o for o in calls.offered("service", name) if o != "time_limit"
    }
    for field in fields.values():
        assert field.row.plain is not None, field
        default = field.default
        if default is not calls.NEEDED and default is not None:
            field.row.check_plain("it", list(default) if isinstance(default, tuple) else default)


def test_the_tools_offer_every_option():
    pytest.importorskip("mcp")
    from maxcover_serve.mcp.endpoint import make_server

    tools = make_server([Path()], all_tools=True).tools
    assert {*tools} == {n for n in calls.CALLS if n not in calls.LACKING["tools"]}
    for name, tool in tools.items():
        assert [o for o in calls.offered("tools", name) if o not in tool.fields] == [], name
        assert all(field.row.plain is not None for field in tool.fields.values())


def test_the_page_of_options_is_up_to_date():
    from scripts.write_options import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run python scripts/write_options.py"


def test_the_schema_of_a_problem_holds_what_from_dict_takes():
    jsonschema = pytest.importorskip("jsonschema")
    schema = problem_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(PROBLEM.to_dict(), schema)
    for wrong in ({"sets": {"a": [1]}}, {"sets": 3, "budget": 1}, {"sets": [], "budgt": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(
    ("value", "kind", "is_one"),
    [
        (1, float, True),
        (True, float, False),
        (1.5, int, False),
        (None, float | None, True),
        ([1, "a"], list[str | int], True),
        ([1, None], list[str | int], False),
        ({"a": [1, 2]}, dict[str, list[float]], True),
        ({"a": 1}, dict[str, list[float]], False),
        ([[1], ["x", {}]], list[list[str | int]], False),
        ({"price": 1, "price_unit": 1, "shares": []}, DualPoint, True),
        ({"price": 1, "price_unit": 1}, StatedAnswer, False),
        ({"price": 1, "price_unit": 1, "shares": [], "row_prices": ["a"]}, DualPoint, False),
    ],
)
def test_plain_types_are_checked_as_their_schema_says(value, kind, is_one):
    jsonschema = pytest.importorskip("jsonschema")
    assert fits(value, kind) == is_one
    assert jsonschema.Draft202012Validator(schema_of(kind)).is_valid(value) == is_one


@pytest.mark.parametrize(
    "name", ["summarize", "pack", "select", "solve", "beliefs", "budget_curve"]
)
def test_every_option_has_a_row(name):
    for option in parameters(name):
        assert find_option(option, name).expected, option


# the line that CONTRIBUTING.md shows
NEW = '    colour: Annotated[str, row.one_of("Colour of the map.", ("red", "blue"))] = "red",\n'


@pytest.fixture
def one_more_option(monkeypatch):
    """One line more in the signature of `cover`."""
    read, place = pkgutil.get_data, "    seed: int = 0,\n    checkable"

    def longer(*where):
        return read(*where).replace(place.encode(), (NEW + place).encode())

    assert place in inspect.getsource(mc.cover)
    monkeypatch.setattr(pkgutil, "get_data", longer)
    yield calls._written.cache_clear(), calls.parameters_of.cache_clear()
    monkeypatch.undo()
    calls._written.cache_clear(), calls.parameters_of.cache_clear()


@pytest.mark.usefixtures("one_more_option")
def test_an_option_is_added_by_one_line():
    from scripts.write_options import page

    assert NEW in Path(__file__).parents[2].joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")
    for door in ("service", "tools"):
        fields = fields_of("cover", door)
        stated = {"enum": ["red", "blue"], "default": "red", "description": "Colour of the map."}
        assert fields["colour"].schema == {"type": "string"} | stated
        with pytest.raises(OptionError, match="expected colour to be one of red, blue, got 'grey'"):
            read_request({"sets": [[1]], "target": 1, "colour": "grey"}, fields)
    command = choices.options_of("cover")(click.command(lambda **_: None))
    assert {p.name: p.default for p in command.params}["colour"] == "red"
    assert "| `colour` | `'red'` | Colour of the map. | command line, service, agents |" in page()


def test_a_row_in_a_signature_is_checked():
    @checked
    def paint(*, colour: "Annotated[str, row.one_of('Colour.', ('red', 'blue'))]" = "red"):  # noqa: F821
        return colour

    assert paint(colour="blue") == "blue"
    with pytest.raises(OptionError, match="expected colour to be one of red, blue, got 'grey'"):
        paint(colour="grey")


# what a door says otherwise than the library, on purpose
OTHERWISE = {
    ("summarize", "known"),  # files
    ("summarize", "background"),  # a file
    ("summarize", "form"),  # of the output
    ("pack", "budget"),  # required
    ("pack", "form"),  # of the output
    ("pack", "query"),  # repeated
    ("pack", "separator"),  # escapes
}


@pytest.mark.parametrize("name", ["solve", "summarize", "pack"])
def test_the_command_line_has_the_defaults_of_the_library(name):
    command = load_command(name)
    given = command.make_context(name, [], resilient_parsing=True).params
    ours = {**inspect.signature(prepare).parameters, **inspect.signature(CALLS[name][0]).parameters}
    shared = {
        option
        for option in given
        if option in ours and ours[option].kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert len(shared) > 3
    for option in shared:
        if (name, option) not in OTHERWISE:
            assert given[option] == ours[option].default, option
