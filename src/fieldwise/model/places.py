"""Where fieldwise keeps things, said once for everything that reads or writes them."""

from pathlib import Path
from typing import Final

DEFAULT_ROOT: Final = ".fieldwise"
"""The folder for runs and answers, in the current folder, unless another root is given."""


def answers_file(root: str | Path | None = None) -> Path:
    """The file that keeps every answer that was paid for, beside the runs of a root.

    >>> answers_file().as_posix(), answers_file("elsewhere").as_posix()
    ('.fieldwise/answers.sqlite', 'elsewhere/answers.sqlite')
    """
    return Path(DEFAULT_ROOT if root is None else root) / "answers.sqlite"
