"""Numbers: what `auto` is tuned by; another set can be passed to `solve`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from maxcover.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Tuned numbers of the stages of `auto`, chosen on the problems of docs/lab/auto.md.

    Attributes
    ----------
    first_steps, price_steps, strong_steps : int
        Dual steps before the first search: of large problems with one budget, enough for a price of
        the budget; under other limits, where prices of all rows guide the search
        (`limit_cost.py`); and where edges have strengths, where a step takes four times as long.
    strong_strides : int
        Most strides of dual steps after the searches where edges have strengths.
    more_steps, stride : int
        Dual steps when time is left over, and dual steps between two checks whether the bound still
        falls.
    small_effort, brief_effort, effort, limited_effort : float
        Length of a search, in units of `usual_moves`: the first one of a small problem, that of a
        large one with effort `fast`, of a large one with one budget, and under other limits.
    searches : int
        Most exchange searches of a large problem under other limits than one budget.
    least_lowered : float
        A stride of dual steps is repeated if it closed at least this fraction of the gap.
    least_raised, strong_raised : float
        Under other limits a search is repeated if it raised the value by at least this fraction;
        the second where edges have strengths.
    plain_share, tolerance : float
        Fraction of the time left for solving the same sets without limits; that run goes on while
        its selection breaks limits by at most the fraction `tolerance` of them in the mean.
    merge_used : float
        While the gap is wide, the problem with all limits merged into one budget is solved first if
        the relaxation uses at most this fraction of the sets: .3 to .9 % of the value of graphs
        like text.
    ticks : float
        Size in ticks of the budget into which `merge_limits` merges all limits.
    hills : int
        Most further starting points of `look_elsewhere`.
    most_open, narrow_gap : float
        Further starting points are tried if at most the fraction `most_open` of the sets is
        undecided, and until the relative gap is at most `narrow_gap`.
    wide_gap : float
        Above this relative gap the relaxation says little of single sets.
    near : float
        There the searches leave out sets that, by the dual point, lose more than this fraction of
        the gap: 10 MB of Markdown takes a third of the time.
    promising, promising_moves, strong_moves : float, int, int
        Most promising sets, in times of the sets that the relaxation uses; moves of each search
        among them, and where edges have strengths. Chosen on needs of Zipf graphs.
    elite : int
        Number of selections that are collected before HiGHS searches among their sets.
    tiny : int
        Effort `fast` searches the tree if at most `tiny` sets can be chosen, about a millisecond.
    left, taken : float
        Sets with an LP value of at most `left` are left out, above `taken` they are fixed.
    looks, look_steps : int
        The LP value is a mean of `looks` samples, `look_steps` dual steps apart, after a warm-up of
        as many samples.
    few_used : float
        The core is solved as a problem of its own if it has at most this fraction of the sets, as
        on geometric and Zipf graphs and in long texts with short summaries.

    Examples
    --------
    >>> Numbers(searches=1).searches, Numbers().wide_gap
    (1, 0.02)
    """

    first_steps: int = 40
    price_steps: int = 100
    strong_steps: int = 60
    strong_strides: int = 1
    more_steps: int = 500
    stride: int = 20
    small_effort: float = 0.1
    brief_effort: float = 0.02
    effort: float = 0.2
    limited_effort: float = 0.4
    searches: int = 5
    least_lowered: float = 0.02
    least_raised: float = 3e-4
    strong_raised: float = 1e-3
    plain_share: float = 0.3
    tolerance: float = 0.02
    merge_used: float = 0.3
    ticks: float = 1e6
    hills: int = 3
    most_open: float = 0.9
    narrow_gap: float = 0.001
    wide_gap: float = 0.02
    near: float = 0.1
    promising: float = 2.0
    promising_moves: int = 2000
    strong_moves: int = 500
    elite: int = 8
    tiny: int = 10
    left: float = 0.005
    taken: float = 0.98
    looks: int = 2
    look_steps: int = 10
    few_used: float = 0.08

    @classmethod
    def load(cls, path: Path | str) -> Numbers:
        """Read numbers from a TOML file, one line each; the others keep their values."""
        with open(path, "rb") as file:
            given = tomllib.load(file)
        known = {one.name for one in fields(cls)}
        if unknown := sorted({*given} - known):
            able = ", ".join(sorted(known))
            raise OptionError(f"expected numbers among {able}; got {unknown[0]!r}")
        return cls(**given)


NUMBERS = Numbers()
