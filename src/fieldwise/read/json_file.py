"""A JSON file: a list of cases, or one object that is one case."""

from typing import Any, BinaryIO

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import MISSING, Value
from fieldwise.read.files import Unreadable
from fieldwise.read.json_scan import Problem, Scan
from fieldwise.read.json_text import decode_fast, decode_slowly
from fieldwise.read.rows import Rows


def read_json(stream: BinaryIO, file: str) -> Rows:
    """The cases of a file; `Unreadable` if it is no JSON, or holds neither a list nor an object."""
    value, problems = read_value(stream.read(), file)
    if isinstance(value, dict):
        return Rows(values=[value], numbers=[1], files=[file], numbering="file", problems={0: problems} if problems else {})
    if isinstance(value, list):
        return _items(value, problems, file)
    what, fix = "a file of cases must hold a list of objects, or one object", 'write [{"id": …, "expected": …, "actual": …}, …]'
    raise Unreadable(Diagnostic(code="unreadable-file", what=what, where=Where(file=file), fix=fix))


def read_value(content: bytes, file: str) -> tuple[Value, list[Problem]]:
    """The value of a file and the problems inside it; `Unreadable` if it is no JSON."""
    if not content.strip():
        what = "the file is empty"
        raise Unreadable(Diagnostic(code="empty-file", what=what, where=Where(file=file), fix="write cases into it, or name another file"))
    value = decode_fast(content)
    if value is not MISSING:
        return value, []
    found = decode_slowly(content)
    if found.failure is not None:
        raise Unreadable(_syntax_error(content, found, file))
    return found.value, found.problems


def _syntax_error(content: bytes, found: Scan, file: str) -> Diagnostic:
    failure = found.failure
    assert failure is not None
    text = content.decode(errors="replace")
    line = text.count("\n", 0, failure.at or 0) + 1
    first = content.lstrip().split(b"\n", 1)[0]
    several = failure.what.startswith("something follows") and isinstance(decode_fast(first), dict)
    fix = "this is one JSON object per line: give the file the name .jsonl" if several else failure.fix
    return (
        failure.diagnostic(Where(file=file, line=line))
        if fix == failure.fix
        else Diagnostic(code=failure.code, what=failure.what, where=Where(file=file, line=line), fix=fix)
    )


def _items(items: list[Any], found: list[Problem], file: str) -> Rows:
    problems: dict[int, list[Problem]] = {}
    for problem in found:
        row = problem.steps[0] if problem.steps else 0
        inside = Problem(problem.code, problem.what, problem.steps[1:], problem.fix, problem.level, problem.at)
        problems.setdefault(int(row), []).append(inside)
    for row, item in enumerate(items):
        if not isinstance(item, dict):
            problems[row] = [Problem("invalid-json", "a case must be a JSON object", fix='write {"id": …, "expected": …, "actual": …}')]
    values: list[Any] = [item if isinstance(item, dict) else {} for item in items]
    return Rows(values=values, numbers=list(range(1, len(items) + 1)), files=[file] * len(items), numbering="item", problems=problems)
