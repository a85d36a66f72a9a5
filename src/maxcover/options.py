"""Every option of every public function, once: what it may be, and one line of help.

`maxcover.calls` says which call has an option and what it is by default. The check of every call
(`checked`), the command line, the service, the client and the tools of agents read both.
A name that means something else in one function has a row of its own there: ``"pack.order"``;
the constructors of a problem share theirs: ``"from.costs"``.
What can only be judged with the data at hand, such as one score per passage, is checked where the
data are.
"""

from __future__ import annotations

import difflib
import functools
import math
import os
import sys
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import CO_VARKEYWORDS
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

from maxcover import names
from maxcover.errors import OptionError

# No count that is sensible is larger.
MOST = 2**31 - 1
# Faults of a request that are listed.
MOST_FAULTS = 10

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Option(NamedTuple):
    """What an option may be.

    Attributes
    ----------
    help : str
        One line, for the command line and the service.
    expected : str
        What is accepted, in words that complete "expected X to be ...".
    accepts : callable
        Whether a value that is not None will do.
    optional : bool
        Whether None will do.
    least, most : float
        Limits of a number.
    names : tuple of str
        The names that a text may be; empty if it may be any.
    classes : tuple of str
        Names of the classes of ours that an object may be of, subclasses included.
    kind : str
        What other doors make of it: "number", "whole", "flag", "name", "text", "texts" or "".
    """

    help: str
    expected: str
    accepts: Callable[[Any], bool]
    optional: bool = False
    least: float | None = None
    most: float | None = None
    names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    kind: str = ""

    def check(self, name: str, value: Any) -> None:
        """Raise OptionError for a value that will not do."""
        if value is None:
            fits = self.optional
        else:
            known = self.names if isinstance(value, str) else ()
            fits = value in known if known else self.accepts(value) or self._is_made(value)
        if not fits:
            words = self.expected.format(names=", ".join(self.names))
            or_none = " or None" if self.optional else ""
            raise OptionError(f"expected {name} to be {words}{or_none}, got {_shown(value)}")

    def _is_made(self, value: Any) -> bool:
        """Whether a value is of one of our classes, by its name: they stand on higher floors."""
        return any(
            kind.__name__ in self.classes and kind.__module__.startswith("maxcover.")
            for kind in type(value).__mro__
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({type(value).__name__})"


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:
        return False


def _number(
    line: str,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: bool = False,
    finite: bool = False,
    optional: bool = False,
) -> Option:
    """Make a row for a number from `least` (or above it) to `most`."""

    def accepts(value: Any) -> bool:
        if not _is_number(value):
            return False
        x = float(value)
        low = least < x if above else least <= x
        return low and x <= most and not (finite and math.isinf(x))

    words = "a finite number" if finite else "a number"
    if least > -math.inf:
        words += f" above {least:g}" if above else f" of at least {least:g}"
    if most < math.inf:
        words += f" and at most {most:g}"
    limits = (
        least if least > -math.inf else None,
        most if most < math.inf else None,
    )
    return Option(line, words, accepts, optional, *limits, kind="number")


def _whole(line: str, least: int, most: float = MOST, *, optional: bool = False) -> Option:
    words = f"a whole number of at least {least}"
    if most < math.inf:
        words += f" and at most {most}"

    def accepts(value: Any) -> bool:
        return _is_whole(value) and least <= int(value) <= most

    end = most if most < math.inf else None
    return Option(line, words, accepts, optional, least, end, kind="whole")


def _one_of(line: str, known: tuple[str, ...], *or_else: str, optional: bool = False) -> Option:
    """Make a row for one of some names, or else for a "function" or an object of a class."""
    words = ", or a ".join(("one of {names}", *or_else))

    def accepts(value: Any) -> bool:
        return "function" in or_else and callable(value)

    classes = tuple(kind for kind in or_else if kind != "function")
    return Option(line, words, accepts, optional, names=known, classes=classes, kind="name")


def _flag(line: str, *, optional: bool = False) -> Option:
    def accepts(value: Any) -> bool:
        numpy = sys.modules.get("numpy")  # whoever has a flag of NumPy's has loaded it
        return isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_))

    return Option(line, "True or False", accepts, optional, kind="flag")


def _text(line: str) -> Option:
    return Option(line, "a text", lambda value: isinstance(value, str), kind="text")


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike)


def _is_listed(value: Any) -> bool:
    return isinstance(value, Iterable)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _several(line: str, words: str, *, optional: bool = False) -> Option:
    return Option(line, words, _is_iterable, optional)


def _is_choice(value: Any) -> bool:
    """Whether a value may name sentences or passages: a text, a number, a pattern, or several."""
    return _is_iterable(value) or isinstance(value, str) or _is_whole(value) or _is_pattern(value)


def _is_pattern(value: Any) -> bool:
    return hasattr(value, "search") and hasattr(value, "pattern")


def _are_texts(values: Any) -> bool:
    return isinstance(values, Collection) and all(isinstance(value, str) for value in values)


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (_is_iterable(value) and _are_texts(value))


def _texts(line: str, *, optional: bool = False) -> Option:
    return Option(
        line,
        "several texts",
        lambda value: not isinstance(value, str) and _is_texts(value),
        optional,
        kind="texts",
    )


def _made(line: str, *kinds: str, optional: bool = False) -> Option:
    """Make a row for an object of one of our classes."""
    words = " or ".join(f"a {kind}" for kind in kinds)
    return Option(line, words, lambda _: False, optional, classes=kinds)


def _data(line: str) -> Option:
    """Make a row for what is checked where the data are."""
    return Option(line, "data", lambda _: True, optional=True)


_TEXT_BUDGET = Option(
    "Maximum length, e.g. 100 or 10%. Default: 10% of the text, 50 to 250 words.",
    'a number of at least 0, or a share such as "10%"',
    lambda value: isinstance(value, str) or (_is_number(value) and value >= 0),
    True,
)
_SIZE = _whole("How many.", 0)
_GAP = _number("Stop when the answer is proven within this fraction of the best.", 0, 1)._replace(
    expected="a fraction from 0 to 1, such as 0.05 for 5 %"
)
# Which form they have is found out where they are read.
_DOCUMENTS = Option(
    "Texts, files or folders; several, or by name.", "a text, a Path, or several", lambda _: True
)

_PROBLEM = "CoverageProblem"
_ANSWERS = ("Solution",)

OPTIONS: dict[str, Option] = {
    # what is searched, and for how long
    "problem": _made("The problem.", _PROBLEM)._replace(
        expected="a CoverageProblem, as CoverageProblem.from_sets makes one"
    ),
    "solution": _made("The solution.", *_ANSWERS),
    "item": _made("What is saved.", _PROBLEM, *_ANSWERS),
    "path": Option("A file.", "a path", lambda value: isinstance(value, str | os.PathLike)),
    "certify.dual": _made("A dual point.", "Dual", optional=True),
    "certify.target": _made("What has to be covered.", "Target", optional=True),
    "certify.claim": _made("What somebody else proved.", "Claim", optional=True),
    "certify.known": _made("A bound that was evaluated before.", "Bound", optional=True),
    "method": _one_of("Solution method.", names.METHODS),
    "cover.method": _one_of("Solution method.", names.COVER_METHODS),
    "cover.target": _data("Share of the total weight to cover, above 0 and up to 1."),
    "cover.weight": _data("Weight to cover, instead of a share."),
    "time_limit": _number(
        "Time limit in seconds; returns the best answer so far.", 0, optional=True
    )._replace(expected="a number of seconds, at least 0"),
    "target_gap": _GAP,
    "seed": _whole("Random seed.", 0, math.inf),
    "bound": _one_of("How much work to put into the upper bound.", names.BOUNDS),
    "checkable": _flag("Prefer an upper bound that `verify` can check."),
    "effort": _one_of(
        "How hard to search: fast, normal or thorough.",
        names.EFFORTS,
    ),
    "start": Option(
        "Earlier selection to start from.",
        "indices of sets, or a Solution",
        _is_iterable,
        True,
        classes=_ANSWERS,
    ),
    "change_cost": _number(
        "Penalty for dropping an earlier set, as a fraction of what a set covers.", 0, finite=True
    ),
    "cover.change_cost": Option(
        "Penalty for replacing an earlier set, as a fraction of its cost.",
        "a number from 0 up to below 1",
        lambda value: _is_number(value) and 0 <= value < 1,
    ),
    "callback": Option(
        "Function that is told of progress and returns True to stop.",
        "a function of one argument",
        callable,
        True,
    ),
    "threads": _whole("Number of threads; it does not change the answer.", 1, optional=True),
    # belief propagation
    "beta": _number("Inverse temperature.", 0, above=True, finite=True, optional=True),
    "beliefs.beta": _number("Inverse temperature; infinity is max-product.", 0, above=True),
    "mu": _number("Price of a unit of cost.", finite=True, optional=True),
    "beliefs.threads": _whole("Number of threads; it does not change the answer.", 1),
    "beliefs.mu": _number("Price of a unit of cost.", finite=True, optional=True),
    "beliefs.start": _made("Beliefs whose messages to begin from.", "Beliefs", optional=True),
    "coverage": _one_of("The partition function.", names.COVERAGE),
    "batches": _whole("Runs of belief propagation.", 0, optional=True),
    "max_sweeps": _whole("Maximum number of sweeps.", 1),
    "tol": _number("Stop when no field changes by more than this.", 0),
    "damping": Option(
        "Share of the old message to keep.",
        "a number from 0 up to below 1",
        lambda value: _is_number(value) and 0 <= value < 1,
    ),
    "messages": _flag("Return the messages as well."),
    # texts
    "budget": _number("Maximum total cost.", 0),
    "summarize.budget": _TEXT_BUDGET,
    "compare.budget": _TEXT_BUDGET,
    "unit": _one_of(
        "What the budget counts.",
        names.UNITS,
        "function",
        "Unit",
    ),
    "order": _one_of(
        "Order of the sentences: as in the documents, or most valuable first.",
        names.ORDERS,
    ),
    "required": Option(
        "What the answer must contain.",
        "a text, a number, a compiled pattern, or several of them",
        _is_choice,
    ),
    "forbidden": Option(
        "What the answer must not contain.",
        "a text, a number, a compiled pattern, or several of them",
        _is_choice,
    ),
    "max_sentences_per_document": _whole(
        "Maximum number of sentences from one document.", 1, optional=True
    ),
    "max_cost_per_document": _number(
        "Maximum length from one document.", 0, finite=True, optional=True
    ),
    "max_similarity": _number(
        "Maximum share of words that two chosen sentences may have in common.", 0, 1
    ),
    "language": Option(
        "Language name or code, e.g. de; 'auto' detects it, 'any' for all others.",
        "the name or code of a language, or a Language",
        lambda value: isinstance(value, str),
        classes=("Language",),
    ),
    "preset": _one_of("Named set of text options.", names.PRESETS, "Preset"),
    "concepts": _one_of(
        "What counts as covered. Default: as in the preset.",
        names.CONCEPTS,
        "function",
        optional=True,
    ),
    "weights": _one_of(
        "How covered words are weighted. Default: as in the preset.",
        names.WEIGHTS,
        "function",
        optional=True,
    ),
    "stem": Option(
        "Whether to stem words. Default: as in the preset.",
        "True, False or the name of a stemmer",
        lambda value: isinstance(value, bool | str),
        True,
    ),
    "stop_words": Option(
        "Whether to drop stop words. Default: as in the preset.",
        "True, False or several words",
        lambda value: isinstance(value, bool) or (_is_iterable(value) and _are_texts(value)),
        True,
    ),
    "boost": _number(
        "Extra weight for early sentences. Default: as in the preset.", 0, optional=True
    ),
    "query": _text("Question or topic to focus on."),
    "background": _made(
        "Word counts written by 'maxcover background', for tf-idf.",
        "Background",
        optional=True,
    ),
    "min_words": _whole("Leave out sentences with fewer words.", 0),
    "lines": _one_of("Whether a line end ends a sentence.", names.LINES),
    "form": _one_of("Markup of the documents.", names.FORMS),
    "known": _DOCUMENTS._replace(help="Texts the reader knows; leave out what they say."),
    # passages
    "pack.query": Option(
        "One question or topic, or several questions.",
        "a text or several texts",
        lambda value: isinstance(value, str) or _is_texts(value),
    ),
    "pack.budget": _number("Maximum size of the context.", 0, finite=True),
    "pack.unit": Option(
        "What the budget counts; tokens are an estimate.",
        "tokens, words, characters, bytes, a function of a text or a tokenizer",
        lambda value: not isinstance(value, int | float | bytes | list | tuple | dict | set),
    ),
    "scores": Option(
        "Retrieval scores; higher is better.",
        "one number each, or None where there is none",
        lambda value: _is_iterable(value) and not any(map(_is_nan, value)),
        True,
    ),
    "granularity": _one_of("Choose whole passages or single sentences.", names.GRANULARITIES),
    "pack.order": _one_of(
        "Order of the passages: as retrieved, by document, or the best first and last.",
        names.PACK_ORDERS,
    ),
    "documents": _several(
        "Document that each passage comes from.", "one entry each", optional=True
    ),
    "summarize.documents": _DOCUMENTS,
    "prepare.documents": _DOCUMENTS,
    "positions": _several(
        "Position of each passage in its document.", "one number each", optional=True
    ),
    "headers": _texts("Text before each passage.", optional=True),
    "separator": _text("Text between two passages."),
    "room": Option(
        "Room for the rest of the prompt: a size, or the text itself.",
        "a number of at least 0 or a text",
        lambda value: (
            isinstance(value, str)
            or (isinstance(value, int | float) and not isinstance(value, bool) and value >= 0)
        ),
        kind="amount",
    ),
    "per_document": _number("Maximum size from one document.", 0, finite=True, optional=True),
    "prefer": _one_of("Keep all versions of a statement, or only the newest.", names.PREFERENCES),
    "dates": _several("Date of each passage, to find the newest.", "one entry each", optional=True),
    "passages": Option(
        "Retrieved passages, best first.",
        "several texts, best first (files: maxcover.packing.pack_files)",
        lambda value: not isinstance(value, str | bytes | os.PathLike),
    ),
    "paths": Option(
        "Files, folders and globs below the root.",
        "a path or glob, or several",
        lambda value: isinstance(value, str) or _is_texts(value),
    ),
    "root": Option(
        "Folder that paths are relative to.",
        "a path",
        lambda value: isinstance(value, str | os.PathLike),
    ),
    "index": Option(
        "Whether the words of large folders are kept on disk, and where.",
        "True, False or a path",
        lambda value: isinstance(value, bool | str | os.PathLike),
    ),
    "pack.after": Option(
        "Context that was sent before, which the new one begins with.",
        "a Packed or its text",
        lambda value: isinstance(value, str),
        True,
        classes=("Packed",),
    ),
    "vectors": _data("One vector per passage, or a function that makes one of each text."),
    "query_vector": _data("Vector of the query."),
    "least_score": _number(
        "Score below which nothing of a passage is taken.", -math.inf, optional=True
    ),
    "pack_files.required": _data("Paths, patterns, or names of facts that must stay."),
    "pack_files.after": Option(
        "Context that was sent before, which the new one begins with.",
        "a PackedFiles or its text",
        lambda value: isinstance(value, str),
        True,
        classes=("PackedFiles",),
    ),
    "first": _DOCUMENTS,
    "second": _DOCUMENTS,
    # rows with vectors
    "select.rows": _data("Parquet, a table, a mapping of arrays, or a matrix."),
    "select.budget": _number("What the chosen rows may cost together.", 0, finite=True),
    "select.target_gap": _GAP._replace(optional=True),
    "vector": _text("Column of the vectors."),
    "cost": _data("Column of costs. Default: 1 each."),
    "worth": _data("Column with a bonus for choosing a row."),
    "quota": Option(
        "Largest share of the budget by values of a column: source=0.3.",
        "a mapping from columns to shares",
        lambda value: isinstance(value, Mapping),
        True,
    ),
    "duplicates": _number("Choose at most one of rows this similar.", 0, 1, optional=True),
    "select.neighbours": Option(
        "Number of nearest rows that count, including the row.",
        "a whole number of at least 1, or a tuple of indices and similarities",
        lambda value: (
            (_is_whole(value) and 1 <= value <= MOST)
            or (isinstance(value, tuple) and len(value) == 2)
        ),
    ),
    "metric": _one_of("Cosine, or 1 / (1 + distance).", names.METRICS),
    "search": _one_of("How neighbours are found.", names.SEARCHES),
    # decisions
    "explain.solution": _data("The solution to explain, or the sets that you have chosen."),
    "explain.effort": _one_of(
        "How hard to search: fast, normal or thorough. Default: by the number of sets.",
        names.EFFORTS,
        optional=True,
    ),
    "explain.sets": _data("Labels or indices of the sets to explain. Default: all."),
    "tight": _flag("Solve once more for each set, for closer losses.", optional=True),
    "within": _number("Share of the best value that an alternative may lose.", 0, 1),
    "alternatives.n": _whole("Number of selections, the best one included.", 1),
    "alternatives.solution": _data("The best selection, if you have it."),
    "plan.budgets": _several("Budgets, growing.", "several numbers", optional=True),
    "phases": Option(
        "Number of equal steps of the budget, or 'every': one set after the other.",
        "a whole number of at least 1, or 'every'",
        lambda value: value == "every" or (_is_whole(value) and 1 <= value <= MOST),
        True,
    ),
    "sensitivity.solution": _data("The solution, or the sets that you have chosen."),
    "spread": _number("Weights vary by up to this share.", 0, 1),
    "sensitivity.n": _whole("Number of draws.", 1),
    "samples": _data("Weights of each draw, one row per draw, instead of random ones."),
    # problems
    "budgets": _several("Budgets to solve for.", "several numbers"),
    "from.budget": _data("Maximum total cost."),
    "load.budget": _data("Maximum total cost, instead of the one in the file."),
    "from.n_sets": _data("Number of sets."),
    "from.n_elements": _data("Number of elements."),
    "from.sets": _data("The sets."),
    "from.set_labels": Option("Names of the sets.", "names", _is_listed, optional=True),
    "from.element_labels": Option("Names of the elements.", "names", _is_listed, optional=True),
    "from.costs": _data("Cost of each set."),
    "from.weights": _data("Weight of each element."),
    "from.required": _data("Sets that must be chosen."),
    "from.forbidden": _data("Sets that must not be chosen."),
    "from.similarity": _data("Similarities, one row per set and one column per point."),
    "from.points": _data("Points, instead of similarities."),
    "from.neighbours": _whole("Number of nearest points that count.", 1),
    "from.radius": _data("How far a site reaches: 5km, 800m, 3mi."),
    "from.unit": _data("Unit of a radius that is a number."),
    "from.coordinates": _one_of("What two numbers are.", names.COORDINATES, optional=True),
    "from.decay": _data("How a demand point counts less with distance."),
    "from.limit": _number("Longest travel time that counts.", 0, finite=True),
    "n_sets": _SIZE,
    "n_elements": _SIZE,
    "set_degree": _SIZE,
    "element_degree": _SIZE,
    "n_edges": _SIZE,
    "mean_degree": _number("Elements per set on average.", 0, finite=True),
    "density": _number("Share of all pairs that are edges.", 0, 1),
    "exponent": _number("Exponent of the power law.", 0, finite=True),
    "high": _whole("Largest cost and weight.", 1),
}
# Files are packed as passages are.
OPTIONS |= {
    f"pack_files.{name}": OPTIONS[f"pack.{name}"] for name in ("query", "budget", "unit", "order")
}


def find_option(name: str, function: str = "") -> Option:
    """Return the row of an option, the function's own if there is one."""
    return OPTIONS.get(f"{function}.{name}") or OPTIONS[name]


def check_names(names: Iterable[str], known: Iterable[str], owner: str) -> None:
    """Raise OptionError for the first name that is not known, with the nearest that is."""
    known = list(known)
    for name in names:
        if name not in known:
            said = unknown_name(name, known, f" of {owner}")
            if "problem" in known and f"from.{name}" in OPTIONS:
                raise OptionError(
                    f"{said}; it belongs to the problem: pass problem.replace({name}=...)"
                )
            raise OptionError(f"{said}; it takes {', '.join(known) or 'no options'}")


def unknown_name(name: str, known: Iterable[str], owner: str = "") -> str:
    """Say that an option is not known, with the nearest that is."""
    near = difflib.get_close_matches(str(name)[:100], list(known), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown option {str(name)[:100]!r}{owner}{hint}"


def join_faults(faults: Iterable[tuple[str, str]], *, total: int | None = None) -> str:
    """Say what is wrong where, up to ten times.

    Examples
    --------
    >>> join_faults([("budget", "expected a number"), ("unit", "expected a text")])
    'budget: expected a number; unit: expected a text'
    """
    found = [f"{where[:200]}: {what[:500]}" if where else what[:500] for where, what in faults]
    more = (len(found) if total is None else total) - MOST_FAULTS
    return "; ".join(found[:MOST_FAULTS]) + (f" (and {more} more)" if more > 0 else "")


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Check every argument of a function by its row in `OPTIONS` before the function runs.

    A name that the function does not take is an OptionError too, and so is one that it needs and
    did not get. A function that takes further options by ``**`` checks their names itself.

    Examples
    --------
    >>> @checked
    ... def pause(*, time_limit): ...
    >>> pause(time_limit=-1)
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: expected time_limit to be a number of seconds, at least 0...
    >>> pause(timelimit=1)
    Traceback (most recent call last):
        ...
    maxcover.errors.OptionError: unknown option 'timelimit' of pause; did you mean 'time_limit'?...
    """
    code = function.__code__
    names = names_of(function)
    placed, title = names[: code.co_argcount], function.__name__
    owner = "from" if title.startswith("from_") else title
    needed = {*names} - {*(function.__kwdefaults__ or {})} - {*_defaulted(function, placed)}
    is_open = bool(code.co_flags & CO_VARKEYWORDS)

    @functools.cache
    def row_of(name: str) -> Option | None:
        return OPTIONS.get(f"{owner}.{name}") or OPTIONS.get(name)

    def check(given: tuple[Any, ...], options: dict[str, Any]) -> None:
        if len(given) > len(placed):
            further = names[len(placed)] if len(names) > len(placed) else ""
            advice = f"; write {further}={_shown(given[len(placed)])}" if further else ""
            raise OptionError(
                f"expected at most {len(placed)} arguments of {title} without a name, got "
                f"{len(given)}{advice}"
            )
        if not is_open:
            check_names(options, [name for name in names if name != "cls"], title)
        values = {**dict(zip(placed, given, strict=False)), **options}
        for name, value in values.items():
            row = row_of(name)
            if row is not None:
                row.check(name, value)
        if missing := needed - values.keys():
            first = min(missing, key=names.index)
            raise OptionError(f"expected {first} of {title}, got nothing")

    def call(*given: Any, **options: Any) -> Any:
        check(given, options)
        return function(*given, **options)

    # made in the module of the function, where doctest looks for it
    made = types.FunctionType(call.__code__, function.__globals__, title, None, call.__closure__)
    return functools.update_wrapper(made, function)


def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that a function takes, those by ``**`` apart."""
    code = getattr(function, "__wrapped__", function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return tuple(names)


def _defaulted(function: Callable[..., Any], placed: tuple[str, ...]) -> tuple[str, ...]:
    return placed[len(placed) - len(function.__defaults__ or ()) :]
