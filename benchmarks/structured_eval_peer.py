"""Measure structured-eval on the records of `fields.py`, which runs this script with a Python that has the package.

Reads JSON lines from standard input, expected and actual records alternating, and prints CPU microseconds per record.
"""

import json
import sys
import time
from typing import Any

from structured_eval import evaluate
from structured_eval.metrics import Levenshtein, Numeric
from structured_eval.models import ArrayFieldConfig, ArrayStrategy, EvalConfig, FieldConfig, ObjectFieldConfig


def build_text_field() -> Any:
    return FieldConfig(metrics=[Levenshtein()])


def build_number_field() -> Any:
    return FieldConfig(metrics=[Numeric(tolerance=0.01)])


def build_config() -> Any:
    """Build the rules of `invoices.py` as far as the package supports them; it compares all other fields exactly."""
    party = ObjectFieldConfig(fields={name: build_text_field() for name in ("name", "street", "city")})
    item = ObjectFieldConfig(fields={"description": build_text_field(), "amount": build_number_field()})
    scorers = {"sku": "exact_match", "description": Levenshtein(), "quantity": "exact_match", "amount": Numeric(tolerance=0.01)}
    return EvalConfig(
        fields={
            "invoice": ObjectFieldConfig(fields={name: build_number_field() for name in ("net", "tax", "total")}),
            "vendor": party,
            "buyer": party,
            "order": ObjectFieldConfig(fields={"terms": build_text_field()}),
            "notes": build_text_field(),
            "line_items": ArrayFieldConfig(item=item, strategy=ArrayStrategy.HUNGARIAN, params={"scorer": scorers}),
        }
    )


def main() -> None:
    """Evaluate all records once, and print the time."""
    lines = sys.stdin.buffer.read().splitlines()
    config = build_config()
    start = time.process_time()
    for expected, actual in zip(lines[::2], lines[1::2], strict=True):
        evaluate(json.loads(actual), json.loads(expected), config)
    print((time.process_time() - start) / (len(lines) / 2) * 1e6)


if __name__ == "__main__":
    main()
