"""Problems and solutions to and from disk: ``.npz``, ``.json``; problems ``.parquet`` too.

No format can hold code: npz is read without pickle, and labels are JSON. A file that is damaged,
hostile or not ours gives a `FileFormatError`.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxcover.core.bounds import Dual, Pieces
from maxcover.core.limits import Floors, Limits
from maxcover.core.problem import CoverageProblem
from maxcover.core.returns import Returns
from maxcover.core.solution import Solution, Step
from maxcover.core.validation import frozen
from maxcover.errors import FileFormatError, MissingExtraError, OptionError
from maxcover.options import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

FORMAT = "maxcover"
VERSION = 1
_UNSAVED = ("info", "budgets", "problem")
_KINDS = {"problem": CoverageProblem, "solution": Solution}

# Parts of a problem with fields of their own, and the field that is empty where there is nothing.
_PARTS = {"limits": (Limits, "names"), "floors": (Floors, "names"), "returns": (Returns, "of")}
_LABELS = ("set_labels", "element_labels")
# Limits that may be infinite, which JSON does not know.
_OPEN = ("limits_high",)
_NUMBERS = ("value", "cost", "seconds", "target", "share", "upper_bound", "lower_bound")
_DTYPES = {
    "indptr": np.int64,
    "indices": np.int32,
    "required": np.int64,
    "forbidden": np.int64,
    "selected": np.int64,
    "limits_sets": np.int32,
    "floors_elements": np.int32,
}


@checked
def save(item: CoverageProblem | Solution, path: str | os.PathLike[str]) -> None:
    """Write a problem or a solution; the ending of the path decides the format.

    The file appears whole or not at all. Labels must be text, numbers, booleans, None or tuples of
    these.

    Parameters
    ----------
    item : CoverageProblem or Solution
    path : path
        Ending in ``.npz`` (compact, exact), ``.json`` (readable, exact) or ``.parquet`` (problems
        only: an edge list that any data tool reads; needs the extra ``[parquet]``).

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
    codec = _codec(target)
    record = _record(item)
    if record["kind"] != "problem" and not codec.solutions:
        raise OptionError(f"expected .npz or .json for a {record['kind']}, got {target.name!r}")
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name}.", suffix=target.suffix
    )
    os.close(handle)
    try:
        codec.write(record, Path(name))
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


@checked
def load(path: str | os.PathLike[str]) -> CoverageProblem | Solution:
    """Read what `save` wrote.

    A solution is "unverified" until `verify` has checked it against its problem.

    Raises
    ------
    FileFormatError
        The file is not ours, is damaged, does not hold a valid problem, or has a newer format.

    Examples
    --------
    >>> load("README.md")
    Traceback (most recent call last):
    maxcover.errors.OptionError: expected a path that ends in .npz, .json, .parquet, got 'README.md'
    """
    source = Path(path)
    codec = _codec(source)
    with source.open("rb"):  # a missing or unreadable file is the operating system's to explain
        pass
    try:
        return _item(codec.read(source))
    except (FileFormatError, MissingExtraError):
        raise
    except Exception as error:
        # whatever a damaged or hostile file makes a parser raise, the user hears one thing
        raise FileFormatError(
            f"expected a {FORMAT} file in {source.name!r}, got {type(error).__name__}: {error}; "
            "it may be damaged or made by another program"
        ) from error


def _record(item: CoverageProblem | Solution) -> dict[str, Any]:
    """Flatten an object into a dictionary of arrays and JSON values."""
    kind = next((kind for kind, made in _KINDS.items() if isinstance(item, made)), None)
    if kind is None:
        raise OptionError(f"expected a CoverageProblem or a Solution, got {type(item).__name__}")
    values = {f.name: getattr(item, f.name) for f in fields(item) if f.name not in _UNSAVED}
    for name in (*_LABELS, "labels"):
        if values.get(name) is not None:
            values[name] = [_plain_label(label) for label in values[name]]
    if "trace" in values:  # JSON has no infinity: there is a first bound, and a first selection
        values["trace"] = [
            [*step[:2], *(None if x == np.inf else x for x in step[2:])] for step in values["trace"]
        ]
    if (dual := values.pop("dual", None)) is not None:
        values |= {"price": dual.price, "price_unit": dual.unit, "shares": dual.shares}
        prices = {"row_prices": dual.rows, "floor_rewards": dual.floors}
        values |= {name: held for name, held in prices.items() if held is not None}
        if dual.pieces is not None:
            values |= {f"pieces_{name}": held for name, held in dual.pieces._asdict().items()}
    for part, (made, marker) in _PARTS.items():
        if (held := values.pop(part, None)) is None:
            continue
        if len(getattr(held, marker)) or (isinstance(held, Limits) and held.loose):
            values |= {f"{part}_{f.name}": getattr(held, f.name) for f in fields(made)}
            if made is not Returns:
                values[f"{part}_keys"] = [_key(key) for key in held.keys]
            if made is Limits:
                values["limits_loose"] = [_key(key) for key in held.loose]
    return {"format": FORMAT, "version": VERSION, "kind": kind, **values}


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


def _label(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(_label(part) for part in value)
    if isinstance(value, dict):
        raise FileFormatError(f"expected a label, got {value!r}")
    return value  # type: ignore[no-any-return]


def _item(record: dict[str, Any]) -> CoverageProblem | Solution:
    """Build the object that a record describes; the constructors check what it holds."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise FileFormatError(f"expected a file written by {FORMAT}, got another one")
    if record.get("version") != VERSION:
        raise FileFormatError(
            f"expected format version {VERSION}, got {record.get('version')!r}; update {FORMAT} "
            "to read it"
        )
    kind = record.get("kind")
    values = {name: record[name] for name in record if name not in ("format", "version", "kind")}
    for name in (*_LABELS, "labels"):
        if values.get(name) is not None:
            values[name] = tuple(_label(value) for value in values[name])
    for name, dtype in _DTYPES.items():
        if name in values:
            values[name] = _whole(values[name], name, dtype)
    if kind == "problem":
        for part, (made, marker) in _PARTS.items():
            if f"{part}_{marker}" in values:
                found = {f.name: values.pop(f"{part}_{f.name}") for f in fields(made)}
                keys = {name: _keys(found.pop(name)) for name in ("keys", "loose") if name in found}
                values[part] = made(**{k: _as_part(v) for k, v in found.items()}, **keys)
        return CoverageProblem(**values)
    if kind == "solution":
        return _solution(values)
    raise FileFormatError(f"expected kind {', '.join(map(repr, _KINDS))}, got {kind!r}")


def _solution(values: dict[str, Any]) -> Solution:
    """Build a solution from a file; what is no answer is refused, what is one is unverified."""
    for name in _NUMBERS:
        stated = values.get(name)
        if stated is None and name in ("target", "share", "upper_bound", "lower_bound"):
            values.pop(name, None)
        elif isinstance(stated, bool) or not isinstance(stated, int | float):
            raise FileFormatError(f"expected {name} to be a number, got {stated!r}")
        elif np.isnan(stated) or (abs(stated) == np.inf and name != "upper_bound"):
            raise FileFormatError(f"expected {name} to be finite, got {stated!r}")
        else:
            values[name] = float(stated)
    for name in ("stopped", "bound_by", "method"):
        if not isinstance(values.get(name), str):
            raise FileFormatError(f"expected {name} to be a text, got {values.get(name)!r}")
    steps = tuple(
        Step(float(seconds), str(part), *(np.inf if x is None else float(x) for x in ends))
        for seconds, part, *ends in values.pop("trace")
    )
    if values["selected"].ndim != 1:
        raise FileFormatError("expected selected to be a list of sets, got lists in it")
    values["selected"] = frozen(values["selected"])
    dual = _dual(values)
    # anybody can write a file: what it says of itself counts once `verify` has checked it
    return Solution(**{**values, "status": "unverified", "dual": dual}, trace=steps)


def _dual(values: dict[str, Any]) -> Dual | None:
    """Take the dual point out of what a file says."""
    if "shares" not in values:
        return None

    def column(name: str, dtype: Any = np.float64) -> Any:
        found = np.asarray(values.pop(name))
        if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
            raise FileFormatError(f"expected {name} to be numbers, got {found.dtype}")
        return frozen(found.astype(dtype))

    price, unit = float(values.pop("price")), float(values.pop("price_unit"))
    rows, floors = (
        column(name) if name in values else None for name in ("row_prices", "floor_rewards")
    )
    pieces = None
    if "pieces_edges" in values:
        kinds = (np.int32, np.float64, np.int64, np.int64)
        pieces = Pieces(
            *(column(f"pieces_{x}", kind) for x, kind in zip(Pieces._fields, kinds, strict=True))
        )
    return Dual(price, column("shares"), unit, rows, floors, pieces)


def _key(key: tuple[Any, ...]) -> list[Any]:
    """Return what a row was made of as JSON can hold it."""
    kind, group, *rest = key
    try:
        return [kind, _plain_label(group), *rest]
    except OptionError:  # a group is there for messages alone
        return [kind, str(group), *rest]


def _keys(stated: Any) -> tuple[Any, ...]:
    """Return what rows were made of."""
    keys = tuple((kind, _label(group), *map(_label, rest)) for kind, group, *rest in stated)
    if not all(isinstance(kind, str) for kind, *_ in keys):
        raise FileFormatError(f"expected keys of limits by name, got {keys[0]!r}")
    return keys


def _as_part(values: Any) -> Any:
    """Return a list of names as a tuple, and numbers as an array."""
    is_text = isinstance(values, list) and bool(values) and isinstance(values[0], str)
    return tuple(values) if is_text else np.asarray(values)


def _whole(values: Any, name: str, dtype: Any) -> Any:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise FileFormatError(f"expected {name} to be whole numbers, got {array.dtype}")
    most = np.iinfo(dtype).max
    if array.size and (int(array.max()) > most or int(array.min()) < -1):
        raise FileFormatError(f"expected {name} between -1 and {most}, got {array.max()}")
    return array.astype(dtype)


def _write_json(record: dict[str, Any], path: Path) -> None:
    plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in record.items()}
    for name in _OPEN:
        if name in plain:
            plain[name] = [None if value == np.inf else value for value in plain[name]]
    if plain.get("upper_bound") == np.inf:
        plain["upper_bound"] = None
    path.write_text(json.dumps(plain, allow_nan=False), encoding="utf-8")


def _read_json(path: Path) -> Any:
    record = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(record, dict):
        for name in _OPEN:
            if name in record:
                record[name] = [np.inf if value is None else value for value in record[name]]
    return record


def _write_npz(record: dict[str, Any], path: Path) -> None:
    arrays: dict[str, Any] = {k: v for k, v in record.items() if isinstance(v, np.ndarray)}
    rest = {k: v for k, v in record.items() if k not in arrays}
    text = np.frombuffer(json.dumps(rest).encode(), dtype=np.uint8)
    np.savez_compressed(path, header=text, **arrays)


def _read_npz(path: Path) -> Any:
    # opened here, because np.load leaves a file open that is no archive
    with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes().decode())
        return {**header, **{name: archive[name] for name in archive.files if name != "header"}}


def _write_parquet(record: dict[str, Any], path: Path) -> None:
    """Write one row per edge, with cost and weight; a node without edges has a row of its own."""
    pa, pq = _pyarrow()
    indptr, indices = record["indptr"], record["indices"]
    degrees = np.diff(indptr)
    lone_sets = np.flatnonzero(degrees == 0)
    lone_elements = np.flatnonzero(np.bincount(indices, minlength=len(record["weights"])) == 0)
    sets = np.repeat(np.arange(degrees.size), degrees)
    blank = (lone_sets.size, lone_elements.size)
    set_column = np.concatenate((sets, lone_sets, np.full(blank[1], -1)))
    element_column = np.concatenate((indices, np.full(blank[0], -1), lone_elements))
    columns = {
        "set": pa.array(set_column, pa.int32(), mask=set_column < 0),
        "element": pa.array(element_column, pa.int32(), mask=element_column < 0),
        "cost": pa.array(_of(record["costs"], set_column), mask=set_column < 0),
        "weight": pa.array(_of(record["weights"], element_column), mask=element_column < 0),
    }
    rest = {k: v for k, v in record.items() if k not in ("indptr", "indices", "costs", "weights")}
    rest = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in rest.items()}
    rest["n_sets"], rest["n_elements"] = degrees.size, len(record["weights"])
    table = pa.table(columns).replace_schema_metadata({FORMAT: json.dumps(rest)})
    pq.write_table(table, path)


def _of(values: Any, positions: Any) -> Any:
    """Look up values at positions; anything where the position is -1, which is masked."""
    return np.append(values, 0.0)[positions]


def _read_parquet(path: Path) -> Any:
    _, pq = _pyarrow()
    table = pq.read_table(path)
    header = json.loads((table.schema.metadata or {}).get(FORMAT.encode(), b"{}"))
    if not header:
        raise FileFormatError(
            f"expected a Parquet file that {FORMAT} saved, got another one; read it with pyarrow "
            "and use "
            "CoverageProblem.from_table"
        )
    n_sets, n_elements = int(header.pop("n_sets")), int(header.pop("n_elements"))
    # fill_null(-1): the row of a node without edges
    sets, elements = (
        table[name].combine_chunks().fill_null(-1).to_numpy(zero_copy_only=False)
        for name in ("set", "element")
    )
    for name, column, size in (("set", sets, n_sets), ("element", elements, n_elements)):
        if column.size and (int(column.max()) >= size or int(column.min()) < -1):
            raise FileFormatError(f"expected column {name!r} below {size}, got {column.max()}")
    costs, weights = np.full(n_sets, np.nan), np.full(n_elements, np.nan)
    costs[sets[sets >= 0]] = _filled(table, "cost")[sets >= 0]
    weights[elements[elements >= 0]] = _filled(table, "weight")[elements >= 0]
    edge = (sets >= 0) & (elements >= 0)
    built = CoverageProblem.from_edges(
        sets[edge], elements[edge], costs=costs, weights=weights, budget=0
    )
    return {
        **header,
        "indptr": built.indptr,
        "indices": built.indices,
        "costs": costs,
        "weights": weights,
    }


def _filled(table: Any, name: str) -> Any:
    return table[name].combine_chunks().fill_null(np.nan).to_numpy(zero_copy_only=False)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError(
            "Parquet files need pyarrow: pip install 'maxcover[parquet]'"
        ) from error
    return pa, pq


class _Codec(NamedTuple):
    write: Callable[[dict[str, Any], Path], None]
    read: Callable[[Path], Any]
    solutions: bool


FORMATS = {
    ".npz": _Codec(_write_npz, _read_npz, solutions=True),
    ".json": _Codec(_write_json, _read_json, solutions=True),
    ".parquet": _Codec(_write_parquet, _read_parquet, solutions=False),
}


def _codec(path: Path) -> _Codec:
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"expected a path that ends in {', '.join(FORMATS)}, got {path.name!r}")
    return FORMATS[path.suffix.lower()]
