"""Keys that are not text, and records that have no end."""

from typing import Any

import numpy as np
import pytest

from fieldwise.kernels.json_conversion import contains_cycle, to_json_record


def test_a_value_with_keys_of_text_is_given_back_as_it_is() -> None:
    value = {"a": [{"b": (1, {"c": None})}]}
    assert to_json_record(value) is value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({2024: 5}, {"2024": 5}),
        ([{1: {2: 3}}], [{"1": {"2": 3}}]),
        ({True: 1, False: 2, None: 3, 1.5: 4}, {"true": 1, "false": 2, "null": 3, "1.5": 4}),
        ({(1, 2): 3}, {"(1, 2)": 3}),
        ({1: "a", "1": "b"}, {"1 (int)": "a", "1": "b"}),
        ({"a": ({1: 2},)}, {"a": [{"1": 2}]}),
        ({"a": {"cafe\u0301": 1}}, {"a": {"caf\u00e9": 1}}),
        ({"cafe\u0301": 1, "caf\u00e9": 2}, {"cafe\u0301": 1, "caf\u00e9": 2}),
    ],
)
def test_other_keys_become_the_text_that_json_writes(value: Any, found: Any) -> None:
    assert to_json_record(value) == found


def test_depth_and_cycles_are_no_trouble() -> None:
    deep: Any = {1: "end"}
    for _ in range(5000):
        deep = {"a": deep}
    found = to_json_record(deep)
    for _ in range(5000):
        found = found["a"]
    assert found == {"1": "end"}
    cycle: dict[Any, Any] = {}
    cycle["self"] = cycle
    assert to_json_record(cycle) is cycle
    cycle[1] = 2
    again = to_json_record(cycle)
    assert again["self"] is again
    assert again["1"] == 2


def test_what_is_made_on_the_way_is_never_taken_for_something_else() -> None:
    assert to_json_record({"a": [{1, 2}], "b": [{3, 4}]}) == {"a": [[1, 2]], "b": [[3, 4]]}
    many = {str(at): [np.array([at, at + 1])] for at in range(50)}
    assert to_json_record(many) == {str(at): [[at, at + 1]] for at in range(50)}


def test_a_value_that_is_there_twice_contains_nothing_of_itself() -> None:
    shared = {"city": "Berlin"}
    assert not contains_cycle({"from": shared, "to": shared, "all": [shared, [shared]]})


@pytest.mark.parametrize("depth", [0, 1, 5000])
def test_a_loop_is_found_however_deep(depth: int) -> None:
    end: dict[str, Any] = {}
    whole: Any = end
    for _ in range(depth):
        whole = [whole]
    end["again"] = whole
    assert contains_cycle(whole)
