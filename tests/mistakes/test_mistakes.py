"""Natural calls, as data: each is answered, refused with what to write instead, or warned about.

A row of a .toml file is a call and what it must do. To add one, add a line.
"""

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


NAMES = {
    "loaded": loaded,
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
    (call, said)
    for file in sorted(Path(__file__).parent.glob("*.toml"))
    for rows in tomllib.loads(file.read_text("utf-8")).values()
    for call, said in rows.items()
]


@pytest.mark.parametrize(("call", "said"), ROWS, ids=[call for call, _ in ROWS])
def test_a_natural_call(call, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run():
        return eval(call, dict(NAMES))  # noqa: S307 - our own rows

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
