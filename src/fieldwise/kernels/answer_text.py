"""Structure of an answer in prose: its sentences, its list items, and its citations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from fieldwise.kernels.keywords import fold_keyword

# Sentences

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]{0,3}(?=\s)|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|etc|cf|vs|no|nr|mr|mrs|ms|dr|prof|st|inc|ltd|co|approx|fig|sec|art|p|pp|z\.b|d\.h|bzw|ca|inkl)\.$",
    re.IGNORECASE,
)
_MAX_ABBREVIATION_LENGTH: Final = 12
_LINE_PREFIX = re.compile(r"^[\s>#*+•‣◦▪·|–—-]*(?:\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_NEGATION = re.compile(
    r"(?<!\w)(?:not|no|never|none|nothing|cannot|without|neither|nor|\w+n['’]t|nicht|kein\w{0,2}|nie|ohne|ne|pas|jamais|sans|nunca|sin|ni|لا|لم|لن|ليس|غير)(?!\w)|[不没無无未]",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"^(?:yes|no|ja|nein|oui|non|sí|نعم|لا|是的|不是)\s?[,.:;!،，–—-]+", re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, without bullets and list numbers; an abbreviation or a decimal point ends none.

    >>> split_sentences("The factor is 2.061, e.g. for Mr. Smith. See Rule C-1!\\n- Rounded")
    ['The factor is 2.061, e.g. for Mr. Smith.', 'See Rule C-1!', 'Rounded']
    """
    sentences: list[str] = []
    for line in text.splitlines():
        sentences += [sentence.strip(" \t*_`|") for sentence in _split_line(_LINE_PREFIX.sub("", line, count=1))]
    return [sentence for sentence in sentences if sentence]


def _split_line(line: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(line):
        if not _ABBREVIATION.search(line[max(start, end.start() - _MAX_ABBREVIATION_LENGTH) : end.start()]):
            yield line[start : end.end()]
            start = end.end()
    yield line[start:]


def has_negation(sentence: str) -> bool:
    """Return whether a sentence has a word of negation, other than the No that answers a question.

    >>> has_negation("It is not covered"), has_negation("No, it is covered")
    (True, False)
    """
    return _NEGATION.search(_YES_OR_NO.sub("", sentence, count=1)) is not None


# List items: bullets, numbered lines, and coded items such as `Rule C-1`

_BULLET = re.compile(r"[ \t]*(?:[*+•‣◦▪·–—-]|[0-9]{1,4}[.)]|\(?[a-zA-Z0-9]{1,2}\))[ \t]+(\S.*)")
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_MARKUP = re.compile(r"[*_`]+")
_CELL_END: Final = "\x1f"
"""Between the name of an item and the further cells of its row; counts as a space."""
_NAME_END = re.compile(rf":(?=\s)|\s[-–—]\s|{_CELL_END}")
_ITEM_CODE: Final = r"[A-Za-z]{1,3}-?[0-9]+[A-Za-z]?(?![\w-])"
_BARE_CODE = re.compile(r"([A-Z]{1,3}-[0-9]+[A-Za-z]?)(?![\w-])\s*[:.)–—-]?\s*")
_TRAILING_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_SLASH = re.compile(r"\s*/\s*")
_NOT_WORD = re.compile(r"[^\w]+")
_TABLE_RULE = re.compile(r"\s*\|[\s|:-]+\|?\s*")
_ROW_NUMBER = re.compile(r"[0-9]{1,4}[.)]?")
_NUMBER_HEADINGS: Final = frozenset(("#", "no", "nr", "num", "number", "s.no", "s no", "sr. no", "sr no", "sl no", "row", "n°", "nº", "№"))
_LEAD_IN = re.compile(
    r"^[^,;]*?(?::|\b(?:are|is|was|were|includes?|including|namely|such as|contains?|sind|ist|sont|son|lauten|sono|są)\b:?)\s+",
    re.IGNORECASE,
)
_CONJUNCTION: Final = r"(?:and|or|und|oder|et|ou|y|e|o|en|och|og|i|и|&)"
_COMMA_LIST = re.compile(rf"\s*,\s*(?:{_CONJUNCTION}\s+)?|\s+{_CONJUNCTION}\s+", re.IGNORECASE)
_MAX_COMMA_WORDS: Final = 5
_MAX_SEMICOLON_WORDS: Final = 15
_NAME_EDGES: Final = " \t.,;:–—-|()"
_V1_BULLET = re.compile(r"\*\s+([^\n*]+)")
_V1_CODE = re.compile(r"rule\s+c-?\d+")


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list. It is known by its code and by its name, as far as it has them."""

    label: str
    """The item as shown."""
    keys: tuple[str, ...]
    """Every form of its name in which another list may name the item; empty for a code alone."""
    codes: tuple[tuple[str, str], ...] = ()
    """Its codes, each with the word before it: `("rule", "c2")`. The word is empty for a bare code such as `C-2 Eligibility`."""

    def has_code_of(self, other: "ListItem") -> bool:
        """Return whether both have a code in common; a bare code agrees with any word."""
        return any(
            code == other_code and (word == other_word or not word or not other_word)
            for word, code in self.codes
            for other_word, other_code in other.codes
        )


def find_list_items(text: str, code_words: Sequence[str] = ("rule",)) -> list[ListItem]:
    """Find every distinct list item, with its code and its name.

    >>> text = "Rules:\\n* **Driver Discount**: 5 % off\\n2. Rule C-1 Eligibility\\n| C-3 | Base Rates |\\nSee also Rule C-2."
    >>> [item.label for item in find_list_items(text)]
    ['Driver Discount: 5 % off', 'Rule C-1 Eligibility', 'C-3 Base Rates', 'Rule C-2']
    >>> find_list_items("* **Rule C-2:** Rating Perils")[0]
    ListItem(label='Rule C-2: Rating Perils', keys=('rating perils',), codes=(('rule', 'c2'),))
    """
    return _make_items(_split_lines(text), tuple(code_words))


def find_inline_items(text: str, code_words: Sequence[str] = ("rule",), least: int = 3) -> list[ListItem]:
    """Find the items of lists within a line: between semicolons, or short ones between commas with at least `least` of them.

    >>> [item.label for item in find_inline_items("The colours are red, green and dark blue.")]
    ['red', 'green', 'dark blue']
    >>> [item.label for item in find_inline_items("Base Rates; Rating Perils")], find_inline_items("In short, a long story.")
    (['Base Rates', 'Rating Perils'], [])
    """
    lines = [line for line, is_item in _split_lines(text) if not is_item]
    if not _may_list("\n".join(lines)):
        return []
    items = [item for line in lines for sentence in _split_line(line) for item in _split_inline(sentence, least)]
    return _make_items([(item, True) for item in items], tuple(code_words))


def _split_inline(sentence: str, least: int) -> list[str]:
    """The items of a list in one sentence; none if it is no list."""
    if not _may_list(sentence):
        return []
    listed = _LEAD_IN.sub("", _clean_item(sentence), count=1)
    if ";" in listed:
        parts, max_words, least = listed.split(";"), _MAX_SEMICOLON_WORDS, 2
    else:
        parts, max_words = _COMMA_LIST.split(listed), _MAX_COMMA_WORDS
    items = [_clean_item(part) for part in parts]
    is_list = len(items) >= least and all(item and len(item.split()) <= max_words for item in items)
    return items if is_list else []


def _may_list(text: str) -> bool:
    """False for a text without anything that separates the items of a list."""
    return ";" in text or _COMMA_LIST.search(text) is not None


def _make_items(lines: Iterable[tuple[str, bool]], code_words: tuple[str, ...]) -> list[ListItem]:
    """The items of lines, each with whether it is an item as a whole; other lines only name codes."""
    code_pattern = _compile_code_pattern(code_words)
    uncoded: list[str] = []
    coded: list[ListItem] = []
    for line, is_item in lines:
        codes = dict(_find_codes(line, code_pattern))
        bare_code = _BARE_CODE.match(line) if is_item and not codes else None
        if len(codes) > 1:
            coded += [ListItem(label, (), (key,)) for key, label in codes.items()]
        elif codes:
            key, label = next(iter(codes.items()))
            rest = code_pattern.sub(" ", line, count=1) if is_item or code_pattern.match(line) else ""
            coded.append(ListItem(" ".join(line.split()) if is_item else label, _name_keys(rest), (key,)))
        elif bare_code:
            coded.append(ListItem(" ".join(line.split()), _name_keys(line[bare_code.end() :]), (("", _fold_code(bare_code[1])),)))
        elif is_item:
            uncoded.append(line)
    return [*_make_uncoded_items(uncoded), *_merge_coded_items(coded)]


def find_prose(text: str) -> str:
    """Return the lines of a text that are no list items, as one folded line with a space at both ends.

    >>> find_prose("The rules are Rating Perils and Base Rates.\\n* one")
    ' the rules are rating perils and base rates '
    """
    lines = [line for line, is_item in _split_lines(text) if not is_item]
    words = " ".join(_NOT_WORD.sub(" ", fold_name(line)) for line in lines).split()
    return f" {' '.join(words)} "


def has_phrase(prose: str, name: str) -> bool:
    """Return whether a folded name of at least two words occurs in the result of `find_prose`."""
    phrase = " ".join(_NOT_WORD.sub(" ", name).split())
    return " " in phrase and f" {phrase} " in prose


def fold_name(text: str) -> str:
    """Fold the name of an item: without markup, case, spaces around slashes and a parenthesis at the end.

    >>> fold_name("**Amount of Insurance / Deductibles** (see page 3)")
    'amount of insurance/deductibles'
    """
    plain = _SLASH.sub("/", _clean_item(text))
    without_parenthesis = _TRAILING_PARENTHESIS.sub("", plain)
    return fold_keyword((without_parenthesis or plain).strip(_NAME_EDGES))


@lru_cache(maxsize=2)  # the items, the lists within lines and the prose of an answer are read one after the other
def _split_lines(text: str) -> tuple[tuple[str, bool], ...]:
    """Each line without markup, and whether it is an item: a bullet, a numbered line or a row of a table."""
    return tuple(_read_lines(text))


def _read_lines(text: str) -> Iterator[tuple[str, bool]]:
    for is_table, block in groupby(text.splitlines(), key=lambda line: line.lstrip().startswith("|")):
        if is_table:
            yield from ((row, True) for row in _table_items(list(block)))
            continue
        for line in block:
            bullet = _BULLET.match(line)
            yield (_clean_item(bullet[1]), True) if bullet else (_clean_item(line), False)


def _table_items(lines: Sequence[str]) -> Iterator[str]:
    """The rows of a table as text, without its heading and without a column that numbers the rows."""
    rules = [place for place, line in enumerate(lines) if _TABLE_RULE.fullmatch(line)]
    heading = _table_cells(lines[rules[0] - 1]) if rules and rules[0] else []
    skipped = {*rules, *(place - 1 for place in rules[:1])}
    rows = [_table_cells(line) for place, line in enumerate(lines) if place not in skipped]
    numbers = [int(row[0].rstrip(".)")) if len(row) > 1 and _ROW_NUMBER.fullmatch(row[0]) else -1 for row in rows]
    counts_up = len(rows) > 1 and numbers == list(range(numbers[0], numbers[0] + len(rows))) and numbers[0] in (0, 1)
    is_numbered = counts_up or (bool(heading) and heading[0].lower().rstrip(".") in _NUMBER_HEADINGS and -1 not in numbers)
    for row in rows:
        cells = [cell for cell in (row[1:] if is_numbered else row) if cell]
        name_cells = 2 if cells and _BARE_CODE.fullmatch(cells[0]) else 1
        yield _CELL_END.join(filter(None, (" ".join(cells[:name_cells]), " ".join(cells[name_cells:]))))


def _table_cells(line: str) -> list[str]:
    return [_clean_item(cell) for cell in line.strip().strip("|").split("|")]


def _name_keys(text: str) -> tuple[str, ...]:
    """The folded name, and the part of it before a colon or a dash."""
    name = text.strip(_NAME_EDGES)
    keys = (fold_name(name), fold_name(_NAME_END.split(name, maxsplit=1)[0]))
    return tuple(dict.fromkeys(key for key in keys if key))


def _merge_coded_items(items: Iterable[ListItem]) -> Iterator[ListItem]:
    """Merge items with the same code; the first one with a name gives label and name."""
    by_code: dict[tuple[tuple[str, str], ...], ListItem] = {}
    for item in items:
        earlier = by_code.get(item.codes)
        if earlier is None or (item.keys and not earlier.keys):
            by_code[item.codes] = item
    return iter(by_code.values())


def _fold_code(code: str) -> str:
    return code.casefold().replace("-", "")


def find_list_items_v1(text: str) -> list[ListItem]:
    """Find items as the first framework did: lines after a star, and `rule c-1` besides, also where both are the same item."""
    bullets = dict.fromkeys(_V1_BULLET.findall(text))
    codes = dict.fromkeys(_V1_CODE.findall(text.lower()))
    bullet_items = [ListItem(bullet.strip(), (bullet,)) for bullet in bullets]
    code_items = [ListItem(code, (f"\0{code}",)) for code in codes]  # NUL keeps these keys apart from bullets
    return bullet_items + code_items


def _make_uncoded_items(texts: Iterable[str]) -> Iterator[ListItem]:
    """Make items without a code. The part before a colon or a dash is a name, unless two items share it."""
    text_by_key = {fold_name(text): text for text in texts if text}
    names = {key: fold_name(_NAME_END.split(text, maxsplit=1)[0]) for key, text in text_by_key.items()}
    name_counts: dict[str, int] = {}
    for name in names.values():
        name_counts[name] = name_counts.get(name, 0) + 1
    for key, text in text_by_key.items():
        name = names[key]
        keys = [key, name] if name and name_counts[name] == 1 else [key]
        yield ListItem(" ".join(text.split()), tuple(dict.fromkeys(keys)))


def _compile_code_pattern(code_words: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in code_words)
    return re.compile(rf"(?<!\w)({words})s?\s+({_ITEM_CODE}(?:(?:\s*,\s*|\s+(?:and|or)\s+|\s*&\s*){_ITEM_CODE})*)", re.IGNORECASE)


def _find_codes(line: str, pattern: re.Pattern[str]) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each code of a line, with the word before it, and its label; `Rules C-1 and C-2` has two."""
    for match in pattern.finditer(line):
        word = match[1]
        for code in re.findall(_ITEM_CODE, match[2]):
            yield (word.casefold(), _fold_code(code)), f"{word.capitalize()} {code.upper()}"


def _clean_item(text: str) -> str:
    """Remove markup, checkbox, and punctuation at the end."""
    if "[" in text:
        text = _CHECKBOX.sub("", text, count=1)
    if "*" in text or "_" in text or "`" in text:
        text = _MARKUP.sub("", text)
    return " ".join(text.split()).rstrip(" .;,:")


# Citations

CITATION_INDICATORS: Final = ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")

CompiledIndicators: TypeAlias = tuple[tuple[str, str, re.Pattern[str]], ...]
"""For each indicator: its text, its first word (quick to search for), and its whole pattern."""


def compile_indicators(indicators: Sequence[str] = CITATION_INDICATORS) -> CompiledIndicators:
    """Compile indicators for `find_indicators`."""
    compiled: list[tuple[str, str, re.Pattern[str]]] = []
    for indicator in indicators:
        first_word = indicator.casefold().rstrip(":").split()[0]
        compiled.append((indicator, first_word, _compile_indicator(indicator)))
    return tuple(compiled)


def _compile_indicator(indicator: str) -> re.Pattern[str]:
    """Compile the words of an indicator, with optional markdown around them: `**Source**:`."""
    words = r"\s++".join(map(re.escape, indicator.casefold().rstrip(":").split()))
    end = r"[*_`]{0,3}\s?:" if indicator.endswith(":") else r"(?![^\W_])"
    return re.compile(rf"(?<![^\W_]){words}s?{end}")


def find_indicators(text: str, indicators: CompiledIndicators) -> list[str]:
    """Return the indicators that occur in a text as whole words, in singular or plural.

    >>> find_indicators("According to the manual.pdf, page 3, homepage", compile_indicators())
    ['page', 'pdf', 'according to']
    """
    folded = text.casefold()
    return [indicator for indicator, first_word, pattern in indicators if occurs_in(pattern, first_word, folded)]


def occurs_in(pattern: re.Pattern[str], first_word: str, folded: str) -> bool:
    """Return whether an indicator occurs in a folded text; its pattern is tried only where its first word is."""
    start = folded.find(first_word)
    while start >= 0:
        if pattern.match(folded, start):
            return True
        start = folded.find(first_word, start + 1)
    return False


def find_indicators_v1(text: str, indicators: CompiledIndicators) -> list[str]:
    """Return the indicators that occur anywhere, also inside other words, as the first framework counted them.

    >>> find_indicators_v1("homepage", compile_indicators())
    ['page']
    """
    lowered = text.lower()
    return [indicator for indicator, _, _ in indicators if indicator in lowered]
