"""Comparing every leaf by way of the rules gives what looking for every leaf gives."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.case import Case, Cases
from fieldwise.model.path import Path
from fieldwise.model.rule import CompareSpec, FieldRule, ListRule, Match
from fieldwise.model.values import MISSING
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.column_cache import Memo
from fieldwise.score.rule_coverage import covers
from fieldwise.score.walk import compare_records

NAMED = {"n": "exact", "vendor.name": "fuzzy", "vendor.city": "exact", "items[*].sku": "exact", "items[*].of.x": "exact"}
RULES = tuple(
    FieldRule(path=Path.parse(text), text=text, match=Match(match))
    for text, match in (
        ("n", "exact"),
        ("vendor.name", "fuzzy"),
        ("vendor.city", "exact"),
        ("items[*].sku", "exact"),
        ("items[*].of.x", "exact"),
    )
)
BEST = CompareSpec(rules=RULES, open="leaves", lists=(ListRule(path=Path.parse("items"), align="best"),))
BY_INDEX = CompareSpec(rules=RULES, open="leaves")
WHOLE = {"n": 1, "vendor": {"name": "Acme", "city": "Ulm"}, "items": [{"sku": "a", "of": {"x": 1}}, {"sku": "b", "of": {"x": 2}}]}

leaves: st.SearchStrategy[Any] = st.sampled_from([1, 2, "a", "b", "A", None, True, [], {}, [1]])
things = st.dictionaries(st.sampled_from(["sku", "sku", "of", "more"]), leaves | st.fixed_dictionaries({"x": leaves}), max_size=3)
parties = leaves | st.dictionaries(st.sampled_from(["name", "city"]), leaves)
records = st.fixed_dictionaries(
    {"n": leaves, "vendor": parties}, optional={"items": leaves | st.lists(things | leaves, max_size=3), "more": leaves}
) | st.just(WHOLE)


def rows(found: Any) -> list[list[tuple[Any, ...]]]:
    def told(row: int) -> tuple[Any, ...]:
        one = found.at(row)
        return one, bool(found.extra[row]), bool(found.lone[row]), bool(found.plain[row])

    return [[told(row) for row in found.rows_of(case).tolist()] for case in range(found.cases)]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(records, records), min_size=1, max_size=4), st.sampled_from([BEST, BY_INDEX]))
def test_the_rules_and_every_leaf_come_to_the_same(pairs: list[tuple[Any, Any]], spec: CompareSpec) -> None:
    batch = ScoringBatch(Cases.of([Case(id=str(at), expected=one, actual=other) for at, (one, other) in enumerate(pairs)]))
    found = batch.compare(spec)
    found.cause.clear()  # which looking for every leaf alone does not look for
    assert rows(found) == rows(compare_records(spec, [one for one, _ in pairs], [other for _, other in pairs]))


def covered(spec: CompareSpec, expected: Any, actual: Any) -> bool:
    return covers(spec, [WHOLE, expected], [WHOLE, actual], Memo())


def test_records_that_look_as_the_rules_say_are_covered() -> None:
    fewer = WHOLE | {"items": WHOLE["items"][:1], "vendor": {"name": None}}
    assert covered(BEST, WHOLE, fewer)
    assert covered(BEST, fewer, WHOLE)
    assert covered(BY_INDEX, WHOLE, fewer)
    assert covered(BEST, WHOLE, {"n": 1})


def test_a_record_that_has_more_or_something_else_is_not_covered() -> None:
    others = [WHOLE | {"more": 1}, WHOLE | {"vendor": "Acme"}, WHOLE | {"vendor": None}, WHOLE | {"vendor": {}}, {}, None, [WHOLE], MISSING]
    others.append(WHOLE | {"items": [{"sku": "a", "of": {"x": 1, "y": 2}}]})
    assert not [other for other in others if covered(BEST, WHOLE, other) and other is not MISSING]
    assert not covered(BEST, WHOLE | {"items": []}, WHOLE)
    assert not covered(BY_INDEX, WHOLE | {"items": WHOLE["items"][:1]}, WHOLE)  # its extra item goes by another name


def test_rules_that_overlap_or_cannot_be_read_cover_nothing() -> None:
    vendor = FieldRule(path=Path.parse("vendor"), text="vendor")
    assert not covered(CompareSpec(rules=(*RULES, vendor), open="leaves"), WHOLE, WHOLE)
    assert not covered(CompareSpec(rules=(*RULES, FieldRule(path=None, text="a[")), open="leaves"), WHOLE, WHOLE)
    assert not covered(CompareSpec(rules=(*RULES, RULES[0]), open="leaves"), WHOLE, WHOLE)


def test_evaluators_that_look_at_the_same_leaves_share_their_comparisons() -> None:
    batch = ScoringBatch(Cases.of([Case(id="1", expected=WHOLE, actual=WHOLE)]))
    assert batch.compare(BEST) is batch.compare(CompareSpec(rules=RULES, lists=BEST.lists))


def test_fields_that_neither_side_has_are_no_leaves() -> None:
    record = WHOLE | {"vendor": {"name": "Acme"}}
    batch = ScoringBatch(Cases.of([Case(id="1", expected=record, actual=record)]))
    assert "vendor.city" not in {one.path for one in batch.compare(BEST).of_case(0)}
