"""Quality of a JSON response as a whole: completeness, hallucination, accuracy and safety, combined into one score (RQS).

>>> import fieldwise as fw
>>> expected, actual = {"id": 7, "status": "x", "code": None}, {"id": 7, "code": "c", "more": 1}
>>> result = fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual)
>>> {name: round(value, 3) for name, value in result.metrics.items()}
{'completeness': 0.5, 'hallucination': 0.5, 'accuracy': 1.0, 'safety': 1.0, 'rqs': 0.65, 'rqs_normalized': 0.765}
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Final, Literal
from unicodedata import normalize

import numpy as np
import orjson
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.records._fields import (
    build_row_labels,
    decide_statuses,
    describe_faults,
    describe_non_finite,
    mark_case_faults,
    write_reasoning,
)
from fieldwise.evaluators.records._rqs_fields import (
    BOTH,
    BUCKETS,
    EXACT_TYPES,
    EXTRA,
    LOST,
    NEITHER,
    NULL_HAS_VALUE,
    STRATEGIES,
    OutputAgreement,
    Strategy,
    assign_buckets,
    detect_strategy,
    measure_agreement,
)
from fieldwise.evaluators.records._safety import Safety, SafetyReport, check_safety
from fieldwise.kernels.text_similarity import reaches_threshold
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.options import FixedMatch, FromFile, OptionProblem
from fieldwise.model.pairs import Pairs
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, Match, Nulls
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.registry import MATCHERS, evaluator
from fieldwise.specs import EvaluatorExample

_Numbers = NDArray[np.float64]
Share = Annotated[float, Ge(0), Le(1)]
_MAX_NAMED_KEYS: Final = 5
"""Maximum number of keys that a message lists."""
_RECORD = {"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the parts in the response quality score."""

    w_accuracy: Annotated[float, Ge(0)] = 0.45
    """Weight of accuracy."""
    w_completeness: Annotated[float, Ge(0)] = 0.25
    """Weight of completeness."""
    w_hallucination: Annotated[float, Ge(0)] = 0.15
    """Weight of hallucination, which is subtracted."""
    w_safety: Annotated[float, Ge(0)] = 0.15
    """Weight of safety."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonQuality:
    """How each key is compared, and the weights of the parts."""

    strategies: Annotated[Mapping[str, Strategy], FromFile()] = field(default_factory=dict)
    """Key → EXACT, FUZZY, SEMANTIC or IGNORE, in place or in a JSON file. Other keys get one by the type of their value."""
    default_text: Literal["SEMANTIC", "FUZZY", "EXACT"] = "SEMANTIC"
    """The strategy for text without a strategy of its own that is neither a date, nor an email address, nor an identifier."""
    weights: Weights = field(default_factory=Weights)
    """The weights of the parts of the score."""
    fuzzy_threshold: Share = 0.85
    """Similarity from which a FUZZY key matches."""
    semantic_threshold: Share = 0.80
    """Similarity from which a SEMANTIC key matches."""
    fuzzy: Annotated[Match, FixedMatch("fuzzy")] | None = None
    """Options of the fuzzy match, such as its algorithm."""
    semantic: Annotated[Match, FixedMatch("semantic")] | None = None
    """Options of the semantic match."""
    similarities: Mapping[str, Share] = field(default_factory=dict)
    """Key → a similarity measured earlier, e.g. by a judge; it is compared with the threshold of the key's strategy."""
    null_values: tuple[str, ...] = ()
    """Text that counts as null, besides empty and blank text."""
    flatten: bool = False
    """Compare every leaf instead of every top-level key."""
    ignore_scope: Literal["accuracy", "all"] = "accuracy"
    """Whether IGNORE excludes a key from accuracy only, or from all metrics."""
    safety: Safety | None = None
    """How safety is measured; if it is not, it counts as 1 and is flagged."""
    clamp: bool = True
    """Keep the score within 0 and 1."""

    def problems(self) -> Iterable[OptionProblem]:
        """Keys that are not valid paths, thresholds in the wrong place, and similarities without effect."""
        for name, match in (("fuzzy", self.fuzzy), ("semantic", self.semantic)):
            if match and getattr(match.options, "threshold", None) not in (None, MATCHERS.find(name).options().threshold):
                yield name, f"`{name}` has a threshold of its own", f"write `{name}_threshold` beside it"
        for key in self.similarities:
            if self.strategies.get(key) in ("EXACT", "IGNORE"):
                what = f"`{key}` has a similarity, but its strategy {self.strategies[key]} does not use one"
                yield "similarities", what, "leave it out, or make the strategy FUZZY or SEMANTIC"
        if self.flatten:
            for key in (*self.strategies, *self.similarities):
                try:
                    Path.parse(key)
                except MalformedPath as error:
                    yield "strategies", str(error), error.fix

    def named_keys(self) -> Iterable[FieldRule]:
        """The keys with a similarity, or with another strategy than IGNORE: a key that no case has is ignored anyway."""
        for key in {**self.strategies, **self.similarities}:
            if self.strategies.get(key) != "IGNORE":
                yield FieldRule(path=Path.parse(key) if self.flatten else Path((key,)), text=key)

    def unknown(self, fields: Collection[str]) -> Iterable[OptionProblem]:
        """Keys that no case has: a strategy or a similarity for them has no effect."""
        for option, keys in (("strategies", self.strategies), ("similarities", self.similarities)):
            absent = [f"`{key}`" for key in keys if key not in fields]
            if absent:
                more = " and others" if len(absent) > _MAX_NAMED_KEYS else ""
                what = f"`{option}` names {', '.join(absent[:_MAX_NAMED_KEYS])}{more}, and no case of the run has such a key"
                yield option, what, "check how it is written"


_NOTHING_EXPECTED: Final = ("vacuous_completeness", "vacuous_accuracy")


def _list_unbounded(config: JsonQuality | None) -> tuple[str, ...]:
    return () if config is not None and config.clamp else ("rqs",)


@evaluator(
    needs_object=True,
    version=2,
    vacuous={
        "completeness": ("vacuous_completeness",),
        "accuracy": ("vacuous_accuracy",),
        "safety": ("unmeasured_safety",),
        **dict.fromkeys(("rqs", "rqs_normalized", "score"), _NOTHING_EXPECTED),
    },
    unscored={"accuracy": "unscored_accuracy"},
    unbounded=_list_unbounded,
    recomputes=("weights", "clamp", "fuzzy_threshold", "semantic_threshold"),
    metrics=("completeness", "hallucination", "accuracy", "safety", "rqs", "rqs_normalized", "consistency"),
    examples=[
        EvaluatorExample(
            options={"strategies": {"name": "FUZZY", "id": "EXACT", "debug": "IGNORE"}, "default_text": "EXACT"},
            expected={"name": "Jon Smith", "id": 7, "city": "Berlin", "debug": "x"},
            actual={"name": "John Smith", "id": 7, "phone": "123", "debug": "y"},
        ),
        EvaluatorExample(options={"default_text": "FUZZY"}, perfect=_RECORD, best=0.85),
        EvaluatorExample(
            options={"default_text": "EXACT", "flatten": True, "null_values": ["x"], "strategies": {"b[*].c": "IGNORE"}},
            perfect=_RECORD,
            best=0.85,
        ),
        EvaluatorExample(
            options={"default_text": "EXACT", "strategies": {"a": "IGNORE"}, "ignore_scope": "all", "safety": {"words": ["xx"]}},
            perfect=_RECORD,
            best=0.85,
        ),
    ],
)
def json_quality(batch: Batch, config: JsonQuality) -> Results:
    """The response quality score and its parts."""
    spec = _compare_spec(config)
    comparisons = _apply_similarities(batch.compare(spec), config)
    keys = _classify_keys(comparisons, spec, config)
    safety = check_safety(config.safety, batch.records.actual, batch.services) if config.safety else None
    metrics, flags = _compute_metrics(comparisons, keys, safety)
    metrics |= _compute_rqs(metrics, config)
    status, reasons = decide_statuses(comparisons, _flag_scored_cases(comparisons, keys))
    for name in ("accuracy", "rqs", "rqs_normalized"):
        metrics[name][status != Status.SCORED] = np.nan
    mark_case_faults(status, reasons, safety.faults if safety else {})
    agreements = measure_agreement(batch, spec)
    if agreements:
        metrics["consistency"] = np.array([agreement.mean if agreement else np.nan for agreement in agreements], dtype=np.float64)
    hits, misses = _build_labels(comparisons, keys)
    if safety is not None:
        misses = Labels.of([*misses.at(case), *safety.misses_of(case)] for case in range(len(batch)))
    maximum, measured = _describe_maximum(config), " (not measured)" if safety is None else ""

    def describe_parts(rqs: float, accuracy: float, completeness: float, safety: float, hallucination: float) -> str:
        parts = (
            f"accuracy {accuracy:.3f}, completeness {completeness:.3f}, safety {safety:.3f}{measured}, hallucination {hallucination:.3f}"
        )
        return f"rqs {rqs:.4f}{maximum}: {parts}"

    parts = [metrics[name] for name in ("rqs", "accuracy", "completeness", "safety", "hallucination")]
    return Results(
        score=np.where(status == Status.SCORED, np.clip(np.nan_to_num(metrics["rqs"]), 0.0, 1.0), 0.0),
        status=status,
        hits=hits,
        misses=misses,
        reasoning=write_reasoning(reasons, describe_parts, *parts),
        metrics=metrics,
        details=_QualityDetails(comparisons, keys, config, flags, reasons, safety, agreements),
        comparisons=comparisons,
        passes_without_hits=_agree_on_nothing(comparisons, keys),
        flags=flags,
    )


def _compare_spec(config: JsonQuality) -> CompareSpec:
    """The comparisons to make: every key or leaf, by its strategy or the one detected from its value."""
    matches = _StrategyMatches(config)
    with_similarity = dict.fromkeys(config.similarities, Match())  # a similarity measured earlier needs no matcher
    by_key = {key: matches[strategy] for key, strategy in config.strategies.items() if key not in with_similarity} | with_similarity
    rules: list[FieldRule] = []
    for key, match in by_key.items():
        path = Path.parse(key) if config.flatten else Path((normalize("NFC", key),))
        rules.append(FieldRule(path=path, text=key, match=match))

    def choose_match(value: Json) -> Match:
        return matches[detect_strategy(value, config.default_text)]

    nulls = Nulls(blank=True, values=frozenset(config.null_values))
    return CompareSpec(rules=tuple(rules), open="leaves" if config.flatten else "keys", default=choose_match, nulls=nulls)


class _StrategyMatches(dict[str, Match]):
    """The match of each strategy, built at its first use, so that the semantic matcher is imported only if needed."""

    def __init__(self, config: JsonQuality) -> None:
        super().__init__()
        self._builders: dict[str, Callable[[], Match]] = {
            "EXACT": lambda: Match("exact_text"),
            "IGNORE": lambda: Match("ignore"),
            "FUZZY": lambda: _match_with_threshold("fuzzy", config.fuzzy, config.fuzzy_threshold),
            "SEMANTIC": lambda: _match_with_threshold("semantic", config.semantic, config.semantic_threshold),
        }

    def __missing__(self, strategy: str) -> Match:
        self[strategy] = self._builders[strategy]()
        return self[strategy]


def _match_with_threshold(name: str, match: Match | None, threshold: float) -> Match:
    options: Any = match.options if match and match.options is not None else MATCHERS.find(name).options()
    return Match(name, replace(options, threshold=threshold))


def _apply_similarities(comparisons: ComparisonTable, config: JsonQuality) -> ComparisonTable:
    """The comparisons with the similarities of the options in place of computed ones.

    Changed in a copy: other evaluators may share the comparisons.
    """
    if not config.similarities:
        return comparisons
    thresholds = {"FUZZY": config.fuzzy_threshold, "SEMANTIC": config.semantic_threshold}
    outcome, similarity, passed = comparisons.outcome.copy(), comparisons.similarity.copy(), comparisons.passed.copy()
    causes = dict(comparisons.cause)
    for key, measured in config.similarities.items():
        differs = (outcome == Outcome.WRONG_VALUE) | (outcome == Outcome.FORMAT_ERROR)
        for row in np.flatnonzero(_rows_of_fields(comparisons, [key]) & differs).tolist():
            strategy = config.strategies.get(key) or detect_strategy(comparisons.compared_value(row), config.default_text)
            if strategy in thresholds:
                similarity[row] = measured
                passed[row] = reaches_threshold(similarity[row : row + 1], thresholds[strategy])[0]
            else:  # a measured similarity is about texts; numbers and dates are compared exactly
                similarity[row] = passed[row] = _have_same_text(comparisons.compared_value(row), comparisons.actual[row])
            if passed[row]:
                outcome[row] = Outcome.MATCH
                causes.pop(row, None)
    return replace(comparisons, outcome=outcome, similarity=similarity, passed=passed, cause=causes)


def _have_same_text(expected: Any, actual: Any) -> bool:
    matcher = MATCHERS.find("exact_text")
    return bool(matcher.function(Pairs([expected], [actual]), matcher.options()).passed[0])


def _rows_of_fields(comparisons: ComparisonTable, keys: Iterable[str]) -> NDArray[np.bool_]:
    """A mask of the rows of these fields."""
    names = set(keys)
    return np.array([field in names for field in comparisons.fields], dtype=np.bool_)[comparisons.field]


@dataclass(frozen=True, slots=True)
class _KeyRows:
    """How each row counts."""

    bucket: NDArray[np.uint8]
    ignored: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    """Rows that count for completeness and hallucination."""


def _classify_keys(comparisons: ComparisonTable, spec: CompareSpec, config: JsonQuality) -> _KeyRows:
    ignored_keys = [key for key, strategy in config.strategies.items() if strategy == "IGNORE"]
    ignored = (comparisons.outcome == Outcome.IGNORED) | _rows_of_fields(comparisons, ignored_keys)
    counted = ~ignored if config.ignore_scope == "all" else np.ones(len(comparisons), dtype=np.bool_)
    bucket = assign_buckets(comparisons, spec.nulls)
    dropped = [row for row in comparisons.chosen if not list_accepted(comparisons.expected[row])]
    counted[dropped], bucket[dropped] = False, NEITHER  # no value is accepted, so the key is in no phase
    return _KeyRows(bucket, ignored, counted)


def _compute_metrics(comparisons: ComparisonTable, keys: _KeyRows, safety: SafetyReport | None) -> tuple[dict[str, _Numbers], Labels]:
    """Completeness, hallucination, accuracy and safety of each case, and flags where one of them was not measured."""

    def count_by_case(rows: NDArray[np.bool_]) -> _Numbers:
        return np.bincount(comparisons.case[rows], minlength=comparisons.cases).astype(np.float64)

    bucket = keys.bucket
    both = count_by_case(keys.counted & (bucket == BOTH))
    lost = count_by_case(keys.counted & (bucket == LOST))
    invented = count_by_case(keys.counted & ((bucket == EXTRA) | (bucket == NULL_HAS_VALUE)))
    is_scored = (bucket == BOTH) & ~keys.ignored
    scored = count_by_case(is_scored)
    metrics = {
        "completeness": _divide(both, both + lost, 1.0),
        "hallucination": _divide(invented, count_by_case(keys.counted), 0.0),
        "accuracy": _divide(count_by_case(is_scored & comparisons.passed), scored, 1.0),
        "safety": np.ones(comparisons.cases) if safety is None else safety.value,
    }
    lost_to_score = count_by_case((bucket == LOST) & ~keys.ignored)
    flags = {
        "vacuous_completeness": both + lost == 0,
        "vacuous_accuracy": scored == 0,
        "unscored_accuracy": (scored == 0) & (lost_to_score > 0),
        "unmeasured_safety": np.full(comparisons.cases, safety is None),
    }
    return metrics, Labels.from_masks(flags)


def _flag_scored_cases(comparisons: ComparisonTable, keys: _KeyRows) -> _Numbers:
    """1 for each case with something to score; 0 where every key is left out."""
    every = np.bincount(comparisons.case, minlength=comparisons.cases)
    left_out = np.bincount(comparisons.case[~keys.counted], minlength=comparisons.cases)
    return np.where((every > 0) & (left_out == every), 0.0, 1.0)


def _agree_on_nothing(comparisons: ComparisonTable, keys: _KeyRows) -> NDArray[np.bool_]:
    """Cases in which nothing was expected and nothing given."""
    has_value = np.bincount(comparisons.case[keys.bucket != NEITHER], minlength=comparisons.cases)
    return has_value == 0


def _divide(part: _Numbers, whole: _Numbers, if_empty: float) -> _Numbers:
    return np.divide(part, whole, out=np.full(len(whole), if_empty), where=whole > 0)


def _compute_rqs(metrics: Mapping[str, _Numbers], config: JsonQuality) -> dict[str, _Numbers]:
    weights = config.weights
    rqs = (
        weights.w_accuracy * metrics["accuracy"]
        + weights.w_completeness * metrics["completeness"]
        + weights.w_safety * metrics["safety"]
        - weights.w_hallucination * metrics["hallucination"]
    )
    best = _maximum_rqs(weights)
    normalized = np.clip(rqs / best, 0.0, 1.0) if best else np.zeros(len(rqs))
    return {"rqs": np.clip(rqs, 0.0, 1.0) if config.clamp else rqs, "rqs_normalized": normalized}


def _build_labels(comparisons: ComparisonTable, keys: _KeyRows) -> tuple[Labels, Labels]:
    """Keys that are right, and keys that are not, each with what is wrong."""
    suffixes = {EXTRA: " (extra)", NULL_HAS_VALUE: " (unexpected value)", BOTH: ""}
    buckets: list[int] = keys.bucket.tolist()

    def describe_miss(row: int, path: str) -> str:
        if buckets[row] == LOST:
            return f"{path} ({'required, missing' if comparisons.actual[row] is MISSING else 'null value'})"
        if row in comparisons.faults:
            return f"{path} (evaluation error: {comparisons.faults[row].what})"
        note = describe_non_finite(comparisons, row) if row in comparisons.note else None
        return f"{path} ({note})" if note else f"{path}{suffixes[buckets[row]]}"

    is_both = keys.bucket == BOTH
    is_bare = is_both.copy()
    is_bare[[*comparisons.faults, *comparisons.note]] = False
    listed = keys.counted & (keys.bucket != NEITHER) & ~(keys.ignored & (is_both | (keys.bucket == LOST)))
    unavailable = [row for row, fault in comparisons.faults.items() if fault.code == "unavailable"]
    listed[unavailable] = False  # neither right nor wrong
    is_hit = is_both & comparisons.passed & keys.counted
    return build_row_labels(comparisons, listed & is_hit), build_row_labels(comparisons, listed & ~is_hit, describe_miss, is_bare)


def _describe_maximum(config: JsonQuality) -> str:
    """The score of a perfect output in words, if it is below 1."""
    best = _maximum_rqs(config.weights)
    return f" (a perfect output scores {best:.4g})" if best < 1.0 - 1e-6 else ""


def _maximum_rqs(weights: Weights) -> float:
    return weights.w_accuracy + weights.w_completeness + weights.w_safety


@dataclass(frozen=True)
class _QualityDetails:
    """Details of a case: buckets, strategies and flags, as a dict or as JSON text."""

    comparisons: ComparisonTable
    keys: _KeyRows
    config: JsonQuality
    flags: Labels
    reasons: dict[int, str]
    safety: SafetyReport | None
    agreements: list[OutputAgreement | None]

    def __call__(self, case: int) -> dict[str, Any]:
        """The details of a case."""
        comparisons = self.comparisons
        case_rows = comparisons.rows_of(case)
        rows: list[int] = case_rows[self.keys.counted[case_rows]].tolist()
        paths = [comparisons.paths[int(comparisons.path[row])] for row in rows]
        bucket_of = {path: BUCKETS[int(self.keys.bucket[row])] for path, row in zip(paths, rows, strict=True)}
        buckets = {name: [path for path, bucket in bucket_of.items() if bucket == name] for name in BUCKETS[:4]}
        buckets["gt_non_null"] = [path for path, bucket in bucket_of.items() if bucket in ("both_non_null", "aio_missing_or_null")]
        details: dict[str, Any] = {
            "buckets": buckets,
            "bucket_of": bucket_of,
            "strategies": {path: STRATEGIES[self._strategies[row]] for path, row in zip(paths, rows, strict=True)},
            "flags": self.flags.at(case),
        }
        if self.safety is not None:
            details[self.safety.detail_name] = self.safety.findings[case]
            if case in self.safety.faults:
                details |= {"fault": "ours", "reason": self.reasons[case]}
        agreement = self.agreements[case] if self.agreements else None
        if agreement:
            details["consistency"] = agreement.to_json()
        return details | describe_faults(comparisons, case, self.reasons)

    def texts(self) -> list[bytes | None]:
        """The details of every case as JSON text; None where `__call__` must be used. Cases with equal details are written once."""
        cases = self.comparisons.cases
        if self.safety is not None or self.agreements or self.comparisons.faults:
            return [None] * cases
        keys = self._detail_keys()
        text_by_key = {key: self._encode(case) for key, case in dict(zip(keys, range(cases), strict=True)).items()}
        return [text_by_key[key] for key in keys]

    def _encode(self, case: int) -> bytes | None:
        try:
            return orjson.dumps(self(case))
        except TypeError:  # a lone surrogate in a path
            return None

    def _detail_keys(self) -> list[tuple[bytes, bytes]]:
        """A key for each case, equal for equal details: path, bucket and strategy of its rows as one number each, and its flags."""
        order, offsets = self.comparisons.by_case()
        codes = (self.comparisons.path.astype(np.int64) * len(BUCKETS) + self.keys.bucket) * len(STRATEGIES) + self._strategies
        return list(zip(_split_bytes(codes[order], offsets), _split_bytes(self.flags.codes, self.flags.offsets), strict=True))

    @cached_property  # one array for all cases of the batch
    def _strategies(self) -> NDArray[np.uint8]:
        """The strategy of each row, as a position in STRATEGIES: that of its field, else the one detected from its value."""
        comparisons = self.comparisons
        positions = {name: position for position, name in enumerate(STRATEGIES)}
        of_field = [positions.get(self.config.strategies.get(field, ""), _NO_STRATEGY) for field in comparisons.fields]
        strategies = np.array(of_field, dtype=np.uint8)[comparisons.field]
        is_undecided = strategies == _NO_STRATEGY
        strategies[is_undecided] = _EXACT_POSITION
        may_be_text = [row for row, kind in enumerate(map(type, comparisons.expected)) if kind not in _OTHER_THAN_TEXT]
        candidates = np.array([*may_be_text, *comparisons.chosen], dtype=np.int64)
        rows: list[int] = candidates[is_undecided[candidates]].tolist()
        strategies[rows] = [positions[detect_strategy(self._value_with_type(row), self.config.default_text)] for row in rows]
        return strategies

    def _value_with_type(self, row: int) -> Value:
        """The value whose type decides how a row is compared: the expected one if there is one."""
        expected = self.comparisons.compared_value(row)
        return self.comparisons.actual[row] if expected is None or expected is MISSING else expected


def _split_bytes(numbers: NDArray[Any], offsets: NDArray[np.int64]) -> list[bytes]:
    """The bytes of the numbers between every two offsets."""
    content, ends = numbers.tobytes(), (offsets * numbers.itemsize).tolist()
    return [content[start:end] for start, end in pairwise(ends)]


_NO_STRATEGY: Final = 255
_EXACT_POSITION: Final = STRATEGIES.index("EXACT")
_OTHER_THAN_TEXT: Final = EXACT_TYPES - {type(None)}
"""Types of expected values that get EXACT; where null is expected, actual decides."""
