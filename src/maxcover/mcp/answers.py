"""Answers: what the tools return, as typed objects from which their output schemas are made."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Taken(BaseModel):
    """A passage that was taken, or part of it."""

    passage: int = Field(description="Its number among the passages given, from 0.")
    rank: int = Field(description="Its place in the order of the scores, from 1.")
    size: float
    spans: list[tuple[int, int]] = Field(description="Which characters of it were taken.")


class PackAnswer(BaseModel):
    """A context within its budget."""

    text: str = Field(description="What to send to the model.")
    size: float
    unit: str
    taken: list[Taken]
    left_out: dict[str, int] = Field(description="How many passages were left out, by reason.")
    handle: str = Field(description="For the tool left_out: which passages, and why.")
    certificate: str


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


class SummaryAnswer(BaseModel):
    """A summary made of sentences of the texts."""

    text: str
    size: float
    sentences: int
    certificate: str


class SelectAnswer(BaseModel):
    """Items that together cover the most within the budget."""

    chosen: list[str]
    cost: float
    covered_weight: float
    status: str = Field(description='"optimal" if proven best, otherwise "heuristic".')
    gap: float = Field(description="At most this part of the best possible weight is missing.")


class CoverAnswer(BaseModel):
    """Items that together cover enough for the least cost."""

    chosen: list[str]
    cost: float
    covered_weight: float
    status: str = Field(description='"optimal" if proven cheapest, otherwise "heuristic".')
    gap: float = Field(description="At most this part of the cost can be saved.")


class Item(BaseModel):
    """Something to choose: what it costs and what it covers."""

    name: str = Field(max_length=1000)
    cost: float = Field(1.0, ge=0, le=1e15, allow_inf_nan=False)
    covers: list[str] = Field(max_length=100_000)
