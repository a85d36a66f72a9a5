"""Detail: everything a page needs to work out summaries of other budgets by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.report_html.surface import written

if TYPE_CHECKING:
    from maxcover.summary import Summary


def detail_of(summary: Summary) -> dict[str, Any]:
    """List all sentences with their places and concepts, and all concepts with their weights.

    Offsets count characters (code points) from 0, as everywhere in maxcover.
    """
    corpus, problem = summary.corpus, summary.problem
    names: dict[int, str] = {}
    sentences = []
    for index, (document, start, end, text) in enumerate(corpus):
        concepts = problem.elements_of(index).tolist()
        for concept in concepts:
            if concept not in names:
                names[concept] = written(corpus.label(concept), text)
        sentences.append(
            {
                "document": document,
                "start": start,
                "end": end,
                "cost": float(corpus.costs[index] - corpus.unit.joint),
                "concepts": concepts,
            }
        )
    weights = problem.weights.tolist()
    concepts_found = [{"name": names.get(k, ""), "weight": w} for k, w in enumerate(weights)]
    return {"sentences": sentences, "concepts": concepts_found}
