"""Writes docs/evaluators.md and docs/matches.md from what evaluators and matchers say of themselves.

    python scripts/reference.py

Options, defaults and descriptions come from the dataclasses, introductions from the modules, results from running the examples in
scripts/reference.yaml. A test holds the pages to what this script writes.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

import yaml

import fieldwise as fw
from fieldwise import registry
from fieldwise.model.plan import Member
from fieldwise.model.result import Result
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.plan.declared_options import DeclaredOption, describe_type, list_options, read_descriptions, split_annotated
from fieldwise.plan.evaluators import plan_config
from fieldwise.registry import EvaluatorSpec, MatcherSpec

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "scripts" / "reference.yaml"
KINDS = ("Records", "Boxes and points", "Answers in words", "Judges", "Agents", "Checks of a text", "Time and money", "Several as one")
READS = {"records": "records; JSON is found in text", "text": "the output as text, never parsed", "case": "the case as it is"}
WRITTEN_ELSEWHERE = (FieldRule, ListRule, Match, Member)

EVALUATORS = """\
# Evaluators

<!-- Written by scripts/reference.py from the code and scripts/reference.yaml; edit those. -->

An evaluator turns a case into a result: a score in [0, 1], hits and misses, metrics. In a suite it is an item of `evaluators`; in Python,
`fw.evaluate({"type": …}, expected=…, actual=…)`. Each has a `type`, its own options below, and these:

| option | what |
| --- | --- |
| `name` | what gates and reports call it; default: its type |
| `weight` | what it weighs beside others; default 1 |
| `pass_at` | the score it passes at, inclusive. Without: no hits or a score of 0 is `fail`, no misses is `pass`, else `partial` |
| `threshold` | the same as `pass_at`, unless the evaluator has an option of that name |
| `when` | the cases it is for: `{id: "EF_*", tag: german, split: test, contexts: true}` |

A case without an expected value is skipped by an evaluator that needs one. A case without output is the system's failure: score 0, status
`error`. A fault of ours (data, judge, evaluator) is an `error` too, told apart by `details["fault"]`, and in no mean; so is `unavailable`,
where a model or a package is missing. How fields match is told in [matches](matches.md).
"""
MATCHES = """\
# Matches

<!-- Written by scripts/reference.py from the code and scripts/reference.yaml; edit those. -->

A match says when two values agree. In a suite it is the `match` of a field, with its options beside it:

```yaml
fields:
  - {path: invoice.total, match: numeric_tolerance, tolerance: 0.01, weight: 2}
  - {path: vendor.name, match: fuzzy, required: false}
```

`path` is where the field is; `weight` (1) is what it counts; `required: false` leaves the score untouched where the value is missing or
null. In Python a match works on its own: `fw.match("fuzzy", expected=["Acme"], actual=["ACME"]).value`. Absence is decided before any match
is asked: a match sees only values that are there on both sides. Text compares after NFC; `true` is never 1; thresholds and tolerances are
inclusive.
"""


def main() -> int:
    """Write both pages."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def pages() -> dict[Path, str]:
    """Each page's file with what belongs in it."""
    notes = yaml.safe_load(NOTES.read_text(encoding="utf-8"))
    return {
        ROOT / "docs" / "evaluators.md": EVALUATORS + "\n".join(_evaluators(notes["evaluators"])) + "\n",
        ROOT / "docs" / "matches.md": MATCHES + "\n".join(_matches(notes["matches"])) + "\n",
    }


def _evaluators(notes: Mapping[str, Any]) -> Iterator[str]:
    order = sorted(
        _own(registry.EVALUATORS), key=lambda name: (KINDS.index(notes.get(name, {}).get("kind", KINDS[-1])), list(notes).index(name))
    )
    yield "\n| evaluator | what it tells |\n| --- | --- |"
    yield from (f"| [{name}](#{name}) | {_escaped(_first_line(registry.EVALUATORS.find(name)))} |" for name in order)
    kind = None
    for name in order:
        if notes[name]["kind"] != kind:
            kind = notes[name]["kind"]
            yield f"\n## {kind}"
        yield from _evaluator(registry.EVALUATORS.find(name), notes[name])


def _evaluator(entry: EvaluatorSpec, note: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n### {entry.name}\n"
    yield _introduction(entry)
    if "note" in note:
        yield f"\n{note['note'].strip()}"
    needs = "needs an expected value" if entry.needs_expected else "needs no expected value"
    yield f"\nReads {READS[entry.reads]}; {needs}.\n"
    yield from _options(entry.options)
    example = _plain(note["example"])
    plan_config(example)
    yield f"\n```yaml\n{yaml.safe_dump([example], sort_keys=False, allow_unicode=True, width=130).strip()}\n```"
    if "try" in note:
        given = _plain(note["try"])
        result = fw.evaluate(example, **given)
        if result.status == "error":
            raise RuntimeError(f"the example of {entry.name} fails, and is nothing to show: {result.reasoning}")
        yield "\n" + "\n".join(f"* {side}: `{json.dumps(value, ensure_ascii=False)}`" for side, value in given.items())
        yield from _told(result)


def _told(result: Result) -> Iterator[str]:
    yield f"* score {result.score:.4g}, verdict {result.verdict}: {result.reasoning}"
    yield f"* hits: {_listed(result.hits)}; misses: {_listed(result.misses)}"
    if result.metrics:
        yield "* metrics: " + ", ".join(f"`{name}` {_number(value)}" for name, value in result.metrics.items())


def _matches(notes: Mapping[str, Any]) -> Iterator[str]:
    order = sorted(_own(registry.MATCHERS), key=list(notes).index)
    for name in order:
        entry, note = registry.MATCHERS.find(name), notes[name]
        yield f"\n## {name}\n"
        yield _introduction(entry) + "\n"
        yield from _options(entry.options)
        if note["pairs"]:
            options = _plain(note.get("options", {}))
            yield f"\nWith `{json.dumps(options)}`:\n" if options else ""
            yield "| expected | actual | score | passes |\n| --- | --- | --- | --- |"
            expected, actual = ([pair[side] for pair in _plain(note["pairs"])] for side in (0, 1))
            scores = fw.match(name, expected=expected, actual=actual, **options)
            rows = zip(expected, actual, scores.value.tolist(), scores.passed.tolist(), strict=True)
            yield from (
                f"| `{json.dumps(e)}` | `{json.dumps(a)}` | {value:.2g} | {'yes' if passed else 'no'} |" for e, a, value, passed in rows
            )


def _own(catalog: registry.Catalog[Any]) -> list[str]:
    """The names that ship with fieldwise; others may be installed."""
    return [spec.name for spec in catalog.all() if spec.function.__module__.startswith("fieldwise.")]


def _introduction(entry: EvaluatorSpec | MatcherSpec) -> str:
    """What the module says of itself, without its examples in Python."""
    text = sys.modules[entry.function.__module__].__doc__ or ""
    kept = [part for part in re.split(r"\n\s*\n", text.strip()) if not part.lstrip().startswith(">>>")]
    return "\n\n".join(kept)


def _first_line(entry: EvaluatorSpec | MatcherSpec) -> str:
    return re.sub(r"\s+", " ", _introduction(entry).split("\n\n")[0])


def _options(declared: type) -> Iterator[str]:
    options = list_options(declared)
    if not options:
        yield "No options."
        return
    yield from _table(declared, options)
    for inner in _parts(declared, {declared}):
        yield f"\n`{inner.__name__}`: {_escaped((inner.__doc__ or '').strip().splitlines()[0])}\n"
        yield from _table(inner, list_options(inner))


def _table(declared: type, options: Sequence[DeclaredOption]) -> Iterator[str]:
    texts = read_descriptions(declared)
    yield "| option | value | default | what |\n| --- | --- | --- | --- |"
    for option in options:
        name = "any other key" if option.passes_through else f"`{option.name}`"
        default = "**needed**" if option.required and not option.passes_through else _default(option)
        what = re.sub(r"\s+", " ", texts.get(option.attribute, ""))
        yield f"| {name} | {_escaped(_value(option.hint))} | {default} | {_escaped(what)} |"


def _value(hint: Any) -> str:
    """A type in words, its parts by name."""
    inner = [part.__name__ for part in _dataclasses(hint)]
    return f"{describe_type(hint)}: {', '.join(f'`{name}`' for name in inner)}" if inner else describe_type(hint)


def _default(option: DeclaredOption) -> str:
    value = option.default
    if value is None or value in ((), "") or is_dataclass(value):
        return "–"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _dataclasses(hint: Any) -> list[type]:
    """The dataclasses that an option is made of, in order."""
    base, _ = split_annotated(hint)
    if isinstance(base, type) and is_dataclass(base):
        return [] if base in WRITTEN_ELSEWHERE else [base]
    return list(dict.fromkeys(part for inner in get_args(base) for part in _dataclasses(inner)))


def _parts(declared: type, seen: set[type]) -> Iterator[type]:
    for option in list_options(declared):
        for inner in _dataclasses(option.hint):
            if inner not in seen:
                seen.add(inner)
                yield inner
                yield from _parts(inner, seen)


def _plain(value: Any) -> Any:
    """YAML as JSON has it: a date is text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date) else value


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts) or "none"


def _number(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.4g}"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
