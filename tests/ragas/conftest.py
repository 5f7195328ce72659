"""Tests with the package ragas. It weighs 800 MB and lives in an environment of its own, hence they run only by `make test-ragas`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ask"))  # the scripted model server

REASON = "needs the package ragas, which weighs 800 MB; run by `make test-ragas`"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"ragas: {REASON}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out unless `-m ragas` asks for them."""
    if "ragas" in (config.option.markexpr or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("ragas")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("ragas")]
