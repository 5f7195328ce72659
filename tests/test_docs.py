"""What the documentation shows works: its Python runs, its suites pass the check, its commands succeed.

A block is left out only with a reason: `<!-- not run: needs a model endpoint -->` on the line before it.
"""

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from fieldwise import api
from fieldwise.cli.app import SHORT_HELP, app
from fieldwise.score.causes import describe_cause
from fieldwise.suite_plan import compile_suite
from fieldwise.web.app import create_app
from fieldwise.web.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"(?P<before>^[^\n]*\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^print\(.*\)\s+# (?P<told>.*)$")


class Block(NamedTuple):
    """A piece of code in a page."""

    kind: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that are to be run."""
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        if not re.match(r"<!-- not run: .+ -->", fence["before"] or ""):
            yield Block(fence["kind"], fence["text"], text.count("\n", 0, fence.start("text")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the files of the demo and the script of the judges page in it."""
    monkeypatch.chdir(tmp_path)
    with as_file(files("fieldwise") / "demo") as demo:
        for name in ("invoices.jsonl", "strategies.json"):
            copyfile(demo / name, tmp_path / name)
    judge = Path(__file__).parents[1] / "examples" / "code_judges" / "multi_field_fuzzy.py"
    copyfile(judge, tmp_path / judge.name)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_works_in_the_order_of_the_page(page: Path, folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "docs"}
    if page.name == "http-api.md":
        namespace["client"] = TestClient(create_app(Settings()), base_url="http://127.0.0.1")
    for block in blocks(page):
        place = f"{page.name}:{block.line}"
        if block.kind == "python":
            run_python(block, place, namespace)
        elif block.kind == "console":
            run_commands(block, place)
        elif block.kind == "yaml" and re.search(r"^evaluators:", block.text, re.MULTILINE):
            (folder / "block.eval.yaml").write_text(block.text, encoding="utf-8")
            assert compile_suite("block.eval.yaml").evaluators, place


def run_python(block: Block, place: str, namespace: dict[str, object]) -> None:
    """Run a block; what a line prints is what the comment behind it says."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile("\n" * block.line + block.text, place, "exec"), namespace)
    printed = [comment["told"].strip() for line in block.text.splitlines() if (comment := PRINTED.match(line))]
    prints = sum(line.startswith("print(") for line in block.text.splitlines())
    if printed and len(printed) == prints:
        assert output.getvalue().splitlines() == printed, place


def run_commands(block: Block, place: str) -> None:
    """Run the commands of fieldwise itself; one that fails a gate or finds a difference has worked too."""
    for line in block.text.splitlines():
        if not line.startswith("$ fieldwise "):
            continue
        arguments = shlex.split(line.removeprefix("$ fieldwise "), comments=True)
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code in (0, 1), f"{place}: {line}\n{result.output}"
        assert result.exception is None or isinstance(result.exception, SystemExit), f"{place}: {line}\n{result.exception!r}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_links_to_sections_lead_to_a_heading() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
            linked = page.parent / target if target else page
            if linked.suffix == ".md":
                assert anchor in list_anchors(linked.read_text(encoding="utf-8")), f"{page.name}: {target}#{anchor}"


def list_anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, and those that it names itself."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    anchors = set(re.findall(r'id="([^"]+)"', prose))
    for heading in re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE):
        words = re.sub(r"[^\w\s-]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)).strip().lower()
        anchors.add(re.sub(r"[-\s]+", "-", words))
    return anchors


def test_every_command_has_its_section() -> None:
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for name in SHORT_HELP:
        assert f"\n## {name}\n" in text


def test_the_documents_are_found() -> None:
    assert {"README.md", "cli.md", "getting-started.md"} <= {page.name for page in PAGES}


def test_the_causes_in_the_readme_are_those_that_are_found() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| ([^|]+) \|$", text, re.MULTILINE)
    assert len(rows) >= 5
    for expected, actual, label in rows:
        [comparison] = api.evaluate({"type": "field_prf"}, expected={"v": value(expected)}, actual={"v": value(actual)}).comparisons
        assert comparison.cause is not None, expected
        assert describe_cause(comparison.cause)[0] == label


def value(text: str) -> object:
    """A number where it is written as one, else text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_what_agents_read_names_only_commands_and_pages_that_exist() -> None:
    skill, index = ROOT / "skills/fieldwise/SKILL.md", ROOT / "docs/llms.txt"
    for text in (skill.read_text(encoding="utf-8"), index.read_text(encoding="utf-8")):
        named = re.findall(r"`fieldwise ([a-z-]+)", text)
        assert len(named) >= 4
        assert set(named) <= SHORT_HELP.keys()
    for target in re.findall(r"\]\(([a-z-]+)\.html\)", index.read_text(encoding="utf-8")):
        assert (ROOT / "docs" / f"{target}.md").exists(), target
