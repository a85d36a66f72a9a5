"""Chart: the budget curve as the coordinates of an SVG drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maxcover.solvers.curve import BudgetCurve

WIDTH, HEIGHT = 640, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 12, 44


@dataclass(frozen=True)
class Tick:
    """A position on an axis, and its label."""

    at: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """The coordinates that the template draws, in pixels of the view box."""

    value: str
    bound: str
    area: str
    here: tuple[float, float]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    floor: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT


def draw(curve: BudgetCurve, *, budget: float, value: float) -> Chart:
    """Draw weight and upper bound by budget; the value of this summary is 100 %.

    Parameters
    ----------
    curve : BudgetCurve
    budget, value : float
        The point of this summary, which is marked; `value` is above 0.
    """
    most = float(curve.budgets[-1])
    highest = max(value, float(curve.upper_bounds.max()), float(curve.values.max()))

    def x(size: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * size / most, 1)

    def y(weight: float) -> float:
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * weight / highest, 1)

    budgets = curve.budgets.tolist()
    value_points = [(x(b), y(v)) for b, v in zip(budgets, curve.values.tolist(), strict=True)]
    bound_points = [(x(b), y(v)) for b, v in zip(budgets, curve.upper_bounds.tolist(), strict=True)]
    floor = y(0.0)
    corners = [(value_points[0][0], floor), *value_points, (value_points[-1][0], floor)]
    return Chart(
        value=_path(value_points),
        bound=_path(bound_points),
        area=_path(corners),
        here=(x(budget), y(value)),
        x_ticks=[Tick(x(size), f"{size:,.10g}") for size in _round_steps(most)],
        y_ticks=[
            Tick(y(value * step / 100), f"{step:g}\N{NARROW NO-BREAK SPACE}%")
            for step in _round_steps(100 * highest / value)
        ],
        floor=floor,
    )


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _round_steps(most: float) -> list[float]:
    """Return four to ten round numbers from 0 to at most `most`."""
    step = 10.0 ** len(str(int(most)))
    while most / step < 4:
        step /= 2 if str(step)[0] != "5" else 2.5
    count = int(most / step)
    return [step * k for k in range(count + 1)]
