"""Shapes of model output, each with what a person would read out of it; written before they were first read.

At first 76 of 89 gave the right answer; the others failed as outputs that cannot be read, none was read wrongly.
"""

from typing import Any

import pytest

from fieldwise.model.values import MISSING
from fieldwise.read.records_in_text import find_record

R: dict[str, Any] = {"name": "Acme", "total": 12.5, "paid": True}
J = '{"name": "Acme", "total": 12.5, "paid": true}'
OTHER = '{"name": "Zenith", "total": 99.0, "paid": false}'
AMBIGUOUS, UNREADABLE = "ambiguous", "unreadable"

SHAPES: list[tuple[str, str, Any]] = [
    ("plain", J, R),
    ("json fence", f"```json\n{J}\n```", R),
    ("fence without language", f"```\n{J}\n```", R),
    ("JSON fence in capitals", f"```JSON\n{J}\n```", R),
    ("json5 fence", f"```json5\n{J}\n```", R),
    ("python fence", "```python\n{'name': 'Acme', 'total': 12.5, 'paid': True}\n```", R),
    ("tilde fence", f"~~~json\n{J}\n~~~", R),
    ("fence not closed", f"```json\n{J}", R),
    ("fence on one line", f"```json {J} ```", R),
    ("single backticks", f"`{J}`", R),
    ("indented fence", f"Here you go:\n\n    ```json\n    {J}\n    ```\n", R),
    ("fence closed without opening", f"{J}\n```", R),
    ("prose before", f"Sure! Here is the extracted record:\n{J}", R),
    ("prose after", f"{J}\n\nLet me know if you need anything else.", R),
    ("prose around with braces", f"The template {{name}} was filled in: {J} (done)", R),
    ("prose with an emoticon", f"Done :-}} here it is: {J}", R),
    ("citation markers", f"As stated in [1] and [2]: {J}", R),
    ("json prefix", f"json\n{J}", R),
    ("label", f"Output: {J}", R),
    ("bold label", f"**Answer:** {J}", R),
    ("heading and fence", f"## Result\n\n```json\n{J}\n```\n\n## Notes\n\nNone.", R),
    ("byte order mark", f"\ufeff{J}", R),
    ("no-break spaces", J.replace(" ", "\u00a0"), R),
    ("zero-width space", f"\u200b{J}\u200b", R),
    ("carriage returns", J.replace(", ", ",\r\n"), R),
    ("tabs", J.replace(", ", ",\t"), R),
    ("single quotes", "{'name': 'Acme', 'total': 12.5, 'paid': true}", R),
    ("Python literals", "{'name': 'Acme', 'total': 12.5, 'paid': True, 'note': None}", {**R, "note": None}),
    ("apostrophe inside single quotes", "{'name': \"L'Oréal\", 'total': 12.5, 'paid': True}", {**R, "name": "L'Oréal"}),
    ("escaped apostrophe", r"{'name': 'L\'Oréal', 'total': 12.5, 'paid': True}", {**R, "name": "L'Oréal"}),
    ("a tuple", "{'name': 'Acme', 'total': 12.5, 'paid': True, 'box': (1, 2)}", {**R, "box": [1, 2]}),
    ("trailing comma", '{"name": "Acme", "total": 12.5, "paid": true,}', R),
    ("trailing comma in a list", '{"name": "Acme", "total": 12.5, "paid": true, "l": [1, 2,],}', {**R, "l": [1, 2]}),
    ("missing comma at a line end", '{"name": "Acme"\n "total": 12.5\n "paid": true}', R),
    ("line comment", '{"name": "Acme", // the vendor\n "total": 12.5, "paid": true}', R),
    ("hash comment", '{"name": "Acme", # the vendor\n "total": 12.5, "paid": true}', R),
    ("block comment", '{"name": "Acme", /* the vendor */ "total": 12.5, "paid": true}', R),
    ("a URL is no comment", '{"name": "http://acme.com//x", "total": 12.5, "paid": true,}', {**R, "name": "http://acme.com//x"}),
    ("curly quotes", "{“name”: “Acme”, “total”: 12.5, “paid”: true}", R),
    ("German quotes", "{„name“: „Acme“, „total“: 12.5, „paid“: true}", R),
    ("guillemets inside a text", '{"name": "«Acme»", "total": 12.5, "paid": true}', {**R, "name": "«Acme»"}),
    ("curly quotes inside a text", '{"name": "the “Acme”", "total": 12.5, "paid": true,}', {**R, "name": "the “Acme”"}),
    ("unquoted keys", "{name: 'Acme', total: 12.5, paid: true}", R),
    ("unquoted keys with dashes", '{"name": "Acme", total: 12.5, paid: true, due-date: "x"}', {**R, "due-date": "x"}),
    ("a line break inside a text", '{"name": "Acme\nLtd", "total": 12.5, "paid": true}', {**R, "name": "Acme\nLtd"}),
    ("a tab inside a text", '{"name": "Acme\tLtd", "total": 12.5, "paid": true}', {**R, "name": "Acme\tLtd"}),
    ("plus sign", '{"name": "Acme", "total": +12.5, "paid": true}', R),
    ("point first", '{"name": "Acme", "total": .5, "paid": true}', {**R, "total": 0.5}),
    ("underscored number", '{"name": "Acme", "total": 1_000, "paid": true}', {**R, "total": 1000}),
    ("literals in capitals", '{"name": "Acme", "total": 12.5, "paid": TRUE, "x": NULL}', {**R, "x": None}),
    ("undefined", '{"name": "Acme", "total": 12.5, "paid": true, "x": undefined}', {**R, "x": None}),
    ("escaped twice", J.replace('"', '\\"'), R),
    ("JSON in a JSON string", '"' + J.replace('"', '\\"') + '"', R),
    ("JSON in a JSON string in a fence", '```json\n"' + J.replace('"', '\\"') + '"\n```', R),
    ("escaped underscores of Markdown", '{"first\\_name": "Acme"}', {"first_name": "Acme"}),
    ("XML tags around", f"<answer>{J}</answer>", R),
    ("XML tags with attributes", f'<output format="json">\n{J}\n</output>', R),
    ("HTML pre", f"<pre><code>{J}</code></pre>", R),
    ("thinking before", f"<think>Maybe it is Zenith?</think>\n{J}", R),
    ("a draft while thinking", f"<think>Draft: {OTHER}</think>\n{J}", R),
    ("a draft in a fence while thinking", f"<thinking>\n```json\n{OTHER}\n```\n</thinking>\n```json\n{J}\n```", R),
    ("reasoning tag", f"<reasoning>{OTHER}</reasoning>{J}", R),
    ("a closing think tag only", f"I first thought of {OTHER}.\n</think>\n{J}", R),
    ("thinking never ends", f"<think>I guess {OTHER} but", UNREADABLE),
    ("answer tag wins", f"First idea: {OTHER}\n<answer>{J}</answer>", R),
    ("channel markers", f"<|channel|>analysis<|message|>{OTHER}<|end|><|start|>assistant<|channel|>final<|message|>{J}", R),
    ("two different answers", f"{OTHER} or maybe {J}", AMBIGUOUS),
    ("two different fences", f"```json\n{OTHER}\n```\nor\n```json\n{J}\n```", AMBIGUOUS),
    ("the same answer twice", f"{J}\n\nTo repeat:\n\n{J}", R),
    ("the fence wins over an example", f"For example {OTHER} is wrong.\n```json\n{J}\n```", R),
    ("a schema before", '{"type": "object", "properties": {"name": {"type": "string"}}}\n' + J, R),
    ("a list of one record", f"[{J}]", [R]),
    ("cut off in a text", '{"name": "Acme", "total": 12.5, "paid": true, "note": "the rest of', R),
    ("cut off after a colon", '{"name": "Acme", "total": 12.5, "paid": true, "note":', R),
    ("cut off in a key", '{"name": "Acme", "total": 12.5, "paid": true, "no', R),
    ("cut off after a comma", '{"name": "Acme", "total": 12.5, "paid": true,', R),
    ("cut off in a number", '{"name": "Acme", "paid": true, "total": 12.', {"name": "Acme", "paid": True}),
    ("cut off in a list", '{"name": "Acme", "total": 12.5, "paid": true, "l": [1, 2, ', {**R, "l": [1, 2]}),
    ("cut off in a fence", '```json\n{"name": "Acme", "total": 12.5, "paid": true, "note": "x', R),
    ("dots for the rest", '{"name": "Acme", "total": 12.5, "paid": true, ...}', R),
    ("an extra closing brace", J + "}", R),
    ("no braces", '"name": "Acme",\n"total": 12.5,\n"paid": true', R),
    ("no opening brace", '"name": "Acme", "total": 12.5, "paid": true, "l": [{"x": 1}]}', {**R, "l": [{"x": 1}]}),
    ("a quoted word before", f'"Acme": this is the vendor. {J}', R),
    ("no opening brace and another answer", f'"name": "Acme"}} or {OTHER}', AMBIGUOUS),
    ("a key twice", '{"name": "Acme", "name": "Zenith"}', UNREADABLE),
    ("no JSON", "I could not find any invoice in this document.", UNREADABLE),
    ("empty", "", UNREADABLE),
    ("refusal in braces", "{I cannot help with that}", UNREADABLE),
    ("lines of JSON", f"{J}\n{OTHER}", AMBIGUOUS),
    ("YAML", "name: Acme\ntotal: 12.5\npaid: true\n", R),
    ("YAML in a fence", "```yaml\nname: Acme\ntotal: 12.5\npaid: true\n```", R),
]
NOT_READ = {"YAML": "another format than JSON", "YAML in a fence": "another format than JSON"}


@pytest.mark.parametrize(("shape", "text", "wanted"), SHAPES, ids=[shape for shape, _, _ in SHAPES])
def test_a_shape_is_read_as_a_person_reads_it(shape: str, text: str, wanted: Any) -> None:
    record = find_record(text)
    if wanted in (AMBIGUOUS, UNREADABLE) or shape in NOT_READ:
        assert record.value is MISSING
        assert record.reason is not None
        assert record.reason.startswith("ambiguous") == (wanted == AMBIGUOUS)
    else:
        assert record.value == wanted


def test_what_was_repaired_is_said() -> None:
    texts = ['{"a": 1\n"b": 2}', '{"a": (1, 2), ...}', '"a": 1}', '{\\"a\\": 1}']
    assert [find_record(text).repairs for text in texts] == [
        ("missing commas added",),
        ("Python literals replaced", "dots for further parts removed"),
        ("opening brace added",),
        ("escaped quotes read as quotes",),
    ]
