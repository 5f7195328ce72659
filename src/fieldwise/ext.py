"""Public API for plug-in authors: the decorators and the types that matchers, evaluators, judges, causes and importers use."""

from fieldwise.model.ask import Ask, Judgement, Reply
from fieldwise.model.batch import Batch, Records
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import Comparison, ComparisonTable
from fieldwise.model.context import Context
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.result import Result, Results
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Match
from fieldwise.model.services import Services, Vectors
from fieldwise.model.values import MISSING, Json, Value
from fieldwise.registry import cause, evaluator, importer, judge, matcher
from fieldwise.specs import CauseExample, EvaluatorExample, Example

__all__ = [
    "MISSING",
    "Ask",
    "Batch",
    "Case",
    "Cases",
    "CauseExample",
    "CompareSpec",
    "Comparison",
    "ComparisonTable",
    "ConfigError",
    "Context",
    "Diagnostic",
    "EvaluatorExample",
    "Example",
    "FieldRule",
    "ImportedRecord",
    "Json",
    "Judgement",
    "ListRule",
    "Match",
    "Pairs",
    "Records",
    "Reply",
    "Result",
    "Results",
    "Scores",
    "Services",
    "Value",
    "Vectors",
    "Where",
    "cause",
    "evaluator",
    "importer",
    "judge",
    "matcher",
]
