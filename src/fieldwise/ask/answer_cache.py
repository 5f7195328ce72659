"""Cache of model answers in a SQLite file; an answer is committed before it is used."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_VERSION: Final = 1
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    finish TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    asked_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """The answer of a model with its usage."""

    text: str
    finish: str
    """The finish reason of the server: `stop`, `length` if it was cut off, `content_filter`; `refusal` if the model refused."""
    tokens_in: int
    tokens_out: int
    seconds: float
    cached: bool = False


class AnswerCache:
    """The cache file. Several processes may use it at once."""

    def __init__(self, file: str | Path) -> None:
        try:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(file, timeout=30, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")  # a committed answer survives a crash of the process
            self._check_version(file)
            self._connection.execute(_TABLE)
        except (OSError, sqlite3.DatabaseError) as error:
            raise ValueError(f"the answer cache {file} cannot be used ({error}); move it, or use another root") from error

    def get(self, key: bytes) -> ModelAnswer | None:
        """The answer of this key; None if it is not cached."""
        query = "SELECT text, finish, tokens_in, tokens_out, seconds FROM answers WHERE key = ?"
        row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        return ModelAnswer(text=row[0], finish=row[1], tokens_in=row[2], tokens_out=row[3], seconds=row[4], cached=True)

    def put(self, key: bytes, model: str, answer: ModelAnswer) -> None:
        """Store an answer; it is committed on return."""
        values = (key, model, answer.text, answer.finish, answer.tokens_in, answer.tokens_out, answer.seconds)
        columns = "key, model, text, finish, tokens_in, tokens_out, seconds"
        self._connection.execute(f"INSERT OR REPLACE INTO answers ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def delete(self, key: bytes) -> None:
        """Delete an answer."""
        self._connection.execute("DELETE FROM answers WHERE key = ?", (key,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _check_version(self, file: str | Path) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise ValueError(f"{file} was written by another version of fieldwise (format {version}); move it, or use another file")
        self._connection.execute(f"PRAGMA user_version = {_VERSION}")
