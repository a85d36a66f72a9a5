"""What a data set is made of: documents on one topic, and summaries that people wrote of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Document:
    """One document of a cluster; a line end in ``text`` ends a paragraph or sentence."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Cluster:
    """Documents on one topic and the summaries that people wrote of them."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)
