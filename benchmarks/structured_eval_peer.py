"""structured-eval on the records of `fields.py`: CPU microseconds for each record. Run by `fields.py` with a Python that has the package.

Standard input holds JSON lines, expected and actual in turns.
"""

import json
import sys
import time
from typing import Any

from structured_eval import evaluate
from structured_eval.metrics import Levenshtein, Numeric
from structured_eval.models import ArrayFieldConfig, ArrayStrategy, EvalConfig, FieldConfig, ObjectFieldConfig


def similar_text() -> Any:
    return FieldConfig(metrics=[Levenshtein()])


def close_number() -> Any:
    return FieldConfig(metrics=[Numeric(tolerance=0.01)])


def build_config() -> Any:
    """The rules of `invoices.py` as far as the package has them; other fields are compared exactly, its default."""
    party = ObjectFieldConfig(fields={field: similar_text() for field in ("name", "street", "city")})
    item_fields = {"description": similar_text(), "amount": close_number()}
    scorers = {"sku": "exact_match", "description": Levenshtein(), "quantity": "exact_match", "amount": Numeric(tolerance=0.01)}
    return EvalConfig(
        fields={
            "invoice": ObjectFieldConfig(fields={field: close_number() for field in ("net", "tax", "total")}),
            "vendor": party,
            "buyer": party,
            "order": ObjectFieldConfig(fields={"terms": similar_text()}),
            "notes": similar_text(),
            "line_items": ArrayFieldConfig(
                item=ObjectFieldConfig(fields=item_fields), strategy=ArrayStrategy.HUNGARIAN, params={"scorer": scorers}
            ),
        }
    )


def main() -> None:
    lines = sys.stdin.buffer.read().splitlines()
    config = build_config()
    start = time.process_time()
    for expected, actual in zip(lines[::2], lines[1::2], strict=True):
        evaluate(json.loads(actual), json.loads(expected), config)
    print((time.process_time() - start) / (len(lines) / 2) * 1e6)


if __name__ == "__main__":
    main()
