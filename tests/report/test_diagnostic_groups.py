"""Diagnostics that say the same about several places."""

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.report.diagnostic_groups import group_diagnostics


def test_errors_come_first_and_equal_messages_are_one() -> None:
    remark = [Diagnostic(code="a", what="same", where=Where(field=name), level="info") for name in ("x", "y")]
    error = Diagnostic(code="b", what="broken")
    groups = group_diagnostics([*remark, error])
    assert [(group.level, group.size, group.locations) for group in groups] == [("error", 1, ()), ("info", 2, ("field x", "field y"))]
