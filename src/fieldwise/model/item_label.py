"""Names of list items in concrete paths: `[2]` for an expected item, `[+2]` for an actual item that was paired with none."""

import re
from typing import Final

_UNMATCHED: Final = re.compile(r"\[\+([0-9]+)\]")


def is_unmatched_path(path: str) -> bool:
    """True if the path leads through an actual item without an expected counterpart.

    >>> is_unmatched_path("rows[+1].v"), is_unmatched_path("rows[1].v")
    (True, False)
    """
    return _UNMATCHED.search(path) is not None


def plain_item_path(path: str) -> str:
    """The path as evaluators write it that pair items by index, and so have no name of their own for unmatched ones.

    >>> plain_item_path("pages[0].rows[+1].v")
    'pages[0].rows[1].v'
    """
    return _UNMATCHED.sub(r"[\1]", path)
