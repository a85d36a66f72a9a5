"""Option table: the options that several functions share: their values, and one line of help.

An option of one function can have its row in the signature instead, and a new one has:
``Annotated[float, row.number("What it is.", 0, 1)]``. The constructors of a problem share rows such
as ``"from.costs"``. Fields that only requests to the service have are listed as ``"service.NAME"``.
A condition on the data, such as one score per passage, is checked where the data are read.
"""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Mapping
from typing import Any

from maxcover.ground import names
from maxcover.ground.answers import StatedAnswer
from maxcover.ground.calls import CALLS, parameters_of
from maxcover.ground.options import row
from maxcover.ground.options.plain import (
    ByEdge,
    ByGroup,
    Documents,
    Each,
    EncodedFile,
    Grouping,
    Label,
    Places,
)
from maxcover.ground.options.row import (
    MOST,
    Option,
    data,
    is_choice,
    is_iterable,
    is_number,
    is_whole,
    made,
    number,
    one_of,
    option,
    path,
    whole,
)


def _is_count_or(value: Any, other: bool) -> bool:
    return other or (is_whole(value) and 1 <= value <= MOST)


def _is_share(value: Any) -> bool:
    return isinstance(value, str) and value.strip()[:1] in "0123456789.-"


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


_TEXT_BUDGET = Option(
    "Maximum length, e.g. 100 or 10%. Default: 10% of the text, at least 50 and at most 250 words.",
    "a number of at least 0, or a share such as '10%'",
    lambda value: _is_share(value) or (is_number(value) and value >= 0),
    float | str,
    optional=True,
)
_SIZE = whole("Number of sets, elements or edges.", 0)
_GAP = number("Stop when the answer is proven within this fraction of the best.", 0, 1)._replace(
    expected="a fraction from 0 to 1, such as 0.05 for 5 %"
)
_EFFORT_BY_SIZE = one_of(
    "How hard to search: fast, normal or thorough. Default: by the number of sets.",
    names.EFFORTS,
    optional=True,
)
_CHOICE = Option(
    "What the answer must contain.",
    "a text, a number, a compiled pattern, or several of them",
    is_choice,
    Label | list[Label],
)
# The form of texts is checked where they are read, not here.
_TEXTS = Option(
    "One text, several texts, or texts by name; in Python also files and folders.",
    "a text, a Path, or several",
    lambda _: True,
    Documents,
    read_later=True,
)
_PROBLEM = "CoverageProblem"
_ANSWER = "Solution"
_CHOSEN = StatedAnswer | list[Label]

OPTIONS: dict[str, Option] = {
    # Options about problems, solutions, and the search
    "problem": made("The problem.", _PROBLEM)._replace(
        expected="a CoverageProblem, which CoverageProblem.from_sets makes, maxcover.load reads "
        "from a file, and a solution holds as solution.problem"
    ),
    "solution": made("The solution.", _ANSWER),
    "item": made("The problem or solution to save.", _PROBLEM, _ANSWER),
    "path": path("A file."),
    "certify.dual": made("A dual point.", "Dual", optional=True),
    "certify.target": made("The weight that has to be covered.", "Target", optional=True),
    "certify.claim": made("A bound that another solver proved.", "Claim", optional=True),
    "certify.known": made("A bound that was evaluated before.", "Bound", optional=True),
    "method": one_of("Solution method.", names.METHODS),
    "time_limit": number(
        "Time limit in seconds; returns the best answer so far.", 0, optional=True
    )._replace(expected="a number of seconds, at least 0"),
    "target_gap": _GAP,
    "seed": whole("Random seed.", 0, math.inf),
    "bound": one_of("How much work to put into the upper bound.", names.BOUNDS),
    "checkable": option("Use only bounds that `verify` can check.", bool),
    "dry_run": option("Say which stages of the search would run, instead of searching.", bool),
    "numbers": made("Tuned numbers of the search.", "Numbers", optional=True),
    "effort": one_of("How hard to search: fast, normal or thorough.", names.EFFORTS),
    "start": option(
        "Earlier selection to start from.",
        list[Label],
        "a list of sets by label or index, a Solution",
        optional=True,
        classes=(_ANSWER,),
    ),
    "change_cost": number(
        "Penalty for dropping an earlier set, as a fraction of what such sets cover on average.",
        0,
        finite=True,
    ),
    "callback": Option(
        "Function that receives the progress and returns True to stop the search.",
        "a function of one argument",
        callable,
        optional=True,
    ),
    "threads": whole("Number of threads; it does not change the answer.", 1, optional=True),
    "strict": option("Refuse a bound that only HiGHS or branch and bound claims.", bool),
    # Options of the methods of belief propagation; None is the method's default
    "beta": number(
        "Inverse temperature of belief propagation.", 0, above=True, finite=True, optional=True
    ),
    "mu": number("Price of a unit of cost; by default it is found.", finite=True, optional=True),
    "coverage": one_of(
        "Whether a covered element may count as uncovered (soft: the paper).",
        names.COVERAGE,
        optional=True,
    ),
    "batches": whole("Number of runs of belief propagation.", 0, optional=True),
    "max_sweeps": whole("Maximum number of sweeps.", 1, optional=True),
    "tol": number("Stop when no field changes by more than this.", 0, optional=True),
    "damping": number("Share of the old message to keep.", 0, 1, below=True, optional=True),
    "schedule": one_of(
        "Whether messages are sent all at once or set by set.", names.SCHEDULES, optional=True
    ),
    "init": one_of(
        "First messages; auto takes random ones where all sets look alike.",
        names.FIRST_MESSAGES,
        optional=True,
    ),
    "beliefs.init": one_of("First messages.", names.FIRST_MESSAGES[1:]),
    "beliefs.start": made("Beliefs whose messages to begin from.", "Beliefs", optional=True),
    "messages": option("Return the messages as well.", bool),
    # Options about texts
    "budget": number("Maximum total cost.", 0),
    "summarize.budget": _TEXT_BUDGET,
    "compare.budget": _TEXT_BUDGET,
    "unit": one_of("What the budget counts.", names.UNITS, "function", "Unit"),
    "order": one_of(
        "Order of the sentences: as in the documents, or most valuable first.", names.ORDERS
    ),
    "required": _CHOICE,
    "forbidden": _CHOICE._replace(help="What the answer must not contain."),
    "max_sentences_per_document": whole(
        "Maximum number of sentences from one document.", 1, optional=True
    ),
    "max_cost_per_document": number(
        "Maximum length from one document.", 0, finite=True, optional=True
    ),
    "max_similarity": number(
        "Maximum share of words that two chosen sentences may have in common.", 0, 1
    ),
    "language": option(
        "Name or code of the language, e.g. de; 'auto' detects it, 'any' suits all others.",
        str,
        "the name or code of a language, or a Language",
        classes=("Language",),
    ),
    "preset": one_of("Named set of text options.", names.PRESETS, "Preset"),
    "concepts": one_of(
        "What counts as covered. Default: as in the preset.",
        names.CONCEPTS,
        "function",
        optional=True,
    ),
    "weights": one_of(
        "How covered words are weighted. Default: as in the preset.",
        names.WEIGHTS,
        "function",
        optional=True,
    ),
    "stem": option("Whether to stem words. Default: as in the preset.", bool | str, optional=True),
    "stop_words": option(
        "Whether to drop stop words. Default: as in the preset.", bool | list[str], optional=True
    ),
    "boost": number(
        "Extra weight for early sentences. Default: as in the preset.", 0, optional=True
    ),
    "query": option("Question or topic to focus on.", str),
    "background": made(
        "Word counts written by Background.save, for tf-idf.", "Background", optional=True
    ),
    "lines": one_of("Whether a line end ends a sentence.", names.LINES),
    "form": one_of("Markup of the documents.", names.FORMS),
    "known": _TEXTS._replace(help="Texts that the reader knows; what they say is left out."),
    "summarize.documents": _TEXTS,
    "summary_curve.documents": _TEXTS,
    "prepare.documents": _TEXTS,
    "first": _TEXTS,
    "second": _TEXTS,
    # Options about passages
    "passages": Option(
        "Retrieved passages, best first.",
        "several texts, best first (files: maxcover.texts.packing.pack_files)",
        lambda value: not isinstance(value, str | bytes | os.PathLike),
        Documents,
        read_later=True,
    ),
    "pack.query": option("One question or topic, or several questions.", str | list[str]),
    "pack.budget": number("Maximum size of the context.", 0, finite=True),
    "pack.unit": Option(
        "What the budget counts; 'tokens' is an estimate.",
        "one of {names}, a function of a text or a tokenizer",
        lambda value: not isinstance(value, int | float | bytes | list | tuple | dict | set),
        str,
        names=names.COUNTERS,
    ),
    "scores": Option(
        "Retrieval scores; higher is better.",
        "one number each, or None where there is none",
        lambda value: is_iterable(value) and not any(map(_is_nan, value)),
        list[float | None],
        optional=True,
    ),
    "granularity": one_of("Choose whole passages or single sentences.", names.GRANULARITIES),
    "pack.order": one_of(
        "Order of the passages: as retrieved, by document, or the best first and last.",
        names.PACK_ORDERS,
    ),
    "pack.required": _CHOICE._replace(
        help="What must stay: passages by number, or kinds of facts such as dates."
    ),
    "documents": option(
        "Document of each passage; names with endings such as .py mark code.",
        list[Label],
        optional=True,
    ),
    "positions": option("Position of each passage in its document.", list[float], optional=True),
    "headers": option("Text before each passage.", list[str], optional=True),
    "separator": option("Text between two passages.", str),
    "room": Option(
        "What to reserve for the rest of the prompt: a size, or that text itself.",
        "a number of at least 0 or a text",
        lambda value: isinstance(value, str) or (is_number(value) and value >= 0),
        float | str,
    ),
    "per_document": number("Maximum size from one document.", 0, finite=True, optional=True),
    "prefer": one_of("Keep all versions of a statement, or only the newest.", names.PREFERENCES),
    "dates": option("Date of each passage, to find the newest.", list[str | None], optional=True),
    "after": option(
        "Earlier context; the new context begins with its text.",
        str,
        "a Packed or its text",
        optional=True,
        classes=("Packed", "PackedFiles"),
    ),
    "least_score": number("Leave out passages with a lower score.", optional=True),
    "paths": option("Files, folders and globs below the root.", str | list[str]),
    "root": path("Folder that paths are relative to."),
    "index": Option(
        "Whether to keep an index of large folders on disk, and where.",
        "True, False or a path",
        lambda value: isinstance(value, bool | str | os.PathLike),
        bool | str,
    ),
    "pack_files.required": data(
        "What must stay: paths, patterns, or kinds of facts.", str | list[str]
    ),
    # Options about rows with vectors
    "select.rows": data("Parquet files, a table, a mapping of arrays, or a matrix."),
    "select.budget": data(
        "Maximum total cost: a number such as 1e6, or a share such as 5%.", float | str
    ),
    "select.target_gap": _GAP._replace(optional=True),
    "quota": Option(
        "Largest share of the budget for each value of a column, e.g. source=0.3.",
        "a mapping from columns to shares",
        lambda value: isinstance(value, Mapping),
        optional=True,
    ),
    "select.neighbours": Option(
        "Number of nearest rows that count, including the row itself.",
        "a whole number of at least 1, or a tuple of indices and similarities",
        lambda value: _is_count_or(value, isinstance(value, tuple) and len(value) == 2),
        int,
    ),
    # Options of `explain`, `alternatives`, `plan` and `sensitivity`
    "explain.solution": data("The solution to explain, or the sets that you have chosen.", _CHOSEN),
    "explain.effort": _EFFORT_BY_SIZE,
    "sensitivity.effort": _EFFORT_BY_SIZE,
    "explain.sets": data("Labels or indices of the sets to explain. Default: all.", list[Label]),
    "alternatives.solution": data("The best selection, if you have it.", _CHOSEN),
    "plan.budgets": option(
        "Budgets in growing order; each includes the earlier ones.", list[float], optional=True
    ),
    "phases": Option(
        "Number of equal steps of the budget; or 'every', for one set per step.",
        "a whole number of at least 1, or 'every'",
        lambda value: _is_count_or(value, isinstance(value, str) and value == "every"),
        int | str,
        optional=True,
    ),
    "sensitivity.solution": data("The solution, or the sets that you have chosen.", _CHOSEN),
    # Options of `budget_curve` and of the constructors of problems
    "budgets": option("Budgets to solve for.", list[float | str], "several numbers"),
    "from.sets": data(
        "The elements of each set: by name, or in order.",
        dict[str, list[Label]] | list[list[Label]],
    ),
    "from.budget": data(
        "Maximum total cost, or a share such as 50%; or several budgets by name.",
        float | str | dict[str, float | str],
    ),
    "load.budget": data("Maximum total cost, instead of the one in the file."),
    "from.costs": data(
        "Cost of each set. Default: 1. With several budgets, the costs for each budget by name.",
        Each | dict[str, Each],
    ),
    "from.weights": data(
        "Weight of each element, by name; or in order, if elements are numbers from 0. Default: 1.",
        Each,
    ),
    "from.required": data("Sets that must be chosen.", list[Label]),
    "from.forbidden": data("Sets that must not be chosen.", list[Label]),
    "from.groups": data("The group of each set, or a list of its groups.", Grouping),
    "from.max_items": data("Maximum number of sets from each group.", ByGroup),
    "from.max_cost": data("Maximum cost of the sets from each group.", ByGroup),
    "from.min_items": data("Minimum number of sets from each group.", ByGroup),
    "from.min_cost": data("Minimum cost of the sets from each group.", ByGroup),
    "from.min_share": data(
        "Cover at least this share of what the sets of a group cover together.", ByGroup
    ),
    "from.regions": data("The region of each element, or a list of its regions.", Grouping),
    "from.min_coverage": data("Cover at least this share of the weight of each region.", ByGroup),
    "from.conflicts": data("Lists of sets of which at most one may be chosen.", list[list[Label]]),
    "from.need": data(
        "Number of chosen sets that must hold an element before it counts. Default: 1.",
        int | dict[str, int] | list[int],
    ),
    "from.returns": data(
        "What the first set that holds an element adds, the second, and so on; or sqrt, log.",
        str | list[float],
    ),
    "from.chance": data(
        "Probability that a set covers an element: one number, or by set, element or both.",
        float | ByEdge,
    ),
    "from.best": data(
        "How well each set serves its elements; only the best chosen set counts.", ByEdge
    ),
    "from.worth": data("Bonus for choosing a set, besides what it covers.", Each),
    "from.set_labels": option(
        "Names of the sets, if the sets are a list.", list[Label], optional=True
    ),
    "from.element_labels": option("All elements, in their order.", list[Label], optional=True),
    "from.n_sets": data("Number of sets."),
    "from.n_elements": data("Number of elements; elements are numbers below it.", int),
    "from.similarity": data("Similarities, one row per set and one column per point."),
    # Options of the constructors for sites
    "sites.sites": data("Places to choose from.", Places),
    "sites.demand": data("Places to reach.", Places),
    "from.radius": data("How far a site reaches: 5km, 800m, 3mi.", float | str | list[float]),
    "from.unit": data("Unit of a radius that is a number.", str),
    "from.coordinates": one_of(
        "What the two numbers of a place mean.", names.COORDINATES, optional=True
    ),
    "from.decay": data("How much less a distant demand point counts: linear.", str),
    "from.limit": number("Longest travel time that counts.", 0, finite=True),
    "sites.weights": data(
        "Column with the weight of each demand point; or the weights.", str | Each
    ),
    "sites.costs": data("Column with the cost of each site; or the costs.", str | Each),
    # Options of random problems
    "n_sets": _SIZE,
    "n_elements": _SIZE,
    "set_degree": _SIZE,
    "element_degree": _SIZE,
    "n_edges": _SIZE,
    "mean_degree": number("Elements per set on average.", 0, finite=True),
    "density": number("Share of all pairs that are edges.", 0, 1),
    "exponent": number("Exponent of the power law.", 0, finite=True),
    "high": whole("Largest cost and weight.", 1),
    # Options that only requests of the service have
    "service.time_limit": number(
        "Seconds from arrival to answer, time in the queue included. Default: until the search "
        "ends by itself, or the limit of the service.",
        0,
        1e6,
        optional=True,
    ),
    "service.names": option("Names of the documents, for reports.", list[str]),
    "service.title": option("Title of the summary, for reports.", str),
    "service.proof": option(
        "Also return the dual point that proves the bound, for `/v1/verify`.",
        bool,
    ),
    "service.verify.solution": data("The answer of `/v1/solve` or `/v1/cover`.", StatedAnswer),
    "service.detail": option("Also return sentences and concepts.", bool),
    "service.explain": data("Sets to explain. Default: all.", list[Label]),
    # Options that only the tools of agents have
    "tools.problem": data(
        "sets ({name: [elements]}) and budget. Optional: costs and weights by name, required, "
        "forbidden, groups, max_items, conflicts and more, see maxcover://problem.",
        dict[str, Any],
    ),
    "tools.solution": data("Sets that you have chosen. Default: the best.", list[Label]),
    "tools.paths": option(
        'Files, folders or globs below the root, such as "src/**/*.py".', list[str]
    ),
    "tools.root": option("One of the folders of maxcover://roots; the first if not given.", str),
    "tools.pack_files.budget": number("Largest size of the answer, in tokens.", 0, 1e12),
    "tools.map_files.budget": number("Largest size of the answer, in tokens.", 0, 1e12),
    "tools.pack_files.query": option("What you look for.", str),
    "tools.map_files.query": option("Details for these.", str),
    "left_out.call": whole("1 is the last call of pack, 2 the one before.", 1),
    "left_out.first": whole("How many passages to skip.", 0),
    "left_out.count": whole("How many passages to list.", 1, 100),
    "service.files": data("Files, each with its bytes in base64.", list[EncodedFile]),
}
# In `beliefs` these options have defaults of their own.
OPTIONS |= {
    f"beliefs.{name}": OPTIONS[name]._replace(optional=False)
    for name in ("beta", "coverage", "max_sweeps", "tol", "damping", "schedule", "threads")
}
# `pack_files` has the same rows as `pack` for these options.
OPTIONS |= {
    f"pack_files.{name}": OPTIONS[f"pack.{name}"] for name in ("query", "budget", "unit", "order")
}


def row_in(annotation: str) -> Option | None:
    """Return the row in an annotation such as ``Annotated[float, row.number(...)]``; None if none.

    Annotations are read as text, because their types are imported for type checkers only.

    Examples
    --------
    >>> row_in('Annotated[float | None, row.number("Speed.", 0)]').expected, row_in("float")
    ('a number of at least 0', None)
    """
    if not annotation.startswith("Annotated["):
        return None
    held = ast.parse(annotation, mode="eval").body
    assert isinstance(held, ast.Subscript)  # noqa: S101 - written by us, as the next two are
    assert isinstance(held.slice, ast.Tuple)  # noqa: S101
    kind, made_by = held.slice.elts
    found: Option = eval(ast.unparse(made_by), {"row": row, "names": names})  # noqa: S307
    return found._replace(optional=found.optional or ast.unparse(kind).endswith("| None"))


def find_option(name: str, *owners: str) -> Option:
    """Return the row of `name`: that of the first owner with a row of its own, else the common row.

    A call has a row of its own in the signature of its function, any other owner in the table.
    """
    for owner in owners:
        if f"{owner}.{name}" in OPTIONS:
            return OPTIONS[f"{owner}.{name}"]
        written = parameters_of(owner).get(name) if owner in CALLS else None
        if written and (row := row_in(written.annotation)):
            return row
    return OPTIONS[name]
