"""Several accepted boxes or points: `{"$any": [...]}` in the place of one."""

from typing import Any

import pytest

from fieldwise import evaluate
from fieldwise.evaluators.geometry._accepted_items import choose_accepted, has_choice

FIRST, SECOND = [0, 0, 10, 10], [20, 20, 30, 30]
BOXES = {"type": "iou_score", "path": "box"}
POINTS = {"type": "coordinate_distance", "path": "box", "threshold": 1}


@pytest.mark.parametrize("config", [BOXES, POINTS])
@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ({"$any": [FIRST, SECOND]}, SECOND, 1.0),
        ({"$any": [FIRST, SECOND]}, [50, 50, 60, 60], 0.0),
        ([{"$any": [FIRST, SECOND]}, FIRST], [SECOND, FIRST], 1.0),
        ([{"$any": [FIRST, SECOND]}, {"$any": [SECOND]}], [SECOND, SECOND], 1.0),
        ({"$any": [[FIRST], [SECOND, FIRST]]}, [SECOND, FIRST], 1.0),
        ({"$any": [FIRST, None]}, None, 1.0),
        ({"$any": [FIRST, SECOND]}, None, 0.0),
    ],
)
def test_the_accepted_shape_that_is_most_similar_counts(config: dict[str, Any], expected: Any, actual: Any, score: float) -> None:
    result = evaluate(config, expected={"box": expected}, actual={"box": actual})

    assert (result.status, result.score) == ("scored", score)


def test_nothing_accepted_leaves_the_field_out() -> None:
    assert evaluate(BOXES, expected={"box": {"$any": []}}, actual={"box": FIRST}).status == "skipped"


def test_a_choice_inside_an_item_keeps_its_label() -> None:
    config = {"type": "iou_score", "path": "items", "box": "box", "label": "label", "pairing": "best"}
    expected = {"items": [{"label": "a", "box": {"$any": [FIRST, SECOND]}}, {"label": "b", "box": FIRST}]}
    actual = {"items": [{"label": "b", "box": FIRST}, {"label": "a", "box": SECOND}]}

    assert evaluate(config, expected=expected, actual=actual).score == 1.0


def test_values_without_a_choice_stay_as_they_are() -> None:
    assert not has_choice([FIRST, {"x": 1, "y": 2}], None)
    assert choose_accepted({"$any": [{"$any": [1, 2]}, 3]}, None, lambda value: float(value == 2)) == 2
