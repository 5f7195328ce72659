"""tool_trajectory: the tools a system called against those it should have called."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.evaluators.checks import tool_trajectory
from fieldwise.evaluators.checks._recorded_calls import ToolCall, calls_in

SEARCH = {"tool": "search", "args": {"query": "weather in Paris"}}
FETCH = {"tool": "fetch", "args": {"id": 7}}
MAIL = {"tool": "mail", "args": {"to": "a@b.org"}}


def called(actual: Any, expected: Any = None, mode: str = "any_order", **options: Any) -> Result:
    return fw.evaluate({"type": "tool_trajectory", "mode": mode, **options}, expected=expected, actual=actual)


@pytest.mark.parametrize(
    ("mode", "actual", "score", "misses"),
    [
        ("any_order", [FETCH, SEARCH], 1.0, []),
        ("any_order", [MAIL, FETCH, SEARCH], 1.0, []),
        ("any_order", [SEARCH], 0.5, ["missing: fetch"]),
        ("superset", [MAIL, FETCH, SEARCH], 1.0, []),
        ("superset", [MAIL], 0.0, ["missing: search", "missing: fetch"]),
        ("in_order", [SEARCH, MAIL, FETCH], 1.0, []),
        ("in_order", [FETCH, SEARCH], 0.5, ["search (out of order)"]),
        ("exact", [SEARCH, FETCH], 1.0, []),
        ("exact", [SEARCH, FETCH, MAIL], 2 / 3, ["unexpected: mail"]),
        ("exact", [FETCH, SEARCH], 0.0, ["search (out of order)", "fetch (out of order)"]),
        ("exact", [SEARCH], 0.5, ["missing: fetch"]),
        ("subset", [SEARCH], 1.0, []),
        ("subset", [SEARCH, MAIL], 0.5, ["unexpected: mail"]),
        ("subset", [SEARCH, SEARCH], 0.5, ["unexpected: search #2"]),
        ("subset", [], 1.0, []),
    ],
)
def test_the_modes_on_two_expected_calls(mode: str, actual: Any, score: float, misses: list[str]) -> None:
    result = called(actual, [SEARCH, FETCH], mode)
    assert (result.score, result.misses) == (pytest.approx(score), misses)
    assert result.verdict == ("pass" if score == 1 else "fail" if score == 0 else "partial")


def test_calls_of_one_tool_are_numbered() -> None:
    again = {"tool": "search", "args": {"query": "hotels"}}
    result = called([SEARCH], [SEARCH, again])
    assert (result.hits, result.misses) == (["search #1"], ["missing: search #2"])


def test_numbers_tell_precision_recall_and_order() -> None:
    result = called([MAIL, FETCH, SEARCH], [SEARCH, FETCH])
    assert result.metrics == {
        "matched": 2,
        "expected": 2,
        "actual": 3,
        "precision": pytest.approx(2 / 3),
        "recall": 1.0,
        "f1": pytest.approx(0.8),
        "order_correct": False,
    }
    assert called([SEARCH, FETCH], [SEARCH, FETCH]).metrics["order_correct"] is True
    assert result.details["pairs"] == [[0, 2], [1, 1]]


@pytest.mark.parametrize(
    ("args", "actual_args", "score"),
    [
        ("exact", {"query": "weather in Paris"}, 1.0),
        ("exact", {"query": "weather in Paris", "limit": 3}, 0.0),
        ("exact", {"query": "weather in paris"}, 0.0),
        ("exact", None, 0.0),
        ("subset", {"query": "weather in Paris", "limit": 3}, 1.0),
        ("subset", {"limit": 3}, 0.0),
        ("ignore", {"anything": 1}, 1.0),
        ("ignore", None, 1.0),
        ({"query": {"match": "fuzzy", "threshold": 0.8}}, {"query": "wether in Paris"}, 1.0),
        ({"query": {"match": "fuzzy", "threshold": 0.8}}, {"query": "hotels"}, 0.0),
        ({"query": {"match": "fuzzy", "threshold": 0.8}}, {"query": "weather in Paris", "limit": 3}, 0.0),
        ({"query": "ignore"}, {"query": "hotels"}, 1.0),
        ({"limit": "ignore"}, {"query": "weather in Paris", "limit": 3}, 1.0),
        ({"other": "fuzzy"}, {"query": "weather in Paris"}, 1.0),
    ],
)
def test_arguments_match_as_configured(args: Any, actual_args: Any, score: float) -> None:
    assert called([{"tool": "search", "args": actual_args}], [SEARCH], args=args).score == score


@pytest.mark.parametrize("args", ["exact", "subset"])
def test_an_expected_argument_may_be_one_of_several(args: str) -> None:
    expected = [
        {"tool": "fly", "args": {"to": {"$any": ["NYC", "New York"]}, "bags": {"$any": [0, None]}, "legs": [{"via": {"$any": ["A", "B"]}}]}}
    ]
    right = [{"tool": "fly", "args": {"to": "New York", "legs": [{"via": "B"}]}}]
    wrong = [{"tool": "fly", "args": {"to": "Boston", "bags": 2, "legs": [{"via": "C"}]}}]
    assert called(right, expected, args=args).score == 1.0
    assert called(wrong, expected, args=args).misses == ["fly (arguments differ: to, bags, legs)"]


def test_subset_looks_into_objects() -> None:
    expected = [{"tool": "book", "args": {"guest": {"name": "Lee"}}}]
    actual = [{"tool": "book", "args": {"guest": {"name": "Lee", "age": 40}, "night": 1}}]
    assert called(actual, expected, args="subset").score == 1.0
    assert called(actual, expected).misses == ["book (arguments differ: guest, night)"]


def test_the_miss_names_the_arguments_that_differ() -> None:
    assert called([{"tool": "fetch", "args": {"id": 8}}], [FETCH]).misses == ["fetch (arguments differ: id)"]
    assert called([{"tool": "search", "args": {"query": "hotels"}}], [SEARCH], args={"query": "fuzzy"}).misses == [
        "search (arguments differ: query)"
    ]


def test_a_call_that_allows_any_arguments_leaves_the_particular_one_to_its_own() -> None:
    result = called([SEARCH, {"tool": "search", "args": {"query": "hotels"}}], [{"tool": "search"}, SEARCH])
    assert result.score == 1.0


def test_expected_calls_may_be_names_and_may_stand_in_the_suite() -> None:
    assert called([SEARCH, FETCH], ["search", "fetch"]).score == 1.0
    assert called([SEARCH, FETCH], expected=None, mode="exact", **{"expected_path": "metadata.calls"}).status == "skipped"
    config = {"type": "tool_trajectory", "expected": ["search", {"tool": "fetch", "args": {"id": 7}}]}
    assert fw.evaluate(config, expected="the answer in words", actual=[SEARCH, FETCH]).score == 1.0


def test_minimums_alone_have_no_precision_that_could_be_0() -> None:
    result = called([SEARCH, SEARCH, FETCH], minimums={"search": 2, "fetch": 2})
    assert not {"precision", "recall", "f1"} & set(result.metrics)
    assert result.reasoning == "1 of 2 tools called often enough, 3 made"
    both = called([SEARCH], [SEARCH, FETCH], minimums={"search": 1})
    assert both.reasoning == "1 of 2 expected calls, 1 of 1 tools called often enough, 1 made"


def test_minimums_ask_how_often_a_tool_was_called() -> None:
    result = called([SEARCH, SEARCH, FETCH], minimums={"search": 2, "fetch": 2})
    assert (result.score, result.hits, result.misses) == (0.5, ["search (2 of at least 2)"], ["fetch (1 of at least 2)"])
    both = called([SEARCH], [SEARCH, FETCH], minimums={"search": 1})
    assert both.score == pytest.approx(2 / 3)


ARGUMENTS = {"query": "weather in Paris"}
SHAPES: dict[str, Any] = {
    "a list of calls": [SEARCH],
    "name and arguments": [{"name": "search", "arguments": ARGUMENTS}],
    "name and input": [{"name": "search", "input": ARGUMENTS}],
    "name and input_parameters": [{"name": "search", "input_parameters": ARGUMENTS}],
    "tool and tool_input": [{"tool": "search", "tool_input": ARGUMENTS, "log": "Searching."}],
    "JSON text": json.dumps([SEARCH]),
    "one call": SEARCH,
    "under tool_calls": {"answer": "Rain.", "tool_calls": [SEARCH]},
    "a run with a name of its own": {"name": "run 1", "trace": [SEARCH]},
    "OpenAI messages": {
        "messages": [
            {"role": "user", "content": "weather?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "search", "arguments": json.dumps(ARGUMENTS)}}],
            },
            {"role": "tool", "tool_call_id": "1", "name": "search", "content": "rain"},
            {"role": "assistant", "content": "Rain."},
        ]
    },
    "OpenAI response": {
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "name": "search", "arguments": json.dumps(ARGUMENTS), "call_id": "1"},
            {"type": "function_call_output", "call_id": "1", "output": "rain"},
        ]
    },
    "Anthropic messages": [
        {"role": "user", "content": "weather?"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "1", "name": "search", "input": ARGUMENTS}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "rain"}]},
    ],
    "messages in camel case": [
        {"role": "assistant", "content": "Let me see.", "toolCalls": [{"tool": "search", "input": ARGUMENTS, "id": "1"}]}
    ],
    "Gemini contents": [
        {"role": "user", "parts": [{"text": "weather?"}]},
        {"role": "model", "parts": [{"text": "Let me see."}, {"functionCall": {"name": "search", "args": ARGUMENTS}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"sky": "rain"}}}]},
    ],
    "a call in a message": [
        {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": json.dumps(ARGUMENTS)}}
    ],
    "calls of the AI SDK": {"toolCalls": [{"type": "tool-call", "toolCallId": "1", "toolName": "search", "args": ARGUMENTS}]},
    "the name as the only key": [{"search": ARGUMENTS}],
    "the name as the only key, arguments as text": [{"search": json.dumps(ARGUMENTS)}],
    "Python syntax": '[search(query="weather in Paris")]',
    "a list of calls in Python syntax": ["search(query='weather in Paris')"],
    "tags among words": f'Let me see.\n<tool_call>\n{{"name": "search", "arguments": {json.dumps(ARGUMENTS)}}}\n</tool_call>',
    "a fence of JSON": f'```json\n[{{"name": "search", "arguments": {json.dumps(ARGUMENTS)}}}]\n```',
    "a fence of tool code": "```tool_code\nsearch(query='weather in Paris')\n```",
    "a request of MCP": [{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search", "arguments": ARGUMENTS}}],
    "tools_called": {"tools_called": [{"name": "search", "input_parameters": ARGUMENTS}]},
    "Bedrock": {
        "output": {"message": {"role": "assistant", "content": [{"text": "Hm."}, {"toolUse": {"name": "search", "input": ARGUMENTS}}]}}
    },
    "OpenAI completion": {
        "choices": [
            {"message": {"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": json.dumps(ARGUMENTS)}}]}}
        ]
    },
    "action and action_input": [{"action": "search", "action_input": ARGUMENTS}],
    "a trace of events": {"trace": [{"type": "model_step", "name": "gpt"}, {"type": "tool_call", "name": "search", "input": ARGUMENTS}]},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_calls_are_read_from_every_usual_record(shape: Any) -> None:
    assert calls_in(shape) == [ToolCall(tool="search", args=ARGUMENTS)]
    result = called(shape, [SEARCH], "exact")
    assert (result.score, result.hits) == (1.0, ["search"])


@pytest.mark.parametrize(
    "value",
    [
        "The answer is 4.",
        "See the table (page 4)",
        "```python\nprint(4)\n```",
        "```\nprint(4)\n```",
        "<tool_call>no JSON</tool_call>",
        "<tool_call>" * 5000,
        "f(" * 500 + ")" * 500,
        "run(x)",
        4,
        None,
        True,
        {"name": "Acme", "total": 1},
        '"search"',
    ],
)
def test_what_records_no_calls_is_not_mistaken_for_some(value: Any) -> None:
    assert calls_in(value) is None


@pytest.mark.parametrize("value", [[], {"messages": []}, {"role": "assistant", "content": "Rain."}, {"tool_calls": []}, [1, None]])
def test_a_record_without_calls_is_one_of_no_calls(value: Any) -> None:
    assert calls_in(value) == []


def test_calls_may_stand_in_the_metadata() -> None:
    config = {"type": "tool_trajectory", "expected": ["search"]}
    for key in ("tool_calls", "trace", "messages"):
        assert fw.evaluate(config, actual="Rain.", metadata={key: [SEARCH]}).score == 1.0
    assert fw.evaluate({**config, "path": "metadata.log.calls"}, actual=[FETCH], metadata={"log": {"calls": [SEARCH]}}).score == 1.0
    assert fw.evaluate(config, actual="Rain.").misses == ["missing: search"]


def test_arguments_that_are_no_json_differ() -> None:
    broken = [{"name": "search", "arguments": '{"query": '}]
    assert called(broken, [SEARCH]).misses == ["search (arguments differ: query)"]
    assert called(broken, ["search"]).score == 1.0


def test_nothing_expected_and_nothing_called_is_right_and_flagged() -> None:
    result = called([], [], "exact")
    assert (result.score, result.verdict, result.hits, result.details["flags"]) == (1.0, "pass", ["no calls"], ["nothing_expected"])
    extra = called([SEARCH], [], "exact")
    assert (extra.score, extra.misses) == (0.0, ["unexpected: search"])


def test_a_case_that_expects_no_trajectory_is_skipped() -> None:
    assert called([SEARCH], None).status == "skipped"
    assert called([SEARCH], "an answer in words").status == "skipped"


def test_no_output_is_the_systems_failure() -> None:
    result = called(None, [SEARCH])
    assert (result.status, result.details["fault"], result.misses) == ("error", "system", ["missing: search"])
    assert (result.metrics["expected"], result.metrics["recall"]) == (1, 0.0)


def test_calls_beside_a_missing_output_are_judged_as_they_are() -> None:
    config = {"type": "tool_trajectory", "expected": ["search"]}
    for nothing in ({}, {"actual": None}):
        result = fw.evaluate(config, metadata={"trace": [SEARCH]}, **nothing)
        assert (result.status, result.score, result.metrics["recall"]) == ("scored", 1.0, 1.0)
    assert fw.evaluate({**config, "path": "metadata.log"}, metadata={"log": [SEARCH]}).score == 1.0


def test_no_output_and_a_record_without_calls_is_the_systems_failure_though_nothing_forbidden_was_called() -> None:
    config = {"type": "tool_trajectory", "mode": "subset", "expected": ["search"]}
    result = fw.evaluate(config, metadata={"messages": [{"role": "user", "content": "Rain?"}]})
    assert (result.status, result.score, result.details["fault"]) == ("error", 0.0, "system")


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
@settings(max_examples=80, deadline=None)
def test_stricter_modes_match_no_more(expected: list[str], actual: list[str]) -> None:
    matched = {mode: called(actual, expected, mode).metrics["matched"] for mode in ("exact", "in_order", "any_order", "subset")}
    assert matched["exact"] <= matched["in_order"] <= matched["any_order"] == matched["subset"]
    assert matched["any_order"] == sum(min(expected.count(tool), actual.count(tool)) for tool in "abc")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"mode": "ordered"}, "`mode` must be one of"),
        ({"mode": "exact", "minimums": {"search": 1}}, "`minimums` is for `mode: any_order`"),
        ({"minimums": {"search": 0}}, "must be a whole number ≥ 1"),
        ({"args": "fuzzy"}, "`args` must be"),
        ({"args": {"query": "fuzy"}}, "Invalid match type: fuzy"),
        ({"expected": [{"name": "search"}]}, "has no option `name`"),
        ({"expected": [""]}, "a tool has no name"),
        ({"path": "trace"}, "a case has no `trace`"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        fw.evaluate({"type": "tool_trajectory", **options}, actual=[])


def test_a_thousand_calls_are_paired_without_comparing_every_two(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [{"tool": "search", "args": {"page": number}} for number in range(1000)]
    actual = [{"tool": "search", "args": {"page": number}} for number in range(999, -1, -1)]
    monkeypatch.setattr(tool_trajectory, "_find_differing", None)
    result = fw.evaluate({"type": "tool_trajectory"}, expected=expected, actual=actual)
    assert (result.score, result.metrics["order_correct"]) == (1.0, False)
    monkeypatch.setattr(tool_trajectory, "_MAX_GRID_CELLS", 10)
    assert fw.evaluate({"type": "tool_trajectory"}, expected=expected, actual=actual).score == 1.0


def test_arguments_that_differ_are_in_the_details_with_both_values() -> None:
    expected = [{"tool": "search"}, {"tool": "book", "args": {"bags": 1, "class": "economy", "a.b": None}}]
    actual = [{"tool": "book", "args": {"bags": 0, "class": "economy", "note": "x"}}, {"tool": "search", "args": {}}]
    result = fw.evaluate({"type": "tool_trajectory"}, expected=expected, actual=actual)
    assert result.misses == ["book (arguments differ: bags, a.b, note)"]
    assert result.details["differences"] == [
        {"call": "book", "argument": "bags", "path": "[1].args.bags", "expected": 1, "actual": 0},
        {"call": "book", "argument": "a.b", "path": '[1].args["a.b"]', "expected": None},
        {"call": "book", "argument": "note", "path": "[1].args.note", "actual": "x"},
    ]


def test_arguments_that_a_match_compared_are_in_the_details_with_both_values() -> None:
    config = {"type": "tool_trajectory", "args": {"query": {"match": "fuzzy", "threshold": 0.9}}}
    expected, actual = [{"tool": "search", "args": {"query": "weather in Paris", "page": 1}}], [{"tool": "search", "args": {"query": "x"}}]
    assert fw.evaluate(config, expected=expected, actual=actual).details["differences"] == [
        {"call": "search", "argument": "query", "path": "[0].args.query", "expected": "weather in Paris", "actual": "x"},
        {"call": "search", "argument": "page", "path": "[0].args.page", "expected": 1},
    ]


def test_calls_that_match_have_no_differences() -> None:
    calls = [{"tool": "search", "args": {"query": "x"}}]
    assert fw.evaluate({"type": "tool_trajectory"}, expected=calls, actual=calls).details["differences"] == []
