"""The mean similarity of each field in each case: all that a comparison of runs needs of the stored comparisons.

A part with many comparisons stores the means as a table of its own, which is read three times as fast. For other parts, and for those of
earlier versions, they are computed when they are needed.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.locations import Location
from fieldwise.store.arrow_tables import ArrowTable, arrow_column, build_table, dictionary_column, encode_names, numpy_array
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table

FIELD_MEANS: Final = "field_scores"
"""Name of the table. Parts of earlier versions have a table `field_means`, without nulls that both sides agree on; it is not read."""
MIN_COMPARISONS: Final = 10_000
"""Minimum number of comparisons for which the table is written to a file."""
_SOURCE_COLUMNS: Final = ("case", "field", "similarity", "outcome")
_UNCOUNTED_OUTCOMES: Final = ("both_absent", "ignored", "fault")
_BOTH_ABSENT: Final = _UNCOUNTED_OUTCOMES.index("both_absent")


def build_field_means(comparisons: ArrowTable) -> ArrowTable:
    """The mean similarity of each field over its items in each case, sorted by field and case.

    A null that both sides agree on counts as right, as in the scores of a run; a field that neither side has does not count.
    """
    encoded = comparisons["field"].unify_dictionaries().combine_chunks()
    names: list[str] = encoded.dictionary.to_pylist()
    sorted_names = sorted(names)
    code_type = np.int16 if len(names) < 2**15 else np.int32  # NumPy sorts 16-bit integers ten times as fast
    rank_of_name = {name: rank for rank, name in enumerate(sorted_names)}
    rank_of_code = np.array([rank_of_name[name] for name in names], dtype=code_type)
    all_similarities = numpy_array(comparisons["similarity"], 0.0)
    uncounted = encode_names(comparisons["outcome"], _UNCOUNTED_OUTCOMES)
    counted_rows = np.flatnonzero((uncounted < 0) | ((uncounted == _BOTH_ABSENT) & (all_similarities == 1.0)))
    field = rank_of_code[numpy_array(encoded.indices)[counted_rows]]
    order = np.argsort(field, kind="stable")
    field, sorted_rows = field[order], counted_rows[order]
    case = numpy_array(comparisons["case"])[sorted_rows]
    similarity = all_similarities[sorted_rows]
    starts = _find_starts(field, case)
    sizes = np.diff(np.append(starts, len(case)))
    # reduceat adds in order of the rows: the order decides the last bit of the mean
    means = np.add.reduceat(similarity, starts) / sizes if len(starts) else similarity
    columns = {
        "field": dictionary_column(field[starts].astype(np.int32), sorted_names),
        "case": arrow_column(case[starts].astype(np.int32)),
        "mean": arrow_column(means),
    }
    return build_table(columns, required=columns.keys())


def _find_starts(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """The rows in which one of the columns differs from the row before, and the first row."""
    is_start = np.zeros(len(columns[0]), dtype=np.bool_)
    is_start[:1] = True
    for column in columns:
        is_start[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(is_start)


def read_field_means(folder: Location, part: Part, evaluator: str) -> Iterator[tuple[str, NDArray[np.int32], NDArray[np.float64]]]:
    """For each field that an evaluator compared in a part: its name, the positions of the cases that have it, and their means."""
    stored = {file.evaluators: file for file in list_part_files(part, FIELD_MEANS, evaluator)}
    for file in list_part_files(part, "comparisons", evaluator):
        if not file.rows:
            continue
        if file.evaluators in stored:
            table = read_table(folder, stored[file.evaluators])
        else:
            table = build_field_means(read_table(folder, file, columns=_SOURCE_COLUMNS))
        if table.num_rows:
            yield from _split_by_field(table)


def _split_by_field(table: ArrowTable) -> Iterator[tuple[str, NDArray[np.int32], NDArray[np.float64]]]:
    encoded = table["field"].unify_dictionaries().combine_chunks()
    names: list[str] = encoded.dictionary.to_pylist()
    field, case, mean = numpy_array(encoded.indices), numpy_array(table["case"]), numpy_array(table["mean"])
    for start, stop in pairwise([*_find_starts(field).tolist(), len(field)]):
        yield names[field[start]], case[start:stop], mean[start:stop]
