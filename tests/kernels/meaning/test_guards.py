"""What an embedding overlooks, and what is no difference at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.meaning.guards import SIMILARITY_FACTORS, find_differences, find_swapped_phrase, find_swapped_word, read_text


def describe_differences(expected: str, actual: str) -> list[str]:
    return [str(difference) for difference in find_differences(read_text(expected), read_text(actual))]


@pytest.mark.parametrize(
    ("expected", "actual", "reasons"),
    [
        ("Q3 revenue rose 5 %", "Q3 revenue fell 15 %", ["numbers differ: 5 % / 15 %", "opposites: rose / fell"]),
        ("Net 30", "Net 60", ["numbers differ: 30 / 60"]),
        ("CEO", "CFO", ["not the same: ceo / cfo"]),
        ("Chief Technology Officer", "CFO", ["not the same: chief technology officer / cfo"]),
        ("Q3 results", "Q4 results", ["codes differ: q3 / q4"]),
        ("Section A", "Section B", ["letters differ: A / B"]),
        ("Section 3(a)", "Section 3(b)", ["letters differ: a / b"]),
        ("as in lit. a", "as in lit. c", ["letters differ: a / c"]),
        ("clause (A) applies", "clause (a) applies", []),
        ("the invoice(s) are due in (a)", "the invoices are due in (a)", []),
        ("The act is legal", "The act is illegal", ["opposites: legal / illegal"]),
        ("Type I diabetes", "Type II diabetes", ["letters differ: I / II"]),
        ("The licence is transferable", "The licence is not transferable", ["only actual is negated"]),
        ("Notice may not be given by email", "Notice may be given by email", ["only expected is negated"]),
        ("You can't cancel", "You can cancel", ["only expected is negated"]),
        ("Payment received", "Payment not received", ["only actual is negated"]),
        ("Haustiere sind erlaubt", "Haustiere sind nicht erlaubt", ["only actual is negated"]),
        ("已付款", "未付款", ["only actual is negated"]),
        ("Paid", "Unpaid", ["opposites: paid / unpaid"]),
        ("Completed", "Incomplete", ["opposites: completed / incomplete"]),
        ("Hypertension", "Hypotension", ["opposites: hypertension / hypotension"]),
        ("Price includes VAT", "Price excludes VAT", ["opposites: includes / excludes"]),
        ("The seller bears the risk", "The buyer bears the risk", ["opposites: seller / buyer"]),
        ("the seller's bank", "the buyers’ bank", ["opposites: seller / buyer"]),
        ("Der Auftraggeber haftet", "Der Auftragnehmer haftet", ["opposites: auftraggeber / auftragnehmer"]),
        ("Delivery to Acme", "Delivery from Acme", ["directions differ: to / from"]),
        ("Le vendeur paie", "L'acheteur paie", ["opposites: vendeur / acheteur"]),
        ("收入增长", "收入下降", ["opposites: 增 / 降"]),
        ("Payable in USD", "Payable in EUR", ["not the same: usd / eur"]),
        ("Former CEO", "CEO", ["only expected says former"]),
        ("He studied biology at Tulane", "He studied biology at Princeton", ["names differ: Tulane / Princeton"]),
        (
            "The lender shall notify the borrower",
            "The borrower shall notify the lender",
            ["order differs: lender … borrower / borrower … lender"],
        ),
        ("It rose from 5 to 10 dollars", "It rose from 10 to 5 dollars", ["order differs: 5 … 10 / 10 … 5"]),
        ("The company acquired its rival", "The company was acquired by its rival", ["active / passive with the same order"]),
        ("Deliver it within 5 days", "Deliver it soon", ["only expected has a number: 5 days"]),
        ("A+", "A-", ["codes differ: a+ / a-"]),
        ("The rate was < 5 %", "The rate was > 5 %", ["opposites: at most / at least", "opposites: below / above"]),
        ("Fewer than 5 days", "More than 5 days", ["opposites: fewer than / more than"]),
        ("S", "M", ["codes differ: s / m"]),
        ("EN", "DE", ["codes differ: en / de"]),
        ("NY", "CA", ["not the same: ny / ca"]),
        ("Deposit of ₹500", "Deposit of ₩500", ["numbers differ: 500 INR / 500 KPW or KRW"]),
        ("balance (500)", "balance of 500", ["numbers differ: -500 / 500"]),
        ("up to 5 years", "over 5 years", ["limits differ: at most 5 years / at least 5 years"]),
        ("Revenue in million", "Revenue in billion", ["magnitudes differ: 1,000,000 / 1,000,000,000"]),
        ("He fails to deliver", "He delivers", ["only expected is negated"]),
        ("✗ approved", "approved", ["only expected is negated"]),
    ],
)
def test_a_difference_is_found_and_told_in_words(expected: str, actual: str, reasons: list[str]) -> None:
    assert describe_differences(expected, actual) == reasons


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("The term of this agreement is 24 months", "This agreement runs for two years"),
        ("Not approved", "Rejected"),
        ("John F. Kennedy", "John Kennedy"),
        ("Grade A beef", "Beef of grade A"),
        ("What I think of it", "My opinion of it"),
        ("Unpaid", "Not yet paid"),
        ("The fee is non-refundable", "Fees will not be refunded"),
        ("Patient does not smoke", "Non-smoker"),
        ("Patient denies chest pain", "The patient reports no chest pain"),
        ("The insurer excludes flood damage", "Flood damage is not covered by the insurer"),
        ("Pay no later than Friday", "Pay by Friday"),
        ("Chief Executive Officer", "CEO"),
        ("VP of Sales", "Vice President, Sales"),
        ("350 Fifth Avenue, New York", "350 5th Ave, New York"),
        ("Speaks English, German and Japanese", "Fluent in Japanese, English and German"),
        ("Paris, Rome and Oslo", "Oslo, Rome and Paris"),
        ("Wireless headphones, black", "Black wireless headphones"),
        ("The lessor shall indemnify the lessee", "The lessee shall be indemnified by the lessor"),
        ("International Business Machines reported a profit", "IBM reported a profit"),
        ("No, the policy does not cover theft", "The policy does not cover theft"),
        ("USD 1,200,000 payable at closing", "1.2 million US dollars due on closing"),
        ("Die Ware kam beschädigt an", "Der Artikel kam beschädigt an"),
        ("A", "a."),
        ("A", "Grade A"),
        ("医生", "大夫"),
        ("5", "5.0"),
        ("Invoice No. 5", "Invoice Nr. 5"),
        ("the price plus VAT", "the price excluding VAT"),
    ],
)
def test_another_way_to_say_it_is_no_difference(expected: str, actual: str) -> None:
    assert describe_differences(expected, actual) == []
    assert describe_differences(actual, expected) == []


def test_one_exchanged_word_is_found() -> None:
    assert find_swapped_word(read_text("Dog food with chicken"), read_text("Cat food with chicken")) == ("dog", "cat")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Attorney", "Lawyer"),
        ("The invoice", "An invoice"),
        ("Cancelled order", "Cancel order"),
        ("Dog food with chicken", "Chicken food with beef"),
        ("Annual installation", "Annual installations"),
        ("Room 12", "Room 13"),
    ],
)
def test_no_exchanged_word_without_common_ground_or_for_a_form_of_the_same_word(expected: str, actual: str) -> None:
    assert find_swapped_word(read_text(expected), read_text(actual)) is None


@pytest.mark.parametrize(
    ("expected", "actual", "phrases"),
    [
        ("Stored in the cold room", "Stored in the yard", ("cold room", "yard")),
        ("Payable on receipt", "Payable at month end", ("receipt", "month end")),
        ("Paid by the tenant of the house", "Paid by the property manager of the house", ("tenant", "property manager")),
        ("The deposit is refunded at the tenant's request", "The deposit is refunded at the end", ("tenant's request", "end")),
        ("value added tax", "income tax", ("value added", "income")),
        ("owner's manual", "service manual", ("owner's", "service")),
    ],
)
def test_an_exchanged_phrase_is_found(expected: str, actual: str, phrases: tuple[str, str]) -> None:
    assert find_swapped_phrase(read_text(expected), read_text(actual)) == phrases
    assert find_swapped_phrase(read_text(actual), read_text(expected)) == phrases[::-1]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Stored in the cold room", "Stored in the cold room"),
        ("The machine is out of order", "The machine is not working"),
        ("The meeting was cancelled", "The meeting was called off"),
        ("Delivery within 14 days", "Delivery within two weeks"),
        ("including VAT", "including value added tax"),
        ("Reports to the CEO", "Reports to the chief executive officer"),
        ("Signed by A. Schmidt", "Signed by Anna Schmidt"),
        ("Written in a notice", "Written in the notices of June"),
        ("Kept in a safe", "Kept in a locked room of the bank next door"),
        ("The tenant", "The property manager"),
    ],
)
def test_no_exchanged_phrase_in_predicates_numbers_and_short_forms(expected: str, actual: str) -> None:
    assert find_swapped_phrase(read_text(expected), read_text(actual)) is None
    assert find_swapped_phrase(read_text(actual), read_text(expected)) is None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("Gastritis", "Colitis"), ("Takes atorvastatin daily", "Daily simvastatin"), ("seen by a dermatologist", "seen by a urologist")],
)
def test_two_words_of_one_medical_class_are_not_the_same(expected: str, actual: str) -> None:
    assert [difference.kind for difference in find_differences(read_text(expected), read_text(actual))] == ["alternative"]


@pytest.mark.parametrize(
    ("expected", "actual"), [("gynecologist", "gynaecologist"), ("Esophagitis", "Oesophagitis"), ("Gastritis", "Ulcer")]
)
def test_a_medical_word_has_spellings_and_descriptions(expected: str, actual: str) -> None:
    assert find_differences(read_text(expected), read_text(actual)) == ()


def test_every_difference_lowers_the_similarity() -> None:
    assert all(0.0 < factor < 1.0 for factor in SIMILARITY_FACTORS.values())


words = st.sampled_from(
    str.split("not paid unpaid rose fell 5 15 % two years 24 months CEO CFO Anna the by was buyer seller Q3 no , 不 增")
)


@given(st.lists(words, max_size=7).map(" ".join), st.lists(words, max_size=7).map(" ".join))
@settings(deadline=None, max_examples=100)
def test_a_text_differs_not_from_itself_and_kinds_are_the_same_both_ways(expected: str, actual: str) -> None:
    assert describe_differences(expected, expected) == []
    forward, backward = find_differences(read_text(expected), read_text(actual)), find_differences(read_text(actual), read_text(expected))
    assert [difference.kind for difference in forward] == [difference.kind for difference in backward]


@given(st.text(max_size=30), st.text(max_size=30))
@settings(deadline=None, max_examples=80)
def test_no_text_crashes_the_guards(expected: str, actual: str) -> None:
    assert all(difference.factor < 1 for difference in find_differences(read_text(expected), read_text(actual)))


def test_numbers_that_change_places_are_a_difference_though_more_than_two_do() -> None:
    assert describe_differences("moved from 5 via 6 to 7", "moved from 7 via 5 to 6") == ["order differs: 5 … 6 … 7 / 7 … 5 … 6"]


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        ("class b shares", "class c shares", "letters differ: b / c"),
        ("class a shares", "class b shares", "letters differ: a / b"),
        ("hepatitis b", "hepatitis c", "letters differ: b / c"),
        ("plan a", "plan b", "letters differ: a / b"),
        ("plan a", "Plan B", "letters differ: a / B"),
        ("a patient on plan a", "a patient on plan b", "letters differ: a / b"),
        ("classes a and b", "classes a and c", "letters differ: b / c"),
        ("shares of class b", "class c shares", "letters differ: b / c"),
    ],
)
def test_small_letters_after_the_same_word_are_compared(expected: str, actual: str, reason: str) -> None:
    assert [str(difference) for difference in find_differences(read_text(expected), read_text(actual))] == [reason]
    assert [difference.kind for difference in find_differences(read_text(actual), read_text(expected))] == ["code"]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("a plan", "the plan"),
        ("plan a trip", "plan the trip"),
        ("plan a trip", "plan b"),
        ("plan a", "Plan A"),
        ("plan b", "the plan"),
        ("option a or b", "option b or a"),
        ("class a and class b", "class b and class a"),
        ("he and i went", "he and a friend went"),
        ("padres e hijos", "padres y hijos"),
        ("siete u ocho", "siete o ocho"),
        ("write a program", "write c programs"),
    ],
)
def test_a_small_letter_that_is_a_word_or_on_one_side_alone_is_no_difference(expected: str, actual: str) -> None:
    assert not [difference for difference in find_differences(read_text(expected), read_text(actual)) if difference.kind == "code"]


def test_letters_behind_other_letters_name_different_things() -> None:
    assert [str(difference) for difference in find_differences(read_text("plan x y"), read_text("plan x z"))] == ["letters differ: y / z"]
    assert find_differences(read_text("plan x y"), read_text("plan y x")) == ()


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("Prague", "Brno"), ("Cork", "Dublin"), ("paris", "nantes"), ("Nike", "Umbro"), ("Tel Aviv", "Ramat Gan"), ("Mozart", "Joseph Haydn")],
)
def test_a_known_name_is_not_another_name(expected: str, actual: str) -> None:
    differences = find_differences(read_text(expected), read_text(actual))
    assert [difference.kind for difference in differences] == ["name"]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Boston", "Greater Boston"),
        ("Los Angeles", "LA"),
        ("L.A.", "Los Angeles"),
        ("BMW", "Bayerische Motoren Werke"),
        ("Berlin", "Berln"),
        ("Chevrolet", "Chevy"),
        ("Paris", "the capital of France"),
    ],
)
def test_a_known_name_may_be_shortened_misspelt_or_described(expected: str, actual: str) -> None:
    assert find_differences(read_text(expected), read_text(actual)) == ()


def test_a_long_roman_numeral_is_not_another_one() -> None:
    differences = find_differences(read_text("Pope John Paul II"), read_text("Pope John XXIII"))
    assert [str(difference) for difference in differences] == ["letters differ: II / XXIII"]


@pytest.mark.parametrize(
    ("expected", "actual"), [("Maria Garcia", "Mario Garcia"), ("Daniel Lee", "Danielle Lee"), ("Maria Smith", "Mary Smith")]
)
def test_given_names_that_differ_in_a_few_letters_are_other_names(expected: str, actual: str) -> None:
    differences = find_differences(read_text(expected), read_text(actual))
    assert [difference.kind for difference in differences] == ["alternative"]


def test_two_spellings_of_a_given_name_are_no_swapped_words() -> None:
    assert find_swapped_word(read_text("Jon Smith"), read_text("John Smith")) is None
