"""json_schema: a record against a JSON Schema, with every violation at its path."""

import json
import sys
import time
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import ConfigError, Result

INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^INV-"},
        "date": {"type": "string", "format": "date"},
        "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/item"}},
    },
    "required": ["number", "items"],
    "additionalProperties": False,
    "$defs": {"item": {"type": "object", "properties": {"amount": {"type": "number", "minimum": 0}}, "required": ["amount"]}},
}
GOOD = {"number": "INV-1", "date": "2025-01-31", "items": [{"amount": 1}]}


def checked(actual: Any, schema: Any = INVOICE, **options: Any) -> Result:
    return fw.evaluate({"type": "json_schema", "schema": schema, **options}, actual=actual)


def test_a_valid_record_hits_its_properties() -> None:
    result = checked(GOOD)
    assert (result.score, result.verdict, result.hits, result.misses) == (1.0, "pass", ["number", "date", "items"], [])
    assert result.metrics == {"valid": True, "violations": 0}


def test_each_violation_is_a_miss_at_its_path() -> None:
    record = {"number": 7, "items": [{"amount": "12"}, {}, {"amount": -1}], "odd.key": 1}
    result = checked(record)
    assert result.misses == [
        "items[0].amount (not of type number)",
        "items[1].amount (required, missing)",
        "items[2].amount (minimum 0)",
        "number (not of type string)",
        '["odd.key"] (unexpected property)',
    ]
    assert (result.score, result.verdict, result.hits) == (0.0, "fail", [])
    assert result.metrics == {"valid": False, "violations": 5}
    assert result.details["violations"][2] == {"path": "items[2].amount", "keyword": "minimum", "what": "minimum 0"}


def test_properties_without_a_violation_stay_hits() -> None:
    assert checked({**GOOD, "number": "7"}).hits == ["date", "items"]


@pytest.mark.parametrize(
    ("schema", "value", "miss"),
    [
        ({"items": {"type": ["number", "null"]}}, ["x"], "[0] (not of type number or null)"),
        ({"items": {"enum": ["a", "b"]}}, ["c"], '[0] (not one of ["a", "b"])'),
        ({"const": 1}, 2, "(root) (not 1)"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "(root) (fits none of the alternatives)"),
        ({"oneOf": [{"minimum": 0}, {"maximum": 9}]}, 1, "(root) (fits more than one alternative)"),
        ({"not": {"type": "number"}}, 1, "(root) (fits what the schema forbids)"),
        ({"uniqueItems": True}, [1, 1], "(root) (has an item twice)"),
        ({"properties": {"a": False}}, {"a": 1}, "a (not allowed)"),
        ({"items": {"maxLength": 2}}, ["abc"], "[0] (maxLength 2)"),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"xa": 1, "b": 1}, "b (unexpected property)"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "(root) ('b' is a dependency of 'a')"),
        ({"type": "number"}, nan, "(root) (NaN is not a number)"),
        ({}, {"a": [1, nan]}, "a[1] (NaN is not a number)"),
    ],
)
def test_violations_in_words(schema: dict[str, Any], value: Any, miss: str) -> None:
    assert checked(value, schema).misses == [miss]


def test_a_record_without_properties_is_hit_as_a_whole() -> None:
    assert checked({}, {"type": "object"}).hits == ["(root)"]
    assert checked([1, 2], {"type": "array"}).verdict == "pass"


def test_graded_takes_off_a_share_for_each_violation() -> None:
    result = checked({"a": 1, "b": 2, "c": "x", "d": 4}, {"additionalProperties": {"type": "number"}}, score="graded")
    assert (result.score, result.verdict) == (0.75, "partial")
    assert checked({"a": "x"}, {"required": ["b", "c"]}, score="graded").score == 0.0


def test_formats_are_checked_only_when_asked() -> None:
    record = {**GOOD, "date": "31.01.2025"}
    assert checked(record).score == 1.0
    assert checked(record, formats=True).misses == ["date (format date)"]


FORMATS = [
    ("email", "a.b@example.com", ("@example.com", "a b@example.com", "a..b@example.com", "a@")),
    ("uri", "https://example.com/a?b=%20#c", ("example.com", "https://a b", "https://[1:2:3", ":")),
    ("uri-reference", "../a?b#c", ("a b", "%zz")),
    ("iri", "https://exämple.com/ü", ("exämple.com", "https://ä b")),
    ("hostname", "www.example.com", ("-a.com", "a_b.com", "", f"{'a' * 64}.com")),
    ("duration", "P1Y2M3DT4H5M6S", ("P", "PT", "1D", "P1D2Y", "PT1.5S", "P1W2D")),
    ("date-time", "2024-02-29T12:00:00.5+01:00", ("2023-02-29T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29T12:00:00")),
    ("time", "23:59:60Z", ("24:00:00Z", "12:00:60Z", "12:00:00")),
    ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", ("2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380-")),
    ("uri-template", "https://example.com/{id}{?q,r*}", ("https://example.com/{id", "{}")),
    ("json-pointer", "/a/~0b/0", ("a/b", "/~2")),
]


@pytest.mark.parametrize(("name", "valid", "invalid"), FORMATS, ids=[name for name, _, _ in FORMATS])
def test_every_standard_format_is_checked_whatever_is_installed(name: str, valid: str, invalid: tuple[str, ...]) -> None:
    for draft in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        schema = {"$schema": draft, "properties": {"a": {"format": name}}}
        assert checked({"a": valid}, schema, formats=True).score == 1.0
        assert [text for text in invalid if checked({"a": text}, schema, formats=True).score] == []
        assert checked({"a": 5}, schema, formats=True).score == 1.0, "a format of text says nothing about a number"


def test_a_format_that_is_unknown_is_named(tmp_path: Any) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "1", "actual": {"a": "x"}}\n')

    def remarks(name: str) -> list[str]:
        schema = {"properties": {"a": {"format": name}}}
        suite = {"cases": str(tmp_path / "c.jsonl"), "evaluators": [{"type": "json_schema", "schema": schema, "formats": True}]}
        return [f"{note.what}: {note.fix}" for note in fw.check(suite).diagnostics]

    assert remarks("datte") == ["the format `datte` is unknown and is not checked: did you mean `date`?"]
    assert remarks("zip-code") == ["the format `zip-code` is unknown and is not checked: check the value by `pattern`"]


def test_an_unknown_type_in_a_schema_has_a_suggestion() -> None:
    with pytest.raises(fw.ConfigError, match="did you mean `object`"):
        checked({}, {"type": "objekt"})
    with pytest.raises(fw.ConfigError, match="did you mean `integer`"):
        checked({}, {"properties": {"a": {"type": ["interger", "null"]}}})


def test_json_in_text_is_found_and_no_json_is_the_systems_failure() -> None:
    assert checked(f"Here it is:\n```json\n{json.dumps(GOOD)}\n```").score == 1.0
    failed = checked("I cannot do that")
    assert (failed.status, failed.score, failed.details["fault"]) == ("error", 0.0, "system")
    assert failed.metrics == {"valid": False}


@pytest.mark.parametrize(
    "config", [{"type": "json_schema", "schema": {"required": ["a"]}}, {"type": "constraints", "rules": [{"check": "a > 0"}]}]
)
def test_what_is_expected_may_be_prose_where_nobody_looks_at_it(config: dict[str, Any]) -> None:
    assert fw.evaluate(config, expected="A record with a.", actual={"a": 1}).verdict == "pass"
    unread = fw.evaluate(config, expected="A record with a.", actual="No record.")
    assert (unread.status, unread.details["fault"]) == ("error", "system")


def test_the_schema_may_stand_in_a_file_beside_the_suite(tmp_path: Path) -> None:
    (tmp_path / "invoice.schema.json").write_text(json.dumps(INVOICE))
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "1", "actual": GOOD}) + "\n")
    suite = tmp_path / "a.eval.yaml"
    suite.write_text("cases: cases.jsonl\nevaluators: [{type: json_schema, schema: invoice.schema.json}]\n")
    run = fw.run(str(suite))
    assert run.summary["json_schema.score"] == 1.0


def test_an_older_draft_is_followed_where_the_schema_names_it() -> None:
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 0, "exclusiveMinimum": True}
    assert checked(0, old).score == 0.0


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ({"type": "text"}, "the schema is invalid at `type`"),
        ({"properties": {"a": {"minLength": "x"}}}, "the schema is invalid at `properties.a.minLength`"),
        ({"pattern": "("}, "the schema is invalid at `pattern`"),
        ({"$ref": "https://example.com/other.json"}, "the reference `https://example.com/other.json` does not resolve"),
        ({"items": {"$ref": "#/$defs/none"}}, "the reference `#/\\$defs/none` does not resolve"),
        ({"$schema": "https://example.com/my-draft"}, "unknown draft"),
        ("schema.json", "schema.json: the file cannot be read"),
    ],
)
def test_a_bad_schema_is_refused_before_anything_runs(schema: Any, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        checked({}, schema)


def test_a_published_meta_schema_is_known_without_fetching() -> None:
    assert checked({"type": "number"}, {"$ref": "https://json-schema.org/draft/2020-12/schema"}).score == 1.0


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"properties": {"x": {"anyOf": [{"type": "null"}, {"$ref": "#/properties/x"}]}}},
    ],
)
def test_a_reference_without_end_is_refused_before_anything_runs(schema: Any) -> None:
    with pytest.raises(ConfigError, match="would never end"):
        checked({"a": 1}, schema)


def test_a_recursive_schema_that_goes_into_the_value_is_allowed() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#"}, "name": {"type": "string"}}}
    assert checked({"child": {"child": {"name": 1}}}, tree).misses == ["child.child.name (not of type string)"]


def test_a_catastrophic_pattern_costs_linear_time() -> None:
    text = "a" * 50_000 + "!"
    started = time.perf_counter()
    assert checked({"x": text}, {"properties": {"x": {"pattern": "^(a+)+$"}}}).misses == ["x (pattern ^(a+)+$)"]
    assert checked({text: 1}, {"patternProperties": {"^(a+)+$": False}, "additionalProperties": False}).score == 0.0
    assert checked({text: 1}, {"patternProperties": {"^(a+)+$": True}, "unevaluatedProperties": False}).score == 0.0
    assert time.perf_counter() - started < 5


def test_a_pattern_that_re2_cannot_express_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"at `patternProperties`.*\n.*RE2"):
        checked({}, {"patternProperties": {"(?=a)": {}}})


def test_four_thousand_different_objects_are_unique_in_linear_time() -> None:
    items = [{"id": number, "tags": [number]} for number in range(4_000)]
    started = time.perf_counter()
    assert checked(items, {"uniqueItems": True}).score == 1.0
    assert checked([*items, {"tags": [0.0], "id": 0}], {"uniqueItems": True}).misses == ["(root) (has an item twice)"]
    assert checked([1, True, "1", [1], {"1": 1}, 0, False], {"uniqueItems": True}).score == 1.0
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("number", "divisor", "fits"),
    [(19.99, 0.01, True), (10**400, 0.5, True), (10**400 + 1, 10, False), (0.3, 0.1, True), (1e308, 0.123456789, False), (7, 7.0, True)],
)
def test_multiples_are_exact(number: float, divisor: float, fits: bool) -> None:
    assert (checked([number], {"items": {"multipleOf": divisor}}).score == 1.0) is fits


def test_a_multiple_of_infinity_is_a_violation_and_no_fault() -> None:
    result = checked({"a": inf}, {"properties": {"a": {"multipleOf": 0.5}}})
    assert (result.status, result.misses) == ("scored", ["a (Infinity is not a number)"])


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"a": 1}, {"b": 1}),
        ({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, {"a": 1}, {"a": 1, "b": 1}),
        ({"anyOf": [{"properties": {"a": {"const": 1}}}, True], "unevaluatedProperties": False}, {"a": 1}, {"a": 2}),
        (
            {"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": {}}}, "unevaluatedProperties": False},
            {"a": 1, "b": 1},
            {"a": 2},
        ),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}}}, "unevaluatedProperties": False}, {"a": 1}, {"b": 1}),
        ({"allOf": [{"additionalProperties": {"type": "string"}}], "unevaluatedProperties": False}, {"a": "x"}, {"a": 1}),
        ({"dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}}, "unevaluatedProperties": False}, {"a": 1, "b": 1}, {"b": 1}),
        ({"unevaluatedProperties": {"type": "string"}}, {"a": "x"}, {"a": 1}),
    ],
)
def test_unevaluated_properties(schema: Any, valid: Any, invalid: Any) -> None:
    assert (checked(valid, schema).score, checked(invalid, schema).score) == (1.0, 0.0)


def test_without_the_package_it_is_unavailable_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    result = checked(GOOD)
    assert (result.status, result.verdict) == ("unavailable", None)
    assert "pip install 'fieldwise[schema]'" in result.reasoning


@pytest.mark.parametrize(
    ("schema", "actual", "score"),
    [
        ({"type": "string"}, '"foo"', 1.0),
        ({"type": "string"}, "foo", 1.0),
        ({"type": "integer"}, "604", 1.0),
        ({"type": "null"}, "null", 1.0),
        ({"type": "integer"}, '"604"', 0.0),
        (True, {"a": 1}, 1.0),
        (False, {"a": 1}, 0.0),
        (True, "true", 1.0),
    ],
)
def test_scalars_and_boolean_schemas_validate_at_the_root(schema: Any, actual: Any, score: float) -> None:
    result = fw.evaluate({"type": "json_schema", "schema": schema}, actual=actual)
    assert (result.status, result.score) == ("scored", score)


@pytest.mark.parametrize(("keyword", "meant"), [("requried", "required"), ("Properties", "properties"), ("minlength", "minLength")])
def test_a_keyword_that_is_misspelt_is_an_error(keyword: str, meant: str) -> None:
    schema = {"properties": {"a": {keyword: 1}}}
    with pytest.raises(fw.ConfigError, match=f"did you mean `{meant}`"):
        fw.evaluate({"type": "json_schema", "schema": schema}, actual={})


def test_a_property_may_have_any_name() -> None:
    schema = {"properties": {"requried": {"type": "string"}}, "x-note": 1, "nullable": True, "example": {"a": 1}}
    assert fw.evaluate({"type": "json_schema", "schema": schema}, actual={"requried": "x"}).score == 1.0


def test_formats_that_are_not_checked_are_named(tmp_path: Any) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "1", "actual": {"a": "x"}}\n')
    schema = {"properties": {"a": {"format": "email"}}}
    suite = {"cases": str(tmp_path / "c.jsonl"), "evaluators": [{"type": "json_schema", "schema": schema}]}
    assert any("`format` is not checked (`email`)" in note.what for note in fw.check(suite).diagnostics)
    suite["evaluators"][0]["formats"] = True
    assert fw.check(suite).diagnostics == ()
