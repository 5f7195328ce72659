"""Split the name of a compound unit into its factors: `m·s⁻¹`, `J/(kg·K)`, `mg/kg/day`, `mL/min/1.73 m²`, `mg/5 mL`.

>>> [(factor.name, factor.power, factor.number) for factor in split_unit_product("mL/min/1.73 m²")]
[('mL', 1, '1'), ('min', -1, '1'), ('m²', -1, '1.73')]
>>> [(factor.name, factor.power) for factor in split_unit_product("kg·m⁻³")], split_unit_product("boxes of 5")
([('kg', 1), ('m', -3)], ())
"""

from typing import Final, NamedTuple

from fieldwise.pattern import compile_on_use

_MAX_LENGTH: Final = 40
_MAX_FACTORS: Final = 5
_SUPERSCRIPTS: Final = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−‑", "+-0123456789--")
_IS_PRODUCT: Final = compile_on_use(r"[/·⋅∙*⁻^]|[^\W\d_][-−]\d")
"""What a compound unit has: a slash, a product sign or a negative power."""
_DENOMINATOR: Final = compile_on_use(r"\s*/\s*\((?P<product>[^()/]+)\)|\s*/\s*(?P<factor>[^()/]+)")
_PRODUCT_SIGN: Final = compile_on_use(r"\s*[·⋅∙*]\s*|\s+|\.(?=[^\W\d_])")
_FACTOR: Final = compile_on_use(
    r"(?P<number>\d+(?:[.,]\d+)?)?\s?(?P<name>(?:µ|[^\W\d_]|[°%Ω])+[²³23]?)(?:\^?(?P<power>[-+−]\d|[⁺⁻][¹²³⁴]|(?<=\^)\d))?\.?"
)


class UnitFactorName(NamedTuple):
    """One factor of a compound unit."""

    name: str
    power: int
    number: str = "1"
    """How many of the unit: the 100 of `kcal/100 g`."""


def split_unit_product(text: str) -> tuple[UnitFactorName, ...]:
    """The factors of a compound unit in order; empty if the text is a single unit or anything else."""
    if len(text) > _MAX_LENGTH or _IS_PRODUCT.search(text) is None:
        return ()
    numerator, slash, _ = text.partition("/")
    factors = _split_factors(numerator.strip(), 1)
    position = len(numerator)
    while factors and slash and position < len(text):
        denominator = _DENOMINATOR.match(text, position)
        below = None if denominator is None else _split_factors((denominator["product"] or denominator["factor"]).strip(), -1)
        if denominator is None or not below:
            return ()
        factors += below
        position = denominator.end()
    is_product = len(factors) > 1 or any(factor.power < 0 for factor in factors)
    return tuple(factors) if is_product and len(factors) <= _MAX_FACTORS else ()


def _split_factors(text: str, sign: int) -> list[UnitFactorName]:
    """The factors of a product without a slash; empty if one of them is no unit."""
    whole = _FACTOR.fullmatch(text)
    parts = [whole] if whole is not None else [_FACTOR.fullmatch(part) for part in _PRODUCT_SIGN.split(text)]
    factors: list[UnitFactorName] = []
    for part in parts:
        if part is None or (part["number"] and sign > 0):
            return []
        power = int((part["power"] or "1").translate(_SUPERSCRIPTS))
        factors.append(UnitFactorName(part["name"], sign * power, (part["number"] or "1").replace(",", ".")))
    return factors if all(factor.power for factor in factors) else []
