"""Checks of `format` for JSON Schema, the same for every draft and whatever further packages are installed.

`jsonschema` checks several formats only if a package for each is installed, and passes every text otherwise.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from ipaddress import ip_address
from typing import Any, Final

_ESCAPE: Final = "%[0-9A-Fa-f]{2}"
_BEYOND_ASCII: Final = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd"
_PRIVATE_USE: Final = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_DAYS: Final = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_CLOCK: Final = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION: Final = f"P(?:[0-9]+W|{_DAYS}(?:{_CLOCK})?|{_CLOCK})"
"""RFC 3339, appendix A: no unit is left out between two others, and no fractions."""
_ATOM: Final = r"A-Za-z0-9!#$%&'*+/=?^_`{|}~\-"
_QUOTED: Final = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_UUID: Final = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_TIME: Final = re.compile(
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.[0-9]+)?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<offset_hour>[0-9]{2}):(?P<offset_minute>[0-9]{2}))"
)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HOST_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_MAX_HOSTNAME: Final = 253
_JSON_POINTER: Final = r"(?:/(?:[^~/]|~[01])*)*"
_VARIABLE: Final = rf"(?:[A-Za-z0-9_]|{_ESCAPE})(?:\.?(?:[A-Za-z0-9_]|{_ESCAPE}))*(?::[1-9][0-9]{{0,3}}|\*)?"
_URI_TEMPLATE: Final = rf"(?:[^\x00-\x20\x7f\"%<>\\^`{{|}}]|{_ESCAPE}|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"  # RFC 6570


@cache  # a pattern or checker of constants, never changed
def build_format_checker() -> Any:
    """The checker for every known format; a format that is not among its `checkers` is not checked."""
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(Draft202012Validator.FORMAT_CHECKER.checkers)
    for name, is_valid in _FORMATS.items():
        checker.checks(name)(_for_text(is_valid))
    return checker


def _for_text(is_valid: Callable[[str], bool]) -> Callable[[object], bool]:
    """A check that only applies to text, as the standard says of formats of text."""
    return lambda value: not isinstance(value, str) or is_valid(value)


def is_time(text: str) -> bool:
    """True for a time of day with an offset, by RFC 3339; a leap second is the last second of a day in UTC.

    >>> is_time("08:30:06.28Z"), is_time("24:00:00Z"), is_time("08:30:06"), is_time("15:59:60-08:00"), is_time("12:00:60Z")
    (True, False, False, True, False)
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
    offset_hour, offset_minute = int(match["offset_hour"] or 0), int(match["offset_minute"] or 0)
    if hour > 23 or minute > 59 or second > 60 or offset_hour > 23 or offset_minute > 59:
        return False
    if second < 60:
        return True
    offset = (offset_hour * 60 + offset_minute) * (-1 if match["sign"] == "-" else 1)
    return (hour * 60 + minute - offset) % 1440 == 1439


def is_date_time(text: str) -> bool:
    """True for a date and a time with an offset, by RFC 3339.

    >>> is_date_time("2024-02-29T08:30:06Z"), is_date_time("2023-02-29T08:30:06Z"), is_date_time("2024-02-29 08:30:06")
    (True, False, False)
    """
    day, separator, time = text[:10], text[10:11], text[11:]
    if separator not in ("T", "t") or _DATE.fullmatch(day) is None:
        return False
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return is_time(time)


def is_hostname(text: str) -> bool:
    """True for a name of a host by RFC 1123.

    >>> is_hostname("www.example.com"), is_hostname("-bad.example"), is_hostname("a_b"), is_hostname("")
    (True, False, False, False)
    """
    return len(text) <= _MAX_HOSTNAME and all(_HOST_LABEL.fullmatch(label) for label in text.split("."))


@cache  # a pattern or checker of constants, never changed
def _compile_mailbox(more_characters: str) -> re.Pattern[str]:
    """The name before `@` of RFC 5321, with further characters for RFC 6531."""
    atom = f"[{_ATOM}{more_characters}]+"
    return re.compile(rf"(?:{atom}(?:\.{atom})*|{_QUOTED})")


def is_email(text: str) -> bool:
    """True for an address of mail: a name, `@`, and a host or an IP address in brackets.

    >>> is_email("a.b@example.com"), is_email("a b@example.com"), is_email("@example.com"), is_email("a@[127.0.0.1]")
    (True, False, False, True)
    """
    return _is_mail_address(text, "")


def is_idn_email(text: str) -> bool:
    """True for an address of mail that may have characters beyond ASCII."""
    return _is_mail_address(text, _BEYOND_ASCII)


def _is_mail_address(text: str, more_characters: str) -> bool:
    name, _, host = text.rpartition("@")
    if _compile_mailbox(more_characters).fullmatch(name) is None:
        return False
    if host.startswith("[") and host.endswith("]"):
        return _is_ip_address(host[1:-1].removeprefix("IPv6:"))
    beyond_ascii = re.compile(f"[{more_characters}]") if more_characters else None
    return is_hostname(beyond_ascii.sub("x", host) if beyond_ascii else host)


def _is_ip_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text  # a zone is no part of the address


@cache  # a pattern or checker of constants, never changed
def _compile_address(more_characters: str, with_scheme: bool) -> re.Pattern[str]:
    """The grammar of RFC 3986, with further characters for RFC 3987."""
    plain = rf"A-Za-z0-9\-._~!$&'()*+,;={more_characters}"
    segment = rf"(?:[{plain}:@]|{_ESCAPE})*"
    rest = rf"(?:/{segment})*"
    host = rf"(?:\[(?:(?P<ip>[0-9A-Fa-f:.]+)|[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]|(?:[{plain}]|{_ESCAPE})*)"
    authority = rf"//(?:(?:[{plain}:]|{_ESCAPE})*@)?{host}(?::[0-9]*)?{rest}"
    absolute = rf"/(?:(?:[{plain}:@]|{_ESCAPE})+{rest})?"
    first = rf"(?:[{plain}:@]|{_ESCAPE})+" if with_scheme else rf"(?:[{plain}@]|{_ESCAPE})+"
    private = _PRIVATE_USE if more_characters else ""
    end = rf"(?:\?(?:[{plain}:@/?{private}]|{_ESCAPE})*)?(?:#(?:[{plain}:@/?]|{_ESCAPE})*)?"
    scheme = r"[A-Za-z][A-Za-z0-9+.\-]*:" if with_scheme else ""
    return re.compile(rf"{scheme}(?:{authority}|{absolute}|{first}{rest}|){end}")


def _is_address(text: str, more_characters: str, with_scheme: bool) -> bool:
    match = _compile_address(more_characters, with_scheme).fullmatch(text)
    return match is not None and (match["ip"] is None or _is_ip_address(match["ip"]))


def is_uri(text: str) -> bool:
    """True for an address with a scheme.

    >>> is_uri("https://example.com/a?b#c"), is_uri("mailto:a@b.c"), is_uri("example.com"), is_uri("http://a b"), is_uri("http://é.fr")
    (True, True, False, False, False)
    """
    return _is_address(text, "", True)


def is_uri_reference(text: str) -> bool:
    """True for an address with or without a scheme.

    >>> is_uri_reference("../a"), is_uri_reference("#part"), is_uri_reference("\\\\\\\\host")
    (True, True, False)
    """
    return is_uri(text) or _is_address(text, "", False)


def is_iri(text: str) -> bool:
    """True for an address with a scheme that may have characters beyond ASCII."""
    return _is_address(text, _BEYOND_ASCII, True)


def is_iri_reference(text: str) -> bool:
    """True for an address with or without a scheme that may have characters beyond ASCII."""
    return is_iri(text) or _is_address(text, _BEYOND_ASCII, False)


def _full_match(pattern: str | re.Pattern[str]) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "date-time": is_date_time,
    "time": is_time,
    "duration": _full_match(_DURATION),
    "email": is_email,
    "idn-email": is_idn_email,
    "uuid": _full_match(_UUID),
    "hostname": is_hostname,
    "uri": is_uri,
    "uri-reference": is_uri_reference,
    "iri": is_iri,
    "iri-reference": is_iri_reference,
    "uri-template": _full_match(_URI_TEMPLATE),
    "json-pointer": _full_match(_JSON_POINTER),
    "relative-json-pointer": _full_match(rf"(?:0|[1-9][0-9]*)(?:#|{_JSON_POINTER})"),
}
