"""Settings are written into a suite; everything else stays as it is, byte for byte."""

import pytest

from fieldwise.model.diagnostic import ConfigError
from fieldwise.study.suite_edit import edit_suite

SUITE = """\
# invoices
cases:   data.jsonl      # one per line
evaluators:
  - type: field_accuracy
    name: "fields"
    fields:
      - total            # a bare path
      - {path: vendor.name, match: fuzzy, threshold: 0.85}   # a name
      - { path: 'tax' , "weight" : 2 }
      -   path: date
          match: date    # any format

          required: true
      - "odd: path"
    # before pass_at
    pass_at: 0.5

  - {type: field_prf}
gate:
  fields.score: ">= 0.8"  # agreed
"""


@pytest.mark.parametrize(
    ("setting", "old", "new"),
    [
        ("fields.vendor.name.threshold=0.8", "threshold: 0.85}", "threshold: 0.8}"),
        ("fields.vendor.name.weight=3", "0.85}", "0.85, weight: 3}"),
        ("fields.tax.weight=0.5", '"weight" : 2 }', '"weight" : 0.5 }'),
        ("fields.tax.required=false", '"weight" : 2 }', '"weight" : 2, required: false }'),
        ("fields.total.weight=3", "- total ", "- {path: total, weight: 3} "),
        ("fields.date.required=false", "required: true", "required: false"),
        ("fields.date.weight=2", "          required: true\n", "          required: true\n          weight: 2\n"),
        ("fields.pass_at=0.75", "pass_at: 0.5", "pass_at: 0.75"),
        ("fields.aggregation=all_or_nothing", "pass_at: 0.5\n", "pass_at: 0.5\n    aggregation: all_or_nothing\n"),
        ("field_prf.substitution_counts=fp", "{type: field_prf}", "{type: field_prf, substitution_counts: fp}"),
        ("gate.fields.score=>= 0.9", '">= 0.8"', '">= 0.9"'),
        ("gate.field_prf.f1=>= 0.9", '">= 0.8"  # agreed\n', '">= 0.8"  # agreed\n  field_prf.f1: ">= 0.9"\n'),
    ],
)
def test_only_the_setting_changes(setting, old, new):
    assert SUITE.count(old) == 1
    assert edit_suite(SUITE, [setting]) == SUITE.replace(old, new)


def test_several_settings_are_written_one_after_the_other():
    edited = edit_suite(SUITE, ["fields.total.weight=3", "fields.total.required=false", "fields.pass_at=1"])
    assert "- {path: total, weight: 3, required: false} " in edited
    assert "pass_at: 1\n" in edited


def test_windows_line_ends_and_a_missing_last_line_end_are_kept():
    text = SUITE.replace("\n", "\r\n").removesuffix("\r\n")
    edited = edit_suite(text, ["gate.field_prf.f1=>= 0.9"])
    assert edited == text + '\r\n  field_prf.f1: ">= 0.9"\r\n'


def test_a_shared_rule_is_not_changed_in_two_places():
    text = "evaluators:\n  - type: field_accuracy\n    fields: &rules [{path: a}]\n  - {type: field_prf, fields: *rules}\n"
    with pytest.raises(ConfigError, match="without changing more of the suite"):
        edit_suite(text, ["field_prf.a.weight=2"])
