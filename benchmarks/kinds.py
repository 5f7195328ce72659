"""Suites over other kinds of data than invoices: what a change makes slower there shows in no benchmark of invoices.

Used by `everyday.py`, which measures times, and by `instructions.py`, which counts instructions. The data depend on the number of cases
alone.
"""

import csv
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

WORDS = "steel bolt hex panel filter pump valve gasket seal cable sensor board module bracket frame hose clamp".split()
FIELDS = [f"field_{number:02d}" for number in range(12)]
Suite = dict[str, Any]
Case = dict[str, Any]


def _write_text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def _generate_flat_records(cases: int) -> Iterator[Case]:
    """Records of numbers and texts, of which one in ten is wrong."""
    rng = random.Random(1)
    for number in range(cases):
        expected: Case = {name: round(rng.uniform(0, 1e4), 2) if at % 3 == 0 else _write_text(rng, 3) for at, name in enumerate(FIELDS)}
        actual = {name: value if rng.random() < 0.9 else _spoil(value) for name, value in expected.items()}
        yield {"id": f"r{number}", "expected": expected, "actual": actual}


def _spoil(value: Any) -> Any:
    return value + "x" if isinstance(value, str) else value + 1


def _generate_answers(cases: int) -> Iterator[Case]:
    """Answers in words with a source of twenty words."""
    rng = random.Random(2)
    for number in range(cases):
        expected, actual = (f"{_write_text(rng, 8)} {rng.randrange(1000)} Territory {number % 50}. {_write_text(rng, 6)}" for _ in range(2))
        yield {"id": f"a{number}", "input": "?", "expected": expected, "actual": actual, "contexts": [_write_text(rng, 20)]}


def _generate_lists(cases: int) -> Iterator[Case]:
    rng = random.Random(3)
    for number in range(cases):
        expected, actual = ("\n".join(_write_text(rng, 2) for _ in range(12)) for _ in range(2))
        yield {"id": f"l{number}", "expected": expected, "actual": actual}


def _generate_boxes(cases: int) -> Iterator[Case]:
    """Eight boxes, with as many decimals as a model writes."""
    rng = random.Random(4)
    for number in range(cases):
        corners = [(rng.uniform(0, 500), rng.uniform(0, 500)) for _ in range(8)]
        expected = [[x, y, x + rng.uniform(5, 50), y + rng.uniform(5, 50)] for x, y in corners]
        actual = [[value + rng.uniform(-3, 3) for value in box] for box in expected]
        yield {"id": f"b{number}", "expected": {"boxes": expected}, "actual": {"boxes": actual}}


def _generate_tool_calls(cases: int) -> Iterator[Case]:
    rng = random.Random(5)
    for number in range(cases):
        expected, actual = ([{"tool": rng.choice(WORDS), "args": {"step": step}} for step in range(4)] for _ in range(2))
        yield {"id": f"t{number}", "expected": expected, "actual": actual}


def _generate_dates(cases: int) -> Iterator[Case]:
    rng = random.Random(6)
    for number in range(cases):
        year, month, day = rng.randrange(2010, 2027), rng.randrange(1, 13), rng.randrange(1, 29)
        actual = {"date": f"{rng.choice((day, rng.randrange(1, 29)))} March {year}"}
        yield {"id": f"d{number}", "expected": {"date": f"{year}-{month:02d}-{day:02d}"}, "actual": actual}


def _generate_fenced_outputs(cases: int) -> Iterator[Case]:
    for case in _generate_flat_records(cases):
        yield {**case, "actual": f"Here it is:\n```json\n{json.dumps(case['actual'], indent=1)}\n```"}


def _write_lines(folder: Path, name: str, cases: Iterator[Case]) -> str:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return str(file)


def _write_sides_as_csv(folder: Path, cases: int) -> dict[str, str]:
    files: dict[str, str] = {}
    for side in ("expected", "actual"):
        file = folder / f"{side}.csv"
        with file.open("w", newline="") as output:
            writer = csv.DictWriter(output, ["id", *FIELDS])
            writer.writeheader()
            writer.writerows({"id": case["id"], **case[side]} for case in _generate_flat_records(cases))
        files[side] = str(file)
    return files


def _write_sides_as_folders(folder: Path, cases: int) -> dict[str, str]:
    patterns: dict[str, str] = {}
    for side in ("expected", "actual"):
        (folder / side).mkdir(exist_ok=True)
        for case in _generate_flat_records(cases):
            (folder / side / f"{case['id']}.json").write_text(json.dumps(case[side]))
        patterns[side] = str(folder / side / "*.json")
    return patterns


def _suite_of(name: str, generate: Callable[[int], Iterator[Case]], *evaluators: Suite) -> Callable[[Path, int], Suite]:
    def build(folder: Path, cases: int) -> Suite:
        return {"cases": _write_lines(folder, name, generate(cases)), "evaluators": list(evaluators)}

    return build


def _build_pair_of_csv_files(folder: Path, cases: int) -> Suite:
    return {"cases": _write_sides_as_csv(folder, cases), "evaluators": [EXACT_FIELDS]}


def _build_pair_of_folders(folder: Path, cases: int) -> Suite:
    return {"cases": _write_sides_as_folders(folder, cases), "evaluators": [EXACT_FIELDS]}


EXACT_FIELDS: Suite = {"type": "field_accuracy", "fields": [{"path": name, "match": "exact"} for name in FIELDS]}
DATE_FIELDS: Suite = {"type": "field_accuracy", "fields": [{"path": "date", "match": "date"}]}
BOXES: Suite = {"type": "iou_score", "path": "boxes", "threshold": 0.5}
KINDS: dict[str, Callable[[Path, int], Suite]] = {
    "field_prf of flat records": _suite_of("flat", _generate_flat_records, {"type": "field_prf"}),
    "json_quality of flat records": _suite_of("quality", _generate_flat_records, {"type": "json_quality", "default_text": "FUZZY"}),
    "field_accuracy, rules inferred": _suite_of("inferred", _generate_flat_records, {"type": "field_accuracy"}),
    "field_accuracy, JSON in fences": _suite_of("fenced", _generate_fenced_outputs, EXACT_FIELDS),
    "field_accuracy, two CSV files": _build_pair_of_csv_files,
    "field_accuracy, two folders": _build_pair_of_folders,
    "field_accuracy, dates": _suite_of("dates", _generate_dates, DATE_FIELDS),
    "answer_quality": _suite_of("answers", _generate_answers, {"type": "answer_quality"}),
    "grounding by words": _suite_of("grounding", _generate_answers, {"type": "grounding", "by": "words"}),
    "list_coverage": _suite_of("lists", _generate_lists, {"type": "list_coverage"}),
    "iou_score": _suite_of("boxes", _generate_boxes, BOXES),
    "iou_score, best pairing": _suite_of("best_boxes", _generate_boxes, {**BOXES, "pairing": "best"}),
    "coordinate_distance": _suite_of("points", _generate_boxes, {"type": "coordinate_distance", "path": "boxes", "threshold": 5}),
    "tool_trajectory": _suite_of("calls", _generate_tool_calls, {"type": "tool_trajectory", "mode": "in_order"}),
}
"""By name, what writes the data of a number of cases into a folder and returns the suite."""
