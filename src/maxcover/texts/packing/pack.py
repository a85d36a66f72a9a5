"""Pack: passages in, a certified context out."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from maxcover.engine.core.ascending import difference
from maxcover.engine.core.validation import warn
from maxcover.errors import OptionError
from maxcover.ground.options import checked
from maxcover.texts.packing.counters import (
    Counter,
    characters_in,
    find_counter,
    is_estimate,
    remaining,
)
from maxcover.texts.packing.file_blocks import ending_of
from maxcover.texts.packing.fitting import choose, pose
from maxcover.texts.packing.layout import Layout, PackOrderName, price
from maxcover.texts.packing.objective import judge, rank, weigh
from maxcover.texts.packing.occurrences import collect
from maxcover.texts.packing.passage_kinds import template_of
from maxcover.texts.packing.passages import memory_for
from maxcover.texts.packing.records import read_passages
from maxcover.texts.packing.requirements import Requirement, find_facts, split_requirements
from maxcover.texts.packing.result import Packed, describe, find_left_out
from maxcover.texts.packing.statements import find_versions
from maxcover.texts.packing.structure import end_of_content

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from maxcover.engine.solvers.effort import EffortName
    from maxcover.engine.solvers.solve import MethodName
    from maxcover.ground.array_types import AnyArray, Floats, Int64s, Mask
    from maxcover.texts.packing.occurrences import PassageOccurrences
    from maxcover.texts.packing.passages import Memory
    from maxcover.texts.packing.records import Passages
    from maxcover.texts.packing.statements import Versions
    from maxcover.texts.read.given import Documents
    from maxcover.texts.read.lines import LineMode
    from maxcover.texts.words.languages import Language
    from maxcover.texts.words.units import Unit


GranularityName = Literal["auto", "passage", "sentence"]
GRANULARITIES: tuple[str, ...] = get_args(GranularityName)
PreferName = Literal["all", "newest"]
PREFERENCES: tuple[str, ...] = get_args(PreferName)
# With granularity="auto", passages are cut into sentences if the share of the text that fits is at
# most _SEVERAL / n_passages, where that ratio is clipped to the range _LARGE_SHARE.
_SEVERAL, _LARGE_SHARE = 5, (0.15, 0.3)
# A question with one of these words asks about changes: pieces of diffs then match better.
_CHANGE = re.compile(r"\b(?:chang|diff|commit|patch)\w*", re.IGNORECASE)
# A text that sorts as the date that it states
_YEAR_FIRST = re.compile(r"\d{4}(?:$|\D)")
# Limits, in characters, of the longest block of code that stays one piece.
_LEAST_BLOCK, _LARGEST_BLOCK = 256.0, 65536.0


@checked
def pack(
    passages: Documents,
    *,
    budget: float,
    query: str | Sequence[str] = "",
    scores: Sequence[float | None] | Floats | None = None,
    unit: Counter = "tokens",
    granularity: GranularityName = "auto",
    required: Iterable[Requirement] | Requirement = (),
    order: PackOrderName = "retrieved",
    documents: Sequence[Hashable] | None = None,
    positions: Sequence[float] | None = None,
    headers: Sequence[str] | None = None,
    separator: str = "\n\n",
    room: float | str = 0.0,
    per_document: float | None = None,
    prefer: PreferName = "all",
    dates: Sequence[Any] | None = None,
    after: Packed | str | None = None,
    least_score: float | None = None,
    language: str | Language = "english",
    lines: LineMode = "auto",
    method: MethodName = "auto",
    effort: EffortName = "fast",
    time_limit: float | None = None,
    target_gap: float = 0.0,
    seed: int = 0,
) -> Packed:
    r"""Choose which of the retrieved passages to send to a language model.

    Parameters
    ----------
    passages : iterable or mapping
        Retrieved passages, best first: texts, records ``{"text": ...}``, Paths, or a mapping
        from names to them. They are never changed; spans point into them.
    budget : float
        Maximum size of the text, in `unit`, headers and separators included.
    query : str or sequence of str
        A question or topic; or several questions, which share the budget. Each has its own first
        passage and its own best sentence.
    scores : sequence of float, optional
        Scores of the retriever on any scale, higher is better: only their order counts. Without
        scores the given order is the ranking. A passage whose score is None or NaN stays behind the
        one before it.
    unit : {"tokens", "words", "characters", "bytes"}, callable or tokenizer
        What is counted. "tokens" is an estimate that needs no vocabulary; for a hard limit pass the
        tokenizer (tiktoken, tokenizers, transformers) or a function of a text. The text that comes
        out is never larger than the budget, under any counter.
    granularity : {"auto", "passage", "sentence"}
        Whether passages are taken whole, or only those of their sentences that are worth their
        cost. "auto" takes sentences unless a large share of the passages fits.
    required : int, str, pattern, or an iterable of them
        What must stay: passages by number; facts by a compiled pattern or a name out of `FACTS`
        ("identifiers", "dates", "amounts", "urls", "emails"). Of every distinct string that a
        pattern finds, at least one mention stays.
    order : {"retrieved", "document", "ends"}
        As given; by document, each in reading order; or the most relevant at both ends.
    documents, positions : sequence, optional
        For the order "document": which document each passage is from, and its place there (by
        default, places are as given).
    headers : sequence of str, optional
        Text before each passage, including white space.
    separator : str
        Text between two passages.
    room : float or str
        Part of the budget to keep free for the rest of the prompt: a size, or that text.
    per_document : float, optional
        Maximum size from one document. Without `documents`, each passage is its own document.
    prefer : {"all", "newest"}
        Keep all versions of a statement that differ in a value, or only the latest.
    dates : sequence, optional
        Date of each passage, for "newest": anything that can be compared; texts are ISO dates.
    after : Packed or str, optional
        A context that was sent before: the text begins with it, byte for byte, so that a prompt
        cache holds, and the rest of the budget goes to what it lacks.
    least_score : float, optional
        Score below which a passage is not relevant: nothing of it is taken.
    language : str or Language
        Language of the passages, for sentence ends, stems and the estimate of tokens.
    lines : {"auto", "break", "wrap"}
        Whether a line end ends a sentence.
    method, effort, time_limit, target_gap, seed
        As in `solve`. With ``effort="fast"``, the default, choosing takes milliseconds and the
        certificate is made when it is asked for; "normal" and "thorough" search and prove.

    Returns
    -------
    Packed
        Deterministic. Every passage in it adds weight, so near-duplicates appear once. If there are
        no passages, or none fits, the text is empty.

    Raises
    ------
    InfeasibleError
        What is required does not fit.

    Notes
    -----
    `maxcover.texts.packing.objective` says what is maximised. No parameter trades relevance for
    diversity. Time is linear in the length of the passages, apart from sorting; passages seen
    before are taken from a cache.

    Examples
    --------
    >>> found = ["Dogs bark; cats do not.", "Dogs bark, but cats do not.", "A dog sleeps a lot."]
    >>> packed = pack(found, query="What do dogs do?", budget=13)
    >>> print(packed)
    Dogs bark; cats do not.
    <BLANKLINE>
    A dog sleeps a lot.
    >>> packed.indices, packed.cost, packed.left_out[0].reason
    ((0, 2), 13.0, 'its sentences stand in passage 0')
    """
    started = time.perf_counter()
    found = read_passages(
        passages,
        scores=scores,
        documents=documents,
        positions=positions,
        headers=headers,
        dates=dates,
    )
    n_passages, scores = len(found.texts), found.columns.get("scores")
    numbers, patterns = split_requirements(required, range(n_passages), "numbers of passages")
    questions = [query] if isinstance(query, str) else list(query)
    memory = memory_for(language, lines)
    said = _read(found, memory, _longest_block(find_counter(unit), budget))
    asked = [said.find(memory.ask(question)) for question in questions]
    _warn_of_no_match(questions, asked, n_passages)
    unit = find_counter(unit, english=all(said.english))
    budget = remaining(unit, budget, room)
    whole = np.full(n_passages, granularity != "sentence")
    layout = _lay_out(
        found, said, whole, unit=unit, separator=separator, order=order, before=str(after or "")
    )
    prices = price(layout, budget)
    fits = budget / max(float(prices.pieces.sum()), 1e-9)
    changes = [_CHANGE.search(question) is not None for question in questions]
    relevance = judge(said, layout.ranks, asked, changes=changes, fits=fits)
    versions, shown = find_versions(said, relevance.of_sentence), _find_shown(layout, said)
    if granularity == "auto":
        tight = fits <= float(np.clip(_SEVERAL / max(n_passages, 1), *_LARGE_SHARE))
        whole = ~_never_whole(said, versions, shown) & (not tight)
        layout = _cut(layout, said, whole)
        prices = price(layout, budget)
    dropped = (
        versions.repeated,
        _older(versions, said, found.columns.get("dates"), prefer),
        _below(scores, least_score, said),
        _of_one_template(found.texts, said, relevance.of_sentence),
        np.flatnonzero(said.starts >= _find_ends(layout)[said.passage]),
    )
    worth = weigh(said, relevance, versions, layout.piece, dropped=dropped, shown=shown)
    parts, musts = worth.parts(said, layout.piece), _must(layout, numbers, patterns)
    posed = pose(parts, musts, layout, prices, budget=budget, per_document=per_document)
    options = {"time_limit": time_limit, "target_gap": target_gap, "seed": seed}
    chosen, size, chooser = choose(posed, method, effort, options)
    about: Any = {"said": said, "worth": worth, "versions": versions, "questions": asked}
    if not layout.before:
        _warn_of_no_room(n_passages, chosen, prices.pieces, budget, unit)
    return describe(
        posed,
        chosen,
        chooser.prove,
        found.given,
        _find_left_out=lambda: tuple(find_left_out(posed, chosen, **about)),
        cost=float(size),
        granularity="passage" if whole.all() else "mixed" if whole.any() else "sentence",
        seconds=time.perf_counter() - started,
    )


def _warn_of_no_match(questions: Sequence[str], asked: Sequence[Int64s], n_passages: int) -> None:
    """Warn of each question none of whose words occurs in the passages."""
    for question, words in zip(questions, asked, strict=True):
        if question.strip() and n_passages and not words.size:
            warn(
                f"query={question[:60]!r}: the {n_passages} passages have none of its words (stop "
                "words aside), so their rank alone decides; ask with words of the passages"
            )


def _warn_of_no_room(
    n_passages: int, chosen: Sequence[int], sizes: Floats, budget: float, unit: Unit
) -> None:
    """Warn if nothing is chosen, and say whether the smallest piece of a passage is too large."""
    if not n_passages or not budget or len(chosen):
        return
    least = sizes.min(initial=np.inf)
    reason = "print(packed.explain()) says why each part was left out"
    if least > budget:
        reason = (
            f"the smallest piece of the {n_passages} passages takes {least:g} {unit.name}, and the "
            f"budget leaves {budget:g}"
        )
    warn(f"nothing is packed: {reason}")


def _read(found: Passages, memory: Memory, most: int) -> PassageOccurrences:
    """Read passages into numbered words; the names of their documents give file endings."""
    names = found.columns.get("documents", ())
    endings = [ending_of(one) if isinstance(one, str) else "" for one in names]
    return collect(memory.read(found.texts, endings=endings, most=most), memory)


def _lay_out(found: Passages, said: PassageOccurrences, whole: Mask, **given: Any) -> Layout:
    """Make the layout of the passages; those that `whole` marks stay in one piece."""
    n, columns = len(found.texts), found.columns
    layout = Layout(
        texts=found.texts,
        headers=columns.get("headers", [""] * n),
        ranks=rank(columns.get("scores"), n),
        documents=columns.get("documents", [None] * n),
        positions=columns.get("positions", range(n)),
        kinds=said.kinds_of,
        english=said.english,
        **given,
    )
    return _cut(layout, said, whole)


def _older(
    versions: Versions, said: PassageOccurrences, dates: Sequence[Any] | None, prefer: PreferName
) -> Int64s:
    """Return the sentences that have a newer version; none unless `prefer` is "newest"."""
    if prefer != "newest":
        return np.empty(0, np.int64)
    if dates is None:
        raise OptionError('expected dates, one per passage, with prefer="newest", got none')
    for one in dates:
        if isinstance(one, str) and not _YEAR_FIRST.match(one):
            raise OptionError(f"expected dates such as '2024-01-31', the year first, got {one!r}")
    left, right = versions.pairs
    if not left.size:
        warn(
            'prefer="newest" left nothing out: among sentences about the question it finds those '
            "of several words that differ in a value only"
        )
    passages = zip(said.passage[left].tolist(), said.passage[right].tolist(), strict=True)
    try:
        older = [dates[one] < dates[other] for one, other in passages]
    except TypeError as error:
        raise OptionError(f"expected dates that can be compared: {error}") from error
    return np.asarray(left[np.array(older, dtype=bool)])


def _below(
    scores: Sequence[float | None] | Floats | None,
    least: float | None,
    said: PassageOccurrences,
) -> Int64s:
    """Return the sentences of passages with a score below `least`; None means no limit."""
    if least is None:
        return np.empty(0, np.int64)
    if scores is None:
        raise OptionError("expected scores, one per passage, with least_score, got none")
    low = np.array([score is not None and score < least for score in scores], dtype=bool)
    return np.flatnonzero(low[said.passage])


def _of_one_template(texts: Sequence[str], said: PassageOccurrences, worth: Floats) -> Int64s:
    """Return the log entries that differ only in values from a more relevant entry."""
    entries = np.flatnonzero(said.are_of("log"))
    best: dict[tuple[int, str], int] = {}
    for k in entries[np.argsort(-worth[entries], kind="stable")].tolist():
        passage = int(said.passage[k])
        shape = template_of(texts[passage][said.starts[k] : said.ends[k]])
        best.setdefault((passage, shape), k)
    return difference(entries, list(best.values()))


def _find_shown(layout: Layout, said: PassageOccurrences) -> Int64s:
    """Return the sentences that occur in `layout.before`, the context that was sent earlier."""
    if not layout.before:
        return np.empty(0, np.int64)
    places = zip(said.passage.tolist(), said.starts.tolist(), said.ends.tolist(), strict=True)
    return np.array(
        [k for k, (p, a, b) in enumerate(places) if layout.texts[p][a:b] in layout.before], np.int64
    )


def _find_ends(layout: Layout) -> Int64s:
    """Return the end of each passage, without headings that nothing stands below."""
    rows = zip(layout.texts, layout.kinds, strict=True)
    return np.array(
        [end_of_content(text) if kind in ("", "outline") else len(text) for text, kind in rows],
        np.int64,
    )


def _cut(layout: Layout, said: PassageOccurrences, whole: Mask) -> Layout:
    """Cut passages into pieces: one if the passage is `whole`, else one per sentence."""
    n_own = np.bincount(said.passage, minlength=len(whole))
    n_pieces = np.where(whole, 1, n_own)
    first = np.cumsum(n_pieces) - n_pieces
    inside = np.arange(said.n_sentences) - np.repeat(np.cumsum(n_own) - n_own, n_own)
    piece = first[said.passage] + np.where(whole[said.passage], 0, inside)
    passage = np.repeat(np.arange(len(whole)), n_pieces)
    starts = np.zeros(len(passage), np.int64)
    ends = _find_ends(layout)[passage]
    heads = np.full(len(passage), -1)
    cut = np.flatnonzero(~whole[said.passage])
    starts[piece[cut]], ends[piece[cut]] = said.starts[cut], said.ends[cut]
    headed = cut[said.heads[cut] >= 0]
    heads[piece[headed]] = piece[said.heads[headed]]
    # Sentence sizes add up to the size of a piece: only white space lies between sentences, and the
    # token estimate does not count it.
    estimated = is_estimate(layout.unit)
    tokens = np.bincount(piece, said.tokens, minlength=len(passage)).astype(np.float64)
    return replace(
        layout,
        passage=passage,
        starts=starts,
        ends=ends,
        heads=heads,
        piece=piece,
        sizes=tokens if estimated else None,
    )


def _never_whole(said: PassageOccurrences, versions: Versions, shown: Int64s) -> Mask:
    """Return a mask of the passages that are cut into sentences even if everything fits."""

    def held(sentences: AnyArray) -> Int64s:
        return np.bincount(said.passage[sentences], minlength=said.n_passages)

    # Code, tables and lists are cut between blocks. A passage is also cut if most of its sentences
    # have near-copies and one differs in a value: then only the difference is worth its cost.
    recurs = 2 * held(versions.near) > held(np.arange(said.n_sentences))
    cut = held(said.lined) + held(shown) > 0
    return np.asarray(cut | ((held(versions.sentences) > 0) & recurs))


def _longest_block(unit: Unit, budget: float) -> int:
    """Estimate how many characters of code fit, as a power of two to keep cache keys few."""
    most = characters_in(budget, unit)
    return 1 << int(np.log2(min(max(most, _LEAST_BLOCK), _LARGEST_BLOCK)))


def _must(
    layout: Layout, numbers: list[int], patterns: Sequence[Any]
) -> list[tuple[str, list[int]]]:
    """List requirements as (name for messages, pieces of which at least one must be chosen)."""
    facts = find_facts(layout.pieces(), patterns) if patterns else {}
    whole = [
        (f"passage {layout.passage[index]}", [index])
        for index in np.flatnonzero(np.isin(layout.passage, numbers)).tolist()
    ]
    return [*whole, *((repr(fact), holders) for fact, holders in facts.items())]
