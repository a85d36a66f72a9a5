"""What a summary says of itself holds: nothing better among its candidates, one bound for all."""

import re
from pathlib import Path

import numpy as np
import pytest

import maxcover as mc
from tests import sweeps

DOCS = Path(__file__).parents[3] / "docs"
MAIL = (
    "From: Ann <ann@example.org>\nTo: Bob\nSubject: {}\n\nDear Bob,\n\n{}\n\nBest regards,\nAnn\n"
)


def paragraphs() -> list[str]:
    found = []
    for path in sorted(DOCS.glob("*.md")):
        prose = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        found += [
            part.strip() for part in prose.split("\n\n") if len(part) > 40 and "|" not in part
        ]
    return found


PARAGRAPHS = paragraphs()


def make(seed: int) -> tuple[list[str], dict]:
    """Return some documents, every third a mail, and what is asked for."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(int(rng.integers(1, 4))):
        parts = [PARAGRAPHS[k] for k in rng.integers(0, len(PARAGRAPHS), rng.integers(1, 9))]
        text = "\n\n".join(parts)
        texts.append(MAIL.format(parts[0][:30], text) if rng.random() < 0.3 else text)
    options: dict = {"budget": int(rng.integers(25, 120))}
    if rng.random() < 0.2:
        options["max_sentences_per_document"] = int(rng.integers(1, 4))
    if rng.random() < 0.2:
        options["effort"] = "fast"
    return texts, options


def added(summary: mc.Summary) -> float:
    """Return the largest value that one more candidate within the limits would lead to."""
    problem, chosen = summary.problem, np.sort([s.index for s in summary.sentences])
    best = summary.value
    for index in np.flatnonzero(problem.choosable).tolist():
        more = np.union1d(chosen, [index])
        if not problem.violation(more):
            best = max(best, problem.value(more))
    return best


@pytest.mark.parametrize("block", range(5))
def test_nothing_that_the_certificate_is_about_is_better(block):
    for seed in sweeps.cases(500)[block::5]:
        texts, options = make(seed)
        try:
            summary = mc.summarize(texts, **options)
        except mc.errors.TextError:
            continue
        most = added(summary)
        assert most <= summary.upper_bound * (1 + 1e-9)
        if summary.status == "optimal":
            by = f"Best according to {summary.witness}" if summary.witness else "Proven best"
            proven = f"{by}: no selection of them" in summary.certificate
            assert proven or summary.n_candidates == len(summary.sentences)
            assert most <= summary.value * (1 + 1e-9)
        counted = re.match(r"(?:All )?(\d+)", summary.certificate)
        assert int(counted[1]) == summary.n_candidates
        may = summary.corpus.candidates(summary.budget, np.empty(0, np.int64))
        # A sentence that speaks of the one before it fits only with that one.
        fits = summary.problem.costs - summary.corpus.unit.joint <= summary.budget
        fits[summary.problem.required] = may[summary.problem.required] = True
        assert summary.n_candidates == int((may & fits).sum())

        budget = summary.budget
        curve = summary.curve([budget / 2, budget, 1.5 * budget, "100%"])
        here = curve.budgets.tolist().index(budget)
        assert curve.upper_bounds[here] == summary.upper_bound
        assert curve.values[here] >= summary.value
        if curve.values[here] == summary.value and not len(summary.problem.limits):
            assert curve.certificates[here] == summary.certificate
        assert (curve.upper_bounds >= curve.values).all()


def test_a_curve_keeps_apart_what_the_summary_keeps_apart():
    told = "Nine old ships from port Alder carry some grain and new timber along the coast to town"
    text = " ".join(f"{told}{chr(97 + k)}." for k in range(9))
    rest = " ".join(f"Only word{k} is like thing{k} here." for k in range(30))
    summary = mc.summarize([text, rest], budget=60, language="english")
    assert len(summary.problem.limits)
    curve = summary.curve([60, 90])
    assert curve.upper_bounds[0] == summary.upper_bound
    assert curve.values[0] == summary.value


def test_what_is_proven_names_the_limits():
    text = "Cats purr at night. Dogs bark at cats. Cats and dogs sleep all day."
    limited = mc.summarize([text, text], budget=12, max_sentences_per_document=1)
    assert "within 12 words that keeps the limits" in limited.certificate
    counted = mc.summarize(f"{text} {text.replace('Cats', 'Cows')}", budget=45, unit=len)
    assert "whose sizes add up to at most 45" in counted.certificate
