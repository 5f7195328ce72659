"""Of two values drawn at random from one column, at most one pair in a hundred gets a cause."""

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import pytest

from fieldwise.model.context import MismatchContexts
from fieldwise.model.values import Json
from fieldwise.score.causes import NO_CAUSE, likely_causes

PAIRS = 3000
FIRST_NAMES = """
James Mary Wei Fatima Carlos Aisha Jürgen Sofia Piotr Yuki Nadia Tom Elena Ravi Chloé Ahmed Ingrid Marco Lucy
Omar
""".split()  # noqa: SIM905
LAST_NAMES = """
Smith Tan Müller García Kowalski Sato Haddad Rossi Nguyen Patel Jensen Dubois Novak Okafor Lim Schneider Costa
Ivanov Brown Ali Fernandez Weber Larsen Moreau Silva Kim Popescu Horvat Adeyemi Walsh
""".split()  # noqa: SIM905
STREETS = """
Main Oak Lake Hill Park Church Station Victoria Mill Bridge Garden King Queen Market Forest River School High
West North
""".split()  # noqa: SIM905
KINDS = """
Street Road Avenue Lane Drive Court Boulevard Way Close Square
""".split()  # noqa: SIM905
CITIES = """
Springfield Riverton Fairview Kingston Ashford Milton Oakdale Brighton Newport Clayton Dover Lancaster Bristol
Georgetown Salem
""".split()  # noqa: SIM905
WARES = """
filter gasket bolt cable lamp printer toner chair desk pump valve hose panel sensor switch bracket washer bearing motor fan battery charger
screen keyboard mouse headset router shelf carton label tape glove helmet
""".split()  # noqa: SIM905
LEGAL = """
Ltd Inc GmbH LLC Corp AG BV Sdn_Bhd Co SA
""".split()  # noqa: SIM905


def amount(rng: random.Random) -> Json:
    return round(rng.lognormvariate(4, 1.5), 2)


def price(rng: random.Random) -> Json:
    return f"{rng.randint(1, 99)}.{rng.choice(('00', '50', '90', '95', '99', f'{rng.randint(0, 99):02}'))}"


def shop_price(rng: random.Random) -> Json:
    whole = rng.choice((1, 2, 3, 4, 5, 7, 9, 10, 12, 15, 19, 20, 25, 29, 39, 49, 59, 99, 100, 120, 150, 199, 250, 299, 500, 1000))
    return f"{whole}.{rng.choice(('00', '00', '50', '90', '95', '99'))}"


def running_number(rng: random.Random) -> Json:
    return str(rng.randrange(100100, 100500))


def long_running_number(rng: random.Random) -> Json:
    return str(rng.randrange(4500000100, 4500001000))


def flat(rng: random.Random) -> Json:
    return f"{rng.randint(1, 9)}{rng.choice('ABCDE')}"


def salary(rng: random.Random) -> Json:
    return rng.randrange(20, 120) * 500


def shop_price_as_number(rng: random.Random) -> Json:
    return float(str(shop_price(rng)))


def running_integer(rng: random.Random) -> Json:
    return rng.randrange(10000, 20000)


def count(rng: random.Random) -> Json:
    return rng.randint(1, 500)


def day_of_one_year(rng: random.Random) -> Json:
    return str(date(2024, 1, 1) + timedelta(days=rng.randrange(366)))


def day_of_three_years(rng: random.Random) -> Json:
    return (date(2022, 1, 1) + timedelta(days=rng.randrange(1096))).strftime("%d/%m/%Y")


def person(rng: random.Random) -> Json:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def company(rng: random.Random) -> Json:
    return f"{rng.choice(LAST_NAMES)} & {rng.choice(LAST_NAMES)} {rng.choice(LEGAL).replace('_', ' ')}"


def invoice_number(rng: random.Random) -> Json:
    return f"INV-{rng.randint(2022, 2025)}-{rng.randint(1, 9999):04}"


def account(rng: random.Random) -> Json:
    return f"DE{rng.randrange(10**20):020}"


def address(rng: random.Random) -> Json:
    return f"{rng.randint(1, 250)} {rng.choice(STREETS)} {rng.choice(KINDS)}, {rng.randint(10000, 99999)} {rng.choice(CITIES)}"


def short_code(rng: random.Random) -> Json:
    return "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(rng.randint(4, 7)))


def part_number(rng: random.Random) -> Json:
    return f"{rng.choice('ABCDE')}{rng.choice('KLMNP')}-{rng.randint(100, 999)}{rng.choice('XYZ')}"


def postcode(rng: random.Random) -> Json:
    return f"{rng.randint(1000, 99999):05}"


def money_in_currencies(rng: random.Random) -> Json:
    return f"{rng.choice(('EUR', 'USD', 'GBP', 'CHF'))} {rng.lognormvariate(5, 1):,.2f}"


def weight(rng: random.Random) -> Json:
    return f"{rng.randint(1, 900)} {rng.choice(('kg', 'g', 't'))}"


def percentage(rng: random.Random) -> Json:
    return f"{rng.choice((rng.randint(1, 100), round(rng.uniform(0, 100), 1)))} %"


def time_stamp(rng: random.Random) -> Json:
    day = date(2024, 1, 1) + timedelta(days=rng.randrange(366))
    return f"{day}T{rng.randrange(24):02}:{rng.randrange(60):02}:00Z"


def written_date(rng: random.Random) -> Json:
    return (date(2020, 1, 1) + timedelta(days=rng.randrange(2000))).strftime(rng.choice(("%d %B %Y", "%d.%m.%Y", "%Y-%m-%d")))


def phone(rng: random.Random) -> Json:
    return f"+{rng.choice((1, 33, 44, 49, 60))} {rng.randint(100, 999)} {rng.randint(100, 999)} {rng.randint(1000, 9999)}"


def reading(rng: random.Random) -> Json:
    return rng.choice((round(rng.gauss(20, 5), 1), str(round(rng.gauss(20, 5), 1)), rng.randint(0, 40)))


def year(rng: random.Random) -> Json:
    return rng.randint(1990, 2025)


def word(rng: random.Random) -> Json:
    return rng.choice((*CITIES, *STREETS, *KINDS))


def item(rng: random.Random) -> Json:
    return f"{rng.choice(('Blue', 'Large', 'Steel', 'Organic', 'Spare', 'Small'))} {rng.choice(WARES)} {rng.choice(WARES)}".lower()


def quantity_and_item(rng: random.Random) -> Json:
    return f"{rng.randint(1, 40)} x {rng.choice(WARES)}"


COLUMNS: Sequence[Callable[[random.Random], Json]] = (
    amount,
    price,
    shop_price,
    running_number,
    long_running_number,
    running_integer,
    flat,
    salary,
    shop_price_as_number,
    count,
    day_of_one_year,
    day_of_three_years,
    person,
    company,
    invoice_number,
    account,
    address,
    short_code,
    part_number,
    postcode,
    money_in_currencies,
    weight,
    percentage,
    time_stamp,
    written_date,
    phone,
    reading,
    year,
    word,
    item,
    quantity_and_item,
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.__name__)
def test_chance_is_rarely_explained(column: Callable[[random.Random], Json]) -> None:
    rng = random.Random(7)
    pairs = [(expected, actual) for expected, actual in ((column(rng), column(rng)) for _ in range(PAIRS)) if expected != actual]
    fields = ["value"] * len(pairs)
    records = [{"value": expected} for expected, _ in pairs], [{"value": actual} for _, actual in pairs]
    contexts = MismatchContexts(list(range(len(pairs))), fields, fields, *records)
    causes = likely_causes([expected for expected, _ in pairs], [actual for _, actual in pairs], contexts)
    explained = [(cause, *pair) for cause, pair in zip(causes, pairs, strict=True) if cause != NO_CAUSE]
    assert len(explained) <= 0.01 * len(pairs), explained[:20]
