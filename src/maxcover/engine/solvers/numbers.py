"""Numbers: everything that the searches are tuned by; another set can be passed to `solve`.

They were chosen on the problems of docs/lab/auto.md, `benchmarks/limit_cost.py` and
`benchmarks/cover.py`. How long steps take, and how often a search looks at the clock, is in
`seconds`; constants of the compiled loops are beside them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class ExchangeNumbers:
    """Numbers of exchange search; a *unit* is `usual_moves` moves.

    Attributes
    ----------
    patience, large_patience, least_patience : float, float, int
        A search ends after twice the moves up to its best selection, plus this many units (on
        small, and on large problems), but at least plus `least_patience` moves.
    credit : float
        Fraction of its weight that an element counts, in proportion to the chosen sets that hold
        it, before its need is met.
    per_chosen : int
        Where elements do not count once, a search has as many moves as if there were at most this
        many sets for each that is chosen.
    """

    patience: float = 0.5
    large_patience: float = 0.15
    least_patience: int = 2000
    credit: float = 0.1
    per_chosen: int = 8


@dataclass(frozen=True, kw_only=True)
class AnnealingNumbers:
    """Numbers of annealing.

    Attributes
    ----------
    small, large : tuple of float
        A unit of effort is the lesser number of proposals of the two: each is a factor times a
        power of the number of sets that can be chosen.
    coolings : int
        Number of temperatures.
    heat_of_gap, most_heat : float
        The first temperature, as a fraction of the mean price of a set, is `heat_of_gap` times the
        square root of the relative gap, and at most `most_heat`.
    cold : float
        The last temperature as a fraction of the first one.
    loose_gap : float
        The prices are not trusted if the relative gap is at least this.
    first, last : tuple of float
        Factor of the prices at the first and at the last temperature: if prices are not trusted,
        and if there is no gap.
    """

    small: tuple[float, float] = (11.5, 1.6)
    large: tuple[float, float] = (176_000.0, 1 / 3)
    coolings: int = 40
    heat_of_gap: float = 0.5
    most_heat: float = 0.08
    cold: float = 0.15
    loose_gap: float = 0.08
    first: tuple[float, float] = (0.7, 1.0)
    last: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class DescentNumbers:
    """Numbers of the relaxation of problems whose edges have strengths.

    Attributes
    ----------
    patience, shorter : int, float
        Steps become shorter by the factor `shorter` after this many that hardly lower the bound.
    longer_own, shorter_own, least_own : float
        Each level has a step length of its own, at most 1: it grows by `longer_own` where the
        slope kept its sign, shrinks by `shorter_own` where it changed, and is at least `least_own`.
    memory : float
        Least weight of the newest selection in the running mean of the selections.
    sort_every : int
        Steps between two sorts of each element's sets by how much the mean selection takes of them.
    rows_at_once : int
        Prices are updated in every step if there are fewer limit rows than this, in every second
        one if there are fewer than twice as many, and so on.
    program_edges, floor_edges : int
        Problems of at most this many edges get HiGHS's linear program, whose bound is lower: with
        strengths, and with minima of value, which only that program takes into account.
    """

    patience: int = 3
    shorter: float = 0.5
    longer_own: float = 1.05
    shorter_own: float = 0.9
    least_own: float = 0.02
    memory: float = 0.1
    sort_every: int = 5
    rows_at_once: int = 64
    program_edges: int = 2_000
    floor_edges: int = 100_000


@dataclass(frozen=True, kw_only=True)
class BeliefNumbers:
    """Numbers of belief propagation; temperatures are in units of the mean weight.

    Attributes
    ----------
    beta : float
        Inverse temperature of the methods.
    prices, search, near, step : int, int, float, float
        Most prices that ``method="bp"`` tries, most of them in the search for the price at which
        the expected cost meets the budget, how near it has to come, as a fraction, and the factor
        between prices around the best.
    one_at_a_time, batches : int
        By default, problems of at most `one_at_a_time` sets pick one set at a time, larger ones
        pick in `batches` batches.
    rounds, few_rounds : int
        Rounds of `auto` on large and on small problems, where its selection is only another start
        for a search.
    sweeps, tolerance : int, float
        Most sweeps of a round, and the change of fields, in temperatures, at which it ends sooner.
    hot, cooling, damping : float
        Inverse temperature of the first round, that of the last in units of the first, and the
        share of the old messages that stays.
    most_correction : float
        Largest relative change of the price from round to round.
    """

    beta: float = 8.0
    prices: int = 9
    search: int = 5
    near: float = 1e-2
    step: float = 2 ** (1 / 8)
    one_at_a_time: int = 1000
    batches: int = 32
    rounds: int = 14
    few_rounds: int = 8
    sweeps: int = 10
    tolerance: float = 1e-2
    hot: float = 4.0
    cooling: float = 2.0
    damping: float = 0.5
    most_correction: float = 0.1


@dataclass(frozen=True, kw_only=True)
class CoverNumbers:
    """Numbers of `cover`.

    Attributes
    ----------
    efforts : tuple of float
        Lengths of the searches, in units of `usual_moves`.
    slices : int
        Slices of a search; each begins where the last one ended. With fewer slices each is longer.
    saving, less : float
        Fraction of the gap between cost and bound that the first slice tries to save, and the
        divisor of that fraction after a slice that failed.
    steps_per_move : float
        Steps of row weighting that replace one move of exchange search; they are quicker.
    dual_steps : int
        Dual steps between two corrections of the budget at which the bound is evaluated.
    """

    efforts: tuple[float, ...] = (0.25, 0.5, 0.5)
    slices: int = 6
    saving: float = 0.5
    less: float = 6.0
    steps_per_move: float = 2.0
    dual_steps: int = 60


@dataclass(frozen=True, kw_only=True)
class SpareNumbers:
    """How to use time left after the schedule.

    Attributes
    ----------
    patience : float
        Stop when the best selection has not improved for this multiple of the time at which it was
        found.
    highs_share, highs_edges : float, int
        HiGHS, or the tree, gets at most this multiple of the time already spent; HiGHS gets only
        models of at most this many edges.
    """

    patience: float = 6.0
    highs_share: float = 4.0
    highs_edges: int = 200_000


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Tuned numbers of all searches.

    Attributes
    ----------
    first_steps, price_steps : int
        Dual steps before the first search: of large problems with one budget, enough for a price of
        the budget; and under other limits, where prices of all rows guide the search.
    more_steps, stride : int
        Dual steps when time is left over, and dual steps between two checks whether the bound still
        falls.
    least_lowered : float
        A stride of dual steps is repeated if it closed at least this fraction of the gap.
    small_effort, brief_effort, effort, limited_effort : float
        Length of a search, in units of `usual_moves`: the first one of a small problem, that of a
        large one with effort `fast`, of a large one with one budget, and under other limits.
    searches, least_raised : int, float
        Most exchange searches of a large problem under other limits than one budget; one is
        repeated if it raised the value by at least the fraction `least_raised`.
    hills, most_open, narrow_gap : int, float, float
        Most further starting points of a search of a small problem; they are tried if at most the
        fraction `most_open` of the sets is undecided, and until the relative gap is at most
        `narrow_gap`.
    wide_gap : float
        Above this relative gap the relaxation says little of single sets.
    left, taken : float
        Belief propagation leaves out sets with an LP value of at most `left`, and fixes those above
        `taken`.
    tiny : int
        Effort `fast` searches the tree if at most `tiny` sets can be chosen, about a millisecond.
    exchange, annealing, descent, beliefs, cover, spare
        Numbers of the parts.

    Examples
    --------
    >>> numbers = Numbers(searches=1, exchange=ExchangeNumbers(credit=0.3))
    >>> numbers.searches, numbers.exchange.credit, numbers.wide_gap
    (1, 0.3, 0.02)
    """

    first_steps: int = 40
    price_steps: int = 100
    more_steps: int = 500
    stride: int = 20
    least_lowered: float = 0.02
    small_effort: float = 0.1
    brief_effort: float = 0.02
    effort: float = 0.2
    limited_effort: float = 0.4
    searches: int = 5
    least_raised: float = 3e-4
    hills: int = 3
    most_open: float = 0.9
    narrow_gap: float = 0.001
    wide_gap: float = 0.02
    left: float = 0.005
    taken: float = 0.98
    tiny: int = 10
    exchange: ExchangeNumbers = ExchangeNumbers()
    annealing: AnnealingNumbers = AnnealingNumbers()
    descent: DescentNumbers = DescentNumbers()
    beliefs: BeliefNumbers = BeliefNumbers()
    cover: CoverNumbers = CoverNumbers()
    spare: SpareNumbers = SpareNumbers()

    @classmethod
    def load(cls, path: Path | str) -> Numbers:
        """Read numbers from a TOML file, those of a part in its table; others keep their values."""
        with open(path, "rb") as file:
            found: Numbers = _read(cls, tomllib.load(file))
        return found


def _read(cls: type[Any], given: dict[str, Any]) -> Any:
    """Return the numbers of a class; tables of `given` are those of its parts."""
    parts = {one.name: type(one.default) for one in fields(cls)}
    if unknown := sorted({*given} - {*parts}):
        able = ", ".join(sorted(parts))
        raise OptionError(f"expected numbers among {able}; got {unknown[0]!r}")
    return cls(
        **{
            name: _read(parts[name], value)
            if isinstance(value, dict)
            else tuple(value)
            if isinstance(value, list)
            else value
            for name, value in given.items()
        }
    )


NUMBERS = Numbers()
