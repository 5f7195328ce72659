"""`fieldwise --show-completion` and `--install-completion`: the script that completes commands in a shell."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

PROGRAM = "fieldwise"
VARIABLE = "_FIELDWISE_COMPLETE"
_ZSH_SETUP = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def render_script(command: click.Command, shell: str) -> str:
    """The script for a shell; ClickException if there is none for it. A shell of `$SHELL` is the one of that variable."""
    name = _find_name(shell)
    shell_class = get_completion_class(name)
    if shell_class is None:
        raise click.ClickException(f"there is no completion for the shell `{name}`; name one of bash, zsh and fish")
    return shell_class(command, {}, PROGRAM, VARIABLE).source()


def install_script(command: click.Command, shell: str) -> Path:
    """Write the script to the home folder, where the shell loads it; return its file."""
    script, name, home = render_script(command, shell), _find_name(shell), Path.home()
    if name == "bash":
        path = home / ".bash_completions" / f"{PROGRAM}.sh"
        _append_line(home / ".bashrc", f"source '{path}'")
    elif name == "zsh":
        path = home / ".zfunc" / f"_{PROGRAM}"
        _append_line(home / ".zshrc", _ZSH_SETUP)
    else:
        path = home / ".config" / "fish" / "completions" / f"{PROGRAM}.fish"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    return path


def _find_name(shell: str) -> str:
    """The name of a shell that is given by its name, its path or as the variable.

    >>> _find_name("zsh"), _find_name("/usr/bin/fish")
    ('zsh', 'fish')
    """
    return Path(os.path.expandvars(shell)).name


def _append_line(file: Path, line: str) -> None:
    """Append a line to a start-up file of the shell, unless it is there already."""
    content = file.read_text(encoding="utf-8") if file.exists() else ""
    if line in content.splitlines():
        return
    separator = "" if not content or content.endswith("\n") else "\n"
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{separator}{line}\n")
