"""Natural calls, as data: each is answered, refused with what to write instead, or warned about.

A row of a .toml file is a call and what it must do. To add one, add a line.
"""

import contextlib
import io
import json
import re
import tomllib
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from pandas import Series

import maxcover as mc
from maxcover import CoverageProblem, certify, cover, solve
from maxcover.cli.app import call
from maxcover.errors import InputWarning, MaxcoverError
from tests.mistakes import test_doors
from tests.uses.sites.test_places import DEGREES, LONLAT, METRES
from tests.uses.sites.test_places import FRAME as CITIES

STORM, FISH, SETS = test_doors.STORM, test_doors.FISH, test_doors.SETS
FRAME = pd.DataFrame({"text": [STORM, FISH]})
EDGES = pd.DataFrame(
    {"set": ["a", "a", "b"], "element": ["x", "y", "y"], "cost": [2, 2, 1], "weight": [1, 5, 5]}
)


IDS = {1: ["x", "y"], 2: ["y"], 3: ["z", "w", "v"]}  # numbers that are no indices
DF = pd.DataFrame({"id": [1, 2, 3]})
NOTICE = ["The notice period is 14 days.", "The notice period is 7 days."]
LABELLED = CITIES[["city", "latitude", "longitude"]]


def made(**options):
    return CoverageProblem.from_sets(SETS, **{"budget": 1, **options})


def solved(**options):
    return solve(made(**options)).labels


def table(given, **options):
    return CoverageProblem.from_table(given, **{"budget": 2, **options})


def sited(places, **options):
    given = {"radius": "500 km", "budget": 5, **options}
    return CoverageProblem.from_points(places, places, **given)


def kept(**columns):
    """Return the labels of the sets that a column of flags requires, and of those it forbids."""
    places = CITIES[:4].assign(flag=columns.get("flag"))
    edges = pd.DataFrame({"set": ["a", "b", "c", "d"], "element": [1, 2, 3, 4], **columns})
    found = []
    for argument in ("required", "forbidden"):
        by_place = CoverageProblem.from_points(
            places, places, radius="1500 km", budget=4, weights="people", **{argument: "flag"}
        )
        by_row = CoverageProblem.from_table(edges, budget=4, **{argument: "flag"})
        assert [*getattr(by_place, argument)] == [*getattr(by_row, argument)]
        found.append("".join(by_row.set_labels[i] for i in getattr(by_row, argument)))
    assert found[0] == found[1]
    return found[0]


def summed(given, **options):
    return mc.summarize(given, **{"budget": 9, **options})


def loaded(text, ending=".csv", **options):
    Path("t" + ending).write_text(text, "utf-8")
    return mc.load(f"t{ending}", **{"budget": 1, **options})


def sent(body, task="solve"):
    """The answer of the service; what it refuses is raised."""
    status, answer = test_doors.asked(task, body)
    if status != 200:
        raise MaxcoverError(answer["error"]["message"])
    return answer


FILES = {
    "sets.json": json.dumps(SETS),
    "sets.csv": "set,element,cost\na,x,1\na,y,1\nb,y,2\n",
    "head.csv": "set,element\n",
    "towns.csv": "name,lat,lon,people\nA,52.5,13.4,5\nB,48.1,11.6,3\nC,50.1,8.7,2\n",
    "storm.txt": STORM,
    "fish.txt": FISH,
    "empty.txt": "",
    "two.jsonl": '{"text": "A ferry runs hourly."}\n{"text": "Tickets cost 4."}\n',
    "cut.jsonl": '{"text": "A ferry runs hourly."}\n{"text": "Tick',
}


def ran(line):
    """What a command prints; what it says besides is a warning, and an error if it fails."""
    for name, text in FILES.items():
        Path(name).write_text(text, "utf-8")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = call(line.split())
    said = " ".join(err.getvalue().split())
    if code:
        raise MaxcoverError(f"{code}: {said}")
    if said:
        warnings.warn(InputWarning(said), stacklevel=2)
    return out.getvalue()


NAMES = {
    "loaded": loaded,
    "ran": ran,
    "json": json,
    "NOTICE": NOTICE,
    "IDS": IDS,
    "DF": DF,
    "sent": sent,
    "np": np,
    "LABELLED": LABELLED,
    "pd": pd,
    "pl": pl,
    "pa": pa,
    "nx": nx,
    "scipy": scipy,
    "Series": Series,
    "mc": mc,
    "CoverageProblem": CoverageProblem,
    "certify": certify,
    "cover": cover,
    "solve": solve,
    "made": made,
    "solved": solved,
    "table": table,
    "summed": summed,
    "sited": sited,
    "kept": kept,
    "CITIES": CITIES,
    "DEGREES": DEGREES,
    "METRES": METRES,
    "LONLAT": LONLAT,
    "STORM": STORM,
    "FISH": FISH,
    "SETS": SETS,
    "FRAME": FRAME,
    "EDGES": EDGES,
}
ROWS = [
    (row, said)
    for file in sorted(Path(__file__).parent.glob("*.toml"))
    for rows in tomllib.loads(file.read_text("utf-8")).values()
    for row, said in rows.items()
]


@pytest.mark.parametrize(("written", "said"), ROWS, ids=[row for row, _ in ROWS])
def test_a_natural_call(written, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run():
        return eval(written, dict(NAMES))  # noqa: S307 - our own rows

    if "answer" in said:
        expected, found = eval(said["answer"], dict(NAMES)), run()  # noqa: S307 - our own rows
        assert found == expected
    elif "warn" in said:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run()
        assert [w for w in caught if re.search(said["warn"], str(w.message))], caught
        assert all(issubclass(w.category, InputWarning) for w in caught)
    elif "fails" in said:
        with pytest.raises(OSError, match="No such file"):
            run()
    else:
        with pytest.raises(MaxcoverError) as refused:
            run()
        assert re.search(said["refuse"], str(refused.value)), str(refused.value)


def test_there_are_five_hundred_of_them():
    doors = sum(
        map(len, (test_doors.LIBRARY, test_doors.UNDERSTOOD, test_doors.LINES, test_doors.BODIES))
    )
    assert len(ROWS) + doors + len(test_doors.FINE) + len(test_doors.CALLS) >= 500
