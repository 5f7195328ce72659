"""Shell completion knows the commands and the stored runs."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

import fieldwise as fw
from fieldwise.cli._completion import complete_cases, complete_fields, complete_runs, complete_tags

Call = Callable[..., Result]


def context_of(**params: object) -> Any:
    return SimpleNamespace(params=params, parent=SimpleNamespace(params={"root": None}, parent=None))


def complete(function: Any, incomplete: str, **params: object) -> list[tuple[str, str | None]]:
    """What a completion function proposes: values and their descriptions."""
    return [(item.value, item.help) for item in function(context_of(**params), None, incomplete)]


def test_runs_tags_cases_and_fields_are_completed(folder: Path, fieldwise: Call) -> None:
    fieldwise("run", "small.eval.yaml")
    fieldwise("runs", "tag", "latest", "release")
    run_id = fw.open_run("latest").id
    assert [name for name, _ in complete(complete_runs, "")] == ["latest", run_id, "release"]
    assert complete(complete_runs, run_id[:9]) == [(run_id, "small")]
    assert complete(complete_tags, "rel") == [("release", None)]
    assert [name for name, _ in complete(complete_cases, "", run="latest")] == ["a", "b", "c"]
    assert complete(complete_fields, "tot", run=run_id)[0][0] == "total"


def test_without_runs_nothing_is_completed_and_nothing_is_raised(folder: Path) -> None:
    for function in (complete_runs, complete_tags, complete_cases, complete_fields):
        assert complete(function, "", root=str(folder / "none")) == []


def complete_words(*words: str) -> list[str]:
    """What the shell is told to propose for the last of the words of a command line."""
    variables = {"_FIELDWISE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'fieldwise'; from fieldwise.cli import main; main()"]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_options_choices_and_stored_runs(folder: Path, fieldwise: Call) -> None:
    fieldwise("run", "small.eval.yaml")
    assert complete_words("fieldwise", "ba") == ["baseline"]
    assert complete_words("fieldwise", "run", "--max-e") == ["--max-errors"]
    assert complete_words("fieldwise", "run", "--format", "g") == ["github"]
    assert complete_words("fieldwise", "explain", "lat") == ["latest"]
    assert complete_words("fieldwise", "explain", "latest", "b") == ["b"]


def test_the_script_of_the_shell_is_shown_and_installed(tmp_path: Path, fieldwise: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    shown = fieldwise("--show-completion")
    assert shown.exit_code == 0
    assert "_FIELDWISE_COMPLETE=zsh_complete" in shown.stdout
    (tmp_path / ".zshrc").write_text("alias ll='ls -l'")
    for _ in range(2):
        assert fieldwise("--install-completion").exit_code == 0
    assert (tmp_path / ".zfunc" / "_fieldwise").read_text() == shown.stdout.removesuffix("\n")
    assert (tmp_path / ".zshrc").read_text().splitlines() == ["alias ll='ls -l'", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"]


@pytest.mark.parametrize(
    ("shell", "file"), [("bash", ".bash_completions/fieldwise.sh"), ("fish", ".config/fish/completions/fieldwise.fish")]
)
def test_the_script_is_installed_for_other_shells(
    tmp_path: Path, fieldwise: Call, monkeypatch: pytest.MonkeyPatch, shell: str, file: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    assert fieldwise("--install-completion").exit_code == 0
    assert f"{shell}_complete" in (tmp_path / file).read_text()
    if shell == "bash":
        assert (tmp_path / ".bashrc").read_text() == f"source '{tmp_path / file}'\n"


def test_a_shell_without_completion_is_named(fieldwise: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert fieldwise("--show-completion", "fish").exit_code == 0
    refused = fieldwise("--show-completion")
    assert refused.exit_code == 1
    assert "`tcsh`" in refused.stderr
