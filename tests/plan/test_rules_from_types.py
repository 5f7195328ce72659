"""Rules from types: JSON Schemas of real extraction tasks, and pydantic models as people write them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, HttpUrl
from typing_extensions import TypedDict

import fieldwise as fw
from fieldwise.model.path import EACH
from fieldwise.model.path import Path as FieldPath
from fieldwise.suite_plan import compile_suite

NOT_IN_ITS_SCHEMA = {"research": {("authors", EACH, "array_index"), ("citations", EACH)}}
"""Leaves of a gold record that its own schema does not describe."""
BENCH = Path(__file__).parent / "data" / "extract_bench"


def matches(source: Any) -> dict[str, str]:
    return {rule["path"]: rule["match"] for rule in fw.rules_from(source)}


def iterate_leaves(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from iterate_leaves(inner, (*steps, key))
    elif isinstance(value, list):
        for inner in value:
            yield from iterate_leaves(inner, (*steps, EACH))
    elif value is not None:
        yield steps


@pytest.mark.parametrize("name", ["research", "credit_agreement", "10kq"])
class TestExtractBench:
    def test_every_leaf_of_a_gold_record_has_a_rule(self, name: str) -> None:
        gold = json.loads((BENCH / f"{name}.gold.json").read_text())
        ruled = {FieldPath.parse(rule["path"]).steps for rule in fw.rules_from(BENCH / f"{name}-schema.json")}
        leaves = set(iterate_leaves(gold))
        assert len(leaves) >= 10
        uncovered = {leaf for leaf in leaves if not any(leaf[: len(steps)] == steps for steps in ruled)}
        assert uncovered == NOT_IN_ITS_SCHEMA.get(name, set())

    def test_a_suite_takes_the_schema_and_the_gold_record_matches_itself(self, name: str, tmp_path: Path) -> None:
        gold = json.loads((BENCH / f"{name}.gold.json").read_text())
        (tmp_path / "s.json").write_text((BENCH / f"{name}-schema.json").read_text())
        (tmp_path / "s.eval.yaml").write_text("evaluators: [{type: field_accuracy, fields: {schema: s.json}}]")
        plan = compile_suite(tmp_path / "s.eval.yaml", cases=[{"id": 1, "expected": gold, "actual": gold}])
        assert [rule.text for rule in plan.evaluators[0].config.fields] == [rule["path"] for rule in fw.rules_from(tmp_path / "s.json")]  # pyright: ignore
        result = fw.evaluate({"type": "field_accuracy", "fields": fw.rules_from(tmp_path / "s.json")}, expected=gold, actual=gold)
        assert (result.score, result.misses) == (1.0, [])


class Currency(Enum):
    eur = "EUR"
    usd = "USD"


class Address(BaseModel):
    street: str
    postal_code: str
    country: str | None = None


class LineItem(BaseModel):
    sku: str = Field(pattern=r"^[A-Z]+-\d+$")
    description: str
    quantity: int
    amount: Decimal


class Invoice(BaseModel):
    invoice_number: str
    issued: date
    due: date | None = None
    currency: Currency
    vendor: Address
    items: list[LineItem]
    total: float
    paid: bool


class Receipt(BaseModel):
    company: Optional[str] = None  # noqa: UP045 - as older code has it
    at: datetime
    total: Annotated[float, Field(multiple_of=0.01)]
    tags: set[str]
    notes: str | None = Field(None, json_schema_extra={"fieldwise": {"match": "ignore"}})


class Contact(BaseModel):
    id: UUID
    email: str = Field(json_schema_extra={"format": "email"})
    website: HttpUrl | None
    phone: str
    opens: time
    fullName: str = Field(json_schema_extra={"fieldwise": {"threshold": 0.95, "weight": 2}})  # noqa: N815


class Meeting(BaseModel):
    duration: timedelta
    attendees: list[Contact]
    kind: Literal["call", "visit"]


class Page(BaseModel):
    box: tuple[float, float, float, float]
    words: list[list[str]]


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Cat(BaseModel):
    type: Literal["cat"]
    lives: int


class Dog(BaseModel):
    type: Literal["dog"]
    barks: bool


class Owner(BaseModel):
    pet: Cat | Dog
    reading: Union[int, float]  # noqa: UP007
    loose: int | str
    extra: dict[str, int]
    anything: Any


class Weighted(BaseModel):
    model_config = ConfigDict(json_schema_extra={"x-fieldwise": {"weight": 3}})
    a: int
    b: str


class Holder(BaseModel):
    part: Weighted
    whole: Weighted = Field(json_schema_extra={"x-fieldwise": {"match": "exact"}})


class Aliased(BaseModel):
    total_due: float = Field(alias="total.due")


class Inherited(Address):
    note: str


@dataclass
class Plain:
    code: str
    when: date | None


class Typed(TypedDict):
    name: str
    amounts: list[float]


@pytest.mark.parametrize(
    ("model", "rules"),
    [
        (
            Invoice,
            {
                "invoice_number": "code",
                "issued": "date",
                "due": "date",
                "currency": "exact",
                "vendor.street": "fuzzy",
                "vendor.postal_code": "code",
                "vendor.country": "fuzzy",
                "items[*].sku": "exact",
                "items[*].description": "fuzzy",
                "items[*].quantity": "exact",
                "items[*].amount": "numeric_tolerance",
                "total": "numeric_tolerance",
                "paid": "exact",
            },
        ),
        (Receipt, {"company": "fuzzy", "at": "datetime", "total": "numeric_tolerance", "tags": "set", "notes": "ignore"}),
        (Contact, {"id": "code", "email": "exact", "website": "exact", "phone": "code", "opens": "datetime", "fullName": "fuzzy"}),
        (
            Page,
            {
                "box[0]": "numeric_tolerance",
                "box[1]": "numeric_tolerance",
                "box[2]": "numeric_tolerance",
                "box[3]": "numeric_tolerance",
                "words[*][*]": "fuzzy",
            },
        ),
        (Node, {"name": "fuzzy", "children[*]": "exact"}),
        (
            Owner,
            {
                "pet.type": "exact",
                "pet.lives": "exact",
                "pet.barks": "exact",
                "reading": "numeric_tolerance",
                "loose": "exact",
                "extra": "exact",
                "anything": "exact",
            },
        ),
        (Holder, {"part.a": "exact", "part.b": "fuzzy", "whole": "exact"}),
        (Aliased, {'["total.due"]': "numeric_tolerance"}),
        (Inherited, {"street": "fuzzy", "postal_code": "code", "country": "fuzzy", "note": "fuzzy"}),
        (Plain, {"code": "code", "when": "date"}),
        (Typed, {"name": "fuzzy", "amounts[*]": "numeric_tolerance"}),
        (list[LineItem], {"[*].sku": "exact", "[*].description": "fuzzy", "[*].quantity": "exact", "[*].amount": "numeric_tolerance"}),
    ],
    ids=str,
)
def test_the_match_follows_from_the_type(model: Any, rules: dict[str, str]) -> None:
    assert matches(model) == rules
    fw.evaluate({"type": "field_accuracy", "fields": fw.rules_from(model)}, expected={}, actual={})


def test_a_meeting_has_the_rules_of_its_attendees() -> None:
    rules = matches(Meeting)
    assert rules["duration"] == "duration"
    assert rules["kind"] == "exact"
    assert rules["attendees[*].email"] == "exact"


def test_overrides_keep_the_match_unless_they_name_one() -> None:
    by_path = {rule["path"]: rule for rule in fw.rules_from(Contact)}
    assert by_path["fullName"] == {"path": "fullName", "match": "fuzzy", "threshold": 0.95, "weight": 2}
    assert fw.rules_from(Holder)[0] == {"path": "part.a", "match": "exact", "weight": 3}


def test_numbers_take_their_step_and_decimals_are_read_from_text() -> None:
    assert {rule["path"]: rule for rule in fw.rules_from(Receipt)}["total"]["tolerance"] == 0.005
    assert {rule["path"]: rule for rule in fw.rules_from(Invoice)}["items[*].amount"]["parse"] is True


def test_an_optional_value_that_is_missing_is_still_missed() -> None:
    result = fw.evaluate(
        {"type": "field_accuracy", "fields": fw.rules_from(Receipt)}, expected={"company": "Acme"}, actual={"company": None}
    )
    assert result.misses == ["company (null value)"]


class Stay(BaseModel):
    guest: str = Field(alias="guestName")
    took: timedelta
    site: HttpUrl
    notes: str | None = None
    extras: list[LineItem] = []


def test_fields_that_a_type_leaves_open_may_be_absent_from_every_record(tmp_path: Path) -> None:
    assert {rule["path"]: rule.get("sparse", False) for rule in fw.rules_from(Stay)} == {
        "guestName": False,
        "took": False,
        "site": False,
        "notes": True,
        "extras[*].sku": True,
        "extras[*].description": True,
        "extras[*].quantity": True,
        "extras[*].amount": True,
    }
    record = {"guestName": "Ada", "took": "PT2H", "site": "https://example.org/"}
    cases = [{"id": "1", "expected": record, "actual": record}]
    suite = {"name": "s", "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": fw.rules_from(Stay)}]}
    run = fw.run(suite, cases=cases, root=tmp_path)
    assert (run.exit_code, run.summary["fields.score"]) == (0, 1.0)
    without_required = [{"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}}]
    assert [rule.get("sparse") for rule in fw.rules_from(without_required[0])] == [None, True]


def test_an_instance_of_a_model_equals_its_own_json() -> None:
    stay = Stay(guestName="Ada", took=timedelta(hours=2), site=HttpUrl("https://example.org"))
    rules = {"type": "field_accuracy", "fields": fw.rules_from(Stay)}
    for record in (stay.model_dump(mode="json", by_alias=True), stay):
        result = fw.evaluate(rules, expected=stay, actual=record)
        assert (result.score, result.misses) == (1.0, [])


@pytest.mark.parametrize(
    ("schema", "rules"),
    [
        ({"properties": {"a": {"type": ["string", "null"], "format": "date"}}}, {"a": "date"}),
        (
            {"properties": {"a": {"oneOf": [{"type": "null"}, {"$ref": "#/definitions/d"}]}}, "definitions": {"d": {"type": "integer"}}},
            {"a": "exact"},
        ),
        (
            {"allOf": [{"properties": {"a": {"type": "number"}}}, {"properties": {"b": {"const": 1}}}]},
            {"a": "numeric_tolerance", "b": "exact"},
        ),
        ({"type": "array", "items": {"properties": {"n": {"type": "string", "format": "date-time"}}}}, {"[*].n": "datetime"}),
        ({"properties": {"a": {"$ref": "#"}, "b": {"type": "boolean"}}}, {"a.a": "exact", "a.b": "exact", "b": "exact"}),
        ({"properties": {"a/b": {"$ref": "#/$defs/x~1y"}}, "$defs": {"x/y": {"type": "number"}}}, {"a/b": "numeric_tolerance"}),
        ({"properties": {"list": {"type": "array"}, "obj": {"type": "object"}}}, {"list": "exact", "obj": "exact"}),
        ({"properties": {"vendor": {"x-fieldwise": {"match": "exact"}, "properties": {"a": {}}}}}, {"vendor": "exact"}),
    ],
)
def test_schemas_of_all_kinds(schema: dict[str, Any], rules: dict[str, str]) -> None:
    assert matches(schema) == rules


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ({}, "describes no fields"),
        ({"type": "string"}, "describes no fields"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "which it does not define"),
        ({"properties": {"a": {"$ref": "other.json"}}}, "which is elsewhere"),
        ({"properties": {"a": {"x-fieldwise": "exact"}}}, "must be a mapping"),
        (int, "describes no fields"),
        (object(), "no rules can be made from"),
    ],
)
def test_what_has_no_fields_is_a_configuration_error(source: Any, what: str) -> None:
    with pytest.raises(fw.ConfigError, match=what):
        fw.rules_from(source)


def test_every_unknown_match_of_an_override_is_a_configuration_error_with_the_nearest_name() -> None:
    properties = {"total": {"type": "number", "x-fieldwise": {"match": "mony"}}, "day": {"x-fieldwise": {"match": "dat"}}}
    with pytest.raises(fw.ConfigError) as error:
        fw.rules_from({"properties": properties})
    problems = [(problem.where.field, problem.fix) for problem in error.value.diagnostics]
    assert problems == [("total", "did you mean `money`?"), ("day", "did you mean `date`?")]


class TestInASuite:
    def test_an_unknown_match_of_an_override_is_reported_with_the_other_problems(self) -> None:
        schema = {"properties": {"a": {"x-fieldwise": {"match": "mony"}}, "b": {"type": "string", "x-fieldwise": {"treshold": 1}}}}
        with pytest.raises(fw.ConfigError) as error:
            fw.evaluate({"type": "field_accuracy", "fields": {"schema": schema}}, expected={}, actual={})
        assert [problem.code for problem in error.value.diagnostics] == ["invalid-match", "unknown-option"]

    def test_a_model_is_imported_from_the_folder_of_the_suite(self, tmp_path: Path) -> None:
        (tmp_path / "my_models.py").write_text("from pydantic import BaseModel\nclass Bill(BaseModel):\n    total: float\n")
        (tmp_path / "s.eval.yaml").write_text('evaluators: [{type: field_accuracy, fields: {model: "my_models:Bill"}}]')
        run = fw.run(tmp_path / "s.eval.yaml", cases=[{"id": 1, "expected": {"total": 1}, "actual": {"total": 1.0}}], root=tmp_path)
        assert run.summary["field_accuracy.score"] == 1.0

    def test_a_class_can_be_given_in_python(self) -> None:
        for fields in (Invoice, {"model": Invoice}, {"schema": Invoice.model_json_schema()}):
            result = fw.evaluate({"type": "field_accuracy", "fields": fields}, expected={"total": 5.0}, actual={"total": 5})
            assert result.hits == ["total"]

    @pytest.mark.parametrize(
        ("fields", "what"),
        [
            ('{model: "nothing.there:Bill"}', "cannot be imported"),
            ("{model: nothing}", "does not name a class"),
            ("{schema: none.json}", "none.json"),
            ("{shema: a.json}", "did you mean `schema`"),
            ('{schema: a.json, model: "a:b"}', "needs either `schema` or `model`"),
            ("{}", "needs either `schema` or `model`"),
        ],
    )
    def test_what_cannot_be_loaded_is_a_configuration_error(self, fields: str, what: str, tmp_path: Path) -> None:
        (tmp_path / "s.eval.yaml").write_text(f"cases: c.jsonl\nevaluators:\n- type: field_accuracy\n  fields: {fields}\n")
        with pytest.raises(fw.ConfigError) as error:
            fw.check(tmp_path / "s.eval.yaml")
        assert what in str(error.value)

    def test_a_module_that_calls_sys_exit_is_a_configuration_error(self, tmp_path: Path) -> None:
        (tmp_path / "exiting_models.py").write_text("import sys\nsys.exit(0)\n")
        (tmp_path / "s.eval.yaml").write_text(
            'cases: c.jsonl\nevaluators: [{type: field_accuracy, fields: {model: "exiting_models:Bill"}}]'
        )
        with pytest.raises(fw.ConfigError, match="`exiting_models:Bill` cannot be imported: SystemExit: 0"):
            fw.check(tmp_path / "s.eval.yaml")

    def test_an_unknown_option_of_an_override_is_reported(self) -> None:
        schema = {"properties": {"a": {"type": "string", "x-fieldwise": {"treshold": 1}}}}
        with pytest.raises(fw.ConfigError, match="treshold"):
            fw.evaluate({"type": "field_accuracy", "fields": {"schema": schema}}, expected={}, actual={})


def test_a_property_that_no_record_may_have_gets_no_rule() -> None:
    schema = {"properties": {"old": False, "total": {"type": "number"}, "any": True}}
    assert [rule["path"] for rule in fw.rules_from(schema)] == ["total", "any"]
