"""Sample: an invented data set in the shape of DUC 2004, made from a seed.

It is there so that Figures 3 and 4 of the paper run without any data. A cluster is an event, told
in ten reports; the more a fact matters the more reports tell it, each in words of its own. The
references tell the facts that matter most. What methods score on it says nothing about real texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maxcover.lab.evaluate.case import Cluster, Document

if TYPE_CHECKING:
    from collections.abc import Sequence

# Who did what to what, where and when, each separated by commas.
_WHO = (
    "minister,mayor,captain,court,union,bank,museum,school,hospital,company,farmer,sailor,police,"
    "engineer,council,teacher,driver,doctor,student,critic,judge,merchant,pilot,voter"
)
_DID = (
    "opened,closed,praised,blamed,repaired,sold,inspected,delayed,financed,guarded,rejected,"
    "approved,painted,flooded,measured,photographed,abandoned,restored,questioned,moved"
)
_WHAT = (
    "bridge,harbour,tower,railway,dam,archive,theatre,market,tunnel,ferry,library,bakery,stadium,"
    "airport,vineyard,quarry,lighthouse,canal,laboratory,orchard,warehouse,fountain,garden,mill"
)
_WHERE = (
    "near the border,in the old town,by the river,on the island,above the valley,at the coast,"
    "behind the station,outside the capital"
)
_WHEN = (
    "on Monday,on Friday,last week,in the morning,after the storm,before the vote,at midnight,"
    "during the strike,in early spring,despite the rain"
)
# Facts of an event, reports of it, and references; words of a reference; how fast facts get rare.
_FACTS, _REPORTS, _REFERENCES, _WORDS, _RARER = 40, 10, 4, 100, 6.0


def invented(clusters: int = 20, *, seed: int = 0) -> list[Cluster]:
    """Return invented clusters of ten reports and four references each.

    Examples
    --------
    >>> event = invented(1)[0]
    >>> len(event.documents), len(event.references)
    (10, 4)
    """
    return [_cluster(np.random.default_rng((seed, number)), number) for number in range(clusters)]


def _cluster(rng: np.random.Generator, number: int) -> Cluster:
    columns = [rng.choice(words.split(","), _FACTS) for words in (_WHO, _DID, _WHAT, _WHERE)]
    facts = list(zip(*columns, strict=True))
    likely = 1 / (1 + np.arange(_FACTS) / _RARER)
    reports = []
    for name in range(_REPORTS):
        told = rng.permutation(np.flatnonzero(rng.random(_FACTS) < likely))
        text = " ".join(_say(rng, facts[k]) for k in told)
        reports.append(Document(id=f"{number}-{name}", title="", text=text))
    references = []
    for _ in range(_REFERENCES):
        lines: list[str] = []
        for k in np.argsort(-likely * rng.uniform(0.7, 1.0, _FACTS)):
            if sum(len(line.split()) for line in lines) < _WORDS:
                lines.append(_say(rng, facts[k]))
        references.append("\n".join(lines))
    return Cluster(id=f"event-{number}", documents=tuple(reports), references=tuple(references))


def _say(rng: np.random.Generator, fact: Sequence[str]) -> str:
    """Tell a fact: in the active or the passive voice, with or without the place and the time."""
    who, did, what, where = fact
    said = f"the {who} {did} the {what}"
    if rng.random() < 0.4:
        said = f"the {what} was {did} by the {who}"
    if rng.random() < 0.6:
        said += f" {where}"
    if rng.random() < 0.5:
        said += f" {rng.choice(_WHEN.split(','))}"
    return f"{said[0].upper()}{said[1:]}."
