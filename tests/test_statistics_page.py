"""The worked example of docs/statistics.md gives the figures that the page states."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"


def test_the_figures_of_the_worked_example_are_those_that_it_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    printed = capsys.readouterr().out.splitlines()
    assert printed == re.findall(r"\)  # (.+)", code)

    before, after, suite = names["before"], names["after"], names["suite"]
    assert isinstance(before, fw.Run)
    assert isinstance(after, fw.Run)
    assert isinstance(suite, dict)
    change = fw.compare(before, after).change("fields.score")
    for row in (
        "| `n` 100, `groups` 20 |",
        f"| {0.875} [0.74, 0.95] |",
        f"| change −{-change.delta:.2g} [−{-(change.low or 0):.3f}, {change.high:.3f}] |",
        f"| p {change.p} |",
        f"| verdict `{change.verdict}` |",
    ):
        assert row in text
    planned = CliRunner().invoke(app, ["power", before.id, "--drop", "0.05", "--format", "plain"]).stdout
    [groups] = re.findall(r"in (\d+) groups detect", planned)
    assert f"would show such a drop: {groups}." in text

    write_pages = names["write_pages"]
    assert callable(write_pages)
    ungrouped = {key: value for key, value in suite.items() if key != "group"}
    runs: list[fw.Run] = []
    for wrong in ({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, 7}):
        write_pages(wrong)
        runs.append(fw.run(ungrouped))
    alone = fw.compare(*runs).change("fields.score")
    assert f"Without `group`, the same data give p = {alone.p:.3f} and the verdict `{alone.verdict}`" in text
