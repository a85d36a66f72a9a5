"""``maxcover sites``: chooses the sites that reach the most demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maxcover.cli.choices import AMOUNT, PATH, argument, options_of, quiet, several, text_or_json
from maxcover.cli.decisions_command import read_budgets
from maxcover.cli.solve_command import print_solution, searching
from maxcover.engine.core.verify import parse_json
from maxcover.errors import FileFormatError
from maxcover.ground.extras import import_extra
from maxcover.ground.files.opening import open_file

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = """\b
Examples:
  maxcover sites sites.csv towns.csv --radius 5km --budget 10 --weights people
  maxcover sites sites.csv towns.geojson --radius 800m --budget 4 -o map.html -o chosen.csv
  maxcover sites sites.csv towns.csv --radius 5km --budget 9 --budgets 3,6,9 --explain -o map.html

A .csv or .tsv file has the columns lat and lon, or x and y, and if any name, weight (demand), cost
(sites). A .geojson, .gpkg, .fgb or .shp file holds points; the last three are read by GeoPandas.
"""
_GEOGRAPHIC = (".gpkg", ".fgb", ".shp")
PLACES = "as .csv, .tsv, .geojson or .gpkg"


@click.command(epilog=EXAMPLES)
@argument("sites", f"Places to choose from, {PLACES}.", type=PATH)
@argument("demand", f"Places to reach, {PLACES}.", type=PATH)
@click.option(
    "--radius", required=True, help="How far a site reaches: 5km, 800m, 3mi, or a column."
)
@click.option("--budget", "-b", type=AMOUNT, required=True, help="How many sites, or their cost.")
@click.option("--weights", help="Column of the demand that says how much a place counts.")
@click.option("--costs", help="Column of the sites that says what each costs.")
@several("--required", help="Site that stays, by name (repeat it), or a column of yes and no.")
@several("--forbidden", help="Site that is out of the question, by name, or a column.")
@click.option("--groups", help="Column of the sites with the group of each.")
@click.option("--max-items", type=int, help="At most so many sites of each group.")
@click.option("--min-items", type=int, help="At least so many sites of each group.")
@click.option("--regions", help="Column of the demand with the region of each place.")
@click.option("--min-coverage", type=float, help="Share of each region to reach, such as 0.6.")
@click.option("--decay", type=click.Choice(["linear"]), help="Count less with distance.")
@click.option("--need", type=int, help="How many chosen sites must reach a place. Default: 1.")
@options_of("solve", "start")
@click.option("--start", type=PATH, help="Earlier answer to start from: .npz or .json.")
@click.option("--explain", is_flag=True, help="Say what each chosen site is worth, with proof.")
@click.option("--budgets", metavar="3,6,9", help="Also plan phases, by growing budgets.")
@several(
    "--output",
    "-o",
    "out",
    type=PATH,
    help="Save .html, .png, .svg, .geojson, .csv, .npz or .json.",
)
@text_or_json
@quiet
def sites(
    sites: Path,
    demand: Path,
    start: Path | None,
    explain: bool,
    budgets: str | None,
    out: tuple[Path, ...],
    form: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Choose the sites on a map that reach the most."""
    import maxcover as mc
    from maxcover.ground.calls import CALLS

    search = {name: options.pop(name) for name in CALLS["solve"] if name in options}
    given = {name: value for name, value in options.items() if value not in {None, ()}}
    places = read_places(sites)
    for name in ("required", "forbidden"):
        if given.get(name, ("",))[0] in _columns(places):
            (given[name],) = given[name]
    problem = mc.CoverageProblem.from_points(places, read_places(demand), **given)
    with searching(start, quiet=quiet) as further:
        solution = mc.solve(problem, **search, **further)
    plan = None if budgets is None else mc.plan(problem, read_budgets(budgets))
    if plan is not None:  # show the plan's last selection: the sites of all phases
        solution = mc.certify(problem, plan.selections[-1])
    explanation = mc.explain(problem, solution, solution.selected) if explain else None
    for path in out:
        if path.suffix.lower() in {".npz", ".json"}:
            mc.save(solution, path)
        else:
            mc.SiteMap(solution, explanation=explanation, plan=plan).save(path)
    print_solution(problem, solution, form)
    for result in (explanation, plan):
        if result is not None:
            click.echo(str(result), err=True)


def read_places(path: Path) -> Any:
    """Read a table with one row per place, or GeoJSON."""
    from maxcover.engine.core.tables import DELIMITERS, text_columns

    with open_file(path) as file:
        data, ending = file.read(), path.suffix.lower()
    if ending in {".geojson", ".json"}:
        try:
            return parse_json(data)
        except ValueError as error:
            raise FileFormatError(f"expected GeoJSON in {path.name!r}, got {error}") from None
    if ending in _GEOGRAPHIC:
        needed = f"{path.name!r} is read by GeoPandas: pip install geopandas"
        frame = import_extra("geopandas", needed).read_file(path)
        # degrees, as in GeoJSON, so that two files may be in two systems
        return frame if frame.crs is None else frame.to_crs(4326)
    if ending not in DELIMITERS:
        raise FileFormatError(f"expected places {PLACES}, got {path.name!r}; convert it first")
    return {name: _column(name, texts) for name, texts in text_columns(data, ending).items()}


def _columns(places: Any) -> list[str]:
    """Return the names of the columns, or of the properties of GeoJSON."""
    features = places.get("features", ()) if "type" in places else ()
    properties = [feature.get("properties") or {} for feature in features[:1]]
    return [*places, *(name for one in properties for name in one)]


def _column(name: str, texts: list[str]) -> list[Any]:
    """Return a column as numbers if all its texts are numbers; a column of names stays text."""
    from maxcover.uses.sites.places import NAMES

    if name in NAMES:
        return texts
    try:
        return [float(text) for text in texts]
    except (TypeError, ValueError):
        return texts
