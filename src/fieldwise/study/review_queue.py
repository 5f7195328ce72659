"""The review queue of a run: which comparisons a person should look at, and in which order.

Sources: `doubts` (expected values that other systems contradict), `low_confidence` (the least confident values), `disagreements` (expected
and actual differ) and `sample` (a random share of the values that agree, which shows how many errors no other source finds). A comparison
is queued once, under the first source that has it. The order depends on the run and the selection only, so a queue that is built again
after a crash is the same queue.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.correction import hash_value
from fieldwise.model.item_label import is_unmatched_path
from fieldwise.model.redaction import is_redacted
from fieldwise.store.arrow_tables import ArrowTable, numpy_array
from fieldwise.store.comparison_table import read_comparisons
from fieldwise.store.manifest import Part, PartFile
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run
from fieldwise.store.stored_comparisons import PartCases
from fieldwise.study.item_places import name_places
from fieldwise.study.review_log import Place

Source: TypeAlias = Literal["doubts", "low_confidence", "disagreements", "sample"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
DEFAULT_SAMPLE: Final = 0.05
DEFAULT_LOWEST: Final = 0.1
MAX_ITEMS: Final = 50_000
"""Comparisons that a queue takes from one source."""
_SCAN_COLUMNS: Final = frozenset(("case", "path", "outcome", "passed", "confidence"))
_NOT_AN_ANSWER: Final = frozenset((*UNCOUNTED_OUTCOMES, "fault"))
"""Outcomes without two sides that a person could judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSelection:
    """Which comparisons to queue."""

    sources: tuple[Source, ...] = SOURCES
    sample: float = DEFAULT_SAMPLE
    """Share of the agreed values to queue."""
    lowest: float = DEFAULT_LOWEST
    """Share of the values with a confidence that counts as low."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One comparison of the queue, without its values, which are read when it is shown."""

    case: str
    path: str
    evaluator: str
    source: Source
    passed: bool
    confidence: float | None = None
    expected_hash: str | None = None
    """Hash of the expected value as in `corrections.jsonl`; None if there is none."""
    actual_hash: str | None = None
    redacted: bool = False
    """The values were not stored, so a person can judge the actual value only."""

    @property
    def place(self) -> Place:
        """The case and the path."""
        return self.case, self.path


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The comparisons to review, in order."""

    items: tuple[ReviewItem, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Source → number of comparisons beyond MAX_ITEMS."""
    agreed: int = 0
    """Number of values that agree, from which the sample was drawn."""

    def __len__(self) -> int:
        return len(self.items)

    def count_by_source(self) -> dict[str, int]:
        """Source → number of items."""
        counts = dict.fromkeys(SOURCES, 0)
        for item in self.items:
            counts[item.source] += 1
        return {source: count for source, count in counts.items() if count}


def build_queue(run: Run, selection: QueueSelection, doubts: Sequence[Place] = ()) -> ReviewQueue:
    """Build the queue of a run; `doubts` are the suspect expected values, the most suspect first."""
    scans = list(_scan_run(run))
    queued = set[tuple[int, str]]()
    rows: list[_Row] = []
    left_out: dict[str, int] = {}
    for source in SOURCES:
        if source not in selection.sources:
            continue
        fresh = [row for row in _rows_of_source(source, scans, selection, doubts) if (row.case, row.place) not in queued]
        kept = _first_of_each_place(fresh)
        if len(kept) > MAX_ITEMS:
            left_out[source] = len(kept) - MAX_ITEMS
            kept = kept[:MAX_ITEMS]
        queued.update((row.case, row.place) for row in kept)
        rows += kept
    return ReviewQueue(tuple(_load_items(run, rows)), left_out, _count_agreed(scans))


@dataclass(frozen=True, slots=True)
class _Scan:
    """What decides about the comparisons of one file, as arrays."""

    part: Part
    file: PartFile
    case: NDArray[np.int64]
    """Position of the case in the run."""
    path: NDArray[np.int64]
    """An index into `paths`."""
    paths: Sequence[str]
    place: NDArray[np.int64]
    """An index into `places`, the same for an item that another evaluator names otherwise."""
    places: Sequence[str]
    passed: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    """Comparisons that were scored."""
    confidence: NDArray[np.float64] | None
    cases: PartCases


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a file of comparisons."""

    source: Source
    scan: _Scan
    row: int
    case: int
    path: str
    place: str


def _scan_run(run: Run) -> Iterator[_Scan]:
    for part in run.parts:
        cases = PartCases(run.path, part)
        for file in list_part_files(part, "comparisons"):
            table = read_table(run.path, file, columns=_SCAN_COLUMNS.__contains__)
            path, paths = _encode(table, "path")
            outcome, outcomes = _encode(table, "outcome")
            counted = np.array([*(name not in _NOT_AN_ANSWER for name in outcomes), False], dtype=np.bool_)
            case = numpy_array(table.column("case")).astype(np.int64)
            place, places = name_places(case, path, paths)
            yield _Scan(
                part=part,
                file=file,
                case=case,
                path=path,
                paths=paths,
                place=place,
                places=places,
                passed=numpy_array(table.column("passed")),
                judged=counted[outcome],
                confidence=_read_confidence(table),
                cases=cases,
            )


def _read_confidence(table: ArrowTable) -> NDArray[np.float64] | None:
    if "confidence" not in table.schema.names:
        return None
    column: Any = table.column("confidence").cast(pa.float64())
    return numpy_array(column, np.nan)


def _encode(table: ArrowTable, name: str) -> tuple[NDArray[np.int64], list[str]]:
    """A column of text as indexes into its distinct texts; -1 for null."""
    column: Any = table.column(name).combine_chunks()
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks() if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
    indexes = np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
    return indexes, encoded.dictionary.to_pylist()


def _rows_of_source(source: Source, scans: Sequence[_Scan], selection: QueueSelection, doubts: Sequence[Place]) -> list[_Row]:
    if source == "doubts":
        return _doubted_rows(scans, doubts)
    if source == "low_confidence":
        return _least_confident_rows(scans, selection.lowest)
    if source == "disagreements":
        return [row for scan in scans for row in _make_rows(source, scan, np.flatnonzero(scan.judged & ~scan.passed))]
    return _sampled_rows(scans, selection.sample)


def _make_rows(source: Source, scan: _Scan, rows: Iterable[Any]) -> Iterator[_Row]:
    for row in rows:
        path, place = scan.paths[int(scan.path[row])], scan.places[int(scan.place[row])]
        yield _Row(source, scan, int(row), int(scan.case[row]), path, place)


def _first_of_each_place(rows: Iterable[_Row]) -> list[_Row]:
    """One row for each place of a case, whatever number of evaluators compared it.

    For an unmatched item that is the row of an evaluator that names it so: an expected value that does not exist cannot be corrected.
    """
    first: dict[tuple[int, str], _Row] = {}
    for row in rows:
        earlier = first.setdefault((row.case, row.place), row)
        if is_unmatched_path(row.path) and not is_unmatched_path(earlier.path):
            first[row.case, row.place] = row
    return list(first.values())


def _doubted_rows(scans: Sequence[_Scan], doubts: Sequence[Place]) -> list[_Row]:
    rank = {place: number for number, place in enumerate(doubts)}
    ranked: list[tuple[int, _Row]] = []
    if not rank:
        return []
    doubted_paths = {path for _, path in rank}
    for scan in scans:
        is_doubted = np.array([*(path in doubted_paths for path in scan.paths), False], dtype=np.bool_)
        for row in _make_rows("doubts", scan, np.flatnonzero(is_doubted[scan.path])):
            number = rank.get((scan.cases.id_of(row.case), row.path))
            if number is not None:
                ranked.append((number, row))
    ranked.sort(key=lambda pair: pair[0])
    return [row for _, row in ranked]


def _least_confident_rows(scans: Sequence[_Scan], share: float) -> list[_Row]:
    """The given share of the values with a confidence, least confident first."""
    with_confidence = [(scan, np.flatnonzero(scan.judged & ~np.isnan(scan.confidence))) for scan in scans if scan.confidence is not None]
    rows: list[tuple[float, _Row]] = []
    for scan, positions in with_confidence:
        assert scan.confidence is not None
        rows += zip(scan.confidence[positions].tolist(), _make_rows("low_confidence", scan, positions), strict=True)
    rows.sort(key=lambda pair: pair[0])
    ordered = _first_of_each_place(row for _, row in rows)
    return ordered[: int(np.ceil(len(ordered) * share))]


def _sampled_rows(scans: Sequence[_Scan], share: float) -> list[_Row]:
    """A share of the places where every evaluator agrees, chosen by a hash of case and path, so that it is the same in every run."""
    disagreeing = {
        (row.case, row.place) for scan in scans for row in _make_rows("sample", scan, np.flatnonzero(scan.judged & ~scan.passed))
    }
    drawn: list[tuple[int, _Row]] = []
    for scan in scans:
        hashes = _hash_places(scan)
        chosen = np.flatnonzero(scan.judged & scan.passed & (hashes < np.uint64(min(max(share, 0.0), 1.0) * (2**64 - 2**12))))
        for number, row in zip(hashes[chosen].tolist(), _make_rows("sample", scan, chosen), strict=True):
            if (row.case, row.place) not in disagreeing:
                drawn.append((number, row))
    drawn.sort(key=lambda pair: pair[0])
    return [row for _, row in drawn]


def _hash_places(scan: _Scan) -> NDArray[np.uint64]:
    """A hash of the case and the path of each row."""
    if not len(scan.case):
        return np.zeros(0, dtype=np.uint64)
    cases, index_of_case = np.unique(scan.case, return_inverse=True)
    case_hashes = hash_texts([scan.cases.id_of(int(case)) for case in cases])
    path_hashes = hash_texts(scan.paths)
    state = case_hashes[index_of_case] ^ (path_hashes[scan.path] * np.uint64(0x9E3779B97F4A7C15))
    state ^= state >> np.uint64(30)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    state *= np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def _count_agreed(scans: Sequence[_Scan]) -> int:
    """Number of places where every evaluator agrees."""
    number_of: dict[str, int] = {}
    for scan in scans:
        for place in scan.places:
            number_of.setdefault(place, len(number_of))
    agreed: list[NDArray[np.int64]] = []
    differing: list[NDArray[np.int64]] = []
    for scan in scans:
        numbers = np.array([*(number_of[place] for place in scan.places), 0], dtype=np.int64)
        places = scan.case * max(len(number_of), 1) + numbers[scan.place]
        agreed.append(places[scan.judged & scan.passed])
        differing.append(places[scan.judged & ~scan.passed])
    return len(np.setdiff1d(np.concatenate(agreed), np.concatenate(differing))) if scans else 0


def _load_items(run: Run, rows: Sequence[_Row]) -> list[ReviewItem]:
    """The items of these rows, with the hashes of their values. Each file is read once."""
    items: list[ReviewItem | None] = [None] * len(rows)
    by_file: dict[int, list[int]] = {}
    scans = {id(row.scan): row.scan for row in rows}  # by identity: a scan holds arrays, which have no hash; `rows` keeps it alive
    for number, row in enumerate(rows):
        by_file.setdefault(id(row.scan), []).append(number)
    for key, numbers in by_file.items():
        scan = scans[key]
        numbers.sort(key=lambda number: rows[number].row)
        table = read_table(run.path, scan.file).take(pa.array([rows[number].row for number in numbers]))
        columns: Mapping[str, Sequence[Any]] = table.to_pydict()
        load_records = lru_cache(maxsize=1)(scan.cases.load_records)  # rows are sorted by case
        for index, number in enumerate(numbers):
            row = rows[number]
            [comparison] = read_comparisons(columns, range(index, index + 1), partial(load_records, row.case))
            items[number] = _make_item(run, row, comparison)
    return [item for item in items if item is not None]


def _make_item(run: Run, row: _Row, comparison: Comparison) -> ReviewItem:
    evaluator = next(name for name in run.evaluators if name in row.scan.file.evaluators)
    confidence = None if row.scan.confidence is None else float(row.scan.confidence[row.row])
    return ReviewItem(
        case=row.scan.cases.id_of(row.case),
        path=row.path,
        evaluator=evaluator,
        source=row.source,
        passed=comparison.passed,
        confidence=None if confidence is None or np.isnan(confidence) else confidence,
        expected_hash=hash_side(comparison, "expected"),
        actual_hash=hash_side(comparison, "actual"),
        redacted=is_redacted(comparison.expected) or is_redacted(comparison.actual),
    )


def hash_side(comparison: Comparison, side: Literal["expected", "actual"]) -> str | None:
    """The hash of one side as in `corrections.jsonl`; None if the side has no value."""
    if getattr(comparison, f"{side}_presence") == "missing":
        return None
    return hash_value(getattr(comparison, side))


def load_comparison(run: Run, item: ReviewItem) -> Comparison:
    """The comparison of an item with its values; KeyError if the run does not have it."""
    for stored in run.comparisons(evaluator=item.evaluator, case=item.case, field=None):
        if stored.comparison.path == item.path:
            return stored.comparison
    raise KeyError(f"run {run.id} compared nothing at `{item.path}` of the case `{item.case}`")


def load_comparisons(run: Run, items: Sequence[ReviewItem]) -> dict[Place, Comparison]:
    """The comparisons of many items with their values, by case and path."""
    places = {item.place for item in items}
    comparisons: dict[Place, Comparison] = {}
    for evaluator in dict.fromkeys(item.evaluator for item in items):
        for stored in run.comparisons(evaluator=evaluator):
            place = (stored.case, stored.comparison.path)
            if place in places:
                comparisons.setdefault(place, stored.comparison)
    return comparisons
