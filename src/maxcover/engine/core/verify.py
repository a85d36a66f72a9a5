"""Verify: check a saved answer against its problem, in whole numbers and fractions.

This file needs nothing but Python's standard library. Copied out, it checks what `maxcover.save`
wrote as ``.json``, and ends with 0 (proven), 1 (refused) or 3 (trusted)::

    python verify.py problem.json solution.json [--strict]

What is proven
--------------
A problem has sets ``i``, elements ``a`` and limits ``r``. A selection S is *feasible* if for every
limit ``low[r] <= sum of amount[r, i] over i in S <= high[r]``, if it holds the required sets and no
forbidden ones, and if certain elements together give at least a minimum. It is worth the sum of
``F_a(S)``, what each element gives. (Coverage: ``F_a(S)`` is the weight of ``a`` if some set of S
holds ``a``, else 0. The budget is limit 0.)

Take any numbers ``price[r]`` and, for every element, any numbers with

    F_a(S) <= c[a] + sum of e[i, a] over i in S        for every S.                       (1)

Then for every feasible S, writing ``end[r]`` for ``high[r]`` if ``price[r] > 0`` and else
``low[r]``,

    value(S) <= sum_a c[a] + sum_r price[r] * end[r]
                + sum_i max(0, sum_a e[i, a] - sum_r price[r] * amount[r, i]),            (2)

where required sets count without the ``max``, and sets that no feasible selection holds do not
count at all.

Proof. Sum (1) over all elements. Add ``price[r] * (end[r] - sum of amount[r, i] over S)`` for every
limit: none of these is negative, because S keeps the limit. What is left of each set of S is
``sum_a e[i, a] - sum_r price[r] * amount[r, i]``, which is at most its ``max(0, ...)``, and the
sets outside of S add nothing below 0. []

The numbers come from the answer: its *dual point*. Whatever they are, (2) holds; poor ones give a
bound that is too high, never one that is wrong. With w the weight of an element, (1) holds for

- COUNT, an element that gives ``f(k)`` when k chosen sets hold it: ``e = share`` for any share, and
  ``c`` = the largest of ``f(k) - k * share``. Coverage has f = 0, w, w, ..., and ``c = w - share``.
- BEST, which gives w times the largest strength of its chosen edges: ``c = v`` for any v >= 0, and
  ``e = max(0, w * strength - v)``.
- CHANCE, which gives w times the probability that a chosen edge works: for any set T of its edges,
  with q the probability that all of T fail, ``c = w * (1 - q)``, and ``e = 0`` inside T and
  ``w * q * strength`` outside. Means of such bounds hold as well (`ChancePieces`).

A minimum ``low`` of what some elements give is kept by any feasible S, so for any reward >= 0 what
they give may be counted ``1 + reward`` times if ``reward * low`` is taken off.

An answer may carry a *tree*: sets are decided one after the other, and each leaf is a case with its
own dual point. Required in a case are the sets that it has, forbidden those that it has not. Every
selection is in one of the cases, so the largest of their bounds holds.

For an answer that covers enough for the least cost, (2) is solved for the cost: if S is worth
``goal``, then what it costs, times the price of the budget, is at least ``goal`` less the other
terms of (2). A tree proves it as it stands: with the next cheaper cost as the budget, no selection
is worth ``goal``.

How numbers are read
--------------------
A number means itself if it is whole, else the decimal that it prints as. Values are counted in
``1 / scale``; numbers that are no whole multiple of it are rounded in the direction that raises the
bound. Where all weights are multiples of a unit, so is every value, and a bound may be rounded down
to one. An answer of which a field is missing, unknown or of another type (`FIELDS`) is refused.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "maxcover"
VERSION = 1
#: The version of how a tree is written.
TREE_FORMAT = 1
#: Most bytes that the nodes, or the points, of a tree may have.
MOST_BYTES = 2**28
STATUSES = ("optimal", "within gap", "heuristic", "unverified")
#: Solvers whose claimed bound may be trusted where the dual point proves less.
WITNESSES = ("HiGHS", "branch and bound", "reduced costs")
#: Relative error of stated values, which are floats.
ROUNDING = Fraction(1, 2**51)
#: The smallest positive float.
SMALLEST = Fraction(1, 2**1074)
#: Relative tolerance of minima of value.
FLOOR = Fraction(1, 10**12)
#: Relative tolerance of a proof about numbers without a unit: 1e-9, and 5e-12 for rounding.
CLOSE = Fraction(1005, 10**12)
#: Stands for infinity: larger than every sum of floats.
ENDLESS = Fraction(2**3000)
#: A sum of at least this counts as infinite.
FINITE = 2**2000
#: Floats cannot tell apart larger multiples of a unit than this one.
MOST_MULTIPLES = 2.0**52
#: Exit codes by outcome; the code 2 means that the command or the problem is wrong.
EXIT_CODES = {"proven": 0, "refused": 1, "trusted": 3}

Record = dict[str, Any]
"""The content of a ``.json`` file that `maxcover.save` wrote; null stands for infinity."""


def parse_json(text: bytes) -> Any:
    """Parse JSON; raise ValueError if an object has a name twice, since one value would be lost.

    Examples
    --------
    >>> parse_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: expected each name once in an object, got 'a' twice
    """
    try:
        return json.loads(
            text.decode("utf-8-sig"), object_pairs_hook=_each_once, parse_constant=_no_constant
        )
    except RecursionError:
        raise ValueError("expected fewer lists within lists") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"expected each name once in an object, got {name[:60]!r} twice")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"expected a number, got {name}, which JSON does not know")


def is_number(value: Any) -> bool:
    """Whether `value` is a number in the range of finite floats."""
    most = sys.float_info.max
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and -most <= value <= most


def _is_number_or_null(value: Any) -> bool:
    return value is None or is_number(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_label(value: Any) -> bool:
    return all(map(_is_label, value)) if isinstance(value, list) else not isinstance(value, dict)


def _are_labels(value: Any) -> bool:
    return value is None or (isinstance(value, list) and _is_label(value))


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_number, value))


def _are_whole(value: Any, bits: int = 64) -> bool:
    end = 2 ** (bits - 1)
    return isinstance(value, list) and all(type(x) is int and -end <= x < end for x in value)


def packed(data: bytes) -> str:
    """Return bytes as a short text.

    Examples
    --------
    >>> unpacked(packed(b"points"))
    b'points'
    """
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def unpacked(text: str) -> bytes:
    """Return the bytes that `packed` was given; raise ValueError if it was given none."""
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"expected packed bytes, got {error}") from None
    if not reader.eof or reader.unused_data:
        raise ValueError("expected packed bytes, got a part of them, too many or others too")
    return data


def nodes_as_bytes(nodes: list[int]) -> bytes:
    """Return the nodes of a tree, ``2 * i + b`` or ``~p``, as numbers of seven bits a byte.

    Points are numbered as they first occur, so a leaf says how far its point is from the next new
    one.

    Examples
    --------
    >>> nodes_of(nodes_as_bytes([7, ~0, 300, ~1, ~0]))
    [7, -1, 300, -2, -1]
    """
    found, n_points = bytearray(), 0
    for node in nodes:
        back = n_points - ~node
        code = 2 * node if node >= 0 else 4 * abs(back) + (1 if back >= 0 else 3)
        n_points = max(n_points, ~node + 1)
        while code >= 128:
            found.append(code % 128 + 128)
            code //= 128
        found.append(code)
    return bytes(found)


def nodes_of(data: bytes) -> list[int]:
    """Return the nodes that `nodes_as_bytes` was given."""
    nodes: list[int] = []
    code, factor, n_points = 0, 1, 0
    for byte in data:
        code += byte % 128 * factor
        factor *= 128
        if byte < 128 or factor > 2**70:
            back = code // 4 if code % 4 == 1 else -(code // 4)
            nodes.append(code // 2 if code % 2 == 0 else ~(n_points - back))
            n_points = max(n_points, ~nodes[-1] + 1)
            code, factor = 0, 1
    return nodes


def _is_packed(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(unpacked(value) or True)
    except ValueError:
        return False


def _are_steps(value: Any) -> bool:
    each = value if isinstance(value, list) else [None]
    return all(
        isinstance(step, list)
        and len(step) == 4
        and isinstance(step[1], str)
        and all(map(_is_number_or_null, (step[0], *step[2:])))
        for step in each
    )


class FileField(NamedTuple):
    """What a field of an answer must be: in words, and as a function that tests a value.

    The field is needed if the answer has one of the fields `beside`; always if that is None.
    """

    words: str
    fits: Any
    beside: tuple[str, ...] | None = None


_PIECES = ("pieces_elements", "pieces_shares", "pieces_indptr", "pieces_edges")
_DUAL = ("price", "price_unit", "shares", "row_prices", "floor_rewards", *_PIECES)
_TREE = ("tree_format", "tree_nodes", "tree_points", "tree_rates", "tree_most")
_NUMBER, _TEXT = ("a number", is_number), ("a text", _is_text)
_BOUND = ("a number or null", _is_number_or_null)
_NUMBERS, _WHOLE = ("a list of numbers", _are_numbers), ("a list of whole numbers", _are_whole)
#: The fields of an answer.
FIELDS = {
    "format": FileField(repr(FORMAT), lambda value: value == FORMAT),
    "version": FileField(str(VERSION), lambda value: value == VERSION),
    "kind": FileField("'solution'", lambda value: value == "solution"),
    "selected": FileField(*_WHOLE),
    "labels": FileField("a list of labels or null", _are_labels),
    **dict.fromkeys(("value", "cost", "lower_bound", "seconds"), FileField(*_NUMBER)),
    **dict.fromkeys(("upper_bound", "target", "share"), FileField(*_BOUND)),
    "status": FileField(f"one of {', '.join(STATUSES)}", lambda value: value in STATUSES),
    **dict.fromkeys(("bound_by", "stopped", "method"), FileField(*_TEXT)),
    "trace": FileField("a list of steps: seconds, part, value, bound", _are_steps),
    "gap": FileField(*_NUMBER, beside=()),
    "price": FileField(*_BOUND, beside=_DUAL),
    "price_unit": FileField(*_NUMBER, beside=_DUAL),
    "shares": FileField(*_NUMBERS, beside=_DUAL),
    **dict.fromkeys(("row_prices", "floor_rewards"), FileField(*_NUMBERS, beside=())),
    "pieces_elements": FileField(_WHOLE[0], lambda value: _are_whole(value, 32), beside=_PIECES),
    "pieces_shares": FileField(*_NUMBERS, beside=_PIECES),
    **dict.fromkeys(("pieces_indptr", "pieces_edges"), FileField(*_WHOLE, beside=_PIECES)),
    "tree_format": FileField(str(TREE_FORMAT), lambda value: value == TREE_FORMAT, beside=_TREE),
    **dict.fromkeys(
        ("tree_nodes", "tree_points"), FileField("packed bytes", _is_packed, beside=_TREE)
    ),
    "tree_rates": FileField(*_NUMBERS, beside=_TREE),
    "tree_most": FileField(*_NUMBER, beside=_TREE),
}


def fault_of(answer: Any) -> str:
    """Return what is wrong with the fields of an answer, as a message; empty if nothing is.

    Examples
    --------
    >>> fault_of({"value": "3"})
    "expected value to be a number, got '3'"
    """
    if not isinstance(answer, dict):
        return f"expected an object with fields, got {type(answer).__name__}"
    for name, value in answer.items():
        if name not in FIELDS:
            return f"expected the fields of a solution, got {name[:60]!r} too"
        if not FIELDS[name].fits(value):
            return f"expected {name} to be {FIELDS[name].words}, got {repr(value)[:60]}"
    for name, field in FIELDS.items():
        if name not in answer and (field.beside is None or any(x in answer for x in field.beside)):
            return f"expected {name}, got nothing"
    if "gap" in answer and abs(number(answer["gap"]) - (gap := _gap(answer))) > CLOSE:
        return f"expected gap to be {float(gap):.6g}, as value and bound say, got {answer['gap']}"
    return ""


def _gap(answer: Record) -> Fraction:
    """Return the gap between the stated value (or cost) and its stated bound."""
    names = ("upper_bound", "value") if answer["target"] is None else ("cost", "lower_bound")
    most, least = (number(answer[name], none=ENDLESS) for name in names)
    return min(max((most - least) / most, Fraction()), Fraction(1)) if most > 0 else Fraction()


class ElementKind(IntEnum):
    """How an element gives value, as coded in files; numbers above 0 also mean COUNT."""

    COUNT = 0
    BEST = -1
    CHANCE = -2


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """Result of a check: statements that hold, that do not hold, and that a solver only claims.

    `bound` is what the dual point proves, and `status` what is proven of the answer. `unchecked`
    says what an answer of `cover` leaves open: its budget.
    """

    checked: tuple[str, ...]
    refused: tuple[str, ...]
    trusted: tuple[str, ...]
    bound: float
    status: str
    unchecked: str = ""

    @property
    def outcome(self) -> str:
        """The verdict on the answer: "proven", "trusted" or "refused"."""
        return "refused" if self.refused else "trusted" if self.trusted else "proven"

    @property
    def ok(self) -> bool:
        """Whether no statement was refused; a bound that a solver only claims is not refused."""
        return not self.refused

    @property
    def headline(self) -> str:
        """The outcome and what it means, in one line."""
        if self.refused:
            return f"refused: {len(self.refused)} of the statements do not hold"
        said = "proven: every statement was checked in exact arithmetic; "
        if self.trusted:
            by = self.trusted[0].partition(":")[0]
            said = f"trusted: all else holds, but the bound is the word of {by}; proven: "
        return said + self.status + (f"; {self.unchecked}" if self.unchecked else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dict that JSON can hold."""
        words = {name: list(getattr(self, name)) for name in ("checked", "refused", "trusted")}
        about = {"outcome": self.outcome, "ok": self.ok, "status": self.status}
        bound = self.bound if math.isfinite(self.bound) else None
        return {**about, "bound": bound, "unchecked": self.unchecked, **words}

    def __str__(self) -> str:
        kinds = {"holds": self.checked, "refused": self.refused, "trusted": self.trusted}
        rows = [f"{name:8} {text}" for name, said in kinds.items() for text in said]
        return "\n".join([self.headline, *rows])


def refusal(fault: str) -> CheckReport:
    """Return the report on an answer that cannot be read; `fault` says why."""
    said = (f"not so: the answer is complete and undamaged: {fault}",)
    return CheckReport(checked=(), refused=said, trusted=(), bound=math.inf, status="unverified")


class BoundClaim(NamedTuple):
    """The bound that an answer states, compared with the bound that its dual point proves.

    `holds`: the dual point proves the stated bound, up to rounding. `possible`: the selection does
    not contradict the stated bound. `is_stated_best`, `is_proven_best`: the stated, or the proven,
    bound shows that no selection is better.
    """

    words: str
    proven: Fraction
    holds: bool
    possible: bool
    is_stated_best: bool
    is_proven_best: bool


def check(problem: Record, answer: Record, *, strict: bool = False) -> CheckReport:
    """Recompute value, cost, every limit and the bound of an answer in exact arithmetic.

    Parameters
    ----------
    problem, answer : dict
        As read from ``.json`` files.
    strict : bool
        Refuse a bound that a solver only claims.
    """
    if fault := fault_of(answer):
        return refusal(fault)
    is_cover = answer["target"] is not None
    case = ExactProblem(problem, is_cover=is_cover)
    chosen = answer["selected"]
    known = chosen == sorted({*chosen}) and all(0 <= i < case.n_sets for i in chosen)
    found = {"the selection names sets of the problem, each once, in order": known}
    chosen = chosen if known else []
    gives = case.gives(chosen)
    value, spent = Fraction(sum(gives), case.scale), case.limits[0].used(chosen)
    found["every required set is selected"] = {*case.required} <= {*chosen}
    found["no forbidden set is selected"] = not {*chosen} & case.forbidden
    found |= {f"the limit of {one.name}": one.keeps(chosen) for one in case.limits[is_cover:]}
    for floor in case.floors:
        reached = sum(gives[a] for a in floor.elements)
        found[f"the minimum of {floor.name}"] = reached >= floor.low * case.scale
    labels = problem.get("set_labels")
    cost = spent if is_cover else min(spent, case.limits[0].high)
    terms = 4 + max(map(len, case.edges_of), default=0)
    found["value, cost and labels are as stated"] = (
        abs(number(answer["value"]) - value) <= terms * ROUNDING * value
        and abs(number(answer["cost"]) - cost) <= ROUNDING * cost
        # Labels are compared only if the answer has labels.
        and answer.get("labels") in (None, labels and [labels[i] for i in chosen])
    )
    if is_cover:
        goal = case.goal(answer)
        is_stated = abs(number(answer["target"]) - goal) <= ROUNDING * goal + SMALLEST
        is_met = goal < FINITE and value >= goal * (1 - ROUNDING)
        found["the target is as stated, and met"] = is_stated and is_met
        claim = _least_cost(case, answer, goal, spent)
    else:
        claim = _most_value(case, answer, value)
    rests = claim.possible and not claim.holds and not strict
    rests = rests and answer["bound_by"] in WITNESSES and "tree_nodes" not in answer
    found[claim.words] = claim.holds or rests
    stated = answer["status"]
    found["the status follows from the bound"] = stated != "optimal" or claim.is_stated_best
    status = "within gap" if stated == "within gap" else "heuristic"
    status = "optimal" if claim.is_proven_best else status
    return CheckReport(
        checked=tuple(x for x in found if found[x] and not (rests and x == claim.words)),
        refused=tuple(f"not so: {x}" for x in found if not found[x]),
        trusted=(f"{answer['bound_by']}: {claim.words}",) if rests else (),
        bound=float(claim.proven) if abs(claim.proven) < 2**1000 else math.inf,
        status=status if all(found.values()) else "unverified",
        unchecked=f"cost {float(spent):.10g}; the budget is not checked" if is_cover else "",
    )


def _most_value(case: ExactProblem, answer: Record, value: Fraction) -> BoundClaim:
    """Compare the stated upper bound with (2) of the module docstring."""
    unit, off = case.unit()
    stated = number(answer["upper_bound"], none=ENDLESS)

    def rounded(bound: Fraction) -> Fraction:
        """Round `bound` down to a multiple of `unit`, if values have a common unit."""
        if not unit or bound >= FINITE:
            return bound
        return min(bound, (bound + off) // unit * unit + off)

    def is_best(bound: Fraction) -> bool:
        return rounded(bound) <= value + (2 * off if unit else value * CLOSE)

    enough = stated + unit - 4 * off if unit else stated * (1 + ROUNDING)
    proven = max(rounded(Fraction(case.highest(answer, enough), case.scale)), value)
    # Allow an error of 32 roundings, because sums of amounts without a unit are inexact (see
    # Limit.slack).
    loose = stated * (1 + 32 * ROUNDING) + 2 * off
    said = math.inf if stated >= FINITE else float(stated)
    words = f"no selection is worth more than {said:.15g}"
    return BoundClaim(
        words, proven, loose >= proven, loose >= value, is_best(stated), is_best(proven)
    )


def _least_cost(case: ExactProblem, answer: Record, goal: Fraction, spent: Fraction) -> BoundClaim:
    """Compare the stated lower bound with (2) of the module docstring, solved for the cost."""
    stated = number(answer["lower_bound"], none=ENDLESS)
    budget = case.limits[0]
    least = budget.used(case.required)
    # No set of a cheaper selection costs more than `spent`, so dearer sets do not count for the
    # unit of costs.
    within = {i: x for i, x in budget.stated.items() if number(x) <= spent}
    row, (unit, off) = Limit("", within, (0.0, spent), case.out), case.unit()
    price, needed = case.prices(answer)[0], goal * (1 - ROUNDING)
    needed = -(-(needed - off) // unit) * unit - off if unit and goal < FINITE else needed
    if "tree_nodes" in answer and 0 < stated <= spent * (1 + ROUNDING) and goal < FINITE:
        row.below, case.limits[0] = min(stated, spent) * (1 - 2 * ROUNDING), row
        case.out |= {i for i in range(case.n_sets) if i not in within}
        least = stated if case.highest(answer, needed) < needed * case.scale else least
    elif price > 0 and goal < FINITE:
        rest = (needed - Fraction(case.bound(answer, spent), case.scale)) / price
        coin = row.coin or Fraction(1)
        least = max(least, rest, -(-(rest - row.off) // coin) * coin - row.off)
    least = min(least, spent)
    # If the coin is tiny, `certify` compares costs with the relative tolerance CLOSE instead.
    near = max(row.coin / 2 if row.is_exact else Fraction(), spent * CLOSE)

    def is_best(bound: Fraction) -> bool:
        return bound * (1 + ROUNDING) >= spent - near

    loose = stated * (1 - ROUNDING)
    said = math.inf if stated >= FINITE else float(stated)
    words = f"no selection that meets the target costs less than {said:.15g}"
    return BoundClaim(words, least, loose <= least, loose <= spent, is_best(stated), is_best(least))


class Floor(NamedTuple):
    """A minimum of the total value of some elements."""

    name: str
    elements: list[int]
    low: Fraction


class ChancePieces(NamedTuple):
    """Weighted sum of the affine bounds of one element of kind CHANCE; shares are the weights.

    `whole` is the sum of the shares, `won` the sum of ``1 - q``, `left` the sum of q, and
    ``lost[edge]`` the sum of q over the bounds whose T contains the edge. All are in 1 / fine.
    """

    whole: int
    won: int
    left: int
    lost: dict[int, int]


class BranchCase(NamedTuple):
    """A case of a tree: the sets decided in and out, and what a point proves of a case above it.

    `total` is the bound of that case, `profits` are those of its sets, and `loose` is a bound of
    this case: its last decision took off what it costs there.
    """

    inside: tuple[int, ...]
    outside: frozenset[int]
    point: int | None = None
    total: int = 0
    profits: Mapping[int, int] = MappingProxyType({})
    loose: int = 0

    def halves(self, i: int) -> list[BranchCase]:
        """Return the cases with set `i`, and without it."""
        profit = self.profits.get(i, 0)
        return [
            self._replace(inside=(*self.inside, i), loose=self.total + min(profit, 0)),
            self._replace(outside=self.outside | {i}, loose=self.total - max(profit, 0)),
        ]


class WholeLimit(NamedTuple):
    """A limit in whole numbers of 1 / `places`: amounts by set, minimum, maximum."""

    amounts: dict[int, int]
    low: int
    high: int
    places: int

    @classmethod
    def of(cls, limit: Limit) -> WholeLimit:
        """Return a limit in whole numbers; both ends are rounded inward, to a selection's total."""
        places = math.lcm(*(x.denominator for x in limit.amounts.values()))
        low, high = limit.ends()
        amounts = {i: x.numerator * (places // x.denominator) for i, x in limit.amounts.items()}
        return cls(amounts, math.ceil(low * places), math.floor(high * places), places)


class TreePoints:
    """The points of a tree: a point has a byte, prices of four bytes, and a share per element.

    There is a price for each limit, then a reward for each minimum of value. A share s of an
    element of kind CHANCE, of which the sets of a case leave the part q of its weight open, pays
    ``e = s * strength`` for each open edge, with ``s <= w * q``. Then ``c`` is the largest of
    ``w * (1 - q') - sum of s * strength`` over some of the open edges, which leave q' open. Taking
    one edge more adds ``strength * (w * q' - s)``: so the strongest edges, as long as that is
    positive, give the largest.

    The byte says in how many parts of a weight the shares are counted, one byte each. If it is 0,
    they are counted in 2**15 parts, in two bytes: first the higher byte of all shares, then the
    lower.
    """

    def __init__(self, case: ExactProblem, answer: Record) -> None:
        self.case, self.data = case, unpacked(answer["tree_points"])
        self.limits = [WholeLimit.of(limit) for limit in case.limits]
        self.n_prices = len(case.limits) + len(case.floors)
        self.rates = several(answer["tree_rates"], self.n_prices)
        self.most = number(answer["tree_most"])
        self.has_returns = bool(case.floors or any(case.curve_of))
        self.has_returns |= any(x != [case.one] for x in case.curves)
        # Smaller numbers are added faster: 40 bits for parts of a unit are enough.
        self.shift = 0 if self.has_returns else 24
        self.weights = [weight * case.one >> self.shift for weight in case.weights]
        self.elements = [case.members(i) for i in range(case.n_sets)]
        # What each element of kind COUNT gives by number of sets; the edges, strongest first.
        self.kinds = [case.kind(a) for a in range(len(self.weights))]
        self.levels = [
            case.levels(a, case.weights[a]) if kind is ElementKind.COUNT else []
            for a, kind in enumerate(self.kinds)
        ]
        self.edges_of = case.edges_of
        if case.strength:
            self.edges_of = [
                sorted(edges, key=case.strength.__getitem__, reverse=True)
                for edges in case.edges_of
            ]
        self.owner = [i for i in range(case.n_sets) for _ in case.members(i)]
        self.starts, at = [], 0
        head, m = 1 + 4 * self.n_prices, len(self.weights)
        while at < len(self.data):
            self.starts.append(at)
            at += head + (m if self.data[at] else 2 * m)
        self.count = len(self.starts) if at == len(self.data) else 0
        self.last: tuple[int, list[Fraction], list[int]] | None = None

    def read(self, p: int) -> tuple[int, list[Fraction], list[int]]:
        """Return the number of a point, its price of each limit, and its share of each element."""
        if self.last is not None and self.last[0] == p:
            return self.last
        at, m = self.starts[p], len(self.weights)
        parts, n = self.data[at], self.n_prices
        found = struct.unpack_from(f"<{n}f", self.data, at + 1)
        prices = [
            Fraction(x) * rate if math.isfinite(x) and rate > 0 else Fraction()
            for x, rate in zip(found, self.rates, strict=True)
        ]
        for r, limit in enumerate(self.case.limits):
            if limit.high >= FINITE:
                prices[r] = min(prices[r], Fraction())
        at += 1 + 4 * n
        counts = self.data[at : at + m]
        if parts:
            shares = [w * x // parts for w, x in zip(self.weights, counts, strict=True)]
        else:
            low = self.data[at + m : at + 2 * m]
            pairs = zip(self.weights, counts, low, strict=True)
            shares = [w * (256 * x + y) >> 15 for w, x, y in pairs]
        if self.has_returns:
            shares = [math.floor(share * self.most) for share in shares]
        else:
            shares = list(map(min, shares, self.weights))
        self.last = (p, prices, shares)
        return self.last

    def priced(self, p: int, case: BranchCase) -> tuple[int, dict[int, int]]:
        """Return the bound of a case by point `p` in units of 1 / scale, and its sets' profits."""
        _, prices, shares = self.read(p)
        out, charges = {*case.outside, *self.case.out}, [0] * self.case.n_sets
        rooms = []
        for amounts, low, high, _ in self.limits:
            used = sum(amounts.get(i, 0) for i in case.inside)
            rooms.append((low - used, high - used))
            if used > high:
                return -ENDLESS.numerator, {}
            out |= {i for i, x in amounts.items() if x > high - used}
        out.difference_update(case.inside)
        total = 0
        for price, (amounts, low, _, places), (need, room) in zip(
            prices, self.limits, rooms, strict=False
        ):
            taken = {*case.inside, *out}
            if low > 0 and sum(x for i, x in amounts.items() if i not in taken) < need:
                return -ENDLESS.numerator, {}
            if not price:
                continue
            # What the other sets use together is a multiple of what divides the amount of each.
            coin = math.gcd(*(x for i, x in amounts.items() if i not in taken)) or 1
            end = room // coin * coin if price > 0 else -(-need // coin) * coin
            scaled = price * (self.case.scale >> self.shift)
            total -= math.floor(-scaled * end / places)
            above, below = scaled.numerator, scaled.denominator * places
            for i, x in amounts.items():
                charges[i] += above * x // below
        rewards = [max(x, Fraction()) for x in prices[len(self.limits) :]]
        if rewards and not self.is_within_reach(out):
            return -ENDLESS.numerator, {}
        for reward, floor in zip(rewards, self.case.floors, strict=True):
            total -= math.floor(reward * floor.low * self.case.scale)
        earned = self.earned(shares, case.inside, out, rewards)
        total += earned.pop()
        profits, known = {}, out.union(case.inside)
        for i, sum_of in enumerate(earned):
            if i not in known:
                profit = (sum_of - charges[i]) << self.shift
                profits[i] = profit
        total = (total << self.shift) + sum(x for x in profits.values() if x > 0)
        return total, profits

    def is_within_reach(self, out: set[int]) -> bool:
        """Whether all sets but those `out` reach every minimum of value."""
        case = self.case
        gives = case.gives([i for i in range(case.n_sets) if i not in out])
        # What elements of kind CHANCE give is rounded down.
        loose = sum(case.weights) // case.fine * case.one * (case.n_sets + 1)
        return all(
            sum(gives[a] for a in floor.elements) + loose >= floor.low * case.scale
            for floor in case.floors
        )

    def earned(
        self,
        shares: list[int],
        inside: tuple[int, ...],
        out: set[int],
        rewards: list[Fraction],
    ) -> list[int]:
        """Return what each set earns by the shares; last, the constant and what `inside` earn."""
        if self.has_returns:
            return self.earned_by_returns(shares, inside, out, rewards)
        open_shares = shares.copy()
        for i in inside:
            for a in self.elements[i]:
                open_shares[a] = 0
        sums = [sum(map(open_shares.__getitem__, own)) for own in self.elements]
        return [*sums, sum(self.weights) - sum(open_shares)]

    def earned_by_returns(
        self,
        shares: list[int],
        inside: tuple[int, ...],
        out: set[int],
        rewards: list[Fraction],
    ) -> list[int]:
        """Return what `earned` does, where elements give returns or have rewards."""
        factors: dict[int, Fraction] = {}
        for reward, floor in zip(rewards, self.case.floors, strict=True):
            for a in floor.elements if reward else ():
                factors[a] = factors.get(a, Fraction(1)) + reward
        constant, paid, chosen = 0, [0] * self.case.indptr[-1], {*inside}
        gone = out | chosen
        for a, share in enumerate(shares):
            won = [e for e in self.edges_of[a] if self.owner[e] in chosen]
            still = [e for e in self.edges_of[a] if self.owner[e] not in gone]
            rule = self.by_count_or_best
            if self.kinds[a] is ElementKind.CHANCE:
                rule = self.by_chance
            fixed, own = rule(a, share, won, still)
            if a in factors:
                fixed = math.ceil(fixed * factors[a])
                own = [math.ceil(x * factors[a]) for x in own]
            constant += fixed
            for e, x in zip(still, own, strict=True):
                paid[e] = x
        sums = [sum(paid[first:last]) for first, last in pairwise(self.case.indptr)]
        return [*sums, constant]

    def by_count_or_best(
        self, a: int, share: int, won: list[int], still: list[int]
    ) -> tuple[int, list[int]]:
        """Return the constant of an element beyond a case's sets, and what each open edge earns."""
        if self.kinds[a] is ElementKind.BEST:
            weight, strength = self.case.weights[a], self.case.strength
            share = max([share if still else 0, *(weight * strength[e] for e in won)])
            return share, [max(weight * strength[e] - share, 0) for e in still]
        levels, least = self.levels[a], len(won)
        most = min(len(levels) - 1, least + len(still))
        if least >= most:
            return levels[most], [0] * len(still)
        constant = max(levels[k] - (k - least) * share for k in range(least, most + 1))
        return constant, [share] * len(still)

    def by_chance(
        self, a: int, share: int, won: list[int], still: list[int]
    ) -> tuple[int, list[int]]:
        """Return what `by_count_or_best` does, for an element of kind CHANCE."""
        case = self.case
        weight = case.weights[a] // case.fine * case.one
        low, high = case.fails(won)
        constant, fails = weight * (case.fine - low), weight * high
        share = min(share, fails)
        for e in still:
            if fails <= share:
                break
            constant -= -case.strength[e] * (fails - share) // case.one
            fails = -(-fails * (case.one - case.strength[e]) // case.one)
        return constant, [-(-share * case.strength[e] // case.one) for e in still]


class ExactProblem:
    """A problem in whole numbers: values in units of 1 / scale, probabilities of 1 / fine."""

    def __init__(self, problem: Record, *, is_cover: bool) -> None:
        self.n_sets = len(problem["costs"])
        self.required: list[int] = problem["required"]
        self.forbidden = {*problem["forbidden"]}
        self._read_limits(problem, is_cover=is_cover)
        self._read_elements(problem)

    def _read_limits(self, problem: Record, *, is_cover: bool) -> None:
        """Read the budget and all other limits, and the minima of value."""
        stated = [("the budget", dict(enumerate(problem["costs"])), (0.0, problem["budget"]))]
        cuts = problem.get("limits_indptr", [0])
        for r, name in enumerate(problem.get("limits_names", ())):
            own = slice(cuts[r], cuts[r + 1])
            amounts = zip(
                problem["limits_members"][own], problem["limits_amounts"][own], strict=True
            )
            high = problem["limits_high"][r]
            ends = (problem["limits_low"][r], math.inf if high is None else high)
            stated.append((name, dict(amounts), ends))
        # In an answer of `cover` the budget is no limit, so it rules out no set.
        self.out = {
            i for _, each, (_, high) in stated[is_cover:] for i, x in each.items() if x > high
        }
        self.limits = [Limit(*one, self.out) for one in stated]
        cuts, low = problem.get("floors_indptr", [0]), problem.get("floors_low", ())
        self.floors = [
            Floor(name, problem["floors_members"][cuts[r] : cuts[r + 1]],
                  number(low[r]) * (1 - FLOOR))
            for r, name in enumerate(problem.get("floors_names", ()))
        ]  # fmt: skip

    def _read_elements(self, problem: Record) -> None:
        """Read weights, edges, and how each element gives value."""
        self.indptr: list[int] = problem["indptr"]
        self.indices: list[int] = problem["indices"]
        self.curve_of: list[int] = problem.get("returns_of") or [0] * len(problem["weights"])
        self.edges_of: list[list[int]] = [[] for _ in self.curve_of]
        for edge, a in enumerate(problem["indices"]):
            self.edges_of[a].append(edge)
        steps, strength = problem.get("returns_steps", [1.0]), problem.get("returns_strength", [])
        cuts = problem.get("returns_indptr", [0, 1])
        spans = [slice(first, last) for first, last in pairwise(cuts)]
        self.has_chance = ElementKind.CHANCE in self.curve_of
        most = max([1.0, *strength, *(sum(steps[span]) for span in spans)])
        factors = [*steps, *(strength if ElementKind.BEST in self.curve_of else ())]
        self.unit_said = _unit_of_values(problem["weights"], factors, most)
        weights, per = whole(problem["weights"])
        numbers, self.one = whole([*steps, *strength])
        self.curves = [numbers[span] for span in spans]
        self.strength = numbers[cuts[-1] :]
        self.fine = 2**320 if self.has_chance else 2**64
        self.scale, self.weights = per * self.one * self.fine, [w * self.fine for w in weights]

    def kind(self, a: int) -> ElementKind:
        """Return how element `a` gives value."""
        return ElementKind(min(self.curve_of[a], 0))

    def goal(self, answer: Record) -> Fraction:
        """Return the weight that the answer had to cover; `ENDLESS` if its share is invalid."""
        if answer.get("share") is None:
            return number(answer["target"])
        share = number(answer["share"])
        if not 0 < share <= 1:
            return ENDLESS
        return share * Fraction(sum(self.weights) * self.one, self.scale)

    def levels(self, a: int, weight: int) -> list[int]:
        """Return f(0), f(1), ... of element `a` of kind COUNT: its value by number of sets."""
        found = [0]
        for step in self.curves[self.curve_of[a]][: len(self.edges_of[a])]:
            found.append(found[-1] + weight * step)
        return found

    def members(self, i: int) -> list[int]:
        """Return the elements of set `i`."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def edges_in(self, sets: list[int]) -> set[int]:
        """Return the edges of `sets`."""
        return {edge for i in sets for edge in range(self.indptr[i], self.indptr[i + 1])}

    def gives(self, sets: list[int]) -> list[int]:
        """Return the value of each element if `sets` are chosen; kind CHANCE is rounded down."""
        inside, found = self.edges_in(sets), []
        for a, weight in enumerate(self.weights):
            held = [edge for edge in self.edges_of[a] if edge in inside]
            if self.kind(a) is ElementKind.BEST:
                found.append(weight * max((self.strength[edge] for edge in held), default=0))
            elif self.kind(a) is ElementKind.CHANCE:
                won = self.fine - self.fails(held)[1]
                found.append(weight // self.fine * self.one * won)
            else:
                found.append(self.levels(a, weight)[: len(held) + 1][-1])
        return found

    def fails(self, edges: list[int]) -> tuple[int, int]:
        """Return the probability that all `edges` fail, in 1 / fine: rounded down, rounded up."""
        low = high = self.fine
        for edge in edges:
            loses = self.one - self.strength[edge]
            low, high = low * loses // self.one, -(-high * loses // self.one)
        return low, high

    def unit(self) -> tuple[Fraction, Fraction]:
        """Return the unit of values and the rounding error of its multiples; zeros if none."""
        unit = self.unit_said
        if not unit or self.has_chance:
            return Fraction(), Fraction()
        count, off = unit * self.scale, Fraction()
        exact: Any = int(count) if count.denominator == 1 else count
        for a, weight in enumerate(self.weights):
            some = self.levels(a, weight) if self.kind(a) is ElementKind.COUNT else [
                weight * self.strength[edge] for edge in self.edges_of[a]]  # fmt: skip
            off += max((min(x % exact, -x % exact) for x in some), default=0)
        return (unit, off / self.scale) if 8 * off < count else (Fraction(), Fraction())

    def prices(self, answer: Record) -> list[Fraction]:
        """Return the price of each limit; a positive price of a limit without maximum counts 0."""
        unit: Any = answer.get("price_unit")
        price: Any = answer.get("price")
        if not _is_positive(unit):
            return [Fraction()] * len(self.limits)
        first = Fraction(price) / Fraction(unit) if _is_positive(price) else Fraction()
        others = several(answer.get("row_prices"), len(self.limits) - 1)
        pairs = zip((first, *others), self.limits, strict=True)
        return [min(x, Fraction()) if limit.high >= FINITE else x for x, limit in pairs]

    def bound(self, answer: Record, spent: Fraction | None) -> int:
        """Return the upper bound (2) of the module docstring, in units of 1 / scale.

        With `spent`, the budget term and all sets dearer than `spent` are left out.
        """
        return self.priced(answer, spent)[0]

    def priced(self, answer: Record, spent: Fraction | None) -> tuple[int, dict[int, int]]:
        """Return the bound as `bound` does, and the profit of each set that may be decided."""
        total, out, charges = 0, self.out | self.forbidden, [0] * self.n_sets
        for r, (limit, price) in enumerate(zip(self.limits, self.prices(answer), strict=True)):
            counts = r > 0 or spent is None
            low, high = limit.ends() if counts else (Fraction(), spent or Fraction())
            room = high - limit.used(self.required)
            out |= {i for i, x in limit.amounts.items() if x > room}
            if counts:
                total -= math.floor(-price * (high if price > 0 else low) * self.scale)
            rate = price * self.scale
            for i, x in limit.amounts.items() if price else ():
                charges[i] += rate.numerator * x.numerator // (rate.denominator * x.denominator)
        weights = self.weights.copy()
        rewards = several(answer.get("floor_rewards"), len(self.floors))
        for floor, reward in zip(self.floors, rewards, strict=True):
            if reward > 0:
                total -= math.floor(reward * floor.low * self.scale)
                for a in floor.elements:
                    weights[a] -= math.floor(-reward * self.weights[a])
        constant, paid = self.affine(answer, weights, self.required)
        profits, required = {}, {*self.required}
        for i in {*range(self.n_sets)} - out | required:
            profit = sum(paid[self.indptr[i] : self.indptr[i + 1]]) - charges[i]
            total += profit if i in required else max(profit, 0)
            if i not in required:
                profits[i] = profit
        return total + constant, profits

    def highest(self, answer: Record, enough: Fraction) -> int:
        """Return the upper bound that the answer proves, in units of 1 / scale.

        Without a tree it is that of the dual point, else the highest of all leaves. A leaf whose
        point bounds several leaves is first bounded by the case above them and by what its own
        decision costs there, which is not less; only where that is not below `enough`, by itself.
        """
        if "tree_nodes" not in answer:
            return self.bound(answer, None)
        nodes, points = nodes_of(unpacked(answer["tree_nodes"])), TreePoints(self, answer)
        uses, stated, most = Counter(nodes), enough * self.scale, -ENDLESS.numerator
        left = [BranchCase(tuple(self.required), frozenset(self.forbidden))]
        for node, after in pairwise([*nodes, 0]):
            if not left or not -points.count <= node < 2 * self.n_sets:
                return ENDLESS.numerator
            case = left.pop()
            if node < 0:
                bound = case.loose if node == case.point else ENDLESS.numerator
                if bound >= stated:
                    bound = points.priced(~node, case)[0]
                most = max(most, bound)
                continue
            if after < 0 and uses[after] > 1 and case.point != after and -points.count <= after:
                total, profits = points.priced(~after, case)
                case = case._replace(point=after, total=total, profits=profits)
            halves = case.halves(node // 2)
            left += halves if node % 2 else halves[::-1]
        return ENDLESS.numerator if left else most

    def affine(
        self, answer: Record, weights: list[int], required: list[int]
    ) -> tuple[int, list[int]]:
        """Return the affine bound of inequality (1): its constant, and its factor for each edge."""
        constant, paid, pieces = 0, [0] * self.indptr[-1], self.pieces(answer)
        shares, taken = answer.get("scaled_shares"), self.edges_in(required)
        if shares is None:
            stated = several(answer.get("shares"), len(weights))
            shares = [math.floor(share * self.scale) for share in stated]
        for a, edges in enumerate(self.edges_of):
            share, weight = max(shares[a], 0), weights[a]
            if not edges:
                continue
            kind = self.kind(a)
            if kind is ElementKind.BEST:
                share = max([share, *(weight * self.strength[e] for e in edges if e in taken)])
                constant += share
                for edge in edges:
                    paid[edge] = max(weight * self.strength[edge] - share, 0)
            elif kind is ElementKind.CHANCE:
                own = pieces.get(a, ChancePieces(self.fine, 0, self.fine, {}))
                constant -= -weight * self.one * own.won // own.whole
                for edge in edges:
                    left = own.left - own.lost.get(edge, 0)
                    paid[edge] = -(-weight * self.strength[edge] * left // own.whole)
            else:
                levels = self.levels(a, weight)
                least, most = sum(edge in taken for edge in edges), len(levels) - 1
                # A share above the largest mean of further levels only raises the bound. So does
                # any share if the required sets alone reach the last level.
                means = (
                    -((levels[least] - levels[k]) // (k - least))
                    for k in range(least + 1, most + 1)
                )
                share = min(share, max(means, default=0))
                constant += max(levels[k] - k * share for k in range(min(least, most), most + 1))
                for edge in edges:
                    paid[edge] = share
        return constant, paid

    def pieces(self, answer: Record) -> dict[int, ChancePieces]:
        """Return the summed bounds of elements of kind CHANCE; malformed pieces are left out."""
        parts = [answer.get(f"pieces_{x}") for x in ("elements", "shares", "indptr", "edges")]
        if any(part is None for part in parts):
            return dict.fromkeys(
                range(len(self.weights)), ChancePieces(self.fine, self.fine, 0, {})
            )
        found: dict[int, ChancePieces] = {}
        elements, stated, cuts, edges = (list(part or ()) for part in parts)
        shares = several(stated, len(elements))
        for a, share, first, last in zip(elements, shares, cuts, cuts[1:], strict=False):
            own, part = {*edges[first:last]}, math.floor(share * 2**60)
            if part > 0 and 0 <= a < len(self.weights) and own <= {*self.edges_of[a]}:
                low, high = self.fails([*own])
                before = found.get(a, ChancePieces(0, 0, 0, {}))
                lost = {edge: before.lost.get(edge, 0) + part * high for edge in own}
                found[a] = ChancePieces(
                    before.whole + part * self.fine,
                    before.won + part * (self.fine - low),
                    before.left + part * high,
                    before.lost | lost,
                )
        return found


class Limit:
    """A limit: the amounts of its sets, and the coin, the largest unit that divides them all.

    The sets in `out` never fit, and do not count for the coin; totals are less than `below`.
    Amounts such as thirds are multiples of the coin only up to rounding; `off` is the sum of their
    errors.
    """

    def __init__(
        self, name: str, stated: dict[int, float], ends: tuple[Any, Any], out: set[int]
    ) -> None:
        numbers, places = whole(stated.values())
        inside = [x for i, x in zip(stated, numbers, strict=True) if i not in out]
        self.name, self.low, self.high = name, number(ends[0]), number(ends[1])
        self.stated = stated
        self.amounts = {i: Fraction(x, places) for i, x in zip(stated, numbers, strict=True)}
        self.coin, self.total = Fraction(math.gcd(*inside), places), Fraction(sum(inside), places)
        self.off, self.below = Fraction(), ENDLESS
        if self.coin.denominator > 10**9:
            self._take_coin(common_measure([x for i, x in stated.items() if i not in out]), out)
        # Sums of whole numbers and of decimals are exact, unless the numbers are too large.
        is_decimal = 10**9 % self.coin.denominator == 0 and max([*numbers, 0]) < places * 2**40
        is_few = self.coin.denominator == 1 and self.total < (self.coin or 1) * 2**61
        is_few = is_few and max([*inside, 0]) < places * 2**63
        self.is_exact = is_few or (self.coin.denominator > 1 and is_decimal)

    def _take_coin(self, unit: Fraction, out: set[int]) -> None:
        """Make `unit` the coin if it is larger and amounts are multiples of it up to rounding."""
        if self.coin < unit:
            kept = (x for i, x in self.amounts.items() if i not in out)
            off = sum((min(x % unit, -x % unit) for x in kept), Fraction())
            if 8 * off < unit:
                self.coin, self.off = unit, off

    def used(self, sets: list[int]) -> Fraction:
        """Return the sum of the amounts of `sets`."""
        return sum((self.amounts[i] for i in sets if i in self.amounts), Fraction())

    def slack(self, terms: int) -> Fraction:
        """Return the tolerance of a sum relative to the limit; 0 if all amounts are whole."""
        return Fraction((self.coin.denominator > 1) if self.is_exact else terms + 4, 2**50)

    def keeps(self, sets: list[int]) -> bool:
        """Whether `sets` keep the limit, up to rounding."""
        slack = self.slack(len(sets))
        low, high = self.low * (1 - slack) - self.off, self.high * (1 + slack) + self.off
        return low <= self.used(sets) <= high

    def ends(self) -> tuple[Fraction, Fraction]:
        """Return the smallest and the largest total, as multiples of the coin, within the limit."""
        slack, coin, off = self.slack(len(self.amounts)), self.coin or Fraction(1), self.off
        low, high = self.low * (1 - slack) - off, min(self.high * (1 + slack), self.total) + off
        most = min(high // coin, -(-(self.below - off) // coin) - 1)
        return -(-low // coin) * coin - off, most * coin + off


def number(value: Any, none: Fraction = -ENDLESS) -> Fraction:
    """Return what a float stands for: itself if whole, else the decimal that it prints as.

    An infinite value becomes plus or minus `ENDLESS`, NaN or text `-ENDLESS`, and None `none`.
    """
    if isinstance(value, Fraction):
        return value
    if value is None:
        return none
    if not isinstance(value, int | float) or math.isnan(value):
        return -ENDLESS
    if abs(value) == math.inf:
        return ENDLESS if value > 0 else -ENDLESS
    if value == math.floor(value):
        return Fraction(int(value))
    return Fraction(repr(float(value))) if abs(value) > 1e-290 else Fraction(value)


def whole(values: Any) -> tuple[list[int], int]:
    """Return the numerators of `values` over their common denominator, and that denominator."""
    numbers = [number(x) for x in values]
    scale = math.lcm(*(x.denominator for x in numbers))
    return [x.numerator * (scale // x.denominator) for x in numbers], scale


def several(values: list[Any] | None, size: int) -> list[Fraction]:
    """Return `values` as fractions: 0 if not finite, all 0 if there are not `size` of them."""
    stated = values if values is not None and len(values) == size else [0.0] * size
    return [number(x) if x is not None and math.isfinite(x) else Fraction() for x in stated]


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < math.inf


def common_measure(values: list[float]) -> Fraction:
    """Return the largest number that divides all `values`, up to rounding; 0 if there is none."""
    positive = [x for x in values if x > 0]
    if not positive:
        return Fraction()
    top, least = max(positive), min(positive)
    if top < 2.0**63 and all(x == math.floor(x) for x in positive):
        return Fraction(math.gcd(*map(int, positive)))
    for digits in range(1, 10):
        counts = [round(x * 10.0**digits) for x in positive] if top * 10.0**digits <= 2**40 else []
        pairs = zip(positive, counts, strict=False)
        if counts and all(abs(x * 10.0**digits - n) <= 2.0**-51 * n for x, n in pairs):
            return Fraction(math.gcd(*counts), 10**digits)
    unit = real_gcd(top, least)
    while unit * 2.0**31 > top:
        unit = top / round(top / unit)
        off = [x for x in positive if abs(x - round(x / unit) * unit) > 1e-14 * x]
        if not off:
            return number(unit)
        finer = real_gcd(min(off), unit)
        if finer > 0.75 * unit:
            break
        unit = finer
    return Fraction()


def real_gcd(a: float, b: float) -> float:
    """Run Euclid's algorithm on real numbers; a remainder below the tolerance is zero."""
    tolerance = max(a, b) * 2.0**-44
    while b > tolerance:
        a, b = b, abs(a - round(a / b) * b)
    return a


def _unit_of_values(weights: list[float], factors: list[float], most: float) -> Fraction:
    """Return the unit that divides the value of every selection; 0 if floats cannot resolve it.

    An element gives its weight times a sum of `factors`, and at most its weight times `most`.
    """
    unit = float(common_measure(weights))
    if unit and unit != math.floor(unit):
        off = sum(abs(w - round(w / unit) * unit) for w in weights)
        unit = 0.0 if 16.0 * off > unit else unit
    unit *= float(common_measure(factors))
    return number(unit) if unit and most * sum(weights) / unit < MOST_MULTIPLES else Fraction()


def check_text(problem: Record, text: bytes, *, strict: bool = False) -> CheckReport:
    """Check an answer as a ``.json`` file holds it; refuse what cannot be read."""
    try:
        answer = parse_json(text)
    except ValueError as error:
        return refusal(str(error))
    return check(problem, answer, strict=strict)


def main(arguments: list[str]) -> int:
    """Check one saved answer; return the exit code."""
    names = [one for one in arguments if one != "--strict"]
    if len(names) != 2:
        sys.stderr.write("usage: verify.py problem.json solution.json [--strict]\n")
        return 2
    try:
        problem, text = (Path(name).read_bytes() for name in names)
        report = check_text(parse_json(problem), text, strict="--strict" in arguments)
    except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # The fields of an answer are checked before they are used, those of a problem are not.
        sys.stderr.write(f"expected {names[0]} to be a saved problem, got {error!r}\n")
        return 2
    sys.stdout.write(f"{report}\n")
    return EXIT_CODES[report.outcome]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
