"""Scores under profiles, on the terminal and as JSON."""

from dataclasses import asdict
from typing import Any, Final

from rich.console import Group, RenderableType

from fieldwise.plan.profiles import OPTION_WORDS, VALUE_WORDS
from fieldwise.report.terminal_layout import (
    DIM,
    NOTE,
    TITLE,
    WRAPPED,
    DisplayOptions,
    build_diagnostics_section,
    indent,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import dump_json, format_count, format_value, make_visible, truncate, truncate_middle
from fieldwise.study.profiles import DifferenceExample, OptionDifference, ProfileReport, ProfileScore

_VALUE_LENGTH: Final = 40


def report_to_json(report: ProfileReport) -> dict[str, Any]:
    """Everything that the report has."""
    return {
        "run": report.run,
        "suite": report.name,
        "evaluator": report.evaluator,
        "cases": report.cases,
        "of_cases": report.of_cases,
        "own": {"score": report.own_score, "options": asdict(report.own_options)},
        "profiles": [_profile_to_json(entry) for entry in report.profiles],
        "tau": {name: dict(others) for name, others in report.tau.items()},
        "diagnostics": [diagnostic.to_json() for diagnostic in report.diagnostics],
    }


def _profile_to_json(entry: ProfileScore) -> dict[str, Any]:
    return {
        "name": entry.profile.name,
        "version": entry.profile.version,
        "title": entry.profile.title,
        "score": entry.score,
        "note": entry.note or None,
        "tau": entry.tau,
        "differing": entry.differing,
        "causes": [asdict(difference) | {"text": describe_difference(difference)} for difference in entry.options],
        "together": entry.together,
        "options": asdict(entry.profile.options),
    }


def describe_difference(difference: OptionDifference) -> str:
    """One option in words: `a wrong value counts once (FP), not twice (FP and FN)`."""
    words = VALUE_WORDS[difference.option]
    return f"{OPTION_WORDS[difference.option]}: {words[difference.profile]}, not {words[difference.own]}"


def build_profiles_page(report: ProfileReport, display: DisplayOptions) -> RenderableType:
    """A table of scores, then for each profile the options that make it differ."""
    of = "" if report.cases == report.of_cases else f" of {report.of_cases:,} (--sample 0 for all)"
    head = styled_text((report.name, TITLE), (f"  {report.evaluator} · {format_count(report.cases, 'case')}{of}", DIM))
    numbers = [{"header": name, "justify": "right", "min_width": 6} for name in ("score", "tau", "differ")]
    table = make_grid({"header": "profile", "min_width": 13}, *numbers, WRAPPED, heads=True)
    table.add_row(styled_text(("this suite", TITLE)), styled_text((_format(report.own_score), TITLE)), "", "", "")
    for entry in report.profiles:
        what = entry.note or entry.profile.title
        cells = [entry.profile.name, _format(entry.score), _format(entry.tau, 2), "" if entry.note else f"{entry.differing:,}"]
        table.add_row(*(styled_text(cell) for cell in cells), styled_text((what, DIM)))
    explanation = "tau: agreement of the order of cases with this suite's (Kendall); differ: comparisons with another verdict"
    sections = [_build_profile(report, entry, display) for entry in report.profiles if entry.options]
    scores = make_section("Scores", table, styled_text((explanation, DIM)))
    nothing = None
    if report.own_score is None:
        nothing = styled_text((f"nothing measured: `{report.evaluator}` could score none of these cases", NOTE))
    problems = build_diagnostics_section(report.diagnostics, everything=display.everything)
    if all(entry.score is None for entry in report.profiles) and nothing is not None:
        return stack_parts(head, nothing, problems)
    return stack_parts(head, nothing, scores, *sections, problems)


def _build_profile(report: ProfileReport, entry: ProfileScore, display: DisplayOptions) -> RenderableType:
    rows: list[RenderableType] = []
    without_effect: list[str] = []
    for difference in entry.options:
        if not difference.has_effect(report.own_score, entry.score):
            without_effect.append(difference.option)
            continue
        effect = f"alone {_format(difference.score_with)}, without it {_format(difference.score_without)}"
        rows.append(styled_text(f"{describe_difference(difference)}: ", (f"{_count(difference)}; {effect}", NOTE)))
        shown = difference.examples if display.everything else difference.examples[:1]
        rows += [indent(_build_example(example), 4) for example in shown]
    if entry.together:
        rows.append(styled_text(f"several options together  {format_count(entry.together, 'comparison')}"))
    if without_effect:
        rows.append(styled_text((f"no effect here: {', '.join(without_effect)}", DIM)))
    title = f"{entry.profile.name}: {_format(entry.score)} against {_format(report.own_score)}"
    return make_section(title, Group(*rows))


def _count(difference: OptionDifference) -> str:
    if difference.comparisons or not difference.counted_otherwise:
        return format_count(difference.comparisons, "comparison")
    return f"{format_count(difference.counted_otherwise, 'comparison')} counted otherwise"


def _build_example(example: DifferenceExample) -> RenderableType:
    values = [truncate(make_visible(_show(value)), _VALUE_LENGTH) for value in (example.expected, example.actual)]
    place = f"{truncate_middle(make_visible(example.case), 24)} {truncate_middle(make_visible(example.path), 40)}"
    here = "" if example.profile_actual == example.actual else f"{truncate(make_visible(_show(example.profile_actual)), _VALUE_LENGTH)}: "
    return styled_text((f"{place}: {values[0]} → {values[1]}: {example.own}, here {here}{example.profile}", DIM))


def _show(value: Any) -> str:
    return format_value(value) if value is None or isinstance(value, str | int | float) else dump_json(value)


def _format(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
