"""Packing: a hard budget under any counter, weights as written down, and every option."""

import copy
import itertools
import json
import math
import re
import subprocess
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest

import maxcover as mc
from maxcover.errors import FileFormatError, InfeasibleError, InputWarning, OptionError
from maxcover.texts.packing import FACTS, GRANULARITIES, ORDERS
from maxcover.texts.packing.counters import NAMES, find_counter, load_tokenizer
from maxcover.texts.packing.requirements import find_facts
from tests import sweeps

PASSAGES = [
    "Order 99172 was returned on 2024-05-02. The refund was approved.",
    "Order 99172 was returned on 2024-05-02, and the refund was approved.",
    "The refund of order 99172, 41.50 EUR, was sent on 2024-05-06. It takes three days.",
    "Our shop opens at nine. Cats are welcome in the shop.",
    "Refunds are sent to the card that paid. A refund takes three days. See https://shop.example/refunds.",
]
QUERY = "refund status of order 99172"


def test_only_the_order_of_scores_counts():
    scores = np.array([9.0, 8.0, 5.0, 1.0, 3.0])
    given = mc.pack(PASSAGES, query=QUERY, budget=30, scores=scores)
    for same in (scores * 1e-9, scores - 40.0, 0.8 + scores / 1e6, np.exp(scores)):
        assert mc.pack(PASSAGES, query=QUERY, budget=30, scores=same).text == given.text
    falling = [5.0, 4.0, None, None, 1.0]
    for order in (None, [1.0] * 5, [None] * 5, falling, [-1, -2, -3, -4, -5]):
        assert mc.pack(PASSAGES, query=QUERY, budget=30, scores=order).text == (
            mc.pack(PASSAGES, query=QUERY, budget=30).text
        )


@pytest.mark.parametrize(
    "scores", [[1.0], [1, 2, 3, 4, "high"], "abcde", [[1]] * 5, [1, 2, 3, 4, math.nan]]
)
def test_wrong_scores_are_refused(scores):
    with pytest.raises(OptionError, match="expected scores"):
        mc.pack(PASSAGES, budget=30, scores=scores)


def test_more_relevant_passages_win():
    twins = ["Cats purr in the morning.", "Dogs bark in the evening."]
    assert mc.pack(twins, budget=8, scores=[1, 2]).indices == (1,)
    assert mc.pack(twins, budget=8, scores=[2, 1]).indices == (0,)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_near_duplicates_do_not_eat_the_budget(granularity):
    packed = mc.pack(PASSAGES, budget=60, query=QUERY, granularity=granularity)
    assert not {0, 1} <= set(packed.indices)


def test_auto_takes_sentences_until_a_large_share_fits():
    long = [" ".join(PASSAGES[k:] + PASSAGES[:k]) for k in range(5)]
    assert mc.pack(long, budget=60, query=QUERY).granularity == "sentence"
    assert mc.pack(long, budget=300, query=QUERY).granularity == "passage"
    for budget in (60, 300):
        auto = mc.pack(long, budget=budget, query=QUERY)
        same = mc.pack(long, budget=budget, query=QUERY, granularity=auto.granularity)
        assert auto.text == same.text


def test_the_answer_does_not_depend_on_what_was_read_before():
    fresh = (
        "import maxcover as mc, sys; from tests.texts.packing.test_pack import PASSAGES, QUERY\n"
        "if sys.argv[1:]: mc.pack(['Zebras graze.', *PASSAGES[::-1]], budget=9, query='zebra')\n"
        "packed = mc.pack(PASSAGES, budget=45, query=QUERY)\n"
        "print(packed.to_dict() | {'seconds': 0})"
    )
    runs = [
        subprocess.run([sys.executable, "-c", fresh, *more], capture_output=True, check=True).stdout
        for more in ([], ["before"])
    ]
    assert runs[0] == runs[1]


def test_neighbours_stay_as_they_stand_in_the_passage():
    table = (
        "| name of the dog | age |\n|---|---|\n| Rex of Old Hill | 7 |\n| Bello of the Glen | 9 |"
    )
    packed = mc.pack([table, "Cats are not dogs."], budget=60, granularity="sentence")
    assert table in packed.text
    code = "def bark(dog):\n    for k in range(3):\n        print(dog, 'barks')\n    return dog"
    assert code in mc.pack([code], budget=60, granularity="sentence").text


def random_counter(rng):
    """A counter of which nothing can be said: sizes neither add up nor grow with the text."""
    salt, kind = int(rng.integers(2**31)), int(rng.integers(6))
    base, step = int(rng.integers(4)), float(rng.choice([0.2, 1.0, 3.0]))

    def noise(text):
        return zlib.crc32(text.encode("utf-8", "surrogatepass"), salt) / 2**32

    counters = [
        lambda text: base + len(text.split()),
        lambda text: base + step * len(text) * (0.5 + noise(text)),
        lambda text: len(text.split()) ** 1.5,
        lambda text: base + len(text) ** 0.5,
        lambda text: 50.0 * noise(text),
        lambda text: step * len(re.findall(r".{1,4}", text, re.DOTALL)) + 7 * text.count("\n"),
    ]
    return counters[kind]


def random_pool(rng):
    words = ["cat", "dog", "sun", "Tree.", "99172", "é", "runs", "far!"]
    return [" ".join(rng.choice(words, n)) for n in rng.integers(0, 7, 200)]


def random_case(rng, pool):
    passages = [pool[k] for k in rng.integers(0, len(pool), rng.integers(0, 7))]
    return passages, {
        "budget": float(rng.choice([0, 1, 3, 5, 8, 13, 30, 100])),
        "granularity": str(rng.choice(GRANULARITIES)),
        "order": str(rng.choice(list(ORDERS))),
        "headers": [f"[{k}] " for k in range(len(passages))] if rng.random() < 0.3 else None,
        "separator": str(rng.choice(["\n\n", "", " | ", "x"])),
        "scores": rng.normal(size=len(passages)) if rng.random() < 0.5 else None,
    }


@pytest.mark.filterwarnings("ignore:nothing is packed")
@pytest.mark.parametrize("part", sweeps.cases(100))
def test_no_counter_is_ever_exceeded(part):
    rng = np.random.default_rng(part)
    pool = random_pool(rng)
    for case in range(sweeps.size(500)):
        passages, options = random_case(rng, pool)
        named = rng.random() < 0.25
        unit = str(rng.choice(NAMES)) if named else random_counter(rng)
        packed = mc.pack(passages, unit=unit, **options)
        size = find_counter(unit).measure(packed.text) if packed.text else 0.0
        assert size <= options["budget"], (part, case, passages, options, packed.text)
        assert packed.cost == pytest.approx(size), (part, case)


@pytest.mark.parametrize("unit", [*NAMES, len])
@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_the_parts_add_up(unit, granularity):
    packed = mc.pack(
        PASSAGES,
        query=QUERY,
        unit=unit,
        granularity=granularity,
        budget=90,
        headers=[f"[{k}] " for k in range(len(PASSAGES))],
    )
    assert packed.passages
    assert sum(p.gain for p in packed.passages) == pytest.approx(packed.value)
    assert packed.value <= packed.upper_bound <= packed.total_weight * (1 + 1e-9)
    for p in packed.passages:
        assert " ".join(PASSAGES[p.index][a:b] for a, b in p.spans) == p.text
        assert all(b < c for (_, b), (c, _) in itertools.pairwise(p.spans))
        assert p.gain > 0
    assert packed.text == "\n\n".join(f"[{p.index}] {p.text}" for p in packed.passages)


def test_every_method_of_the_house_can_be_asked_and_none_beats_the_bound():
    options = {"query": QUERY, "budget": 40, "granularity": "sentence"}
    bound = mc.pack(PASSAGES, **options).upper_bound
    best = mc.pack(PASSAGES, method="exact", **options)
    assert best.status == "optimal"
    for method in mc.METHODS:
        assert mc.pack(PASSAGES, method=method, **options).value <= min(bound, best.value) * (
            1 + 1e-9
        )
    with pytest.raises(OptionError, match="expected method"):
        mc.pack(PASSAGES, budget=40, method="fast")


@pytest.mark.parametrize("unit", ["words", lambda text: len(text.split())])
@pytest.mark.parametrize("documents", [None, ["a", "b", "a", "b", "c"]])
def test_a_limit_per_document_holds_for_each_document(documents, unit):
    """Without `documents` each passage is a document; all of them together were one before."""
    limited = mc.pack(
        PASSAGES, query=QUERY, budget=60, unit=unit, documents=documents, per_document=12
    )
    sizes = dict[object, int]()
    for passage in limited.passages:
        name = passage.index if documents is None else documents[passage.index]
        sizes[name] = sizes.get(name, 0) + len(passage.text.replace("…", "").split())
    assert max(sizes.values()) <= 12
    assert documents or len(sizes) >= 2


def test_required_passages_stay_whole():
    packed = mc.pack(PASSAGES, query=QUERY, budget=40, required=3)
    assert 3 in packed.indices
    packed = mc.pack(
        PASSAGES,
        query=QUERY,
        budget=40,
        required=[3],
        granularity="sentence",
        scores=[5, 4, 3, 0, 1],
    )
    assert PASSAGES[3] in packed.text


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_required_facts_stay_each_at_least_once(granularity):
    packed = mc.pack(PASSAGES, budget=80, required=["dates", "urls"], granularity=granularity)
    for fact in ("2024-05-02", "2024-05-06", "https://shop.example/refunds"):
        assert fact in packed.text
    assert sum(p.gain for p in packed.passages) == pytest.approx(packed.value)
    assert packed.value <= packed.upper_bound <= packed.total_weight * (1 + 1e-9)


def test_what_cannot_stay_is_named():
    with pytest.raises(InfeasibleError, match="passage 2"):
        mc.pack(PASSAGES, budget=5, required=2)
    with pytest.raises(InfeasibleError, match="found no selection with 'nine'"):
        mc.pack(PASSAGES, budget=3, required=re.compile("nine"))
    for wrong in (7, -1, "colour", 2.5):
        with pytest.raises(OptionError, match="expected required"):
            mc.pack(PASSAGES, budget=30, required=[wrong])


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (
            "identifiers",
            "Order 99172, INV-2024-001 and A320neo; 12 cats in 3.5 days.",
            {"99172", "INV-2024-001", "A320neo"},
        ),
        (
            "dates",
            "On 2024-05-02, 3 May 2024, March 3rd, 1.2.2024, may be.",
            {"2024-05-02", "3 May 2024", "March 3rd", "1.2.2024"},
        ),
        ("amounts", "It cost $1,200.50, 30 EUR or 5% of 99.", {"$1,200.50", "30 EUR", "5%"}),
        (
            "urls",
            "See https://a.example/b?c=d, or (www.e.example).",
            {"https://a.example/b?c=d", "www.e.example"},
        ),
        ("emails", "Write to a.b+c@d-e.example.", {"a.b+c@d-e.example"}),
    ],
)
def test_facts(kind, text, expected):
    assert set(find_facts([text], [FACTS[kind]])) == expected


@pytest.mark.parametrize("kind", FACTS)
@pytest.mark.parametrize(
    "text", ["1" * 20_000, "a-" * 10_000, "1.1," * 5_000, "a" * 20_000 + "@", "-" * 20_000]
)
def test_facts_are_found_in_linear_time(kind, text):
    FACTS[kind].findall(text[:100])
    assert len(FACTS[kind].findall(text)) <= len(text)


def test_orders():
    documents, positions = ["a", "b", "a", "b"], [2, 1, 1, 0]
    passages = ["one cat", "two dogs", "three cows", "four hens"]
    options = {
        "budget": 100,
        "documents": documents,
        "positions": positions,
        "scores": [4, 3, 2, 1],
    }
    assert mc.pack(passages, order="retrieved", **options).indices == (0, 1, 2, 3)
    assert mc.pack(passages, order="document", **options).indices == (2, 0, 3, 1)
    assert mc.pack(passages, order="ends", **options).indices == (0, 2, 3, 1)


@pytest.mark.filterwarnings("ignore:nothing is packed")
def test_nothing_gives_nothing():
    for passages in ([], [""], ["...", "?!"], ["far too long for this"]):
        packed = mc.pack(passages, budget=1)
        assert (packed.text, packed.passages, packed.cost, packed.value) == ("", (), 0.0, 0.0)
        assert packed.gap in {0.0, 1.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": -1},
        {"budget": float("nan")},
        {"budget": "10%"},
        {"granularity": "word"},
        {"order": "best"},
        {"unit": "sentences"},
        {"unit": 3},
        {"headers": ["a"]},
        {"documents": ["a"]},
        {"query": 3},
    ],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(OptionError):
        mc.pack(PASSAGES, **{"budget": 30, **wrong})
    with pytest.raises(OptionError, match="one text"):
        mc.pack("one text", budget=30)


def test_a_counter_that_gives_no_number_is_refused():
    for counter in (lambda text: None, lambda text: -1, lambda text: float("nan")):
        with pytest.raises(OptionError):
            mc.pack(PASSAGES, budget=30, unit=counter)


def test_every_piece_is_counted_once():
    asked = []

    def counter(text):
        asked.append(text)
        return len(text.split())

    mc.pack(PASSAGES, budget=60, unit=counter)
    assert all(
        sum(text in other for other in asked if text in other and other.strip() == text) <= 1
        for text in PASSAGES
    )
    assert len(asked) <= len(PASSAGES) + 10


def test_it_is_deterministic_and_leaves_its_input_alone():
    passages, scores = list(PASSAGES), np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    first, second = (mc.pack(passages, scores=scores, query=QUERY, budget=40) for _ in range(2))
    assert first.to_dict() | {"seconds": 0} == second.to_dict() | {"seconds": 0}
    assert passages == PASSAGES
    assert scores.tolist() == [5.0, 4.0, 3.0, 2.0, 1.0]


def test_json_holds_everything():
    packed = mc.pack(PASSAGES, query=QUERY, budget=40)
    plain = json.loads(packed.to_json())
    assert plain["schema"] == "maxcover.packed/2"
    assert {"text", "value", "upper_bound", "gap", "status"} <= set(plain)
    assert str(packed) == packed.text
    assert "of 5 passages" in repr(packed)


def test_tokenizers_of_hugging_face(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"[UNK]": 0, "cat": 1}, unk_token="[UNK]")  # noqa: S106 - no password
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    again = load_tokenizer(tmp_path / "tokenizer.json")
    packed = mc.pack(PASSAGES, budget=30, unit=again)
    assert len(again.encode(packed.text).ids) == packed.cost <= 30
    assert packed.unit == "tokens (tokenizers)"
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(FileFormatError, match=r"expected a tokenizer\.json"):
        load_tokenizer(tmp_path / "broken.json")


def test_encodings_of_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([k]): k for k in range(256)} | {b"th": 256, b"the": 257, b" the": 258}
    encoding = tiktoken.Encoding(
        "tiny", pat_str=r"\s?\w+|\s+|[^\w\s]+", mergeable_ranks=ranks, special_tokens={}
    )
    packed = mc.pack(PASSAGES, budget=120, unit=encoding)
    assert len(encoding.encode(packed.text)) == packed.cost <= 120
    assert packed.passages


def test_passages_may_be_records_or_objects():
    class Found:
        def __init__(self, text, metadata):
            self.text, self.metadata = text, metadata

    records = [{"text": text, "id": k, "score": -k} for k, text in enumerate(PASSAGES)]
    plain = mc.pack(PASSAGES, query=QUERY, budget=40)
    for given in (records, [Found(one["text"], {"score": one["score"]}) for one in records]):
        packed = mc.pack(given, query=QUERY, budget=40)
        assert packed.text == plain.text
        assert [one.given for one in packed] == [given[k] for k in packed.indices]
    backwards = [{**one, "score": -one["score"]} for one in records]
    assert mc.pack(backwards, query=QUERY, budget=15).indices != plain.indices[:1]


def test_room_for_the_rest_of_the_prompt():
    prompt = "Answer with one word, please."
    size = find_counter("tokens").measure(prompt)
    less = mc.pack(PASSAGES, query=QUERY, budget=60 - size).text
    assert mc.pack(PASSAGES, query=QUERY, budget=60, room=prompt).text == less
    assert mc.pack(PASSAGES, query=QUERY, budget=60, room=size).text == less
    with pytest.raises(InfeasibleError, match="room"):
        mc.pack(PASSAGES, query=QUERY, budget=60, room=100)


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_quotas_per_document(granularity):
    documents = ["a", "a", "a", "b", "b"]
    packed = mc.pack(
        PASSAGES,
        query=QUERY,
        budget=90,
        documents=documents,
        per_document=30,
        granularity=granularity,
    )
    for name in "ab":
        own = [one.cost for one in packed if documents[one.index] == name]
        assert sum(own) <= 30
    assert packed.indices


def test_the_newest_version_is_preferred_only_if_asked():
    terms = "The cancellation period for premium plans is {} days after purchase."
    passages = [terms.format(days) for days in (14, 60, 30)]
    call = {"query": "cancellation period", "budget": 60}
    assert len(mc.pack(passages, **call).indices) == 3
    dates = ["2021-01-01", "2024-01-01", "2022-06-01"]
    assert mc.pack(passages, **call, prefer="newest", dates=dates).indices == (1,)
    with pytest.raises(OptionError, match="expected dates"):
        mc.pack(passages, **call, prefer="newest")


class Remote:
    """A counter that is a service: it counts its calls."""

    def __init__(self):
        self.calls = 0

    def count_all(self, texts):
        self.calls += 1
        return [len(text.split()) + 1 for text in texts]


def test_a_remote_counter_is_asked_in_batches():
    remote = Remote()
    passages = [f"Number {k} is the number of cat {k * k}. Dogs bark {k} times." for k in range(90)]
    packed = mc.pack(passages, query="number of cats", budget=120, unit=remote)
    assert len(packed.text.split()) + 1 == packed.cost <= 120
    assert packed.unit == "Remote"
    assert remote.calls < 25

    class Short(Remote):
        def count_all(self, texts):
            return [1] * (len(texts) - 1)

    with pytest.raises(OptionError, match="expected count_all to return"):
        mc.pack(passages, budget=120, unit=Short())


def test_what_is_left_out_between_two_sentences_is_marked():
    parts = (
        "Rex always barks at the gate.",
        "The sun is very warm today.",
        "Nobody sleeps when Rex barks.",
    )
    other = "Cats purr all day in the house. Milk is white and cold. Fish swim in the sea all day."
    for text, between in ((" ".join(parts), " … "), ("\n".join(parts), "\n…\n")):
        packed = mc.pack([text, other], query="Rex barks", budget=16, granularity="sentence")
        assert packed.text == parts[0] + between + parts[2]
        assert packed.cost == find_counter("tokens").measure(packed.text) <= 16


def test_the_certificate_says_whose_word_it_is(monkeypatch):
    from maxcover.texts.packing.fitting import Chooser

    passages = ["Dogs bark at night.", "Cats purr by day.", "Birds sing."]
    packed = mc.pack(passages, query="what do dogs do", budget=9)
    assert packed.certificate.startswith("Proven")
    proof = Chooser.prove

    def claimed(self):
        return replace(proof(self), bound_by="HiGHS")

    monkeypatch.setattr(Chooser, "prove", claimed)
    packed = mc.pack(passages, query="what do dogs do", budget=9)
    assert "ccording to HiGHS" in packed.certificate
    assert "Proven" not in packed.certificate
    assert copy.deepcopy(packed).certificate == packed.certificate


def test_a_question_without_a_word_of_the_passages_warns():
    passages = ["Dogs bark at night.", "Cats sleep all day."]
    with pytest.warns(InputWarning, match="xyzzy"):
        assert mc.pack(passages, query="xyzzy", budget=20).indices == (0, 1)


@pytest.mark.parametrize("granularity", ["passage", "sentence"])
def test_a_heading_at_the_end_of_a_passage_is_left_out(granularity):
    passages = ["# Dogs\n\nDogs bark at night.\n\n## Cats at home\n", "Cats sleep all day."]
    packed = mc.pack(passages, query="dogs and cats", budget=40, granularity=granularity)
    assert "Dogs bark at night." in packed.text
    assert "at home" not in packed.text
    assert mc.pack(["## Cats"], query="cats", budget=40).text == "## Cats"


def test_a_budget_that_holds_no_passage_is_told():
    with pytest.warns(
        InputWarning, match=r"smallest piece of the 2 passages takes \d+ tokens, and"
    ):
        assert not mc.pack(["One cat sat on it.", "Two dogs barked."], budget=0.5).text
    assert not mc.pack([], budget=0.5).text
    with pytest.raises(InfeasibleError, match="room to be part of the budget of 20 tokens, got 30"):
        mc.pack(["One cat sat on it."], budget=20, room=30)


def test_newest_says_that_it_found_no_versions():
    dates = ["2023", "2024"]
    with pytest.warns(InputWarning, match="left nothing out"):
        mc.pack(
            ["Cats purr a lot.", "The ferry sails at noon."],
            budget=40,
            prefer="newest",
            dates=dates,
        )
    periods = ["The refund period is 14 days.", "The refund period is 7 days."]
    asked = "How long is the refund period?"
    assert mc.pack(periods, budget=40, query=asked, prefer="newest", dates=dates).text == periods[1]
