"""Generate invoice-like records and noisy copies of them, as a model might return them.

A record has 21 scalar fields and line items of 4 fields each. The noise is part of the benchmark and must not change: about one leaf in
eight is altered, half of the lists are shuffled, and one list in ten loses an item. With `alter_every_item=True`, every list item differs
from its counterpart in at least one leaf.

The order of the random draws determines the data, so it must stay as it is.
"""

import random
from collections.abc import Iterator
from typing import Any

WORDS = (
    "steel bolt hex panel filter pump valve gasket seal cable sensor board module bracket frame hose clamp bearing motor gear "
    "shaft plate sheet wire switch relay fuse lamp lens cover housing adapter coupling flange nozzle spring washer rivet"
).split()
NAMES = "Acme Globex Initech Umbrella Stark Wayne Soylent Hooli Vandelay Wonka Tyrell Cyberdyne Aperture Monarch Nakatomi Oscorp".split()
LEGAL_FORMS = "Inc. LLC GmbH Ltd. S.A. Corp. AG BV".split()
CITIES = "Berlin Hamburg Lyon Madrid Porto Oslo Turin Ghent Graz Bergen Leeds Cork Lodz Brno Split Varna".split()
STREETS = "Main High Station Church Mill Park Bridge Garden River Harbour".split()
ALTERED_SHARE = 1 / 8
"""Share of leaves that are altered."""


def generate_invoice(rng: random.Random, items: int) -> dict[str, Any]:
    """Generate a record of 21 scalar fields and `items` line items."""
    lines = [_generate_line_item(rng) for _ in range(items)]
    net = round(sum(line["amount"] for line in lines), 2)
    return {
        "invoice": {
            "number": f"INV-{rng.randrange(1_000_000):06d}",
            "date": _generate_date(rng),
            "due": _generate_date(rng),
            "currency": rng.choice(("EUR", "USD", "GBP", "CHF")),
            "net": net,
            "tax": round(net * 0.19, 2),
            "total": round(net * 1.19, 2),
            "paid": rng.random() < 0.5,
        },
        "vendor": _generate_party(rng),
        "buyer": _generate_party(rng),
        "order": {"number": f"PO-{rng.randrange(100_000):05d}", "terms": rng.choice(("net 30", "net 60", "prepaid"))},
        "notes": " ".join(rng.choices(WORDS, k=8)),
        "line_items": lines,
    }


def _generate_line_item(rng: random.Random) -> dict[str, Any]:
    return {
        "sku": f"{rng.choice('ABCDEFGH')}{rng.randrange(10_000):04d}-{rng.randrange(100):02d}",
        "description": " ".join(rng.choices(WORDS, k=rng.randrange(2, 5))),
        "quantity": rng.randrange(1, 200),
        "amount": round(rng.uniform(1, 5000), 2),
    }


def _generate_date(rng: random.Random) -> str:
    return f"20{rng.randrange(20, 27)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"


def _generate_party(rng: random.Random) -> dict[str, Any]:
    return {
        "name": f"{rng.choice(NAMES)} {rng.choice(WORDS).title()} {rng.choice(LEGAL_FORMS)}",
        "street": f"{rng.randrange(1, 200)} {rng.choice(STREETS)} Street",
        "city": rng.choice(CITIES),
        "zip": f"{rng.randrange(10_000, 99_999)}",
        "vat": f"DE{rng.randrange(10**8, 10**9)}",
    }


def alter_value(rng: random.Random, value: Any) -> Any:
    """Return a value that a model might have read instead of this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 9))
    if isinstance(value, float):
        return rng.choice((round(value * 10, 2), round(value + 0.01, 2), float(round(value)), f"{value:,.2f}"))
    return _alter_text(rng, value)


def _alter_text(rng: random.Random, text: str) -> str | None:
    kind = rng.randrange(7)
    if kind == 0:
        return text.upper()
    if kind == 1:
        return f" {text}"
    if kind == 2:
        return text[: max(1, len(text) * 2 // 3)]
    if kind == 3:
        return None
    position = rng.randrange(len(text))  # also drawn where it is not used: the draws must stay the same
    if kind == 4:
        return text.replace("0", "O").replace("1", "l")
    return f"{text[:position]}{rng.choice('aeiou')}{text[position + 1 :]}"


def add_noise(rng: random.Random, value: Any, alter_every_item: bool = False) -> Any:
    """Return a copy of a record, or of a part of it, with noise."""
    if isinstance(value, dict):
        return {key: add_noise(rng, inner, alter_every_item) for key, inner in value.items()}
    if isinstance(value, list):
        return _add_noise_to_list(rng, value, alter_every_item)
    return alter_value(rng, value) if rng.random() < ALTERED_SHARE else value


def _add_noise_to_list(rng: random.Random, items: list[dict[str, Any]], alter_every_item: bool) -> list[dict[str, Any]]:
    noisy_items = [add_noise(rng, item) for item in items]
    if alter_every_item:
        noisy_items = [item | {"description": f"{item['description'] or ''} x"} for item in noisy_items]
    if rng.random() < 0.5:
        rng.shuffle(noisy_items)
    if len(noisy_items) > 1 and rng.random() < 0.1:
        noisy_items.pop()
    return noisy_items


def generate_pairs(
    count: int, items: int, *, alter_every_item: bool = False, seed: int = 1
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Generate pairs of an expected and an actual record."""
    rng = random.Random(seed)
    for _ in range(count):
        expected = generate_invoice(rng, items)
        yield expected, add_noise(rng, expected, alter_every_item)


def _build_party_rules(party: str) -> list[dict[str, Any]]:
    return [
        {"path": f"{party}.name", "match": "fuzzy"},
        {"path": f"{party}.street", "match": "fuzzy"},
        {"path": f"{party}.city", "match": "fuzzy"},
        {"path": f"{party}.zip"},
        {"path": f"{party}.vat"},
    ]


RULES: list[dict[str, Any]] = [
    {"path": "invoice.number"},
    {"path": "invoice.date", "match": "date"},
    {"path": "invoice.due", "match": "date"},
    {"path": "invoice.currency"},
    {"path": "invoice.net", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.tax", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.total", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "invoice.paid"},
    *_build_party_rules("vendor"),
    *_build_party_rules("buyer"),
    {"path": "order.number"},
    {"path": "order.terms", "match": "fuzzy"},
    {"path": "notes", "match": "fuzzy"},
    {"path": "line_items[*].sku"},
    {"path": "line_items[*].description", "match": "fuzzy"},
    {"path": "line_items[*].quantity"},
    {"path": "line_items[*].amount", "match": "numeric_tolerance", "tolerance": 0.01},
]
"""21 rules for scalar fields and 4 for the fields of line items."""
