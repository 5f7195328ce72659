"""Expected values that the match of a rule cannot read: how many, a few examples, and what would read them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from fieldwise.kernels.locale_tables import calendar_languages, major_languages
from fieldwise.model.comparison import UnreadValues
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING, Missing
from fieldwise.registry import MATCHERS

_NUMBERS: Final = frozenset[type]({int, float})
_NUMBERS_OR_ABSENT: Final = _NUMBERS | {type(None), Missing}
_ANY_NUMBERS: Final = (1, 2.5)
"""A match that reads these reads every number; yes and no are 1 and 0 only."""
_READING_MATCHES: Final = ("money", "date", "datetime", "quantity", "duration", "boolean")
"""Matches to suggest for values that another match cannot read, the likeliest first."""
_MAX_LANGUAGES: Final = 3
_WIDER_MATCHES: Final = {"numeric_tolerance": ("money", "quantity"), "date": ("datetime",), "duration": ("quantity",)}
"""Of those, the matches that also read what the match of a rule reads: a few odd values must not cost all others their match."""


def count_unread(match: Match, expected: Sequence[Any], is_null: Callable[[Any], bool] | None = None) -> UnreadValues | None:
    """Count what a match cannot read of a column of expected values; None for a match that reads every value.

    Values that `is_null` selects are not counted.
    """
    if match.name in ("exact", "auto", "ignore"):  # the most frequent ones, without a look at the registry
        return None
    matcher = MATCHERS.find(match.name)
    if matcher.unread_note is None:
        return None
    if is_null is not None:
        expected = [value for value in expected if not is_null(value)]
    options = matcher.options() if match.options is None else match.options
    if matcher.reads_column is not None and matcher.reads_column(expected, options):
        return UnreadValues(len(expected))
    types = set(map(type, expected))
    numbers, remaining = 0, expected
    if not types.isdisjoint(_NUMBERS) and all(matcher.unread_note(number, options) is None for number in _ANY_NUMBERS):
        numbers = len(expected) if types <= _NUMBERS else sum(map(_NUMBERS.__contains__, map(type, expected)))
        if types <= _NUMBERS_OR_ABSENT:
            return UnreadValues(numbers)
        remaining = [value for value in remaining if value.__class__ not in _NUMBERS]
    # values repeat within a column, so each text is read once
    texts = Counter(remaining if types == {str} else [value for value in remaining if isinstance(value, str)])
    unread = [(text, count) for text, count in texts.items() if matcher.unread_note(text, options) is not None]
    others = [value for value in remaining if value is not None and value is not MISSING and not isinstance(value, str)]
    unread += [(value, 1) for value in others if matcher.unread_note(value, options) is not None]
    examples: list[Any] = []
    for value, _ in unread:
        if value not in examples and len(examples) < UnreadValues.MAX_EXAMPLES:
            examples.append(value)
    return UnreadValues(texts.total() + numbers + len(others), sum(count for _, count in unread), tuple(examples))


def suggest_reader(match: Match, examples: Iterable[Any], *, reads_most: bool = False) -> str:
    """What to change in a rule so that its match reads these values; `reads_most`: it reads most of the other values."""
    values = [value for value in examples if not (isinstance(value, str) and not value.strip())]
    if not values:
        return 'if empty text means that there is no value, set `null_values: [""]` on the evaluator'
    options: Any = MATCHERS.find(match.name).options() if match.options is None else match.options
    if match.name == "numeric_tolerance" and _reads(Match("numeric_tolerance", replace(options, parse=True)), values):
        has_currency = not _reads(Match("numeric_tolerance"), values) and not _reads(Match("quantity"), values)
        return "write `match: money`" if has_currency else "add `parse: true`"
    if getattr(options, "formats", None) and _reads(Match(match.name, replace(options, formats=None)), values):
        return "add their format to `formats`, or remove `formats`"
    fixes = [*_option_fixes(match.name, options, values)]
    for sentence, changed in fixes:
        if _reads(Match(match.name, changed), values):
            return sentence
    for name in _WIDER_MATCHES.get(match.name, ()) if reads_most else _READING_MATCHES:
        if name != match.name and _reads(Match(name), values):
            return f"write `match: {name}`"
    for sentence, changed in fixes:
        if any(_reads(Match(match.name, changed), [value]) and not _reads(Match(match.name, options), [value]) for value in values):
            return f"{sentence}; correct the values that it does not read"
    return "correct the expected values, or use another match"


def _option_fixes(name: str, options: Any, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Changes of the options that may read more values, each with the sentence that recommends it."""
    if getattr(options, "formats", None):
        return
    if hasattr(options, "day_first"):
        yield "set `day_first`", replace(options, day_first=True)
    if hasattr(options, "languages"):
        yield from _language_fixes(name, options, values)
    for option, value in (("two_digit_years", 69), ("precision", "month")):
        if hasattr(options, option):
            yield f"set `{option}: {value}`", replace(options, **{option: value})
    if getattr(options, "zone", None) == "require":
        yield "set the zone of values without one, such as `zone: {assume: Europe/Paris}`", replace(options, zone=None)
    if getattr(options, "currency", None) == "require":
        sentence = "set the currency of values that name none, such as `default_currency: EUR`"
        yield sentence, replace(options, default_currency="EUR")


def _language_fixes(name: str, options: Any, values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The languages that decide month names which mean different months elsewhere."""
    unread = [value for value in values if not _reads(Match(name, options), [value])]
    deciding: list[str] = []
    for language in sorted(major_languages() & calendar_languages()):
        changed = Match(name, replace(options, languages=(language,)))
        if any(_reads(changed, [value]) for value in unread):
            deciding.append(language)
    if not deciding:
        return
    codes = [f"`languages: [{language}]`" for language in deciding[:_MAX_LANGUAGES]]
    yield f"set the language of their months: {' or '.join(codes)}", replace(options, languages=tuple(deciding[:1]))


def _reads(match: Match, values: Sequence[Any]) -> bool:
    matcher = MATCHERS.find(match.name)
    if matcher.unread_note is None:
        return True
    options = matcher.options() if match.options is None else match.options
    return all(matcher.unread_note(value, options) is None for value in values)
