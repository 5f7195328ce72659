"""How good a JSON response is as a whole: complete, without inventions, accurate, safe; and one number of the four (RQS).

>>> import fieldwise as fw
>>> expected, actual = {"id": 7, "status": "x", "code": None}, {"id": 7, "code": "c", "more": 1}
>>> result = fw.evaluate({"type": "json_quality"}, expected=expected, actual=actual)
>>> {name: round(value, 3) for name, value in result.metrics.items()}
{'completeness': 0.5, 'hallucination': 0.5, 'accuracy': 1.0, 'safety': 1.0, 'rqs': 0.65, 'rqs_normalized': 0.765}
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Final, Literal
from unicodedata import normalize

import numpy as np
import orjson
from annotated_types import Ge, Le
from numpy.typing import NDArray

from fieldwise.evaluators.records._buckets import BOTH, BUCKETS, EXTRA, LOST, NEITHER, NULL_HAS_VALUE, buckets_of
from fieldwise.evaluators.records._consistency import Agreement, agreement
from fieldwise.evaluators.records._fields import case_faults, faults_of, field_status, not_finite, reasoning, row_labels
from fieldwise.evaluators.records._safety import Checked, Safety, check_safety
from fieldwise.evaluators.records._strategies import STRATEGIES, Strategy, detected
from fieldwise.kernels.strings import reaches
from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.options import FromFile, Of, Problem
from fieldwise.model.pairs import Pairs
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import CompareSpec, FieldRule, Match, Nulls
from fieldwise.model.values import MISSING, Json
from fieldwise.registry import MATCHERS, evaluator

Numbers = NDArray[np.float64]
Share = Annotated[float, Ge(0), Le(1)]
MOST_NAMED: Final = 5
"""So many keys are told by name where a message is about keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each part weighs in the response quality score."""

    w_accuracy: Annotated[float, Ge(0)] = 0.45
    w_completeness: Annotated[float, Ge(0)] = 0.25
    w_hallucination: Annotated[float, Ge(0)] = 0.15
    w_safety: Annotated[float, Ge(0)] = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonQuality:
    """Which keys are compared how, and what the parts weigh."""

    strategies: Annotated[Mapping[str, Strategy], FromFile()] = field(default_factory=dict[str, Strategy])
    """Key → EXACT, FUZZY, SEMANTIC or IGNORE, in place or in a JSON file. Other keys get one by the type of their value."""
    default_text: Literal["SEMANTIC", "FUZZY", "EXACT"] = "SEMANTIC"
    """The strategy for text that no strategy names and that is no date and no email address."""
    weights: Weights = field(default_factory=Weights)
    fuzzy_threshold: Share = 0.85
    semantic_threshold: Share = 0.80
    fuzzy: Annotated[Match, Of("fuzzy")] | None = None
    """Options of the fuzzy match, such as its algorithm."""
    semantic: Annotated[Match, Of("semantic")] | None = None
    """Options of the semantic match."""
    similarities: Mapping[str, Share] = field(default_factory=dict[str, float])
    """Key → a similarity that a judge has already given; it is compared with the threshold of the key's strategy."""
    null_values: tuple[str, ...] = ()
    """Text that counts as null, besides empty and blank text."""
    flatten: bool = False
    """Compare every leaf instead of every top-level key."""
    ignore_scope: Literal["accuracy", "all"] = "accuracy"
    """Whether IGNORE leaves a key out of accuracy only, or out of everything."""
    safety: Safety | None = None
    """How safety is measured; not measured, it counts as 1 and is flagged."""
    clamp: bool = True
    """Keep the score within 0 and 1."""

    def problems(self) -> Iterable[Problem]:
        """Keys that cannot be read as paths, thresholds in the wrong place, and similarities that nothing would look at."""
        for name, match in (("fuzzy", self.fuzzy), ("semantic", self.semantic)):
            if match and getattr(match.options, "threshold", None) not in (None, MATCHERS.find(name).options().threshold):
                yield name, f"`{name}` has a threshold of its own", f"write `{name}_threshold` beside it"
        for key in self.similarities:
            if self.strategies.get(key) in ("EXACT", "IGNORE"):
                what = f"`{key}` has a similarity, and its strategy {self.strategies[key]} looks at none"
                yield "similarities", what, "leave it out, or make the strategy FUZZY or SEMANTIC"
        if self.flatten:
            for key in (*self.strategies, *self.similarities):
                try:
                    Path.parse(key)
                except MalformedPath as error:
                    yield "strategies", str(error), error.fix

    def unknown(self, fields: Collection[str]) -> Iterable[Problem]:
        """Keys that no case has: a strategy or a similarity for them changes nothing."""
        for option, named in (("strategies", self.strategies), ("similarities", self.similarities)):
            absent = [f"`{key}`" for key in named if key not in fields]
            if absent:
                what = f"`{option}` names {', '.join(absent[:MOST_NAMED])}{' and others' if len(absent) > MOST_NAMED else ''}"
                yield option, f"{what}, and no case of the run has such a key", "check how it is written"


@evaluator
def json_quality(batch: Batch, config: JsonQuality) -> Results:
    """The response quality score and its parts."""
    spec = quality_spec(config)
    comparisons = batch.compare(spec)
    passed = _with_recorded(comparisons, config)
    bucket, ignored = buckets_of(comparisons, spec.nulls), comparisons.outcome == Outcome.IGNORED
    ignored |= _named(comparisons, [key for key, strategy in config.strategies.items() if strategy == "IGNORE"])
    counted = ~ignored if config.ignore_scope == "all" else np.ones(len(comparisons), dtype=np.bool_)
    scorable = (bucket == BOTH) & ~ignored

    def count(rows: NDArray[np.bool_]) -> Numbers:
        return np.bincount(comparisons.case[rows], minlength=len(batch)).astype(np.float64)

    both, lost = count(counted & (bucket == BOTH)), count(counted & (bucket == LOST))
    invented, keys = count(counted & ((bucket == EXTRA) | (bucket == NULL_HAS_VALUE))), count(counted)
    right, scored = count(scorable & passed), count(scorable)
    checked = check_safety(config.safety, batch.records.actual) if config.safety else None
    metrics = {
        "completeness": _share(both, both + lost, 1.0),
        "hallucination": _share(invented, keys, 0.0),
        "accuracy": _share(right, scored, 1.0),
        "safety": np.ones(len(batch)) if checked is None else checked.value,
    }
    metrics |= _rqs(metrics, config)
    status, reasons = field_status(comparisons, np.ones(len(batch)))
    for name in ("accuracy", "rqs", "rqs_normalized"):
        metrics[name][status != Status.SCORED] = np.nan
    case_faults(status, reasons, checked.faults if checked else {})
    agreements = agreement(batch, spec)
    if agreements:
        metrics["consistency"] = np.array([one.mean if one else np.nan for one in agreements], dtype=np.float64)
    flags = _flags(both + lost, scored, checked is None)
    hits, misses = _labels(comparisons, bucket, passed & counted, counted, ignored)
    if checked is not None:
        misses = Labels.of([*misses.at(case), *checked.miss(case)] for case in range(len(batch)))
    view = _View(comparisons, bucket, config, flags, reasons, checked, agreements)
    return Results(
        score=np.where(status == Status.SCORED, np.clip(np.nan_to_num(metrics["rqs"]), 0.0, 1.0), 0.0),
        status=status,
        hits=hits,
        misses=misses,
        reasoning=reasoning(reasons, _told, *(metrics[name] for name in ("rqs", "accuracy", "completeness", "safety", "hallucination"))),
        metrics=metrics,
        details=view,
        comparisons=comparisons,
        flags=flags,
    )


def quality_spec(config: JsonQuality) -> CompareSpec:
    """What to compare: every key or leaf, by the strategy that is named for it or that its value suggests."""
    matches = _matches(config)
    recorded = dict.fromkeys(config.similarities, Match())  # nobody is asked for what a judge has already said
    named = {key: matches[strategy] for key, strategy in config.strategies.items() if key not in recorded} | recorded
    paths = {key: Path.parse(key) if config.flatten else Path((normalize("NFC", key),)) for key in named}
    rules = tuple(FieldRule(path=paths[key], text=key, match=match) for key, match in named.items())

    def by_type(value: Json) -> Match:
        return matches[detected(value, config.default_text)]

    nulls = Nulls(blank=True, values=frozenset(config.null_values))
    return CompareSpec(rules=rules, open="leaves" if config.flatten else "keys", default=by_type, nulls=nulls)


def _matches(config: JsonQuality) -> dict[str, Match]:
    def graded(name: str, given: Match | None, threshold: float) -> Match:
        options: Any = given.options if given and given.options is not None else MATCHERS.find(name).options()
        return Match(name, replace(options, threshold=threshold))

    needed = {"EXACT": lambda: Match("exact_text"), "IGNORE": lambda: Match("ignore")}
    needed["FUZZY"] = lambda: graded("fuzzy", config.fuzzy, config.fuzzy_threshold)
    needed["SEMANTIC"] = lambda: graded("semantic", config.semantic, config.semantic_threshold)
    return _Lazy(needed)


class _Lazy(dict[str, Match]):
    """Matches made when first asked for: the semantic one is not loaded where no text needs it."""

    def __init__(self, makers: Mapping[str, Callable[[], Match]]) -> None:
        super().__init__()
        self._makers = makers

    def __missing__(self, name: str) -> Match:
        self[name] = self._makers[name]()
        return self[name]


def _with_recorded(comparisons: Comparisons, config: JsonQuality) -> NDArray[np.bool_]:
    """Which rows pass, with similarities that were given instead of computed put in their place."""
    thresholds = {"FUZZY": config.fuzzy_threshold, "SEMANTIC": config.semantic_threshold}
    for key, similarity in config.similarities.items():
        differ = (comparisons.outcome == Outcome.WRONG_VALUE) | (comparisons.outcome == Outcome.FORMAT_ERROR)
        for row in np.flatnonzero(_named(comparisons, [key]) & differ).tolist():
            strategy = config.strategies.get(key) or detected(comparisons.expected[row], config.default_text)
            if strategy in thresholds:
                comparisons.similarity[row] = similarity
                comparisons.passed[row] = reaches(comparisons.similarity[row : row + 1], thresholds[strategy])[0]
            else:  # a judge says how alike texts are; whether numbers are the same is not for it to say
                comparisons.similarity[row] = comparisons.passed[row] = _written_alike(comparisons.expected[row], comparisons.actual[row])
            if comparisons.passed[row]:
                comparisons.outcome[row] = Outcome.MATCH
                comparisons.cause.pop(row, None)
    return comparisons.passed


def _written_alike(expected: Any, actual: Any) -> bool:
    entry = MATCHERS.find("exact_text")
    return bool(entry.function(Pairs([expected], [actual]), entry.options()).passed[0])


def _named(comparisons: Comparisons, keys: Iterable[str]) -> NDArray[np.bool_]:
    """The rows of these fields."""
    wanted = set(keys)
    return np.array([text in wanted for text in comparisons.fields], dtype=np.bool_)[comparisons.field]


def _share(part: Numbers, whole: Numbers, otherwise: float) -> Numbers:
    return np.divide(part, whole, out=np.full(len(whole), otherwise), where=whole > 0)


def _rqs(metrics: Mapping[str, Numbers], config: JsonQuality) -> dict[str, Numbers]:
    weights = config.weights
    rqs = (
        weights.w_accuracy * metrics["accuracy"]
        + weights.w_completeness * metrics["completeness"]
        + weights.w_safety * metrics["safety"]
        - weights.w_hallucination * metrics["hallucination"]
    )
    best = weights.w_accuracy + weights.w_completeness + weights.w_safety
    normalized = np.clip(rqs / best, 0.0, 1.0) if best else np.zeros(len(rqs))
    return {"rqs": np.clip(rqs, 0.0, 1.0) if config.clamp else rqs, "rqs_normalized": normalized}


def _flags(expected: Numbers, scored: Numbers, safety_unmeasured: bool) -> Labels:
    said = {
        "vacuous_completeness": expected == 0,
        "vacuous_accuracy": scored == 0,
        "unmeasured_safety": np.full(len(scored), safety_unmeasured),
    }
    return Labels.where(said)


def _labels(
    comparisons: Comparisons, bucket: NDArray[np.uint8], passed: NDArray[np.bool_], counted: NDArray[np.bool_], ignored: NDArray[np.bool_]
) -> tuple[Labels, Labels]:
    """Keys that are right, and keys that are not with what is wrong."""
    words = {EXTRA: " (extra)", NULL_HAS_VALUE: " (unexpected value)", BOTH: ""}
    held: list[int] = bucket.tolist()

    def say(row: int, path: str) -> str:
        if held[row] == LOST:
            return f"{path} ({'required, missing' if comparisons.actual[row] is MISSING else 'null value'})"
        if row in comparisons.faults:
            return f"{path} (evaluation error: {comparisons.faults[row].what})"
        why = not_finite(comparisons, row) if row in comparisons.note else None
        return f"{path} ({why})" if why else f"{path}{words[held[row]]}"

    told = counted & (bucket != NEITHER) & ~(ignored & ((bucket == BOTH) | (bucket == LOST)))
    told[[row for row, fault in comparisons.faults.items() if fault.code == "unavailable"]] = False  # nobody knows whether it is right
    right = (bucket == BOTH) & passed
    return row_labels(comparisons, told & right), row_labels(comparisons, told & ~right, say)


def _told(rqs: float, accuracy: float, completeness: float, safety: float, hallucination: float) -> str:
    return (
        f"rqs {rqs:.4f}: accuracy {accuracy:.3f}, completeness {completeness:.3f}, safety {safety:.3f}, hallucination {hallucination:.3f}"
    )


@dataclass(frozen=True)
class _View:
    """What the details of a case are made from."""

    comparisons: Comparisons
    bucket: NDArray[np.uint8]
    config: JsonQuality
    flags: Labels
    reasons: dict[int, str]
    checked: Checked | None
    agreements: list[Agreement | None]

    def __call__(self, case: int) -> dict[str, Any]:
        """Buckets, strategies and flags of one case."""
        comparisons = self.comparisons
        rows: list[int] = comparisons.rows_of(case).tolist()
        paths = [comparisons.paths[int(comparisons.path[row])] for row in rows]
        bucket_of = {path: BUCKETS[int(self.bucket[row])] for path, row in zip(paths, rows, strict=True)}
        held = {name: [path for path, bucket in bucket_of.items() if bucket == name] for name in BUCKETS[:4]}
        held["gt_non_null"] = [path for path, bucket in bucket_of.items() if bucket in ("both_non_null", "aio_missing_or_null")]
        details: dict[str, Any] = {
            "buckets": held,
            "bucket_of": bucket_of,
            "strategies": {path: STRATEGIES[self._strategies[row]] for path, row in zip(paths, rows, strict=True)},
            "flags": self.flags.at(case),
        }
        if self.checked is not None:
            details[self.checked.name] = self.checked.found[case]
            if case in self.checked.faults:
                details |= {"fault": "ours", "reason": self.reasons[case]}
        if self.agreements and (found := self.agreements[case]):
            details["consistency"] = found.to_json()
        return details | faults_of(comparisons, case, self.reasons)

    def texts(self) -> list[bytes | None]:
        """The same as JSON text. Most cases of a batch look alike, and what looks alike is written once."""
        cases = self.comparisons.cases
        if self.checked is not None or self.agreements or self.comparisons.faults:
            return [None] * cases
        looks = self._looks()
        made = {look: self._text(case) for look, case in dict(zip(looks, range(cases), strict=True)).items()}
        return [made[look] for look in looks]

    def _text(self, case: int) -> bytes | None:
        try:
            return orjson.dumps(self(case))
        except TypeError:  # a lone surrogate in a path
            return None

    def _looks(self) -> list[tuple[bytes, bytes]]:
        """What decides the details of each case: its rows, each with path, bucket and strategy, and its flags."""
        order, offsets = self.comparisons.by_case()
        rows = (self.comparisons.path.astype(np.int64) * len(BUCKETS) + self.bucket) * len(STRATEGIES) + self._strategies
        return list(zip(_slices(rows[order], offsets), _slices(self.flags.codes, self.flags.offsets), strict=True))

    @cached_property
    def _strategies(self) -> NDArray[np.uint8]:
        """The strategy of each row: the one that is named for its field, else the one that its value suggests."""
        comparisons, place = self.comparisons, {name: at for at, name in enumerate(STRATEGIES)}
        named = [place.get(self.config.strategies.get(field, ""), _UNNAMED) for field in comparisons.fields]
        found = np.array(named, dtype=np.uint8)[comparisons.field]
        rows: list[int] = np.flatnonzero(found == _UNNAMED).tolist()
        sides = zip(map(comparisons.expected.__getitem__, rows), map(comparisons.actual.__getitem__, rows), strict=True)
        values = [actual if expected is None or expected is MISSING else expected for expected, actual in sides]
        default: Strategy = self.config.default_text
        found[rows] = [_EXACT if type(value) in _NO_TEXT else place[detected(value, default)] for value in values]
        return found


def _slices(numbers: NDArray[Any], offsets: NDArray[np.int64]) -> list[bytes]:
    """The bytes of the numbers between every two offsets."""
    content, ends = numbers.tobytes(), (offsets * numbers.itemsize).tolist()
    return [content[start:end] for start, end in pairwise(ends)]


_UNNAMED = 255
_EXACT = STRATEGIES.index("EXACT")
_NO_TEXT = frozenset(type(value) for value in (None, True, 1, 1.0, [], {}) if detected(value, "FUZZY") == "EXACT")
"""Types whose values always suggest the same."""
