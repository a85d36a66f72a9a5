"""``maxcover sites`` on files as planners have them."""

import json
from pathlib import Path

import pandas as pd
import pytest

import maxcover as mc
from maxcover.cli.app import call
from tests.uses.sites.test_places import DEGREES

CITIES = Path(__file__).parents[2] / "examples" / "cities.csv"
HUBS = ["Amsterdam", "Bucharest", "Katowice", "Milan", "Valencia"]


def run(capsys, *arguments):
    code = call(["sites", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_table_map_and_geojson(capsys, tmp_path):
    files = [tmp_path / name for name in ("a.html", "a.geojson", "a.csv", "a.json", "a.png")]
    code, out, err = run(
        capsys, CITIES, CITIES, "--radius", "500km", "--budget", 5, "--weights", "people",
        *(part for file in files for part in ("-o", file)),
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(out)["labels"] == HUBS
    assert all(file.stat().st_size > 500 for file in files if file.suffix != ".csv")
    assert pd.read_csv(files[2])["site"].tolist() == HUBS
    assert mc.load(files[3]).value == pytest.approx(102.3)


def test_geojson_is_read(capsys, tmp_path):
    file = tmp_path / "cities.geojson"
    file.write_text(DEGREES.to_json())
    code, out, err = run(
        capsys, CITIES, file, "--radius", "500km", "--budget", 5, "--weights", "people"
    )
    assert code == 0, err
    assert json.loads(out)["labels"] == HUBS


def test_explanation_phases_and_limits(capsys, tmp_path):
    page = tmp_path / "map.html"
    code, out, err = run(
        capsys, CITIES, CITIES, "--radius", "500km", "-b", 5, "--weights", "people", "--explain",
        "--budgets", "2,5", "--required", "Lyon", "--forbidden", "Milan", "-o", page,
    )  # fmt: skip
    assert code == 0, err
    assert "Lyon" in json.loads(out)["labels"]
    assert "Milan" not in json.loads(out)["labels"]
    assert "loss at least" in page.read_text()
    assert "phase" in page.read_text()


def test_names_that_are_numbers_stay_names(capsys, tmp_path):
    file = tmp_path / "places.tsv"
    file.write_text("id\tx\ty\n007\t0\t0\n008\t9\t9\n")
    code, out, _ = run(capsys, file, file, "--radius", 15, "--budget", 1, "--required", "008")
    assert (code, json.loads(out)["labels"]) == (0, ["008"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--radius", "5"], "radius='5 km'"),
        (["--radius", "5min"], "from_travel_times"),
        (["--radius", "500km", "--weights", "poeple"], "'people'"),
        (["--radius", "500km", "--weights", "people", "--required", "Lyn"], "'Lyon'"),
        (["--radius", "500km", "--weights", "people", "-o", "map.doc"], ".geojson"),
    ],
)
def test_mistakes_are_one_line(capsys, arguments, words):
    code, _, err = run(capsys, CITIES, CITIES, "-b", 5, *arguments)
    assert code == 2
    assert words in err


def test_files_that_hold_no_places(capsys, tmp_path):
    broken, other = tmp_path / "a.geojson", tmp_path / "a.xlsx"
    broken.write_text("{")
    other.write_text("")
    for file, words in ((broken, "GeoJSON"), (other, ".csv")):
        code, _, err = run(capsys, file, CITIES, "--radius", "5km", "-b", 5)
        assert code == 2
        assert words in err


def test_groups_regions_flags_and_geopackages(capsys, tmp_path):
    frame = DEGREES.assign(letter=DEGREES["city"].str[0], there="no", shut="No")
    frame.loc[frame["city"] == "Lyon", "there"] = "yes"
    frame.loc[frame["city"] == "Milan", "shut"] = "Yes"
    frame.to_crs(3857).to_file(tmp_path / "cities.gpkg")
    frame.drop(columns="geometry").to_csv(tmp_path / "cities.csv", index=False)
    (tmp_path / "cities.geojson").write_text(frame.to_json())
    for name in ("cities.gpkg", "cities.csv", "cities.geojson"):
        code, out, err = run(
            capsys, tmp_path / name, tmp_path / "cities.gpkg", "--radius", "500km", "-b", 7,
            "--weights", "people", "--required", "there", "--forbidden", "shut",
            "--groups", "letter", "--max-items", 1, "--regions", "letter", "--min-coverage", 0.2,
        )  # fmt: skip
        assert code == 0, err
        chosen = json.loads(out)["labels"]
        assert "Lyon" in chosen
        assert "Milan" not in chosen
        assert len({label[0] for label in chosen}) == len(chosen)
