"""Legal forms of companies, in the spellings of many countries: `GmbH` is `Gesellschaft mit beschränkter Haftung`, `A/S` is not `ApS`.

>>> split_legal_form("Acme Sp. z o.o.").name, split_legal_form("ООО «Ромашка»").name, split_legal_form("Acme") is None
('acme', 'ромашка', True)
>>> same_legal_form("Acme Ltd", "ACME Limited"), same_legal_form("Acme AB", "Acme AS"), same_legal_form("Acme AB", "Apex AB")
(True, False, None)
>>> same_legal_form("PT Acme", "PT Acme Tbk"), same_legal_form("Acme Ltd", "Acme Holdings Ltd")
(False, False)
"""

import unicodedata
from functools import cache
from typing import Final, NamedTuple

from fieldwise.pattern import compile_on_use

_FORMS: Final = """
ltd, limited | inc, incorporated | corp, corporation | co, company | llc, limited liability company | llp, limited liability partnership |
lp, limited partnership | plc, public limited company | pty ltd, proprietary limited, pty limited, pty | pte ltd, pte limited |
pvt ltd, private limited, pvt limited, (p) ltd | co ltd, company limited, co limited | cic, community interest company | pllc | pc |
gmbh, gesellschaft mit beschränkter haftung, ges mbh, gesellschaft mbh | ag, aktiengesellschaft |
ug, unternehmergesellschaft, ug (haftungsbeschränkt), unternehmergesellschaft (haftungsbeschränkt) | kg, kommanditgesellschaft |
ohg, offene handelsgesellschaft | gbr, gesellschaft bürgerlichen rechts | ev, eingetragener verein | eg, eingetragene genossenschaft |
ek, e kfm, eingetragener kaufmann | gmbh & co kg, gmbh & cokg, gmbh und co kg | co kg, & co kg | kgaa | ggmbh | se, societas europaea |
ab & co kg | sa, société anonyme, sociedad anónima, sociedade anônima, sociedade anónima, s/a, spółka akcyjna |
sarl, sàrl, société à responsabilité limitée | sas, société par actions simplifiée | sasu | eurl | snc, société en nom collectif |
sci, société civile immobilière | scop |
srl, società a responsabilità limitata, sociedad de responsabilidad limitada, societate cu răspundere limitată |
spa, società per azioni, sociedad por acciones | sapa | srls | ss, società semplice | sl, sociedad limitada | slu | sau |
sa de cv, sociedad anónima de capital variable | s de rl de cv | sapi de cv | sac | saic | ltda, limitada | lda | eireli | me | epp |
eirl | bv, besloten vennootschap | nv, naamloze vennootschap | vof, vennootschap onder firma | bvba | cvba | srl/bv | oy, osakeyhtiö |
oyj, julkinen osakeyhtiö | ky, kommandiittiyhtiö | ab, aktiebolag | hb, handelsbolag | ek för | a/s, aktieselskab |
as, aksjeselskap, akciová společnost, akciová spoločnosť, aktsiaselts, akciju sabiedrība, aş, anonim şirketi, anonim şirket |
asa, allmennaksjeselskap | aps, anpartsselskab | i/s, interessentskab | ivs | ans | ehf | hf | kft, korlátolt felelősségű társaság |
zrt, zártkörűen működő részvénytársaság | nyrt, nyilvánosan működő részvénytársaság | rt | bt, betéti társaság |
sp z oo, spółka z ograniczoną odpowiedzialnością | sp k, spółka komandytowa | sp j, spółka jawna | psa |
sro, společnost s ručením omezeným, spoločnosť s ručením obmedzeným | doo, društvo s ograničenom odgovornošću | dd, dioničko društvo |
ad, akcionarsko društvo | jdoo | dno | uab, uždaroji akcinė bendrovė | sia, sabiedrība ar ierobežotu atbildību | oü, osaühing |
ооо, общество с ограниченной ответственностью | ао, акционерное общество | пао, публичное акционерное общество |
зао, закрытое акционерное общество | оао, открытое акционерное общество | ип, индивидуальный предприниматель |
тов, товариство з обмеженою відповідальністю | пп, приватне підприємство | прат | пат | фоп | тоо | чп | оод | еоод | ад | еад |
ltd şti, limited şirketi, limited şirket | επε | αε, ανώνυμη εταιρεία | ικε | οε | εε | בע"מ | 株式会社, (株), kk, kabushiki kaisha |
有限会社, (有), yk | 合同会社, (同) | 合資会社 | 合名会社 | 有限公司, 有限责任公司, 有限責任公司 | 股份有限公司 | 주식회사, (주)
| 유한회사, (유)
| sdn bhd, sendirian berhad |
bhd, berhad | pt, perseroan terbatas | tbk | pt tbk | sae | wll | fze | fzco | psc
"""
"""Forms by `|`, with the spellings of each by commas; points and spaces do not count."""
_CJK: Final = compile_on_use(
    r"株式会社|\(株\)|有限会社|\(有\)|合同会社|\(同\)|合資会社|合名会社|股份有限公司|有限(?:责任|責任)?公司|주식회사|\(주\)|유한회사|\(유\)"
)
_QUOTES: Final = str.maketrans(dict.fromkeys("«»“”„\"'’‘「」『』", " "))
_GROUP_WORDS: Final = frozenset(
    """holding holdings group groupe gruppe gruppo grupo international intl global trading industries industry services solutions systems
    technologies partners ventures investments capital properties logistics management consulting finance insurance""".split()  # noqa: SIM905
)
_MAX_FORMS: Final = 2
_MAX_WORDS: Final = 6
"""Words of the longest form."""


class CompanyName(NamedTuple):
    """A company by its name, in letters and digits of one case, and the numbers of its legal forms: `PT Acme Tbk` has two."""

    name: str
    forms: frozenset[int]


@cache  # derived from a constant
def _forms() -> dict[str, int]:
    forms: dict[str, int] = {}
    for number, spellings in enumerate(_FORMS.replace("\n", " ").split("|")):
        for spelling in spellings.split(","):
            forms.setdefault(_squeeze(spelling), number)
    return forms


def _squeeze(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace(".", "").replace(" ", "")


def split_legal_form(text: str) -> CompanyName | None:
    """The name and the legal forms of a company, with the forms in front or behind; None if the text has no form or nothing else."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        form = _CJK.search(folded)
        if form is not None and (form.start() == 0 or form.end() == len(folded)):
            return _company(folded[: form.start()] + folded[form.end() :], {_forms()[_squeeze(form[0])]})
    words = folded.translate(_QUOTES).replace(",", " ").split()
    forms: set[int] = set()
    for _ in range(_MAX_FORMS):
        split = _split_form(words)
        if split is None:
            break
        words = split[0]
        forms.add(split[1])
    return _company(" ".join(words), forms) if forms else None


def _split_form(words: list[str]) -> tuple[list[str], int] | None:
    """The words without a legal form at their end or beginning, and its number; None if they have none."""
    for count in range(min(len(words) - 1, _MAX_WORDS), 0, -1):
        for form_words, name_words in ((words[-count:], words[:-count]), (words[:count], words[count:])):
            number = _forms().get(_squeeze("".join(form_words)))
            if number is not None:
                return name_words, number
    return None


def _company(name: str, forms: set[int]) -> CompanyName | None:
    key = "".join(character for character in name if character.isalnum())
    return CompanyName(key, frozenset(forms)) if key else None


def same_legal_form(expected: str, actual: str) -> bool | None:
    """Whether two companies of the same name have the same legal forms; None if their names differ or one has no form.

    False also for names that differ in a word such as `Holdings`, which names another company of a group.
    """
    left, right = split_legal_form(expected), split_legal_form(actual)
    if left is None or right is None:
        return None
    if left.name == right.name:
        return left.forms == right.forms
    shorter, longer = sorted((left.name, right.name), key=len)
    return False if longer.startswith(shorter) and longer.removeprefix(shorter) in _GROUP_WORDS else None
