"""The question-specific checks of the first framework, as data: what a suite could also write under `facts` and `formulas`.

`*_v1` are the same checks as that framework computed them: by substrings, so that 1604 has 604, and "note" has "no".
"""

from typing import Any, Final


def _substring(text: str) -> dict[str, Any]:
    return {"regex": f"(?i){text}"}


def _named(names: list[dict[str, Any]], number: float) -> dict[str, Any]:
    return {"all": [{"any": names}, {"number": number}]}


_TERRITORY: Final = [{"word": "territory"}, {"word": "territories"}]
_GRG: Final = [{"regex": r"(?i)\bgrg"}, {"word": "group"}, {"word": "groups"}]

EF_2: Final[dict[str, Any]] = {
    "facts": {
        "has_yes": {"word": "yes"},
        "has_territory_118": _named(_TERRITORY, 118),
        "has_territory_117": _named(_TERRITORY, 117),
        "has_rate_0_305": {"number": 0.305},
        "has_rate_neg_0_133": {"number": -0.133},
        "has_grg_51": _named(_GRG, 51),
        "has_grg_15": _named(_GRG, 15),
        "has_difference_36": {"any": [{"number": 36}, {"all": [{"regex": "(?i)\\bexceed"}, {"number": 30}]}]},
    },
    "formulas": {},
    "score": "share of facts",
}

EF_3: Final[dict[str, Any]] = {
    "facts": {
        "has_604": {"number": 604},
        "has_293": {"number": 293},
        "has_2_061": {"number": 2.061},
        "has_calculation": {
            # × also as it looks when UTF-8 was read as Latin-1; * only between two things, because markdown has stars too
            "regex": r"(?i)×|Ã—|[^*\s][ \t]+\*[ \t]+[^*\s]|[\w)]\*[\w($]|\bmultipl|[0-9)][ \t]*[x⋅✕][ \t]*[$(]?[0-9]",
        },
        "cannot_calculate": {
            "any": [
                {"word": phrase}
                for phrase in (
                    "cannot calculate",
                    "can not calculate",
                    "cannot be calculated",
                    "can't calculate",
                    "could not calculate",
                    "couldn't calculate",
                    "cannot compute",
                    "cannot be computed",
                    "can't compute",
                    "cannot determine",
                    "cannot be determined",
                    "can't determine",
                    "not able to",
                    "impossible to",
                    "insufficient information",
                    "insufficient data",
                    "not enough information",
                    "not enough data",
                    "not possible",
                    "missing",
                    "not available",
                    "not provided",
                    "unable to",
                    "do not have enough",
                    "don't have enough",
                )
            ]
        },
    },
    "formulas": {"is_correct": "has_604 and not cannot_calculate"},
    "score": "is_correct",
}

EF_2_V1: Final[dict[str, Any]] = {
    "facts": {
        "has_yes": {"all": [_substring("yes"), {"not": {"regex": "(?is)^.{0,198}no"}}]},
        "has_territory_118": {"all": [_substring("118"), _substring("territory")]},
        "has_territory_117": {"all": [_substring("117"), _substring("territory")]},
        "has_rate_0_305": {"regex": r"0\.305"},
        "has_rate_neg_0_133": {"regex": r"-0\.133"},
        "has_grg_51": {"regex": "51"},
        "has_grg_15": {"regex": "15"},
        "has_difference_36": {"any": [{"regex": "36"}, {"all": [_substring("exceed"), {"regex": "30"}]}]},
    },
    "formulas": {},
    "score": "share of facts",
}

EF_3_V1: Final[dict[str, Any]] = {
    "facts": {
        "has_604": {"regex": "604"},
        "has_293": {"regex": "293"},
        "has_2_061": {"regex": r"2\.061"},
        "has_calculation": {"regex": r"(?i)×|\*|multipl"},
        "cannot_calculate": _substring(
            "cannot calculate|cannot compute|not possible|missing|not available|not provided|unable to|do not have enough"
        ),
    },
    "formulas": {"is_correct": "has_604 and not cannot_calculate"},
    "score": "is_correct",
}

PRESETS: Final = {("ef_2", "v2"): EF_2, ("ef_3", "v2"): EF_3, ("ef_2", "v1"): EF_2_V1, ("ef_3", "v1"): EF_3_V1}
