"""Receipts: why each passage was left out, as objects, a table, HTML and JSON by its schema."""

import json
import math

import jsonschema
import pytest

import maxcover as mc
from maxcover.packing import GRANULARITIES, read_schema

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
    assert (twin.index, twin.repeats, twin.gain) == (1, (0,), 0.0)
    assert twin.reason == "its sentences stand in passage 0"
    cats, dogs = "The old cat purrs at night.", "The small dog barks at noon."
    halves = mc.pack([dogs, cats, f"{cats} {dogs}"], budget=20, required=[0, 1])
    assert halves.left_out[0].reason == "its sentences stand in passages 0 and 1"


def test_what_differs_in_a_value_repeats_nothing():
    terms = "The cancellation period for premium plans is {} days after purchase."
    versions = [terms.format(days) for days in (14, 30, 60)]
    packed = mc.pack(versions, query="cancellation period", budget=15)
    assert len(packed.indices) == 1
    assert {one.kind for one in packed.left_out} == {"no room"}


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
        "Proven best"
        if packed.status == "optimal"
        # rounded down: a promise is never larger than what is proven
        else f"at least {math.floor(1000 * (1 - packed.gap)) / 10:.1f}\u202f%"
    )
    assert proven in packed.certificate
    assert "passages within 30 tokens" in packed.certificate
