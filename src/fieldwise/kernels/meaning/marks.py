"""Marks whose exchange changes what a text says: check marks, initials, signs between a letter and a number, addresses on the net.

>>> compare_marks(read_marks("☑ insured"), read_marks("☐ insured"))
['check marks differ: ☑ / ☐']
>>> compare_marks(read_marks("John A. Smith"), read_marks("John B. Smith"))
['initials differ: A / B']
>>> compare_marks(read_marks("J. Smith"), read_marks("John Smith"))
[]
"""

import re
from dataclasses import dataclass
from typing import Final

from fieldwise.pattern import compile_on_use

_TICKED: Final = frozenset("☑✓✔✅🗹🗸☒")
_NOT_TICKED: Final = frozenset("☐□▢⬜✗✘✖❌❎🗷☒")
"""A crossed box, `☒`, is ticked on forms and refused elsewhere: it agrees with both, but not with an empty box."""
_EMPTY_BOXES: Final = frozenset("☐□▢⬜")
_CHECK_MARK: Final = compile_on_use(r"[☑✓✔✅🗹🗸☒☐□▢⬜✗✘✖❌❎🗷]|\[(?:[xX✓✔]| ?)\]")
_CHECK_SIGNS: Final = _TICKED | _NOT_TICKED | {"["}
_INITIAL: Final = compile_on_use(r"(?<![^\W_])(?<!\.)([^\W\d_])\.(?=[ -]?(?:[^\W\d_]|$))")
_ABBREVIATION: Final = compile_on_use(r"(?<![^\W_])(?:[A-Za-z]\.){2,}")
_WORD: Final = compile_on_use(r"[^\W\d_]{2,}")
_OFFSET: Final = compile_on_use(r"(?<![^\W_])([^\W\d_]{1,4}) ?([-+−–]) ?(\d{1,4}(?::\d\d)?)(?![^\W_])")
_MAIL: Final = compile_on_use(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_SITE: Final = compile_on_use(
    r"(?:https?://|\bwww\.|(?<![\w@./]))(?:www\.)?((?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,})(/[^\s,;)]*)?(?![\w@])", re.IGNORECASE
)
_ENDINGS: Final = frozenset(
    str.split(
        "com org net edu gov int info biz io co app dev ai eu de fr es it uk us ca ch at nl be se no dk fi pl cz pt ie au nz jp cn in br"
    )
)
"""Top-level domains that make a site of words without `www.`."""
_OPERATORS: Final = frozenset("+×÷=→←↑↓⇒⇐♂♀★☆👍👎")
"""Signs that differ in meaning where nothing else does."""


@dataclass(frozen=True, slots=True)
class NetAddress:
    """A site, or the server of a mail address with its user."""

    host: str
    path: str

    def __str__(self) -> str:
        return f"{self.path}@{self.host}" if self.path and not self.path.startswith("/") else f"{self.host}{self.path}"

    def agrees(self, address: "NetAddress") -> bool:
        """True for the same address; a page agrees with its site."""
        if self.host != address.host:
            return False
        is_site = self.path[:1] in ("", "/") and address.path[:1] in ("", "/")
        return self.path == address.path or (is_site and not (self.path and address.path))


@dataclass(frozen=True, slots=True)
class TextMarks:
    """The marks of a text."""

    check_marks: tuple[str, ...] = ()
    initials: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    """The words of a text with initials, in small letters."""
    offsets: frozenset[tuple[str, str, str]] = frozenset()
    """Letters, sign and number: T+1, GMT-5."""
    mails: tuple[NetAddress, ...] = ()
    sites: tuple[NetAddress, ...] = ()


def read_marks(text: str) -> TextMarks:
    """Read the marks of a text."""
    has_point = "." in text
    initials = _find_initials(text) if has_point else ()
    return TextMarks(
        check_marks=tuple(_CHECK_MARK.findall(text)) if not _CHECK_SIGNS.isdisjoint(text) else (),
        initials=initials,
        words=frozenset(word.lower() for word in _WORD.findall(text)) if initials else frozenset(),
        offsets=_find_offsets(text) if any(sign in text for sign in "+-−–") else frozenset(),
        mails=_find_mails(text) if "@" in text else (),
        sites=_find_sites(text) if has_point else (),
    )


def _find_initials(text: str) -> tuple[str, ...]:
    """Single capitals with a point, as in names; the letters of `U.S.` are none."""
    plain = _ABBREVIATION.sub(" ", text)
    return tuple(letter for letter in _INITIAL.findall(plain) if letter.isupper())


def _find_offsets(text: str) -> frozenset[tuple[str, str, str]]:
    offsets = _OFFSET.findall(text)
    return frozenset((letters.lower(), "+" if sign == "+" else "-", number) for letters, sign, number in offsets)


def _find_mails(text: str) -> tuple[NetAddress, ...]:
    return tuple(NetAddress(host, user) for user, _, host in (mail.lower().rpartition("@") for mail in _MAIL.findall(text)))


def _find_sites(text: str) -> tuple[NetAddress, ...]:
    sites: list[NetAddress] = []
    for match in _SITE.finditer(text):
        is_marked = match[0].lower().startswith(("http", "www."))
        ending = match[1].rpartition(".")[2]
        if is_marked or _is_top_level(ending):
            sites.append(NetAddress(match[1].lower(), (match[2] or "").rstrip("/.")))
    return tuple(sites)


def _is_top_level(ending: str) -> bool:
    """True for a top-level domain; a capitalized word follows a point without a space: `paid.No`."""
    return ending.lower() in _ENDINGS and not ending.istitle()


def compare_marks(expected: TextMarks, actual: TextMarks) -> list[str]:
    """What differs in the marks of two texts, in words. A mark that only one side has is no difference."""
    differences = (
        ("check marks", _compare_check_marks(expected, actual)),
        ("initials", _compare_initials(expected, actual)),
        ("signs", _compare_offsets(expected, actual)),
        ("mail addresses", _compare_addresses(expected.mails, actual.mails)),
        ("sites", _compare_addresses(expected.sites, actual.sites)),
    )
    return [f"{noun} differ: {' / '.join(sides)}" for noun, sides in differences if sides]


def refuses(marks: TextMarks) -> bool:
    """True if the only check mark of a text says no: `✗ approved` is `not approved`."""
    return len(marks.check_marks) == 1 and "yes" not in _meanings_of(marks.check_marks[0])


def _meanings_of(mark: str) -> frozenset[str]:
    """What a check mark may say: yes, no, or that a box is empty."""
    sign = mark if len(mark) == 1 else ("☐" if not mark.strip("[] ") else "☒")
    if sign in _EMPTY_BOXES:
        return frozenset(("empty",))
    return frozenset(meaning for meaning, signs in (("yes", _TICKED), ("no", _NOT_TICKED)) if sign in signs)


def _compare_check_marks(expected: TextMarks, actual: TextMarks) -> tuple[str, str] | None:
    pairs = zip(expected.check_marks, actual.check_marks, strict=False)
    if any(_marks_conflict(left, right) for left, right in pairs):
        return "".join(expected.check_marks), "".join(actual.check_marks)
    return None


def _marks_conflict(left: str, right: str) -> bool:
    meanings = _meanings_of(left), _meanings_of(right)
    return meanings[0].isdisjoint(meanings[1]) and {*meanings} != {frozenset(("empty",)), frozenset(("no",))}


def _compare_initials(expected: TextMarks, actual: TextMarks) -> tuple[str, str] | None:
    if not expected.initials or not actual.initials:
        return None
    left, right = _initials_only_in(expected, actual), _initials_only_in(actual, expected)
    return (", ".join(left), ", ".join(right)) if left and right else None


def _initials_only_in(marks: TextMarks, others: TextMarks) -> list[str]:
    """Initials that the other text neither has nor spells out."""
    spelled_out = {word[0] for word in others.words - marks.words}
    return [letter for letter in marks.initials if letter not in others.initials and letter.lower() not in spelled_out]


def _compare_offsets(expected: TextMarks, actual: TextMarks) -> tuple[str, str] | None:
    """`T+1` is not `T-1`. A hyphen against none is no difference: `AB-5` is `AB 5`."""
    for letters, sign, number in sorted(expected.offsets):
        opposite = (letters, "-" if sign == "+" else "+", number)
        if opposite in actual.offsets and opposite not in expected.offsets:
            return f"{letters}{sign}{number}", "".join(opposite)
    return None


def _compare_addresses(expected: tuple[NetAddress, ...], actual: tuple[NetAddress, ...]) -> tuple[str, str] | None:
    left = [address for address in expected if not any(address.agrees(candidate) for candidate in actual)]
    right = [address for address in actual if not any(address.agrees(candidate) for candidate in expected)]
    return (", ".join(map(str, left)), ", ".join(map(str, right))) if left and right else None


def find_operators(text: str) -> list[str]:
    """The signs of a text that mean something by themselves, in order.

    >>> find_operators("3 + 5"), find_operators("-3")
    (['+'], [])
    """
    return [] if _OPERATORS.isdisjoint(text) else [sign for sign in text if sign in _OPERATORS]
