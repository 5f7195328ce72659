"""Places of comparisons: one for an unmatched actual item, whether an evaluator writes it `[+1]` or, pairing by index, `[1]`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.item_label import is_unmatched_path, plain_item_path


def name_places(case: NDArray[np.int64], path: NDArray[np.int64], paths: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    """The place of each comparison of one evaluator, as an index into the returned names.

    `path` is an index into `paths`, -1 for none. The place is the path, with `[1]` for `[+1]` where the evaluator compared no expected
    item of that index in the case.
    """
    names = list(paths)
    plain_code = np.arange(len(names) + 1)
    plain_code[-1] = -1
    code_of = {name: code for code, name in enumerate(names)}
    for code, name in enumerate(paths):
        if is_unmatched_path(name):
            plain_path = plain_item_path(name)
            plain_code[code] = code_of.setdefault(plain_path, len(names))
            if code_of[plain_path] == len(names):
                names.append(plain_path)
    place = plain_code[path]
    rows = np.flatnonzero(place != path)
    if not len(rows):
        return path, names
    is_taken = np.isin(case[rows] * len(names) + place[rows], case * len(names) + path)
    place[rows[is_taken]] = path[rows[is_taken]]
    return place, names
