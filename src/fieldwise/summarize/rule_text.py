"""A rule in words."""

from fieldwise.model.rule import FieldRule


def rule_text(rule: FieldRule) -> str:
    """How a field is matched, in a few words.

    >>> from types import SimpleNamespace as Options
    >>> from fieldwise.model.path import Path
    >>> from fieldwise.model.rule import Match
    >>> total = FieldRule(path=Path(("total",)), text="total", match=Match("numeric_tolerance", Options(tolerance=0.02, relative=True)))
    >>> rule_text(total)
    'numeric ± 2 %'
    """
    name, options = rule.match.name, rule.match.options
    if name == "numeric_tolerance":
        return _numeric(float(getattr(options, "tolerance", 0.0)), relative=bool(getattr(options, "relative", False)))
    words = name
    threshold = getattr(options, "threshold", None)
    if threshold is not None:
        words += f" ≥ {threshold:g}"
    how = getattr(options, "algorithm", None) or getattr(options, "by", None)
    if how:
        words += f" ({how})"
    formats = getattr(options, "formats", None)
    if formats:
        words += f" ({', '.join(formats)})"
    return words


def _numeric(tolerance: float, *, relative: bool) -> str:
    if tolerance == 0:
        return "numeric"
    return f"numeric ± {tolerance * 100:g} %" if relative else f"numeric ± {tolerance:g}"
