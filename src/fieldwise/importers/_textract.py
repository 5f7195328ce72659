"""What the responses of all Textract operations have in common."""

from collections.abc import Mapping
from typing import Any

from fieldwise.importers._leaves import Box, make_box


def find_responses(document: Any, key: str) -> list[Mapping[str, Any]]:
    """The responses that have this list: the document, or the pages of an asynchronous operation in a list."""
    responses = document if isinstance(document, list) else [document]
    matching = [response for response in responses if isinstance(response, Mapping) and isinstance(response.get(key), list)]
    return matching if len(matching) == len(responses) else []


def read_box(geometry: Any) -> Box | None:
    """The box of a `Geometry`, which has shares of the page already."""
    box = geometry.get("BoundingBox") if isinstance(geometry, Mapping) else None
    if not isinstance(box, Mapping) or not {"Left", "Top", "Width", "Height"} <= box.keys():
        return None
    return make_box(box["Left"], box["Top"], box["Left"] + box["Width"], box["Top"] + box["Height"])
