"""What the benchmarks share: a heading with the circumstances, a Markdown table, and floors.

A value that leaves its range is an error. A figure of a clock is not, because beside other programs
it tells nothing: it is noted with the speed of the machine, for ``scripts/benchmark --trend``.
"""

import argparse
import csv
import os
import platform
import time
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

PACKAGES = ("maxcover", "numpy", "scipy", "highspy")


def arguments(text: str, *, parts: Sequence[str] = (), **options: int | str) -> argparse.Namespace:
    """Parse ``--quick``, ``--seed``, options with their defaults, and the parts to run (all)."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--quick", action="store_true", help="the small form that CI runs")
    parser.add_argument("--seed", type=int, default=0)
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    if parts:
        parser.add_argument("parts", nargs="*", help=f"only these: {', '.join(parts)}")
    found = parser.parse_args()
    if unknown := [name for name in vars(found).get("parts", ()) if name not in parts]:
        parser.error(f"expected parts among {', '.join(parts)}, got {unknown[0]}")
    return found


def heading(title: str, **facts: object) -> None:
    """Print what is measured and under which circumstances."""
    versions = [f"{name} {_version(name)}" for name in PACKAGES]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"\n### {title}\n")
    print("; ".join([*(f"{name} {value}" for name, value in facts.items()), machine, *versions]))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "from source"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table."""
    print()
    print(f"| {' | '.join(columns)} |")
    print(f"|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |", flush=True)
    print()


def hold(
    what: str, value: float, *, least: float = -float("inf"), most: float = float("inf")
) -> None:
    """End with an error when a figure leaves its pinned range; no floor is lowered silently."""
    print(f"{what}: {value:.6g} (pinned to {least:g} ... {most:g})")
    if not least <= value <= most:
        raise SystemExit(f"{what} is {value:.6g}, outside {least:g} ... {most:g}")


def clock(
    what: str, value: float, *, least: float = -float("inf"), most: float = float("inf")
) -> None:
    """Print a figure that depends on time and what it aims at; note it where a trend is written."""
    kept = "kept" if least <= value <= most else "missed"
    row = [what, f"{value:.4g}", f"{least:g} ... {most:g}", kept]
    print("{}: {} (aims at {}: {})".format(*row))
    if file := os.environ.get("MAXCOVER_TREND"):
        with Path(file).open("a", newline="", encoding="utf-8") as rows:
            csv.writer(rows).writerow([*row, f"{loop_milliseconds():.1f}"])


def loop_milliseconds() -> float:
    """Return what 200,000 turns of a loop in Python take here and now: about 12 on a free core.

    Times divided by it do not depend on how busy a shared machine is.
    """
    best = float("inf")
    for _ in range(9):
        begin = time.process_time()
        sum(k * k for k in range(200_000))
        best = min(best, 1000 * (time.process_time() - begin))
    return best


if __name__ == "__main__":
    with Path(os.environ["MAXCOVER_TREND"]).open(newline="", encoding="utf-8") as noted:
        heading("Times, beside the speed of the machine", loop=f"{loop_milliseconds():.1f} ms")
        table(("figure", "value", "aims at", "", "ms of a loop then"), csv.reader(noted))
