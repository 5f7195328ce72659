"""Invoice-like records and what a model might make of them: about 20 scalar fields and line items of 4 fields each.

The noise is part of the benchmark and fixed: about one leaf in eight is altered, half of the lists are shuffled, a few items are
dropped or added. With `every=True` every item of every list is altered in one leaf at least.
"""

import random
from collections.abc import Iterator
from typing import Any

WORDS = (
    "steel bolt hex panel filter pump valve gasket seal cable sensor board module bracket frame hose clamp bearing motor gear "
    "shaft plate sheet wire switch relay fuse lamp lens cover housing adapter coupling flange nozzle spring washer rivet"
).split()
NAMES = "Acme Globex Initech Umbrella Stark Wayne Soylent Hooli Vandelay Wonka Tyrell Cyberdyne Aperture Monarch Nakatomi Oscorp".split()
FORMS = "Inc. LLC GmbH Ltd. S.A. Corp. AG BV".split()
CITIES = "Berlin Hamburg Lyon Madrid Porto Oslo Turin Ghent Graz Bergen Leeds Cork Lodz Brno Split Varna".split()
STREETS = "Main High Station Church Mill Park Bridge Garden River Harbour".split()


def invoice(rng: random.Random, items: int) -> dict[str, Any]:
    """One record of 21 scalar fields and `items` line items."""
    lines = [
        {
            "sku": f"{rng.choice('ABCDEFGH')}{rng.randrange(10_000):04d}-{rng.randrange(100):02d}",
            "description": " ".join(rng.choices(WORDS, k=rng.randrange(2, 5))),
            "quantity": rng.randrange(1, 200),
            "amount": round(rng.uniform(1, 5000), 2),
        }
        for _ in range(items)
    ]
    net = round(sum(line["amount"] for line in lines), 2)
    return {
        "invoice": {
            "number": f"INV-{rng.randrange(1_000_000):06d}",
            "date": f"20{rng.randrange(20, 27)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
            "due": f"20{rng.randrange(20, 27)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
            "currency": rng.choice(("EUR", "USD", "GBP", "CHF")),
            "net": net,
            "tax": round(net * 0.19, 2),
            "total": round(net * 1.19, 2),
            "paid": rng.random() < 0.5,
        },
        "vendor": _party(rng),
        "buyer": _party(rng),
        "order": {"number": f"PO-{rng.randrange(100_000):05d}", "terms": rng.choice(("net 30", "net 60", "prepaid"))},
        "notes": " ".join(rng.choices(WORDS, k=8)),
        "line_items": lines,
    }


def _party(rng: random.Random) -> dict[str, Any]:
    return {
        "name": f"{rng.choice(NAMES)} {rng.choice(WORDS).title()} {rng.choice(FORMS)}",
        "street": f"{rng.randrange(1, 200)} {rng.choice(STREETS)} Street",
        "city": rng.choice(CITIES),
        "zip": f"{rng.randrange(10_000, 99_999)}",
        "vat": f"DE{rng.randrange(10**8, 10**9)}",
    }


def altered(rng: random.Random, value: Any) -> Any:
    """What a model might have read instead."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 9))
    if isinstance(value, float):
        return rng.choice((round(value * 10, 2), round(value + 0.01, 2), float(round(value)), f"{value:,.2f}"))
    return _altered_text(rng, value)


def _altered_text(rng: random.Random, text: str) -> Any:
    how = rng.randrange(7)
    if how == 0:
        return text.upper()
    if how == 1:
        return f" {text}"
    if how == 2:
        return text[: max(1, len(text) * 2 // 3)]
    if how == 3:
        return None
    at = rng.randrange(len(text))
    if how == 4:
        return text.replace("0", "O").replace("1", "l")
    return f"{text[:at]}{rng.choice('aeiou')}{text[at + 1 :]}"


def predicted(rng: random.Random, record: Any, share: float = 1 / 8, every: bool = False) -> Any:
    """A copy of a record with noise in it."""
    if isinstance(record, dict):
        return {key: predicted(rng, value, share, every) for key, value in record.items()}
    if isinstance(record, list):
        items = [predicted(rng, item, share) for item in record]
        if every:
            items = [item | {"description": f"{item['description'] or ''} x"} for item in items]
        if rng.random() < 0.5:
            rng.shuffle(items)
        if len(items) > 1 and rng.random() < 0.1:
            items.pop()
        return items
    return altered(rng, record) if rng.random() < share else record


def pairs(count: int, items: int, *, every: bool = False, seed: int = 1) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Expected and actual records."""
    rng = random.Random(seed)
    for _ in range(count):
        record = invoice(rng, items)
        yield record, predicted(rng, record, every=every)


RULES: list[dict[str, Any]] = [
    {"path": "invoice.number"},
    {"path": "invoice.date", "match": "date"},
    {"path": "invoice.due", "match": "date"},
    {"path": "invoice.currency"},
    {"path": "invoice.net", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.tax", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.total", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.paid"},
    *(
        {"path": f"{party}.{field}", **({"match": "fuzzy"} if field in ("name", "street", "city") else {})}
        for party in ("vendor", "buyer")
        for field in ("name", "street", "city", "zip", "vat")
    ),
    {"path": "order.number"},
    {"path": "order.terms", "match": "fuzzy"},
    {"path": "notes", "match": "fuzzy"},
    {"path": "line_items[*].sku"},
    {"path": "line_items[*].description", "match": "fuzzy"},
    {"path": "line_items[*].quantity"},
    {"path": "line_items[*].amount", "match": "numeric_tolerance", "tolerance": 0.01},
]
"""21 scalar rules and 4 for the items."""
