"""The open data sets, when they lie beside the repository."""

import re
from pathlib import Path

import pytest

from maxcover.lab.evaluate.datasets import CLUSTERS_FILE, load

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the open data sets are not at {DATA}")
    return DATA


@pytest.fixture(scope="session")
def real_pairs(data: Path) -> list[tuple[str, tuple[str, ...]]]:
    """1,000 summaries, each with the references of its cluster, spread over all the sets.

    A summary is 60 words of the cluster's text: the lead, or what follows it where a set has few
    clusters.
    """
    clusters = [
        cluster for file in sorted(data.glob(f"*/{CLUSTERS_FILE}")) for cluster in load(file)
    ]
    pairs = []
    for skipped in (0, 60):
        for cluster in clusters:
            text = "\n".join(document.text for document in cluster.documents)
            words = [*re.finditer(r"\s*\S+", text)][skipped : skipped + 60]
            pairs.append(("".join(word[0] for word in words), cluster.references))
    return pairs[:1000]
