"""Which modules of src pytest collects for doctests."""

from pathlib import Path

SOURCE = Path(__file__).parent / "src"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore modules without an example: every test process would import all of them."""
    is_module = collection_path.suffix == ".py" and collection_path.is_relative_to(SOURCE)
    return True if is_module and ">>>" not in collection_path.read_text(encoding="utf-8") else None
