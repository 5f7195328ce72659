"""Write the data of `fieldwise demo review`: receipts, the outputs of three systems, and five wrong expected values.

Everything is invented and follows from the seed. Run it to change the data: `python scripts/review_demo.py`.
"""

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "src/fieldwise/demo/review"
SEED = 20261116
RECEIPTS = 40
VENDORS = (
    "Blue Harbour Cafe",
    "Nordlicht Buchhandlung",
    "Green Fork Deli",
    "Atelier Moreau",
    "Hill Street Hardware",
    "Pharmacie du Lac",
    "Tanaka Stationery",
    "Olive & Thyme",
)
GOODS = (
    "Espresso",
    "Flat white",
    "Notebook A5",
    "Gel pen",
    "Lentil soup",
    "Hinge 40 mm",
    "Wood screws",
    "Eye drops",
    "Olive oil",
    "Picture frame",
    "Sourdough loaf",
    "Guide book",
)
SYSTEMS = {"alpha": 0.035, "beta": 0.06, "gamma": 0.08}
"""System → share of values that it reads wrongly."""


def main() -> None:
    """Write all files."""
    source = random.Random(SEED)
    records = [_make_record(source) for _ in range(RECEIPTS)]
    texts = [_write_text(record) for record in records]
    wrong = _plant_wrong_values(records)
    FOLDER.mkdir(exist_ok=True)
    for name, rate in SYSTEMS.items():
        outputs = [_read_receipt(random.Random(f"{SEED} {name} {number}"), record, rate) for number, record in enumerate(records)]
        _add_common_mistakes(name, outputs)
        rows = [
            {"id": f"receipt-{number:02}", "input": text, "expected": expected, "actual": output}
            for number, (text, expected, output) in enumerate(zip(texts, wrong, outputs, strict=True), 1)
        ]
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (FOLDER / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def _make_record(source: random.Random) -> dict[str, Any]:
    items = [
        {"description": description, "amount": source.randrange(150, 4800, 5) / 100}
        for description in source.sample(GOODS, source.randint(1, 4))
    ]
    subtotal = round(sum(item["amount"] for item in items), 2)
    tax = round(subtotal * 0.08, 2)
    account = f"{source.randrange(10**17, 10**18)}"
    return {
        "vendor": source.choice(VENDORS),
        "number": f"R-{source.randrange(20000, 99999)}",
        "date": f"2026-{source.randint(1, 9):02}-{source.randint(1, 28):02}",
        "iban": _make_iban(account),
        "items": items,
        "subtotal": subtotal,
        "tax": tax,
        "total": round(subtotal + tax, 2),
    }


def _make_iban(account: str) -> str:
    digits = int(account + "131400")  # DE as numbers, and 00 for the check digits
    return f"DE{98 - digits % 97:02}{account}"


def _write_text(record: dict[str, Any]) -> str:
    lines = [record["vendor"], f"Receipt {record['number']}", f"Date {record['date']}", ""]
    lines += [f"{item['description']:<24}{item['amount']:>8.2f}" for item in record["items"]]
    lines += [
        "",
        f"{'Subtotal':<24}{record['subtotal']:>8.2f}",
        f"{'Tax 8 %':<24}{record['tax']:>8.2f}",
        f"{'Total':<24}{record['total']:>8.2f}",
    ]
    return "\n".join([*lines, "", f"IBAN {record['iban']}"])


def _plant_wrong_values(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The expected records, five of them with a wrong value."""
    wrong = deepcopy(records)
    wrong[3]["total"] = round(wrong[3]["total"] + 9, 2)
    wrong[10]["date"] = f"2025{wrong[10]['date'][4:]}"
    iban = wrong[16]["iban"]
    wrong[16]["iban"] = _swap_two_digits(iban)
    wrong[24]["vendor"] = wrong[24]["vendor"].replace(" ", "").title()[:9]
    wrong[33]["items"][0]["amount"] = round(wrong[33]["items"][0]["amount"] * 10, 2)
    return wrong


def _swap_two_digits(code: str) -> str:
    for at in range(len(code) - 2, 4, -1):
        if code[at] != code[at + 1]:
            return code[:at] + code[at + 1] + code[at] + code[at + 2 :]
    return code


def _read_receipt(source: random.Random, record: dict[str, Any], rate: float) -> dict[str, Any]:
    """The output of a system: each value with a confidence, some of them wrong."""

    def read(value: Any) -> dict[str, Any]:
        is_wrong = source.random() < rate
        sure = source.betavariate(5, 2.2) if is_wrong else source.betavariate(22, 1.3)
        return {"value": _misread(source, value) if is_wrong else value, "confidence": round(min(max(sure, 0.3), 0.999), 3)}

    plain = ("vendor", "number", "date", "iban")
    amounts = ("subtotal", "tax", "total")
    return {
        **{name: read(record[name]) for name in plain},
        "items": [{name: read(value) for name, value in item.items()} for item in record["items"]],
        **{name: read(record[name]) for name in amounts},
    }


def _misread(source: random.Random, value: Any) -> Any:
    if isinstance(value, float):
        return round(source.choice((value * 10, value + source.choice((1, 3, 6)), value / 10)), 2)
    at = source.randrange(len(value))
    digits = [position for position, character in enumerate(value) if character.isdigit()]
    if digits:
        at = source.choice(digits[-6:])
        return f"{value[:at]}{(int(value[at]) + source.choice((3, 5, 7))) % 10}{value[at + 1 :]}"
    return source.choice((value[: max(at, 3)].strip(), value.upper()[:-1], value.split()[0]))


def _add_common_mistakes(name: str, outputs: list[dict[str, Any]]) -> None:
    """Two systems share a mistake, so agreement alone proves nothing: the source text has the expected value."""
    if name in ("beta", "gamma"):
        number = outputs[20]["number"]["value"]
        outputs[20]["number"] = {"value": number[:-1] + ("7" if number[-1] != "7" else "1"), "confidence": 0.71 if name == "beta" else 0.83}


if __name__ == "__main__":
    main()
