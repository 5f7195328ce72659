"""Keys that are not text."""

from typing import Any

import pytest

from fieldwise.kernels.text_keys import text_keys


def test_a_value_with_keys_of_text_is_given_back_as_it_is() -> None:
    value = {"a": [{"b": (1, {"c": None})}]}
    assert text_keys(value) is value


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
    assert text_keys(value) == found


def test_depth_and_cycles_are_no_trouble() -> None:
    deep: Any = {1: "end"}
    for _ in range(5000):
        deep = {"a": deep}
    found = text_keys(deep)
    for _ in range(5000):
        found = found["a"]
    assert found == {"1": "end"}
    cycle: dict[Any, Any] = {}
    cycle["self"] = cycle
    assert text_keys(cycle) is cycle
    cycle[1] = 2
    again = text_keys(cycle)
    assert again["self"] is again
    assert again["1"] == 2
