"""Response quality of one case with its arithmetic, as a page tells it. The numbers are the evaluator's."""

from dataclasses import dataclass
from typing import Any, Final

from fieldwise.model.result import Result
from fieldwise.report.html import grade
from fieldwise.web.configuration import Configuration
from fieldwise.web.pages_case import FieldLine, line_of

BUCKETS: Final = (
    ("both_non_null", "a value on both sides: compared for accuracy"),
    ("gt_non_null", "a value was expected"),
    ("aio_missing_or_null", "a value was expected, and none came"),
    ("gt_null_aio_has_value", "nothing was expected, and a value came"),
    ("extra_keys", "the key was not expected at all"),
)
FLAGS: Final = {
    "unmeasured_safety": "Safety was not measured and counts as 1",
    "vacuous_accuracy": "Nothing could be compared, so accuracy is 1",
    "vacuous_completeness": "Nothing was expected, so completeness is 1",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A number with how it came about."""

    name: str
    value: str
    formula: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a page tells of one evaluation."""

    score: str
    grade: str
    verdict: str
    lines: tuple[Line, ...]
    buckets: tuple[tuple[str, str, tuple[str, ...]], ...]
    rows: tuple[FieldLine, ...]
    flags: tuple[str, ...]
    kept: str | None


def outcome_of(result: Result, used: Configuration, kept: str | None) -> Outcome:
    """What a page tells of a result under this configuration."""
    details = result.details
    strategies: dict[str, str] = details.get("strategies", {})
    settings = used.to_json()
    rules = {name: _rule(strategy, settings) for name, strategy in strategies.items()}
    return Outcome(
        score=_shown(result.metrics.get("rqs")),
        grade=grade(result.score),
        verdict=result.verdict or result.status,
        lines=tuple(_lines(result, settings)) if "buckets" in details else (Line("status", result.status, result.reasoning),),
        buckets=tuple((name, about, tuple(details.get("buckets", {}).get(name, ()))) for name, about in BUCKETS),
        rows=tuple(line_of(one, rules) for one in result.comparisons[:500]),
        flags=tuple(FLAGS.get(str(flag), str(flag)) for flag in details.get("flags", ())),
        kept=kept,
    )


def _rule(strategy: str, settings: dict[str, Any]) -> str:
    cut = {"FUZZY": "fuzzy_threshold", "SEMANTIC": "semantic_threshold"}.get(strategy)
    return f"{strategy} ≥ {settings[cut]:g}" if cut else strategy


def _shown(value: Any) -> str:
    return "not measured" if value is None else f"{float(value):.4f}"


def _lines(result: Result, settings: dict[str, Any]) -> list[Line]:
    held = {name: len(keys) for name, keys in result.details["buckets"].items()}
    of = result.metrics
    both, expected = held["both_non_null"], held["gt_non_null"]
    invented, keys = held["extra_keys"] + held["gt_null_aio_has_value"], len(result.details["bucket_of"])
    ignored = sum(result.details["strategies"].get(key) == "IGNORE" for key in result.details["buckets"]["both_non_null"])
    weights, hits = settings["weights"], len(result.hits)
    terms = " + ".join(f"{weights['w_' + name]:g} × {_shown(of.get(name))}" for name in ("accuracy", "completeness", "safety"))
    lost = f" − {weights['w_hallucination']:g} × {_shown(of.get('hallucination'))}"
    return [
        Line(
            "completeness",
            _shown(of.get("completeness")),
            f"{both} of {expected} expected values are there" if expected else "nothing was expected",
        ),
        Line(
            "hallucination",
            _shown(of.get("hallucination")),
            f"({held['extra_keys']} extra + {held['gt_null_aio_has_value']} expected null) of {keys} keys = {invented} / {keys}",
        ),
        Line(
            "accuracy",
            _shown(of.get("accuracy")),
            f"{hits} of {both - ignored} compared fields are right" + (f", {ignored} ignored" if ignored else ""),
        ),
        Line("safety", _shown(of.get("safety")), "1 unless a checker finds something"),
        Line("response quality (RQS)", _shown(of.get("rqs")), f"{terms}{lost}, kept within 0 and 1"),
        Line("normalized", _shown(of.get("rqs_normalized")), "RQS divided by the most it can be with these weights"),
    ]
