"""The likely cause of mismatches as extraction makes them; the causes were written down before they were measured."""

import pytest

from fieldwise.model.context import MismatchContexts
from fieldwise.model.values import Json
from fieldwise.score.causes import likely_causes

MISMATCHES: list[tuple[Json, Json, str]] = [
    ("EUR 1,250.00", "USD 1,250.00", "other_currency"),
    ("£40", "$40", "other_currency"),
    ("RM 18.60", 18.6, "currency_on_one_side"),
    (99.5, "99,50 €", "currency_on_one_side"),
    ("2 kg", "2 g", "other_unit"),
    ("500 ml", "500 l", "other_unit"),
    ("18.60", 1860, "decimal_point_lost"),
    (415.2, "41520", "decimal_point_lost"),
    ("148.16", "143.16", "digit_changed"),
    ("48.15", "43.15", ""),  # written down as digit_changed: three digits and a usual ending are too few to tell
    (120945, 126945, "digit_changed"),
    ("6.40", 6.04, "transposed"),
    (8123, 8213, "transposed"),
    ("14/03/2018", "14/03/18", "two_digit_year"),
    ("2019-07-23", "1919-07-23", "two_digit_year"),
    ("17/08/2016", "17/08/2018", "date_part"),
    ("2021-06-16", "2021-08-16", "date_part"),
    ("12 May 2020", "21 May 2020", "date_part"),
    ("04/05/2023", "05/04/2023", "day_month_swapped"),
    ("2020-02-09", "9 February 2020", "date_format"),
    ("NORTHERN STAR TRADING SDN BHD", "NORTHERN STAR TRADING BHD", "word_missing"),
    ("7 Harbour View Road, Block C, 50480 Kuala Lumpur", "7 Harbour View Road, 50480 Kuala Lumpur", "word_missing"),
    ("7 Harbour Road, 50480 Kuala Lumpur", "7 Harbour View Road, 50480 Kuala Lumpur", "word_added"),
    ("INV-20931", "Invoice No: INV-20931", "label_included"),
    (72.4, "Total 72.40", "label_included"),
    ("Blue Lagoon Cafe", "Blue Lagoon Cafe (Airport branch)", "extra_text"),
    ("Blue Lagoon Cafe Airport", "Blue Lagoon", "truncated"),
    ("The Blue Lagoon Cafe", "Lagoon Cafe", "missing_text"),
    ("Lagoon Cafe", "Lagon Cafe", "typo"),
    ("LOT 5, JALAN KENARI 17, PUCHONG JAYA, SELANGOR", "LOT 5, JALAN KENRI 17, PUCHNG JAVA, SELANGOR", "misread"),
    ("B0451", "80451", "ocr"),
    ("$400.00", "S400.00", "ocr"),
    ("S-5601", "5601", "missing_text"),
    ("M00098", "—M00098", "punctuation"),
    ("No", "None observed", ""),
    ("Dec 20, 1991", "Dec 20, 1091", "date_part"),
    ("419,136.58", "419,136.88", "digit_changed"),
    ("102,495.00", "102,495.09", ""),
    (-0.4835, 0.0, ""),
    ("-0.48350000381469727", "-0.4835000038146972", "rounding"),
    ("Acme Trading", None, ""),
    ("12.00", "k.A.", "null_text"),
    ("Acme Trading", "Zenith Holdings", ""),
    ("2024-03-05", "2024-03-06", ""),
    (120.0, 460.5, ""),
    ("INV-2024-0117", "INV-2024-0118", ""),
    ("5 Lake Road, Dover", "18 Mill Lane, Salem", ""),
]


@pytest.mark.parametrize(("expected", "actual", "cause"), MISMATCHES)
def test_a_mismatch_has_its_cause(expected: Json, actual: Json, cause: str) -> None:
    contexts = MismatchContexts([0], ["value"], ["value"], [{"value": expected}], [{"value": actual}])
    assert likely_causes([expected], [actual], contexts) == [cause]
