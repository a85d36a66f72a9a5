"""What the benchmarks share: a heading with the circumstances, a Markdown table, and floors."""

import argparse
import os
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata

PACKAGES = ("maxcover", "numpy", "scipy", "highspy")


def arguments(text: str, **options: int) -> argparse.Namespace:
    """Parse ``--quick``, ``--seed`` and whole-number options with the given defaults."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--quick", action="store_true", help="the small form that CI runs")
    parser.add_argument("--seed", type=int, default=0)
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


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
