"""Legal forms of companies."""

import pytest

from fieldwise.kernels.meaning.legal_forms import same_legal_form, split_legal_form


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Acme GmbH", "ACME G.m.b.H."),
        ("Acme GmbH", "Acme Gesellschaft mit beschränkter Haftung"),
        ("Acme Ltd", "Acme Limited"),
        ("Acme Co., Ltd.", "Acme Company Limited"),
        ("Acme Sp. z o.o.", "Acme spółka z ograniczoną odpowiedzialnością"),
        ("Acme S.à r.l.", "Acme SARL"),
        ("Acme AB", "Acme Aktiebolag"),
        ("Acme a.s.", "Acme akciová společnost"),
        ("ООО «Ромашка»", "Общество с ограниченной ответственностью Ромашка"),
        ("㈱アクメ", "株式会社アクメ"),
        ("주식회사 아크미", "(주)아크미"),
        ("Acme GmbH & Co. KG", "ACME GmbH & Co KG"),
    ],
)
def test_spellings_of_one_form_agree(expected: str, actual: str) -> None:
    assert same_legal_form(expected, actual)
    assert same_legal_form(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Acme GmbH", "Acme AG"),
        ("Acme GmbH", "Acme GmbH & Co. KG"),
        ("Acme A/S", "Acme ApS"),
        ("Acme Oy", "Acme Oyj"),
        ("Acme d.o.o.", "Acme d.d."),
        ("Acme Sdn Bhd", "Acme Bhd"),
        ("ООО «Ромашка»", "АО «Ромашка»"),
        ("株式会社アクメ", "有限会社アクメ"),
    ],
)
def test_other_forms_of_one_name_differ(expected: str, actual: str) -> None:
    assert same_legal_form(expected, actual) is False


@pytest.mark.parametrize(("expected", "actual"), [("Acme GmbH", "Apex GmbH"), ("Acme", "Acme GmbH"), ("GmbH", "AG"), ("", "")])
def test_other_names_and_names_without_a_form_are_not_judged(expected: str, actual: str) -> None:
    assert same_legal_form(expected, actual) is None


def test_the_form_may_stand_in_front() -> None:
    company = split_legal_form("PT Acme Indonesia")
    assert company is not None
    assert company.name == "acmeindonesia"
