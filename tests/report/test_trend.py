"""A metric over runs."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.diagnostic import ConfigError
from fieldwise.report.charts import ChartBar, draw_line
from fieldwise.report.terminal_layout import DisplayOptions, render_text
from fieldwise.report.trend import Trend, build_trend, build_trend_report, render_trend_html
from fieldwise.store.run import Run, list_runs
from fieldwise.store.run_names import add_tags

NAME = "<b>trend</b>"


def write(folder: Path, right: int, *, rule: str = "exact", name: str = NAME) -> Run:
    cases = [{"id": str(at), "expected": {"x": 1}, "actual": {"x": 1 if at < right else 2}} for at in range(4)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    evaluator = f"{{type: field_accuracy, name: fields, fields: [{{path: x, match: {rule}}}]}}"
    suite = f"name: '{name}'\ncases: cases.jsonl\nevaluators: [{evaluator}]\ngate: {{fields.score: '>= 0.4'}}\n"
    (folder / "s.eval.yaml").write_text(suite)
    return fw.run(folder / "s.eval.yaml", root=folder / "root")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """One right of four, then two, then three with another rule; and a run of another suite."""
    folder = tmp_path_factory.mktemp("trend")
    write(folder, 4, name="other")
    write(folder, 1)
    add_tags(write(folder, 2).path, ["nightly"])
    write(folder, 3, rule="numeric_tolerance")
    return list_runs(folder / "root")


@pytest.fixture
def trend(runs: list[Run]) -> Trend:
    return build_trend(runs, "fields.score")


def test_it_is_the_suite_that_measured_it_last_oldest_first(trend: Trend) -> None:
    assert trend.suite == NAME
    assert trend.values == [0.25, 0.5, 0.75]
    assert [trend.change_at(place) for place in range(3)] == [None, 0.25, 0.25]
    assert trend.others == ("other",)
    assert trend.points[1].tags == ("nightly",)


def test_other_changes_are_noted(trend: Trend) -> None:
    assert [point.notes for point in trend.points] == [(), (), ("other rules",)]


def test_a_suite_and_a_limit_can_be_set(runs: list[Run]) -> None:
    assert build_trend(runs, "fields.score", suite="other").values == [1.0]
    assert build_trend(runs, "fields.score", limit=2).values == [0.5, 0.75]


@pytest.mark.parametrize(
    ("metric", "suite", "suggestion"),
    [
        ("fields.scor", None, "did you mean `fields.score`"),
        ("nope", None, "there are: fields.score"),
        ("fields.score", "othr", "did you mean `other`"),
    ],
)
def test_an_unknown_name_is_an_error_with_suggestions(runs: list[Run], metric: str, suite: str | None, suggestion: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_trend(runs, metric, suite=suite)
    assert suggestion in (caught.value.diagnostics[0].fix or "")


def test_no_finished_run_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no finished run"):
        build_trend([], "fields.score")


def test_less_of_what_is_bad_is_good_news(runs: list[Run], trend: Trend) -> None:
    assert [trend.news_at(place) for place in range(3)] == ["", "good", "good"]
    fewer = Trend(metric="json_quality.hallucination", suite="s", points=trend.points)
    assert [fewer.news_at(place) for place in range(3)] == ["", "bad", "bad"]


def test_the_terminal_shows_steps_values_dates_and_what_changed(trend: Trend) -> None:
    report = render_text(build_trend_report(trend, DisplayOptions(width=120)), width=120)
    assert "▁▅█  lowest 0.250, highest 0.750, now 0.750" in report
    assert f"{trend.points[0].started:%Y-%m-%d %H:%M}" in report
    assert "+0.250  nightly" in report
    assert "! other rules" in report
    assert "also measured by other" in report
    assert "█" not in render_text(build_trend_report(trend, DisplayOptions(plain=True)), width=120).split("\n", 3)[3]


def test_one_run_is_no_trend_yet(runs: list[Run]) -> None:
    report = render_text(build_trend_report(build_trend(runs, "fields.score", suite="other"), DisplayOptions()))
    assert "no trend yet" in report


def test_the_page_escapes_its_data_and_draws_the_gate(runs: list[Run], trend: Trend) -> None:
    page = render_trend_html(trend, runs[0].gates)
    assert "&lt;b&gt;trend&lt;/b&gt;" in page
    assert NAME not in page
    assert "fields.score &gt;= 0.4" in page
    assert "series kind-bound" in page
    assert "series kind-bound" not in render_trend_html(trend)
    assert page.count('<g class="dots">') == 3


def test_numbers_beyond_one_are_drawn_too() -> None:
    drawn = draw_line([ChartBar("a", 3.0), ChartBar("b", 17.5)], title="counts")
    assert "a: 3" in drawn
    assert "b: 17.5" in drawn


def test_the_page_opens_from_disk_without_a_request(open_page: Any, runs: list[Run], trend: Trend, tmp_path: Path) -> None:
    path = tmp_path / "trend.html"
    path.write_text(render_trend_html(trend, runs[0].gates), encoding="utf-8")
    watched = open_page(path)
    assert watched.complaints == []
    assert watched.requests == [path.resolve().as_uri()]


def test_runs_of_several_sources_are_lines_with_a_key(tmp_path: Path) -> None:
    suite = {"name": "s", "evaluators": [{"type": "field_prf"}]}
    for name, value in (("alpha", 1), ("beta", 2), ("alpha", 1)):
        fw.run(suite, cases=[{"id": "1", "expected": {"x": 1}, "actual": {"x": value}}], root=tmp_path, name=name)
    trend = build_trend(list_runs(tmp_path), "field_prf.score")
    assert trend.sources == ("alpha", "beta")
    assert [point["source"] for point in trend.to_json()["runs"]] == ["alpha", "beta", "alpha"]
    page = render_trend_html(trend)
    assert page.count('class="series-mark') == 2
    assert 'data-label="source">beta' in page
