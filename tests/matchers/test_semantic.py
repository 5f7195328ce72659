"""Semantic similarity: examples, faults, and pairs that are decided without the model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldwise as fw
from fieldwise.matchers.semantic import PUBLISHED, Semantic, semantic
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.services import Services, Vectors
from fieldwise.score.services import local_services

NO_MODEL = Diagnostic(code="unavailable", what="there is no model", fix="pip install 'fieldwise[semantic]'")


SERVICES = local_services()
WITHOUT_MODEL = replace(SERVICES, load_embedder=lambda: NO_MODEL)


def score(*pairs: tuple[Any, Any], services: Services = SERVICES, **options: Any) -> Scores:
    return semantic(Pairs([expected for expected, _ in pairs], [actual for _, actual in pairs], services), Semantic(**options))


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Attorney", "Lawyer"),
        ("The term of this agreement is 24 months", "This agreement runs for two years"),
        ("Experienced senior engineer with more than 10 years in backend systems", "Senior backend engineer, over ten years of experience"),
        ("Payable on receipt", "Due upon receipt"),
        ("Admitted for high blood pressure", "Admitted for hypertension"),
        ("The contract ends in June", "The agreement terminates in June"),
        ("Liability is capped at $1 million", "The maximum liability is USD 1,000,000"),
        ("Hauptstraße 5, 10115 Berlin", "Hauptstr. 5, 10115 Berlin, Deutschland"),
    ],
)
def test_another_way_to_say_it_passes(expected: str, actual: str) -> None:
    assert score((expected, actual)).passed.all()


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        ("Q3 revenue rose 5 %", "Q3 revenue fell 15 %", "numbers differ: 5 % / 15 %; opposites: rose / fell"),
        ("CEO", "CFO", "not the same: ceo / cfo"),
        ("The warranty covers water damage", "The warranty does not cover water damage", "only actual is negated"),
        ("Payment due within 30 days", "Payment due within 30 weeks", "numbers differ: 30 days / 30 weeks"),
        (
            "The lender shall notify the borrower",
            "The borrower shall notify the lender",
            "order differs: lender … borrower / borrower … lender",
        ),
        ("Fish food with chicken", "Bird food with chicken", "one word differs: fish / bird"),
        ("Delayed by bad weather", "Delayed by a strike", "one phrase differs: bad weather / strike"),
        ("Smith Construction", "Smith Consulting", "one word differs: construction / consulting"),
    ],
)
def test_what_the_model_overlooks_fails_and_the_note_says_why(expected: str, actual: str, note: str) -> None:
    scores = score((expected, actual))
    assert not scores.passed.any()
    assert dict(scores.notes) == {0: note}


def test_texts_about_something_else_score_low_without_a_note() -> None:
    scores = score(("Senior Software Engineer", "Pastry chef with 5 awards"))
    assert scores.value[0] < 0.5
    assert dict(scores.notes) == {}


def test_without_a_model_rows_that_need_it_are_faults_and_the_others_are_score() -> None:
    scores = score(("a", "b"), ("Same ", "sAME"), ("1", 1), ("e\u0301", "\u00c9"), ("", "b"), services=WITHOUT_MODEL)
    assert np.isnan(scores.value[0])
    assert scores.value[1:].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert dict(scores.faults) == {0: NO_MODEL}
    assert scores.passed.tolist() == [False, True, False, True, False]


def test_without_a_model_a_binary_score_is_not_measured_either() -> None:
    assert np.isnan(score(("a", "b"), services=WITHOUT_MODEL, score="binary").value[0])


def test_other_values_compare_by_their_json_text_and_kinds_never_mix() -> None:
    scores = score((100, 100.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (True, 1), (["a"], "a"), (True, True))
    assert scores.value.tolist() == [1.0, 1.0, 0.0, 0.0, 1.0]


def test_numbers_that_differ_do_not_pass() -> None:
    assert not score((100, 105)).passed.any()


def test_binary_is_1_at_the_threshold_and_0_below() -> None:
    pairs = (("Attorney", "Lawyer"), ("Attorney", "Bus driver"))
    graded, binary = score(*pairs), score(*pairs, score="binary")
    assert binary.value.tolist() == [1.0, 0.0]
    assert graded.passed.tolist() == binary.passed.tolist() == [True, False]


def test_the_threshold_is_inclusive() -> None:
    value = float(score(("Attorney", "Lawyer")).value[0])
    assert score(("Attorney", "Lawyer"), threshold=value).passed.all()


def test_a_calibration_of_ones_own_moves_the_score_but_not_the_order() -> None:
    pairs = (("Attorney", "Lawyer"), ("Attorney", "Judge"))
    usual, strict = score(*pairs).value, score(*pairs, calibration=((0.0, 0.0), (0.9, 0.8), (1.0, 1.0))).value
    assert (strict < usual).all()
    assert strict[0] > strict[1]


def test_a_calibration_that_does_not_rise_is_refused() -> None:
    with pytest.raises(ValueError, match="must rise from"):
        Semantic(calibration=((0.0, 0.0), (0.5, 1.0), (1.0, 0.5)))


def test_the_published_map_puts_its_cut_at_the_usual_threshold() -> None:
    assert dict(PUBLISHED)[0.426] == Semantic().threshold == 0.80


def test_signs_the_model_does_not_know_are_compared_as_they_are() -> None:
    scores = score(("已付款", "未付款"), ("发票", "运费"), ("发票日期", "发票日"))
    assert scores.passed.tolist() == [False, False, True]
    assert scores.notes[1].startswith("compared by sign, as the model does not know them:")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("Привет", "Пока"),
        ("안녕", "잘가"),
        ("합격", "불합격"),
        ("مرحبا", "وداعا"),
        ("שלום", "להתראות"),
        ("Αθήνα", "Πάτρα"),
        ("ありがとう", "さようなら"),
        ("สวัสดี", "ลาก่อน"),
        ("!!!", "???"),
        ("yes", "!!!"),
        ("\ud800", "goodbye"),
    ],
)
def test_texts_the_model_cannot_tell_apart_are_compared_letter_by_letter(expected: str, actual: str) -> None:
    scores = score((expected, actual), (actual, expected))
    assert not scores.passed.any()
    assert scores.notes[0].endswith("compared letter by letter, as the model cannot tell such texts apart")


def test_a_slip_of_one_letter_passes_in_any_script_and_another_number_in_none() -> None:
    scores = score(
        ("Общество с ограниченной ответственностью", "Общество с ограниченной ответственностю"), ("договор на 5 лет", "договор на 6 лет")
    )
    assert scores.passed.tolist() == [True, False]
    assert scores.value[0] == pytest.approx(1 - 1 / 40)
    assert "numbers differ: 5 / 6" in scores.notes[1]


def test_latin_letters_with_marks_and_chinese_characters_are_left_to_the_model() -> None:
    scores = score(("große Straße", "breite Straße"), ("Zażółć gęślą", "Zażółć jaźń"), ("黑色无线耳机", "无线耳机(黑色)"))
    assert not any("letter by letter" in note for note in scores.notes.values())


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("王伟", "王芳"),
        ("山田太郎", "山田次郎"),
        ("田中", "中田"),
        ("北京市", "南京市"),
        ("أحمد علي", "محمد علي"),
        ("Анна Иванова", "Анна Петрова"),
    ],
)
def test_a_name_with_another_part_is_another_name_in_any_script(expected: str, actual: str) -> None:
    assert not score((expected, actual), (actual, expected)).passed.any()


def test_two_words_of_a_name_may_change_places_in_any_script() -> None:
    assert score(("Иван Иванов", "Иванов Иван"), ("Γιώργος Παπάς", "Παπάς Γιώργος")).passed.all()


@pytest.mark.parametrize(("expected", "actual"), [("männlich", "weiblich"), ("masculin", "féminin"), ("masculino", "femenino")])
def test_words_for_the_sexes_are_opposites(expected: str, actual: str) -> None:
    assert not score((expected, actual)).passed.any()


def test_a_broken_character_does_not_make_opposites_alike() -> None:
    assert not score(("hello\ud800", "goodbye")).passed.any()


def test_each_distinct_text_is_embedded_in_one_call_per_side() -> None:
    embedded: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Vectors:
        embedded.append(list(texts))
        return Vectors(np.ones((len(texts), 1), dtype=np.float32), {})

    score(*[("Attorney", "Lawyer")] * 1000, ("Attorney", "Attorney"), services=replace(SERVICES, load_embedder=lambda: embed))
    assert embedded == [["Attorney"], ["Lawyer"]]


def test_large_batches_are_embedded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    embed = SERVICES.load_embedder()
    assert not isinstance(embed, Diagnostic)

    def count_and_embed(texts: Sequence[str]) -> Vectors:
        sizes.append(len(texts))
        return embed(texts)

    monkeypatch.setattr("fieldwise.matchers.semantic._CHUNK_SIZE", 2)
    pairs = [("Attorney", "Lawyer"), ("Nurse", "Doctor"), ("Paid", "Unpaid")]
    in_parts = score(*pairs, services=replace(SERVICES, load_embedder=lambda: count_and_embed))
    assert max(sizes) == 2
    monkeypatch.undo()
    assert in_parts.value.tolist() == score(*pairs).value.tolist()


ONE_ADDRESS = [
    ("C/ Mayor 5", "Calle Mayor 5"),
    ("C. Mayor, 5", "Calle Mayor 5"),
    ("Hauptstr. 12", "Hauptstraße 12"),
    ("Haupt-Str. 12", "Hauptstraße 12"),
    ("Av. Paulista 1000", "Avenida Paulista 1000"),
    ("Avda. de la Constitución 3", "Avenida de la Constitución 3"),
    ("12 bd Haussmann", "12 boulevard Haussmann"),
    ("12 Bd. Haussmann", "12 Boulevard Haussmann"),
    ("ul. Marszałkowska 10", "ulica Marszałkowska 10"),
    ("V. Roma 5", "Via Roma 5"),
    ("P.O. Box 12", "Postfach 12"),
    ("PO Box 12", "P.O. Box 12"),
    ("Pl. Mayor 1", "Plaza Mayor 1"),
    ("P.zza Duomo 3", "Piazza Duomo 3"),
    ("C.so Garibaldi 7", "Corso Garibaldi 7"),
    ("R. Augusta 20", "Rua Augusta 20"),
    ("Rod. BR-101 km 5", "Rodovia BR-101 km 5"),
    ("Pça. da Sé 1", "Praça da Sé 1"),
    ("Fbg Saint-Honoré 8", "Faubourg Saint-Honoré 8"),
    ("ул. Ленина 5", "улица Ленина 5"),
    ("пр. Мира 10", "проспект Мира 10"),
    ("Atatürk Cad. 5", "Atatürk Caddesi 5"),
    ("Gül Sok. 3", "Gül Sokak 3"),
    ("Kerkstr. 5", "Kerkstraat 5"),
    ("Storg. 4", "Storgatan 4"),
    ("Jl. Sudirman 1", "Jalan Sudirman 1"),
    ("Ctra. de Madrid km 3", "Carretera de Madrid km 3"),
    ("Schillerpl. 2", "Schillerplatz 2"),
]
TWO_ADDRESSES = [
    ("Calle Mayor 5", "Avenida Mayor 5"),
    ("12 Main Street", "12 Main Avenue"),
    ("Hauptstraße 12", "Hauptplatz 12"),
    ("Via Roma 5", "Piazza Roma 5"),
    ("ulica Marszałkowska 10", "aleja Marszałkowska 10"),
    ("12 rue Haussmann", "12 boulevard Haussmann"),
    ("Calle Mayor 5", "Calle Mayor 6"),
    ("Calle Mayor 5", "Calle Menor 5"),
    ("Rua Augusta 20", "Avenida Augusta 20"),
    ("улица Ленина 5", "проспект Ленина 5"),
    ("P.O. Box 12", "Postfach 13"),
    ("Atatürk Caddesi 5", "Atatürk Sokak 5"),
    ("Corso Garibaldi 7", "Via Garibaldi 7"),
    ("Jalan Sudirman 1", "Gang Sudirman 1"),
    ("Kerkstraat 5", "Kerkplein 5"),
    ("Plaza Mayor 1", "Calle Mayor 1"),
]


def test_abbreviations_of_streets_in_many_languages_are_one_address() -> None:
    expected, actual = zip(*ONE_ADDRESS, strict=True)
    passed = fw.match("semantic", expected=list(expected), actual=list(actual)).passed
    assert [pair for pair, is_same in zip(ONE_ADDRESS, passed, strict=True) if not is_same] == []


def test_another_kind_of_street_is_another_address() -> None:
    expected, actual = zip(*TWO_ADDRESSES, strict=True)
    passed = fw.match("semantic", expected=list(expected), actual=list(actual)).passed
    assert [pair for pair, is_same in zip(TWO_ADDRESSES, passed, strict=True) if is_same] == []


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("pear", "banana"),
        ("Glasgow", "Perth"),
        ("Oxford", "Cambridge"),
        ("University of Oxford", "University of Cambridge"),
        ("Toyota Corolla", "Honda Civic"),
        ("Emily Davis", "Linda Taylor"),
    ],
)
def test_two_things_of_one_kind_are_not_the_same(expected: str, actual: str) -> None:
    assert not fw.match("semantic", expected=[expected], actual=[actual]).passed[0]


@pytest.mark.parametrize(("expected", "actual"), [("Ben", "Sal"), ("Dana", "Denis"), ("SAP", "Acer"), ("Ken", "Kenya"), ("Guy", "Guyana")])
def test_names_that_are_days_languages_or_countries_elsewhere_are_names(expected: str, actual: str) -> None:
    assert not fw.match("semantic", expected=[expected], actual=[actual]).passed[0]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("Lawyer", "Attorney"), ("car", "automobile"), ("invoice", "bill"), ("Johnson", "Jonhson"), ("Jon Smyth", "John Smith")],
)
def test_synonyms_and_slips_of_single_words_pass(expected: str, actual: str) -> None:
    assert fw.match("semantic", expected=[expected], actual=[actual]).passed[0]
