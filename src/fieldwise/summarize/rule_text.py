"""A rule as a short text."""

from collections.abc import Iterable

from fieldwise.model.rule import FieldRule


def rule_texts(rules: Iterable[FieldRule]) -> list[str]:
    """The text of each rule; thousands of rules share a few matches."""
    text_of_match: dict[tuple[int, float], str] = {}  # by id: the rules keep their matches
    texts: list[str] = []
    for rule in rules:
        key = (id(rule.match), 0.0 if rule.evidence is None else rule.evidence.iou)
        text = text_of_match.get(key)
        if text is None:
            text = text_of_match[key] = rule_text(rule)
        texts.append(text)
    return texts


def rule_text(rule: FieldRule) -> str:
    """The match of a field as a short text, and the overlap that its place needs."""
    text = _match_text(rule)
    return text if rule.evidence is None else f"{text}, box IoU ≥ {rule.evidence.iou:g}"


def _match_text(rule: FieldRule) -> str:
    """The match of a field.

    >>> from types import SimpleNamespace as Options
    >>> from fieldwise.model.path import Path
    >>> from fieldwise.model.rule import Match
    >>> total = FieldRule(path=Path(("total",)), text="total", match=Match("numeric_tolerance", Options(tolerance=0.02, relative=True)))
    >>> _match_text(total)
    'numeric ± 2 %'
    """
    name, options = rule.match.name, rule.match.options
    if name == "numeric_tolerance":
        return _tolerance_text(
            float(getattr(options, "tolerance", 0.0)),
            relative=bool(getattr(options, "relative", False)),
            relative_tolerance=getattr(options, "relative_tolerance", None),
        )
    text = name
    tolerance = getattr(options, "tolerance", None)
    if tolerance:
        text += f" ± {tolerance}"
    scheme = getattr(options, "scheme", None)
    if scheme:
        text += f" ({scheme})"
    threshold = getattr(options, "threshold", None)
    if threshold is not None:
        text += f" ≥ {threshold:g}"
    method = getattr(options, "algorithm", None) or getattr(options, "by", None)
    if method:
        text += f" ({method})"
    if getattr(options, "digits", None) == "equal":
        text += ", equal digits"
    formats = getattr(options, "formats", None)
    if formats:
        text += f" ({', '.join(formats)})"
    return text


def _tolerance_text(tolerance: float, *, relative: bool, relative_tolerance: float | None) -> str:
    limits = [f"{tolerance * 100:g} %" if relative else f"{tolerance:g}"] if tolerance else []
    if relative_tolerance:
        limits.append(f"{relative_tolerance * 100:g} %")
    return f"numeric ± {' or '.join(limits)}" if limits else "numeric"
