"""What people wrote against what a dataclass declares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Interval, Lt, MinLen
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.options import FromFile, RelativePath
from fieldwise.model.path import Path
from fieldwise.model.plan import Document
from fieldwise.model.values import Json
from fieldwise.plan.options import OptionOwner, read_options
from fieldwise.plan.review import INVALID, Review
from fieldwise.plan.rules import RULE_READERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    share: Annotated[float, Interval(ge=0, le=1)] = 0.5
    not_: "Inner | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    count: int = 1
    ratio: float = 1.0
    finite: Annotated[float, Ge(0), Lt(float("inf"))] = 0.0
    text: str = ""
    flag: bool = False
    maybe: float | None = None
    choice: Literal["EXACT", "FUZZY"] = "EXACT"
    auto: Literal["auto"] | float = "auto"
    names: Annotated[tuple[str, ...], MinLen(1)] = ("a",)
    unique: frozenset[str] = frozenset()
    box: tuple[float, float] | None = None
    by_key: Mapping[str, Inner] = field(default_factory=dict)
    inner: Inner = field(default_factory=Inner)
    steps: tuple[Inner | str, ...] = ()
    files: Annotated[tuple[str, ...], RelativePath()] = ()
    table: Annotated[Mapping[str, int], FromFile()] | None = None
    where: Path | None = None
    anything: Json = None
    values: Sequence[Any] = ()

    def __post_init__(self) -> None:
        if self.text == "raise":
            raise ValueError("`text` cannot be raise")


def read(written, declared=Everything):
    document = Document(value=written)
    tables = {"table.json": {"a": 1}, "bad.json": {"a": "x"}}
    review = Review(document=document, load=tables.__getitem__, resolve=lambda path: f"/suite/{path}", readers=RULE_READERS)
    return read_options(review, declared, written, (), OptionOwner(title="`everything`")), [
        (diagnostic.what, diagnostic.fix) for diagnostic in review.diagnostics
    ]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"ratio": 1}, 1.0),
        ({"count": 2**70}, 2**70),
        ({"maybe": None}, None),
        ({"maybe": 2}, 2.0),
        ({"auto": 2}, 2.0),
        ({"auto": "auto"}, "auto"),
        ({"names": ["a", "b"]}, ("a", "b")),
        ({"names": ("a",)}, ("a",)),
        ({"unique": ["a", "a"]}, frozenset("a")),
        ({"box": [1, 2]}, (1.0, 2.0)),
        ({"by_key": {"a": {"share": 1}}}, {"a": Inner(share=1.0)}),
        ({"inner": {"not": {"share": 0}}}, Inner(not_=Inner(share=0.0))),
        ({"steps": ["a", {"share": 1}]}, ("a", Inner(share=1.0))),
        ({"files": ["a", "b"]}, ("/suite/a", "/suite/b")),
        ({"table": {"a": 1}}, {"a": 1}),
        ({"table": "table.json"}, {"a": 1}),
        ({"table": None}, None),
        ({"where": "a[0]"}, Path.parse("a[0]")),
        ({"anything": {"a": [1, None, True]}}, {"a": [1, None, True]}),
        ({"values": [1, "1", True]}, (1, "1", True)),
    ],
)
def test_a_value_of_the_declared_type_is_read(written, value):
    made, problems = read(written)
    assert problems == []
    assert getattr(made, next(iter(written))) == value


@pytest.mark.parametrize(
    ("written", "what", "fix"),
    [
        ({"count": 1.5}, "`count` must be a whole number, not the number 1.5", "leave it out for the default, 1"),
        ({"count": True}, "`count` must be a whole number, not `true`", "leave it out for the default, 1"),
        ({"ratio": "0.9"}, '`ratio` must be a number, not the text "0.9"', "write it without quotes: 0.9"),
        ({"ratio": None}, "`ratio` must be a number, not null", "leave it out for the default, 1.0"),
        ({"ratio": float("nan")}, "`ratio` must be a number, not nan", "leave it out for the default, 1.0"),
        ({"finite": float("inf")}, "`finite` must be a number ≥ 0, not inf", "leave it out for the default, 0.0"),
        ({"text": 5}, "`text` must be text, not the number 5", 'write it in quotes: "5"'),
        ({"flag": "True"}, '`flag` must be true or false, not the text "True"', "write it without quotes: true"),
        ({"maybe": "x"}, '`maybe` must be a number or null, not the text "x"', "leave it out if it is not needed"),
        ({"choice": "FUZY"}, '`choice` must be one of `EXACT`, `FUZZY`, not the text "FUZY"', "did you mean `FUZZY`?"),
        ({"auto": "aut"}, '`auto` must be `auto` or a number, not the text "aut"', "did you mean `auto`?"),
        ({"names": []}, "`names` must be a list that is not empty, not an empty list", "leave it out if it is not needed"),
        ({"names": [["a"]]}, "`names[0]` must be text, not a list", None),
        ({"box": [1]}, "`box` must be a list of 2 or null, not a list", "leave it out if it is not needed"),
        ({"by_key": {"a": {"shar": 1}}}, "`a` has no option `shar`", "did you mean `share`?"),
        ({"by_key": {"a": 1}}, "`a` must be a mapping, not the number 1", "its keys: `share`, `not`"),
        ({"inner": {"not": {"share": 2}}}, "`share` must be a number ≥ 0 and ≤ 1, not the number 2", "leave it out for the default, 0.5"),
        ({"steps": [1]}, "`steps[0]` must be a mapping or text, not the number 1", 'write it in quotes: "1"'),
        ({"table": "bad.json"}, '`a` must be a whole number, not the text "x"', None),
        ({"where": "a..b"}, "`a..b` has an empty step", "write a path such as `invoice.total`"),
        ({"text": "raise"}, "`text` cannot be raise", None),
        ({"text": b"a"}, "`text` must be text, not a Python bytes", 'leave it out for the default, ""'),
        ({"by_key": {True: {}}}, "`by_key` has the key `true`, and keys must be text", "write the key in quotes"),
        ({1: 2}, "`everything` has no option `1`", None),
    ],
)
def test_anything_else_is_refused_in_plain_words(written, what, fix):
    made, problems = read(written)
    assert made is INVALID
    assert [message for message, _ in problems] == [what]
    assert fix is None or problems[0][1] == fix


def test_problems_between_options_are_reported_at_the_option_they_name(problem):
    diagnostic = problem("evaluators:\n- type: json_quality\n  fuzzy:\n    threshold: 0.5\n")
    assert (diagnostic.where.line, diagnostic.what) == (3, "`fuzzy` has a threshold of its own")


def test_a_mistake_in_a_side_file_names_that_file(problem):
    diagnostic = problem("evaluators: [{type: json_quality, strategies: typo.json}]")
    assert (diagnostic.where.file, diagnostic.fix) == ("typo.json", "did you mean `FUZZY`?")


def test_a_side_file_that_cannot_be_read_is_a_problem_of_the_suite(problem):
    diagnostic = problem("evaluators:\n- type: json_quality\n  strategies: nowhere.json\n")
    assert (diagnostic.where.line, diagnostic.what) == (3, "`strategies`: cannot read `nowhere.json`: no such file")


def test_a_mistake_inside_a_part_has_its_own_line(problem):
    diagnostic = problem("evaluators:\n- type: fact_checks\n  facts:\n    says: {word: ok, wrd: a}\n")
    assert diagnostic.where.line == 4


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from([option for option in Everything.__slots__ if option != "table"]), json_values, max_size=3))
def test_whatever_is_written_is_read_or_explained_and_never_crashes(written):
    made, problems = read(written)
    assert (made is INVALID) == bool(problems)
    assert isinstance(made, Everything) or made is INVALID
