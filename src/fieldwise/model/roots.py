"""Where fieldwise keeps things, said once for everything that reads or writes them."""

import os
import re
from pathlib import Path
from typing import Final

DEFAULT_ROOT: Final = ".fieldwise"
"""The folder for runs and answers, in the current folder, unless another root is given."""
ROOT_VARIABLE: Final = "FIELDWISE_ROOT"
"""The environment variable that names another root."""
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(place: object) -> bool:
    """Whether a place is named by a URL, which a drive of Windows is not.

    >>> [is_url(place) for place in ("s3://bucket/a.jsonl", "memory://a", "C://a", "a/b.jsonl")]
    [True, True, False, False]
    """
    return isinstance(place, str) and _URL.match(place) is not None


def chosen_root(root: str | Path | None = None) -> str | Path:
    """The root that is given, else the one that FIELDWISE_ROOT names, else `.fieldwise`."""
    return (os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT) if root is None else root


def answers_file(root: str | Path | None = None) -> Path:
    """The file that keeps every answer that was paid for, beside the runs of a root; in this folder where the root is a URL.

    >>> answers_file("elsewhere").as_posix(), answers_file("s3://bucket/evals").as_posix()
    ('elsewhere/answers.sqlite', '.fieldwise/answers.sqlite')
    """
    chosen = chosen_root(root)
    return Path(DEFAULT_ROOT if is_url(chosen) else chosen) / "answers.sqlite"
