"""Answers: what the tools return, as typed objects from which their output schemas are made."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Missing(BaseModel):
    """A passage that was left out."""

    passage: int
    rank: int
    reason: str
    beginning: str = Field(description="Its first characters.")


class LeftOutAnswer(BaseModel):
    """Passages that were left out, best first."""

    total: int
    passages: list[Missing]
    certificate: str = Field(description="What is proven about the choice.")


class Chosen(BaseModel):
    """Items that together cover the most within a budget, or enough for the least cost."""

    chosen: list[str]
    cost: float
    covered_weight: float
    status: str = Field(description='"optimal" if proven best or cheapest, otherwise "heuristic".')
    gap: float = Field(
        description="At most this part of the best possible weight is missing; of cover, of the "
        "cost can be saved."
    )


class Item(BaseModel):
    """Something to choose: what it costs and what it covers."""

    name: str = Field(max_length=1000)
    cost: float = Field(1.0, ge=0, le=1e15, allow_inf_nan=False)
    covers: list[str] = Field(max_length=100_000)
