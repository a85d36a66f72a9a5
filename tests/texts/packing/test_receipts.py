"""Receipts: why each passage was left out, as objects, a table, HTML and JSON by its schema."""

import json
import math

import jsonschema
import pytest

import maxcover as mc
from maxcover.texts.packing import GRANULARITIES, read_schema

PASSAGES = [
    "Order 99172 was returned on 2024-05-02. The refund was approved by the clerk at once.",
    "Order 99172 was returned on 2024-05-02. The refund was approved by the clerk.",
    "Our shop opens at nine in the morning. Cats are welcome in the shop all day.",
    "...",
    "The parcel of order 99172 weighs " + ", ".join(f"{k} and a bit" for k in range(40)) + ".",
]
QUERY = "refund of order 99172"


@pytest.fixture
def packed():
    return mc.pack(PASSAGES, query=QUERY, budget=30, granularity="passage")


def test_every_passage_is_taken_or_left_out_with_a_reason(packed):
    assert sorted([*packed.indices, *(one.index for one in packed.left_out)]) == list(range(5))
    assert [one.rank for one in packed.left_out] == sorted(one.rank for one in packed.left_out)
    kinds = {one.index: one.kind for one in packed.left_out}
    assert kinds == {1: "repeats", 2: "matches nothing", 3: "empty", 4: "too long"}


def test_what_a_passage_repeats_is_named(packed):
    twin = packed.left_out[0]
    assert (twin.index, twin.repeats) == (1, (0,))
    assert twin.reason == "its sentences stand in passage 0"
    cats, dogs = "The old cat purrs at night.", "The small dog barks at noon."
    halves = mc.pack([dogs, cats, f"{cats} {dogs}"], budget=20, required=[0, 1])
    assert halves.left_out[0].reason == "its sentences stand in passages 0 and 1"


def test_of_what_repeats_only_in_part_the_best_matches_are_named():
    best = "The refund of order 99172 was sent to the card of the customer on Monday."
    half = "The customer asked for a refund because the parcel had come too late."
    talk = [f"Many people {verb} along the river that day." for verb in ("walked", "ran", "rode")]
    shops = [f"The {word} in the old town opens at nine." for word in ("mill", "inn", "bank")]
    found = [f"{best} {half}", *shops, *talk, f"{half} {talk[0]} {talk[1]}"]
    query = "Was the refund of order 99172 sent to the card on Monday?"
    packed = mc.pack(found, query=query, budget=40, granularity="sentence")
    assert packed.text == found[0]
    assert packed.left_out[-1].reason == "its best matches stand in passage 0"


def test_an_older_version_is_no_repetition():
    terms = "The cancellation period for premium plans is {} days after purchase."
    versions = [terms.format(days) for days in (14, 30)]
    call = {"query": "cancellation period", "budget": 60, "prefer": "newest"}
    packed = mc.pack(versions, dates=["2024-01-01", "2025-01-01"], **call)
    assert packed.indices == (1,)
    assert packed.left_out[0].reason == "other passages say as much, or something newer"


def test_what_differs_in_a_value_repeats_nothing():
    terms = "The cancellation period for premium plans is {} days after purchase."
    versions = [terms.format(days) for days in (14, 30, 60)]
    packed = mc.pack(versions, query="cancellation period", budget=15)
    assert len(packed.indices) == 1
    assert {one.kind for one in packed.left_out} == {"no room"}


@pytest.mark.filterwarnings("ignore:nothing is packed")
@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("budget", [0, 12, 40, 500])
def test_json_keeps_to_its_schema(granularity, budget):
    packed = mc.pack(PASSAGES, query=QUERY, budget=budget, granularity=granularity)
    jsonschema.validate(json.loads(packed.to_json()), read_schema())


def test_the_table_names_all(packed):
    table = packed.explain()
    assert "its sentences stand in passage 0" in table
    assert packed.certificate in table
    assert "of 5 passages" in table


def test_html_escapes_what_passages_say():
    html = mc.pack(["<script>alert(1)</script> is a tag."], budget=50)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_the_certificate_says_what_it_certifies(packed):
    proven = (
        f"Best according to {packed.witness}"
        if packed.status == "optimal" and packed.witness
        else "Proven best"
        if packed.status == "optimal"
        # rounded down: a promise is never larger than what is proven
        else f"at least {math.floor(1000 * (1 - packed.gap)) / 10:.1f}\u202f%"
    )
    assert proven in packed.certificate
    assert "passages within 30 tokens" in packed.certificate
