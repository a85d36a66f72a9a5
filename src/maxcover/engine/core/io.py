"""IO: saves problems and solutions to files, and loads them.

`save` writes ``.npz`` and ``.json``. Problems are also read from plain JSON, as people and programs
write it, and from tables: ``.csv``, ``.tsv`` and ``.parquet``. No format can hold code:
npz is read without pickle, and labels are JSON. A file that is damaged, hostile or not ours gives a
`FileFormatError`.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from maxcover.engine.core.bounds import AffinePieces, CaseTree, Dual
from maxcover.engine.core.edge_tables import ROLES
from maxcover.engine.core.limits import NO_LIMITS, Limits
from maxcover.engine.core.problem import CoverageProblem
from maxcover.engine.core.returns import ONCE, Returns
from maxcover.engine.core.solution import Solution, Step, Trace
from maxcover.engine.core.tables import DELIMITERS, listed, text_columns
from maxcover.engine.core.validation import frozen
from maxcover.engine.core.verify import (
    FORMAT,
    TREE_FORMAT,
    VERSION,
    fault_of,
    nodes_as_bytes,
    nodes_of,
    packed,
    parse_json,
    unpacked,
)
from maxcover.errors import FileFormatError, MissingExtraError, OptionError
from maxcover.ground.extras import import_extra
from maxcover.ground.files.opening import open_file
from maxcover.ground.options import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

_UNSAVED = ("info", "budgets", "problem", "places", "stated")
#: Endings of files that `save` writes, and of those that `load` reads.
FORMATS = (".npz", ".json")
_READ = (*FORMATS, *DELIMITERS, ".parquet")
_KINDS = {"problem": CoverageProblem, "solution": Solution}
# Parts of a problem whose fields are saved as ``part_field``: their class and their empty value.
_PARTS: dict[str, tuple[type, Any]] = {
    "limits": (Limits, NO_LIMITS),
    "floors": (Limits, NO_LIMITS),
    "returns": (Returns, ONCE),
}
_LABELS = ("set_labels", "element_labels", "labels")
# Fields whose numbers may be infinite; in JSON, infinity is written as null.
_ENDLESS = ("limits_high", "floors_high", "upper_bound", "trace", "price")
# What a record holds besides the fields of a problem or a solution.
_NO_FIELDS = ("format", "version", "kind", "gap")


@checked
def save(item: CoverageProblem | Solution, path: str | os.PathLike[str]) -> None:
    """Write a problem or a solution; the ending of the path decides the format.

    The file is written completely or not at all. Labels must be text, numbers, booleans, None or
    tuples of these.

    Parameters
    ----------
    item : CoverageProblem or Solution
    path : path
        Ending in ``.npz`` (compact, exact) or ``.json`` (readable, exact).

    Examples
    --------
    >>> import tempfile
    >>> problem = CoverageProblem.from_sets({"a": [1, 2], "b": [2]}, budget=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(problem, f"{folder}/problem.npz")
    ...     load(f"{folder}/problem.npz").set_labels
    ('a', 'b')
    """
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise OptionError(
            f"expected a path that ends in {', '.join(FORMATS)}, got {target.name!r}; tables are "
            "written by problem.to_pandas() and to_arrow(), .mps and .lp by problem.write"
        )
    record = record_of(item)
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=target.suffix
        )
    except OSError as error:
        error.filename = os.fspath(path)  # the caller does not know the temporary file
        raise
    os.close(handle)
    try:
        _write(record, Path(name))
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


@checked
def load(
    path: str | os.PathLike[str],
    *,
    budget: float | str | dict[str, float | str] | None = None,
    **options: Any,
) -> CoverageProblem | Solution:
    r"""Read what `save` wrote, or a problem as plain JSON or as a table.

    A solution is "unverified" until `verify` has checked it against its problem.

    Parameters
    ----------
    path : path
        ``.npz``: a file of `save`. ``.json``: a file of `save`, or what `CoverageProblem.from_dict`
        takes, or the sets alone. ``.csv``, ``.tsv``, ``.parquet``: a table for
        `CoverageProblem.from_table`; the last needs the extra ``[parquet]``.
    budget : float, str, or mapping of name to them, optional
        Replaces the budget in the file; required for a table, which has none.
    **options
        Options of `CoverageProblem.from_table`, for a table.

    Raises
    ------
    FileFormatError
        The file is not ours, is damaged, does not hold a valid problem, or has a newer format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "sets.csv")
    ...     _ = file.write_text("set,element,cost\na,x,2\na,y,2\nb,y,1\n")
    ...     load(file, budget=2)
    CoverageProblem(2 sets, 2 elements, 3 edges, budget 2)
    """
    source = Path(path)
    ending = source.suffix.lower()
    if ending not in _READ:
        raise OptionError(f"expected a path that ends in {', '.join(_READ)}, got {source.name!r}")
    with _opened(source) as file:
        found = _read(file, ending)
        is_saved = ending in FORMATS and isinstance(found, dict) and "format" in found
        item = _item(found) if is_saved else None
    if ending not in FORMATS:
        columns = _typed(found, source.name, options) if isinstance(found, dict) else found
        return CoverageProblem.from_table(columns, budget=_needed(budget, source), **options)
    if item is None:
        return _plain_problem(found, budget, source)
    if budget is not None and isinstance(item, CoverageProblem):
        item = item.replace(budget=budget)
    return item


def read_answer(path: str | os.PathLike[str]) -> Any:
    """Return what the file of a solution holds, unchecked, as `verify.check` takes it.

    Raises
    ------
    FileFormatError
        The file is damaged.
    """
    source = Path(path)
    if source.suffix.lower() not in FORMATS:
        raise OptionError(f"expected a path that ends in {', '.join(FORMATS)}, got {source.name!r}")
    with _opened(source) as file:
        found = _read(file, source.suffix.lower())
    return _as_lists(found) if isinstance(found, dict) else found


@contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    """Open a file to read; whatever its content makes a reader raise becomes FileFormatError."""
    # A missing or unreadable file raises OSError, which is left to the caller.
    with open_file(source) as file:
        try:
            yield file
        except (FileFormatError, MissingExtraError):
            raise
        except Exception as error:
            # A damaged or hostile file can make a reader or a constructor raise anything.
            raise FileFormatError(
                f"expected a {FORMAT} file in {source.name!r}, got {type(error).__name__}: "
                f"{error}; it may be damaged or made by another program"
            ) from error


def _needed(budget: Any, source: Path) -> Any:
    if budget is None:
        raise FileFormatError(
            f"expected a budget, got none in {source.name!r}; pass --budget, or budget= in Python"
        )
    return budget


def _plain_problem(found: Any, budget: Any, source: Path) -> CoverageProblem:
    """Build a problem from plain JSON: arguments of `from_dict`, or the sets alone."""
    given = found if isinstance(found, dict) and "sets" in found else {"sets": found}
    if not isinstance(given["sets"], dict | list):
        raise FileFormatError(
            f'expected sets in {source.name!r}, {{"a": ["x", "y"], ...}}, got '
            f"{type(given['sets']).__name__}"
        )
    asked = given.get("budget") if budget is None else budget
    return CoverageProblem.from_dict({**given, "budget": _needed(asked, source)})


def record_of(
    item: CoverageProblem | Solution, label: Callable[[Hashable], Any] | None = None
) -> dict[str, Any]:
    """Return a problem or a solution as one dict of arrays and JSON values.

    `label` converts each label. By default, a label that JSON cannot hold raises OptionError.
    """
    label = _plain_label if label is None else label
    kind = next((kind for kind, made in _KINDS.items() if isinstance(item, made)), None)
    if kind is None:
        raise OptionError(f"expected a CoverageProblem or a Solution, got {type(item).__name__}")
    values = {f.name: getattr(item, f.name) for f in fields(item) if f.name not in _UNSAVED}
    for name in _LABELS:
        if values.get(name) is not None:
            values[name] = [label(one) for one in values[name]]
    if (dual := values.pop("dual", None)) is not None:
        values |= {"price": dual.price, "price_unit": dual.unit, "shares": dual.shares}
        prices = {"row_prices": dual.rows, "floor_rewards": dual.floors}
        values |= {name: held for name, held in prices.items() if held is not None}
        if dual.pieces is not None:
            values |= {f"pieces_{name}": held for name, held in dual.pieces._asdict().items()}
    if (tree := values.pop("tree", None)) is not None:
        values |= {
            "tree_format": TREE_FORMAT,
            "tree_nodes": packed(nodes_as_bytes(tree.nodes.tolist())),
            "tree_points": packed(tree.points),
            "tree_rates": tree.rates,
            "tree_most": tree.most,
        }
    for part, (made, nothing) in _PARTS.items():
        if (held := values.pop(part, nothing)) is not nothing:
            values |= {f"{part}_{f.name}": getattr(held, f.name) for f in fields(made)}
    for part in ("limits_stated", "floors_stated"):
        if part in values:
            values[part] = {name: _plain_limit(name, own) for name, own in values[part].items()}
    return {"format": FORMAT, "version": VERSION, "kind": kind, **values}


def plain_record(
    item: CoverageProblem | Solution, label: Callable[[Hashable], Any] | None = None
) -> dict[str, Any]:
    """Return the content of a ``.json`` file: `record_of` with lists instead of arrays."""
    return {name: _endless_as_none(value) for name, value in record_of(item, label).items()}


def _endless_as_none(value: Any) -> Any:
    """Return `value` for JSON: arrays become lists, and infinity becomes None."""
    if isinstance(value, np.ndarray):
        if not (value.dtype.kind == "f" and np.isinf(value).any()):
            return value.tolist()
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_endless_as_none(one) for one in value]
    return None if isinstance(value, float) and value == np.inf else value


def _none_as_endless(value: Any) -> Any:
    if isinstance(value, list):
        return [_none_as_endless(one) for one in value]
    return np.inf if value is None else value


def _plain_label(label: Hashable) -> Any:
    if isinstance(label, tuple):
        return [_plain_label(part) for part in label]
    if isinstance(label, np.generic):
        return _plain_label(label.item())
    if label is None or isinstance(label, str | int | float):
        return label
    raise OptionError(
        f"expected labels to be text, numbers, booleans, None or tuples of these, got {label!r}; "
        "rename it before saving"
    )


def _plain_limit(name: str, value: Any) -> Any:
    """Return groups as lists of labels, and a limit by group as pairs; a label may become text."""

    def plain(label: Hashable) -> Any:
        try:
            return _plain_label(label)
        except OptionError:
            return str(label)  # labels of groups are only displayed

    if name == "conflicts":
        return value
    if isinstance(value, Mapping):
        return [[plain(label), end] for label, end in value.items()]
    each = (own if isinstance(own, list) else [own] for own in value)
    return [[plain(label) for label in own] for own in each]


def _limit(name: str, value: Any) -> Any:
    """Return what `_plain_limit` was given."""
    if name == "conflicts":
        return value
    if name not in ("groups", "regions"):
        return {_label(label): float(end) for label, end in value}
    each = ([_label(label) for label in own] for own in value)
    return [own if len(own) > 1 else own[0] for own in each]


def _label(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(_label(part) for part in value)
    if isinstance(value, dict):
        raise FileFormatError(f"expected a label, got {value!r}")
    return value  # type: ignore[no-any-return]


def _item(record: dict[str, Any]) -> CoverageProblem | Solution:
    """Build the problem or solution of a record; the constructors check its values."""
    if record.get("format") != FORMAT:
        raise FileFormatError(f"expected a file written by {FORMAT}, got another one")
    if record.get("version") != VERSION:
        raise FileFormatError(
            f"expected format version {VERSION}, got {record.get('version')!r}; update {FORMAT} "
            "to read it"
        )
    kind = record.get("kind")
    if kind == "solution":
        return _solution(record)
    if kind == "problem":
        values = _values(record)
        for part, (made, _) in _PARTS.items():
            if any(name.startswith(f"{part}_") for name in values):
                held = {f.name: values.pop(f"{part}_{f.name}") for f in fields(made)}
                values[part] = made(**{name: _of_part(name, x) for name, x in held.items()})
        problem = CoverageProblem(**values)
        if problem.is_plain:
            return problem
        # A file may say anything of limits and returns: compare them with what they are made of.
        again = CoverageProblem.from_edges(**problem.arguments())
        for part, (made, _) in _PARTS.items():
            stated, found = getattr(problem, part), getattr(again, part)
            arrays = {f.name for f in fields(made)} - {"names", "stated"}
            if not all(np.array_equal(getattr(stated, x), getattr(found, x)) for x in arrays):
                raise FileFormatError(f"expected {part} that a constructor makes, got others")
        return again
    raise FileFormatError(f"expected kind {', '.join(map(repr, _KINDS))}, got {kind!r}")


def _values(record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record, with tuples of labels, and infinity in place of None."""
    values = {name: held for name, held in record.items() if name not in _NO_FIELDS}
    for name in _LABELS:
        if values.get(name) is not None:
            values[name] = tuple(_label(value) for value in values[name])
    for name in _ENDLESS:
        if name in values:
            values[name] = _none_as_endless(values[name])
    return values


def stated_solution(record: dict[str, Any]) -> Solution:
    """Return the solution that an answer of the service states, without checking it."""
    about = {"format": FORMAT, "version": VERSION, "kind": "solution"}
    nothing = dict.fromkeys(("stopped", "method"), "") | {"seconds": 0.0, "lower_bound": 0.0}
    bounds = dict.fromkeys(("labels", "upper_bound", "target", "share"))
    solution = _solution({**bounds, **nothing, "trace": [], **record, **about})
    return replace(solution, status=record["status"], stated=None)


def _of_part(name: str, value: Any) -> Any:
    """Convert a loaded field of limits, floors or returns to the type that its class needs."""
    if name == "names":
        return tuple(map(str, value))
    if name == "stated":
        return {name: _limit(name, own) for name, own in value.items()}
    return int(value) if name.startswith("n_") else np.asarray(value)


def _as_lists(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as JSON holds it: with lists in place of the arrays of a ``.npz`` file."""
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in record.items()}


def _solution(record: dict[str, Any]) -> Solution:
    """Build an unverified solution from a file; raise FileFormatError for invalid fields."""
    if fault := fault_of(_as_lists(record)):
        raise FileFormatError(fault)
    values = _values(record)
    for name in ("value", "cost", "seconds", "target", "share", "upper_bound", "lower_bound"):
        values[name] = None if values[name] is None else float(values[name])
    steps = Trace(Step(*step) for step in values.pop("trace"))
    values["selected"] = _column(values, "selected", np.int64)
    # Anybody can write a file, so its status does not count until `verify` has checked it.
    stated = {"status": "unverified", "stated": values.pop("status")}
    read = {"dual": _dual(values), "tree": _tree(values)}
    return Solution(**{**read, **values, **stated}, trace=steps)


def _dual(values: dict[str, Any]) -> Dual | None:
    """Remove the fields of the dual point from `values` and return it; None without one."""
    if "shares" not in values:
        return None
    price, unit = float(values.pop("price")), float(values.pop("price_unit"))
    rows, floors = (
        _column(values, name) if name in values else None
        for name in ("row_prices", "floor_rewards")
    )
    pieces = None
    if "pieces_edges" in values:
        kinds = (np.int32, np.float64, np.int64, np.int64)
        pieces = AffinePieces(
            *(
                _column(values, f"pieces_{x}", k)
                for x, k in zip(AffinePieces._fields, kinds, strict=True)
            )
        )
    return Dual(price, _column(values, "shares"), unit, rows, floors, pieces)


def _tree(values: dict[str, Any]) -> CaseTree | None:
    """Remove the fields of the tree from `values` and return it; None without one."""
    if "tree_nodes" not in values:
        return None
    values.pop("tree_format")
    nodes, points = (unpacked(values.pop(f"tree_{name}")) for name in ("nodes", "points"))
    return CaseTree(
        nodes=np.array(nodes_of(nodes), dtype=np.int64),
        points=points,
        rates=_column(values, "tree_rates"),
        most=float(values.pop("tree_most")),
    )


def _column(values: dict[str, Any], name: str, dtype: Any = np.float64) -> Any:
    """Remove the field `name` from `values` and return it as an array of `dtype`."""
    return frozen(np.array(values.pop(name), dtype=dtype))


def _write(record: dict[str, Any], path: Path) -> None:
    if path.suffix.lower() == ".json":
        plain = {name: _endless_as_none(value) for name, value in record.items()}
        path.write_text(json.dumps(plain, allow_nan=False), encoding="utf-8")
        return
    arrays: dict[str, Any] = {k: v for k, v in record.items() if isinstance(v, np.ndarray)}
    rest = {k: _endless_as_none(v) for k, v in record.items() if k not in arrays}
    text = np.frombuffer(json.dumps(rest).encode(), dtype=np.uint8)
    np.savez_compressed(path, header=text, **arrays)


def _read(file: BinaryIO, ending: str) -> Any:
    """Return what a file holds: a record of `save`, plain JSON, or the columns of a table."""
    if ending == ".json":
        return parse_json(file.read())
    if ending == ".parquet":
        needed = "Parquet files need pyarrow: pip install 'maxcover[parquet]'"
        return import_extra("pyarrow.parquet", needed).read_table(file)
    if ending in DELIMITERS:
        return text_columns(file.read(), ending)
    with np.load(file, allow_pickle=False) as archive:
        header = parse_json(archive["header"].tobytes())
        # always set "format", so that `load` never takes an npz file for plain JSON
        record = {"format": None, **header} if isinstance(header, dict) else {"format": None}
        return record | {name: archive[name] for name in archive.files if name != "header"}


def _typed(columns: dict[str, list[str]], file: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a text table, with numeric columns converted to floats."""
    ends = {options.get("set", "set"), options.get("element", "element")}
    if not ends <= columns.keys():
        raise FileFormatError(
            f"expected the columns {', '.join(sorted(ends, reverse=True))} in the first line "
            f"of {file!r}, and {', '.join(ROLES)} if there are any; got "
            f"{', '.join(columns) or 'nothing'}"
        )
    if not columns[next(iter(ends))]:
        raise FileFormatError(f"expected rows below the first line of {file!r}, got none")
    numeric = {options.get(role.argument, x) for x, role in ROLES.items() if role.is_number}
    of_edges = {options.get(role.argument, x) for x, role in ROLES.items() if role.of == "edge"}

    def cell(text: str | None, name: str, line: int) -> Any:
        if name not in numeric and not name.startswith("cost:"):
            return text or None
        if name in of_edges and (several := listed(text)) is not None:
            return several
        try:
            return float(text or "")
        except ValueError:
            raise FileFormatError(
                f"{file}, line {line}: {name}: expected a number, got {text!r}"
            ) from None

    return {
        name: [cell(text, name, line) for line, text in enumerate(texts, start=2)]
        for name, texts in columns.items()
    }
