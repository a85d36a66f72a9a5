"""Methods of the client and their types; made by scripts/write_options.py out of maxcover.ground.options and maxcover.ground.calls."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, Unpack

from maxcover.ground import answers

class SummarizeOptions(TypedDict, total=False):
    names: Sequence[str]
    title: str
    budget: float | str | None
    unit: Literal['words', 'characters', 'bytes', 'sentences', 'tokens']
    order: Literal['reading', 'gain']
    required: str | int | Sequence[str | int]
    forbidden: str | int | Sequence[str | int]
    max_sentences_per_document: int | None
    max_cost_per_document: float | None
    max_similarity: float
    method: Literal['auto', 'greedy', 'g-greedy', 'guarded-greedy', 'enumerate', 'bp', 'bp-decimation', 'exact']
    time_limit: float | None
    target_gap: float
    seed: int
    effort: Literal['fast', 'normal', 'thorough']
    language: str
    preset: Literal['default', 'coverage', 'plain', 'paper', 'paper-with-stop-words']
    concepts: Literal['words', 'bigrams', 'words+bigrams'] | None
    weights: Literal['sentence-frequency', 'tf', 'tf-idf', 'readable'] | None
    stem: bool | str | None
    stop_words: bool | Sequence[str] | None
    boost: float | None
    query: str
    lines: Literal['auto', 'break', 'wrap']
    known: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | Mapping[str, str]
    beta: float | None
    mu: float | None
    coverage: Literal['soft', 'hard'] | None
    max_sweeps: int | None
    tol: float | None
    damping: float | None
    schedule: Literal['parallel', 'serial'] | None
    init: Literal['auto', 'offers', 'random'] | None
    batches: int | None

class PackOptions(TypedDict, total=False):
    budget: Required[float]
    unit: Literal['tokens', 'words', 'characters', 'bytes']
    required: str | int | Sequence[str | int]
    order: Literal['retrieved', 'document', 'ends']
    separator: str
    room: float | str
    per_document: float | None
    after: str | None
    query: str | Sequence[str]
    scores: Sequence[float | None] | None
    granularity: Literal['auto', 'passage', 'sentence']
    documents: Sequence[str | int] | None
    positions: Sequence[float] | None
    headers: Sequence[str] | None
    prefer: Literal['all', 'newest']
    dates: Sequence[str | None] | None
    least_score: float | None
    language: str
    lines: Literal['auto', 'break', 'wrap']
    effort: Literal['fast', 'normal', 'thorough']
    method: Literal['auto', 'greedy', 'g-greedy', 'guarded-greedy', 'enumerate', 'bp', 'bp-decimation', 'exact']
    time_limit: float | None
    target_gap: float
    seed: int

class SitesOptions(TypedDict, total=False):
    radius: Required[float | str | Sequence[float]]
    budget: Required[float | str | Mapping[str, float | str]]
    weights: str | Mapping[str, float] | Sequence[float] | None
    costs: str | Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    unit: str | None
    coordinates: Literal['xy', 'lonlat', 'latlon'] | None
    decay: str | None
    proof: bool
    method: Literal['auto', 'greedy', 'g-greedy', 'guarded-greedy', 'enumerate', 'bp', 'bp-decimation', 'exact']
    time_limit: float | None
    target_gap: float
    seed: int
    effort: Literal['fast', 'normal', 'thorough']
    start: Sequence[str | int] | None
    change_cost: float
    beta: float | None
    mu: float | None
    coverage: Literal['soft', 'hard'] | None
    max_sweeps: int | None
    tol: float | None
    damping: float | None
    schedule: Literal['parallel', 'serial'] | None
    init: Literal['auto', 'offers', 'random'] | None
    batches: int | None

class CurveOptions(TypedDict, total=False):
    budgets: Required[Sequence[float | str]]
    detail: bool
    unit: Literal['words', 'characters', 'bytes', 'sentences', 'tokens']
    required: str | int | Sequence[str | int]
    forbidden: str | int | Sequence[str | int]
    max_sentences_per_document: int | None
    max_cost_per_document: float | None
    time_limit: float | None
    seed: int
    language: str
    preset: Literal['default', 'coverage', 'plain', 'paper', 'paper-with-stop-words']
    concepts: Literal['words', 'bigrams', 'words+bigrams'] | None
    weights: Literal['sentence-frequency', 'tf', 'tf-idf', 'readable'] | None
    stem: bool | str | None
    stop_words: bool | Sequence[str] | None
    boost: float | None
    query: str
    lines: Literal['auto', 'break', 'wrap']
    known: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | Mapping[str, str]

class VerifyOptions(TypedDict, total=False):
    budget: float | str | Mapping[str, float | str] | None
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    strict: bool
    time_limit: float | None

class SolveOptions(TypedDict, total=False):
    budget: Required[float | str | Mapping[str, float | str]]
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    proof: bool
    method: Literal['auto', 'greedy', 'g-greedy', 'guarded-greedy', 'enumerate', 'bp', 'bp-decimation', 'exact']
    time_limit: float | None
    target_gap: float
    seed: int
    effort: Literal['fast', 'normal', 'thorough']
    start: Sequence[str | int] | None
    change_cost: float
    beta: float | None
    mu: float | None
    coverage: Literal['soft', 'hard'] | None
    max_sweeps: int | None
    tol: float | None
    damping: float | None
    schedule: Literal['parallel', 'serial'] | None
    init: Literal['auto', 'offers', 'random'] | None
    batches: int | None

class CoverOptions(TypedDict, total=False):
    budget: float | str | Mapping[str, float | str] | None
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    proof: bool
    target: float | None
    weight: float | None
    method: Literal['auto', 'greedy', 'exact']
    time_limit: float | None
    target_gap: float
    seed: int
    start: Sequence[str | int] | None
    change_cost: float

class ExplainOptions(TypedDict, total=False):
    budget: Required[float | str | Mapping[str, float | str]]
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    solution: Mapping[str, Any] | Sequence[str | int] | None
    explain: Sequence[str | int] | None
    tight: bool | None
    effort: Literal['fast', 'normal', 'thorough'] | None
    time_limit: float | None
    seed: int

class AlternativesOptions(TypedDict, total=False):
    budget: Required[float | str | Mapping[str, float | str]]
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    solution: Mapping[str, Any] | Sequence[str | int] | None
    within: float
    n: int
    effort: Literal['fast', 'normal', 'thorough']
    time_limit: float | None
    seed: int

class PlanOptions(TypedDict, total=False):
    budget: float | str | Mapping[str, float | str] | None
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    budgets: Sequence[float] | None
    phases: int | str | None
    effort: Literal['fast', 'normal', 'thorough']
    time_limit: float | None
    seed: int

class SensitivityOptions(TypedDict, total=False):
    budget: Required[float | str | Mapping[str, float | str]]
    costs: Mapping[str, float] | Sequence[float] | Mapping[str, Mapping[str, float] | Sequence[float]] | None
    weights: Mapping[str, float] | Sequence[float] | None
    required: Sequence[str | int] | None
    forbidden: Sequence[str | int] | None
    groups: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    max_items: float | Mapping[str, float] | None
    max_cost: float | Mapping[str, float] | None
    min_items: float | Mapping[str, float] | None
    min_cost: float | Mapping[str, float] | None
    min_share: float | Mapping[str, float] | None
    regions: Mapping[str, str | int | Sequence[str | int]] | Sequence[str | int | Sequence[str | int] | None] | None
    min_coverage: float | Mapping[str, float] | None
    conflicts: Sequence[Sequence[str | int]] | None
    need: int | Mapping[str, int] | Sequence[int] | None
    returns: str | Sequence[float] | None
    chance: float | Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    best: Mapping[str, float | Mapping[str, float] | Sequence[float]] | Sequence[float | Sequence[float]] | None
    worth: Mapping[str, float] | Sequence[float] | None
    set_labels: Sequence[str | int] | None
    element_labels: Sequence[str | int] | None
    n_elements: int | None
    solution: Mapping[str, Any] | Sequence[str | int] | None
    spread: float
    n: int
    samples: Sequence[Sequence[float]] | None
    effort: Literal['fast', 'normal', 'thorough'] | None
    time_limit: float | None
    seed: int

class Methods:
    def summarize(self, documents: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | Mapping[str, str], **options: Unpack[SummarizeOptions]) -> answers.SummaryAnswer: ...
    def pack(self, passages: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | Mapping[str, str], **options: Unpack[PackOptions]) -> answers.PackedAnswer: ...
    def sites(self, sites: Mapping[str, Any] | Sequence[Any], demand: Mapping[str, Any] | Sequence[Any], **options: Unpack[SitesOptions]) -> answers.SolutionAnswer: ...
    def curve(self, documents: str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | Mapping[str, str], **options: Unpack[CurveOptions]) -> answers.CurveAnswer: ...
    def verify(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], solution: Mapping[str, Any], **options: Unpack[VerifyOptions]) -> answers.VerificationAnswer: ...
    def solve(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[SolveOptions]) -> answers.SolutionAnswer: ...
    def cover(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[CoverOptions]) -> answers.PlanAnswer: ...
    def explain(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[ExplainOptions]) -> answers.ExplanationAnswer: ...
    def alternatives(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[AlternativesOptions]) -> answers.AlternativesAnswer: ...
    def plan(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[PlanOptions]) -> answers.PhasesAnswer: ...
    def sensitivity(self, sets: Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]], **options: Unpack[SensitivityOptions]) -> answers.SensitivityAnswer: ...
