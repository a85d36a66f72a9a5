"""Llama Index: a node postprocessor that keeps what says the most in a context window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxcover.errors import MissingExtraError
from maxcover.ground.calls import CALLS
from maxcover.ground.options import check_names
from maxcover.integrations.adapter import PROVENANCE, Retrieved, pack_retrieved

if TYPE_CHECKING:
    from maxcover.texts.packing.result import Packed, PackedPassage

try:
    from llama_index.core.bridge.pydantic import ConfigDict
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle
except ImportError as error:
    raise MissingExtraError(
        "the LlamaIndex adapter needs llama-index-core: pip install 'maxcover[llama-index]'"
    ) from error


class CoveragePostprocessor(BaseNodePostprocessor):  # type: ignore[misc] # mypy runs without LlamaIndex
    """Keep the nodes, or their sentences, that together say the most within a hard budget.

    For ``index.as_query_engine(node_postprocessors=[...])`` or by itself; sync and async. Scores
    and metadata stay; ``metadata["maxcover"]``, which models do not see, says where the text stands
    in the node it was taken from, what it costs and what it adds.

    The size counted is that of the text which a response synthesizer sends: the content of a node
    with the metadata that the model sees, such as its source.

    Parameters
    ----------
    budget : float
    **options
        Other options of `maxcover.pack`.
    """

    budget: float

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialized pipelines."""
        return "CoveragePostprocessor"

    def model_post_init(self, context: Any) -> None:
        """Refuse options that `maxcover.pack` does not have."""
        super().model_post_init(context)
        check_names(self.model_extra or {}, CALLS["pack"], "pack")

    def __eq__(self, other: object) -> bool:
        """Compare all options but the callback manager, which differs between copies."""
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment] # mutable, so not hashable

    def pack(
        self, nodes: list[NodeWithScore], query: str, *, after: Packed | str | None = None
    ) -> Packed:
        """Return the whole result; the text begins with `after`, an earlier context."""
        found = (
            Retrieved(
                one.node.get_content(metadata_mode=MetadataMode.NONE),
                one.score,
                one.node.ref_doc_id,
                getattr(one.node, "start_char_idx", None),
                _header(one.node),
            )
            for one in nodes
        )
        return pack_retrieved(found, query, budget=self.budget, after=after, **self.model_extra)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        packed = self.pack(nodes, "" if query_bundle is None else query_bundle.query_str)
        return [
            NodeWithScore(node=_cut(nodes[one.index].node, one), score=nodes[one.index].score)
            for one in packed.passages
        ]


def _header(node: BaseNode) -> str:
    """Return the metadata text that a model is shown before the content of a node."""
    shown: str = node.get_content(metadata_mode=MetadataMode.LLM)
    return shown.removesuffix(node.get_content(metadata_mode=MetadataMode.NONE))


def _cut(node: BaseNode, passage: PackedPassage) -> BaseNode:
    """Copy a node with the chosen text; its provenance is hidden from models."""
    copy = node.model_copy(deep=True)
    if passage.text != node.get_content(metadata_mode=MetadataMode.NONE):
        copy.set_content(passage.text)
    copy.metadata[PROVENANCE] = passage.provenance()
    for keys in (copy.excluded_llm_metadata_keys, copy.excluded_embed_metadata_keys):
        if PROVENANCE not in keys:
            keys.append(PROVENANCE)
    return copy
