"""Record what stickler-eval computes for random records, as `stickler.jsonl` in tests/study/data.

Run it in an environment of its own: `pip install stickler-eval==1.0.0`, then `python record_stickler.py`.
"""

import json
import random
from pathlib import Path
from typing import Any

from stickler import ComparableField, StructuredModel


class Vendor(StructuredModel):
    name: str | None = ComparableField(default=None)
    city: str | None = ComparableField(default=None)


class Invoice(StructuredModel):
    number: str | None = ComparableField(default=None)
    total: float | None = ComparableField(default=None)
    pages: int | None = ComparableField(default=None)
    notes: str | None = ComparableField(default=None)
    vendor: Vendor = ComparableField(default=None)


def make_text(source: random.Random) -> str:
    return " ".join("".join(source.choices("abcdeABCDE12", k=source.randint(2, 7))) for _ in range(source.randint(1, 3)))


def make_record(source: random.Random) -> dict[str, Any]:
    return {
        "number": make_text(source),
        "total": source.randint(1, 9999) / 100,
        "pages": source.randint(1, 99),
        "notes": make_text(source),
        "vendor": {"name": make_text(source), "city": make_text(source)},
    }


def spoil(source: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: spoil(source, inner) for key, inner in value.items()}
    kind = source.random()
    if kind < 0.4:
        return value
    if kind < 0.5:
        return None
    if isinstance(value, str):
        letters = list(value)
        for _ in range(source.randint(1, len(letters))):
            letters[source.randrange(len(letters))] = source.choice("abcde12")
        return "".join(letters) if kind < 0.9 else value.upper()
    return type(value)(value * source.choice([1, 1.01, 2, 10])) if kind < 0.95 else type(value)(source.randint(1, 99))


def main() -> None:
    source = random.Random(20260101)
    lines = []
    for number in range(300):
        expected = make_record(source)
        actual = spoil(source, expected)
        if number % 5 == 0:
            expected = spoil(source, expected) | {"vendor": expected["vendor"]}
        result = Invoice(**expected).compare_with(Invoice(**actual), include_confusion_matrix=True)
        counts = result["confusion_matrix"]["aggregate"]
        f1 = counts["derived"]["cm_f1"]
        wanted = {"tp": counts["tp"], "fp": counts["fp"], "fn": counts["fn"], "f1": f1}
        lines.append(json.dumps({"id": str(number), "expected": expected, "actual": actual, "stickler": wanted}))
    (Path(__file__).parents[1] / "tests" / "study" / "data" / "stickler.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
