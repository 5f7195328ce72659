"""How people write boxes and polygons in JSON."""

from typing import Any

import pytest

from fieldwise.model.shape_notation import BOX_KEYS, BoxFormat, box_as_list, ring_corners

CORNERS = {"xyxy": [1, 2, 4, 6], "xywh": [1, 2, 3, 4]}


@pytest.mark.parametrize("form", ["xyxy", "xywh"])
@pytest.mark.parametrize(("written", "names"), [(written, names) for written, every in BOX_KEYS.items() for names in every])
def test_every_set_of_keys_is_read_in_either_format(form: BoxFormat, written: BoxFormat, names: tuple[str, ...]) -> None:
    box = dict(zip(names, CORNERS[written], strict=True))
    assert box_as_list(box, form) == CORNERS[form]
    assert box_as_list({name.upper(): number for name, number in box.items()} | {"score": 0.5}, form) == CORNERS[form]


@pytest.mark.parametrize("value", [{"x": 1, "y": 2}, {"x1": 1, "y1": 2, "x2": 4}, "box", None, {}])
def test_what_is_no_box_stays_as_it_is(value: Any) -> None:
    assert box_as_list(value, "xyxy") == value


def test_a_ring_with_a_hole_is_refused() -> None:
    assert ring_corners([[[0, 0], [9, 0], [9, 9]], [[1, 1], [2, 1], [2, 2]]]) == "2 rings, a polygon has one"
