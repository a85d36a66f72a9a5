"""Make the pictures of the start page and the charts: python scripts/pictures.py.

The map comes from examples/cities.csv, the charts from the tables of docs/lab. Run it when one of
them has changed; a test compares what it makes with the stored files.
"""

import csv
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import maxcover as mc
from maxcover.engine.core import verify
from maxcover.engine.core.io import plain_record

ROOT = Path(__file__).parent.parent
REACH = 500  # kilometres
BUDGET = 5  # hubs
STYLE = """
    text { font: 17px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1c2b33; }
    .card { fill: #fbfbf9; stroke: #d8d8d2; }
    .title { font-size: 21px; font-weight: 600; }
    .small { font-size: 15.5px; fill: #55636b; }
    .ours { fill: #0072b2; } .other { fill: #9aa5ab; } .line { stroke: #55636b; stroke-width: 1.5; }
    .out { fill: #b3bbc0; } .in { fill: #0072b2; }
    .ring { fill: #0072b2; fill-opacity: 0.09; stroke: #0072b2; stroke-opacity: 0.5; }
    .hub { fill: #d55e00; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf0; } .card { fill: #17212b; stroke: #36444f; } .small { fill: #a9b7bf; }
      .ours, .in { fill: #56b4e9; } .other, .out { fill: #66747c; } .line { stroke: #a9b7bf; }
      .ring { fill: #56b4e9; stroke: #56b4e9; } .hub { fill: #ff9d4d; }
    }"""


def page(width: int, height: int, label: str, body: Iterable[str], style: str = "") -> str:
    """Put a drawing on a card that reads in light and in dark."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * 0.75:.0f}" '
        f'viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}">',
        f"  <style>{STYLE}{style}\n  </style>",
        f'  <rect class="card" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="12"/>',
        *(f"  {line}" for line in body),
        "</svg>\n",
    ])  # fmt: skip


def words(x: float, y: float, text: str, kind: str = "") -> str:
    """Write something."""
    look = f'class="{kind}" ' if kind else ""
    return f'<text {look}x="{x:.0f}" y="{y:.0f}">{text}</text>'


def dot(x: float, y: float, radius: float, kind: str) -> str:
    """Draw a circle."""
    return f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="{radius:.1f}"/>'


def mark(x: float, y: float) -> str:
    """Draw the triangle of a hub."""
    return f'<path class="hub" d="M{x:.0f} {y - 8:.0f}l7 12h-14z"/>'


def distance(here: dict[str, str], there: dict[str, str]) -> float:
    """Return kilometres along the surface of the earth."""
    a, x, b, y = (
        math.radians(float(city[name]))
        for city in (here, there)
        for name in ("latitude", "longitude")
    )
    across = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(x - y)
    return 6371 * math.acos(min(1.0, across))


def hubs() -> tuple[list[dict[str, str]], dict[str, list[str]], mc.CoverageProblem]:
    """Read the cities; a hub in one of them reaches all within 500 km."""
    with (ROOT / "examples" / "cities.csv").open(encoding="utf-8") as file:
        cities = list(csv.DictReader(file))
    people = [float(city["people"]) for city in cities]
    problem = mc.CoverageProblem.from_points(
        cities, cities, radius=f"{REACH} km", weights=people, budget=BUDGET
    )
    near = {
        city["city"]: [cities[k]["city"] for k in problem.elements_at(i)]
        for i, city in enumerate(cities)
    }
    return cities, near, problem


def plane(city: dict[str, str]) -> tuple[float, float]:
    """Return the place of a city in the picture: distances from the middle are true to scale."""
    middle = {"latitude": "49", "longitude": "10"}
    far = distance(middle, city)
    north = distance(middle, {**city, "longitude": "10"})
    north *= 1 if float(city["latitude"]) > 49 else -1
    east = math.sqrt(max(0.0, far**2 - north**2)) * (1 if float(city["longitude"]) > 10 else -1)
    return 262 + east * SCALE, 268 - north * SCALE


SCALE = 0.155  # pixels per kilometre


def hero() -> str:
    """Draw three ways to choose five hubs, one after the other."""
    cities, near, problem = hubs()
    alone = [problem.value([k]) for k in range(problem.n_sets)]
    best_five = sorted(range(problem.n_sets), key=lambda k: -alone[k])[:BUDGET]
    greedy, best = mc.solve(problem, method="greedy"), mc.solve(problem)
    if best.status != "optimal":
        raise ValueError(f"expected a proven optimum, which the picture claims; got {best}")
    total = float(problem.weights.sum())
    frames = [
        ("A ranking", "the five best, each judged alone", best_five),
        ("A greedy loop", "what adds most, five times", list(greedy.selected)),
        ("maxcover", "proven: nothing reaches more", list(best.selected)),
    ]
    places = [plane(city) for city in cities]
    body = []
    for order, (name, remark, chosen) in enumerate(frames):
        covered = {city for k in chosen for city in near[cities[k]["city"]]}
        reached = problem.value(sorted(chosen))
        body.append(f'<g class="frame f{order}">')
        body += [dot(*places[k], REACH * SCALE, "ring") for k in chosen]
        for place, city in zip(places, cities, strict=True):
            size = 2 + 2.2 * math.sqrt(float(city["people"]))
            body.append(dot(*place, size, "in" if city["city"] in covered else "out"))
        body += [mark(*places[k]) for k in chosen]
        length = f"{232 * reached / total:.0f}"
        body += [
            words(28, 526, name, "title"),
            words(28, 552, remark, "small"),
            '<rect class="other" x="300" y="511" width="232" height="16" rx="8" opacity="0.35"/>',
            f'<rect class="ours" x="300" y="511" width="{length}" height="16" rx="8"/>',
            words(300, 552, f"reaches {reached:.1f} of {total:.0f} million"),
            "</g>",
        ]
    body += [
        words(28, 44, "Where to put five hubs?", "title"),
        words(28, 70, "each reaches the people of all cities within 500 km", "small"),
    ]
    # each frame is shown for three seconds, the best one first; who wants no motion sees only it
    style = """
    .frame { opacity: 0; animation: show 9s infinite; }
    .f0 { animation-delay: 3s; } .f1 { animation-delay: 6s; }
    @keyframes show { 0%, 32% { opacity: 1; } 34%, 100% { opacity: 0; } }
    @media (prefers-reduced-motion: reduce) { .frame { animation: none; } .f2 { opacity: 1; } }"""
    label = (
        f"Map of {len(cities)} European cities: five hubs chosen alone reach "
        f"{problem.value(sorted(best_five)):.1f} million people, greedily {greedy.value:.1f}, "
        f"by maxcover {best.value:.1f}, proven optimal"
    )
    return page(560, 580, label, body, style)


def rows(name: str, heading: str, start: str) -> list[list[str]]:
    """Return the rows of the table below a heading of a lab page whose first line starts so.

    Raises
    ------
    LookupError
        There is no such table; the message says where one was expected.
    """
    text = (ROOT / "docs" / "lab" / f"{name}.md").read_text(encoding="utf-8")
    below = text.partition(f"\n{heading}\n")[2]
    lines = below[below.find(start) :].splitlines() if start in below else []
    table = [line for k, line in enumerate(lines) if all(x.startswith("|") for x in lines[: k + 1])]
    if len(table) < 3:
        raise LookupError(f"expected a table '{start}' below '{heading}' in docs/lab/{name}.md")
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table[2:]]


def number(text: str) -> float:
    """Return the first number of a cell."""
    found = re.search(r"-?\d+(?:\.\d+)?", text)
    if found is None:
        raise LookupError(f"expected a number, got {text!r}")
    return float(found[0])


def bars(title: str, what: str, found: list[tuple[str, float, str]], most: float) -> str:
    """Draw one bar per row: name, length, what is written behind it."""
    body = [
        words(24, 38, title, "title"),
        words(24, 60, what, "small"),
    ]
    for k, (name, length, remark) in enumerate(found):
        y = 82 + 34 * k
        width = max(2.0, 220 * length / most)
        kind = "ours" if name == "maxcover" else "other"
        body += [
            words(24, y + 17, name),
            f'<rect class="{kind}" x="162" y="{y}" width="{width:.0f}" height="24" rx="4"/>',
            words(170 + width, y + 17, remark),
        ]
    label = f"{title}: " + ", ".join(f"{name} {remark}" for name, _, remark in found)
    return page(470, 100 + 34 * len(found), label, body)


def solver() -> str:
    """Draw how much of the best known value each solver reaches on the 30 instances."""
    table = rows("benchmarks", "### The 30 instances of the literature", "| instance | best known")
    names = {"maxcover": 2, "greedy": 4, "HiGHS, 2 s": 5, "CP-SAT, 2 s": 6}
    found = []
    for name, column in names.items():
        shares = [number(row[column]) / number(row[1]) for row in table]
        mean = 100 * sum(shares) / len(shares)
        found.append((name, mean, f"{mean:.1f} %"))
    return bars(
        f"{len(table)} instances of the literature",
        "mean share of the best known value",
        found,
        100,
    )


def summaries() -> str:
    """Draw how far ahead in ROUGE-1 the default is of each other summarizer."""
    table = rows("evaluation", "## On texts that chose nothing", "| method | all kinds, ROUGE-1")
    lead = rows("evaluation", "## On texts that chose nothing", "| kind | clusters | ahead of")
    ahead = [("first sentences", number(lead[-1][4]))]
    ahead += [(row[0], number(row[1])) for row in table if "ours" not in row[0]]
    found = [
        (name, value, f"+{100 * value:.1f}") for name, value in sorted(ahead, key=lambda x: x[1])
    ]
    return bars(
        "Ahead of other summarizers",
        "by how many points of ROUGE-1 maxcover leads",
        found,
        max(value for _, value in ahead),
    )


def packing() -> str:
    """Draw how often the answer is in a context of 200 tokens, by top-k and by pack."""
    table = rows("packing", "### The present version, reported half", "| candidates | 200 tokens")
    body = [
        words(24, 38, "Is the answer in 200 tokens?", "title"),
        words(24, 60, "share of the questions", "small"),
        dot(238, 55, 7, "other"),
        words(251, 60, "top-k", "small"),
        dot(322, 55, 7, "ours"),
        words(335, 60, "maxcover", "small"),
    ]
    told = []
    for k, row in enumerate(table):
        y = 94 + 34 * k
        before, after = (number(part) for part in re.split("; .*→", row[1]))
        left, right = (160 + 250 * value for value in (before, after))
        told.append(f"{row[0]} {100 * before:.0f} and {100 * after:.0f} per cent")
        body += [
            words(24, y + 5, row[0]),
            f'<path class="line" d="M{left:.0f} {y}H{right:.0f}"/>',
            dot(left, y, 7, "other"),
            dot(right, y, 7, "ours"),
            words(right + 16, y + 5, f"{100 * after:.0f} %"),
        ]
    label = "Share of answers in the context, top-k and maxcover: " + ", ".join(told)
    return page(460, 100 + 34 * len(table), label, body)


def how_long() -> str:
    """Draw edges against seconds, by effort and cores, with the gap that is left."""
    table = rows("auto", "## How long it takes, and threads", "| edges | effort")
    lines: dict[str, list[tuple[float, float, str]]] = {}
    for edges, effort, cores, seconds, gap in table:
        name = f"{effort}, {cores} {'core' if cores == '1' else 'cores'}"
        lines.setdefault(name, []).append((float(edges), number(seconds), gap))
    left, top, wide, high = 84, 100, 130, 62  # of the drawing, and of a factor of ten
    least, slow = 3, 1  # powers of ten at the left and at the top

    def place(edges: float, seconds: float) -> tuple[float, float]:
        return left + wide * (math.log10(edges) - least), top + high * (slow - math.log10(seconds))

    body = [
        words(24, 38, "How long will it take?", "title"),
        words(24, 60, "seconds by edges; per cent: the gap that is left", "small"),
    ]
    for power, name in enumerate(("1 ms", "10 ms", "0.1 s", "1 s", "10 s"), start=-3):
        y = place(10**least, 10**power)[1]
        body += [
            f'<path class="grid" d="M{left} {y:.0f}h{3.1 * wide:.0f}"/>',
            words(24, y + 5, name, "small"),
        ]
    for power in range(least, least + 4):
        x = place(10**power, 1)[0]
        body.append(words(x - 14, top + 4 * high + 26, f"10^{power}", "small"))
    told = []
    for k, (name, points) in enumerate(lines.items()):
        places = [place(edges, seconds) for edges, seconds, _ in points]
        path = "L".join(f"{x:.0f} {y:.0f}" for x, y in places)
        body.append(f'<path class="curve c{k}" d="M{path}"/>')
        x, y = places[-1]
        body.append(words(x + 12, y + 5, name, "small"))
        for (x, y), (_, _, gap) in zip(places, points, strict=True):
            body.append(dot(x, y, 4, f"d{k}"))
            if gap:
                above = name.startswith("normal")
                body.append(
                    words(x - 46 if above else x - 18, y - 10 if above else y + 22, gap, "small")
                )
        told += [f"{edges:g} edges, {name}: {seconds:g} s" for edges, seconds, _ in points]
    style = """
    .grid { stroke: #d8d8d2; } .curve { fill: none; stroke-width: 2; }
    .c0 { stroke: #9aa5ab; } .c1, .c2 { stroke: #0072b2; } .c2 { stroke-dasharray: 5 5; }
    .d0 { fill: #9aa5ab; } .d1, .d2 { fill: #0072b2; }
    @media (prefers-color-scheme: dark) {
      .grid { stroke: #36444f; } .c1, .c2 { stroke: #56b4e9; } .d1, .d2 { fill: #56b4e9; }
    }"""
    return page(660, top + 4 * high + 48, "How long it takes: " + "; ".join(told), body, style)


def cases() -> str:
    """Draw the proof by cases of docs/certificates.md: decisions, and the bound of each case."""
    sets = [[1, 2, 3], [1, 4, 5], [2, 4, 6], [3, 5, 6], [1, 6, 7], [2, 5, 7], [3, 4, 7]]
    problem = mc.CoverageProblem.from_sets(dict(zip("abcdefg", sets, strict=True)), budget=2)
    answer = plain_record(mc.solve(problem, checkable=True))
    exact = verify.ExactProblem(plain_record(problem), is_cover=False)
    points = verify.TreePoints(exact, answer)
    left = [(verify.BranchCase((), frozenset()), 40.0, 60.0, "")]
    body, told, row = (
        [words(24, 34, "Every selection of two sets is in one of the cases", "title")],
        [],
        0,
    )
    for node in verify.nodes_of(verify.unpacked(answer["tree_nodes"])):
        case, from_x, from_y, said = left.pop()
        y, x = 76 + 44 * row, from_x + 104
        if said:
            end = x if node >= 0 else x - 8
            line = f"M{from_x:.0f} {from_y:.0f}V{y}H{end:.0f}"
            body.append(f'<path class="line" fill="none" d="{line}"/>')
            body.append(words(from_x + 8, y - 6, said, "small"))
        if node >= 0:
            start = (x if said else from_x, float(y))
            parts = zip(case.halves(node // 2), ("with", "without"), strict=True)
            halves = [(half, *start, f"{how} {'abcdefg'[node // 2]}") for half, how in parts]
            left += halves if node % 2 else halves[::-1]
            continue
        bound = points.priced(~node, case)[0] / exact.scale
        told.append(f"at most {bound:.5g}")
        body.append(words(x, y + 6, told[-1]))
        row += 1
    return page(760, 76 + 44 * row, "A proof by cases: " + ", ".join(told), body)


def table_of_hubs() -> str:
    """Return the sets of the map as a table for `maxcover solve`."""
    cities, near, _ = hubs()
    people = {city["city"]: city["people"] for city in cities}
    pairs = [(hub, city, people[city]) for hub, reached in near.items() for city in reached]
    return "".join(f"{','.join(row)}\n" for row in [("set", "element", "weight"), *pairs])


FILES: dict[str, Callable[[], str]] = {
    "docs/_static/hero.svg": hero,
    "docs/_static/quality-solver.svg": solver,
    "docs/_static/quality-summaries.svg": summaries,
    "docs/_static/quality-packing.svg": packing,
    "docs/_static/how-long.svg": how_long,
    "docs/_static/cases.svg": cases,
    "examples/hubs.csv": table_of_hubs,
}

if __name__ == "__main__":
    for name, draw in FILES.items():
        (ROOT / name).write_text(draw(), encoding="utf-8")
        print(name)
