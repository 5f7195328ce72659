"""The example notebook runs from top to bottom in a real kernel, and finds what was planted in its data."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}).execute()
    return notebook


def html_of(notebook: nbformat.NotebookNode, code: str) -> str:
    """What the cell that holds a piece of code shows."""
    [cell] = [cell for cell in notebook.cells if cell.cell_type == "code" and code in cell.source]
    return "".join(output["data"].get("text/html", "") for output in cell.outputs if "data" in output)


def test_the_list_of_wrong_values_holds_every_planted_error_with_its_cause(executed: nbformat.NotebookNode) -> None:
    wrong = html_of(executed, "run_a.mismatches()")
    assert [wrong.count(cause) for cause in ("day_month_swapped", "scale", "transposed", "truncated")] == [1, 1, 1, 1]
    assert wrong.count("<tr") == 1 + 8


def test_the_comparison_names_both_systems_and_the_chart_is_drawn(executed: nbformat.NotebookNode) -> None:
    comparison = html_of(executed, "fw.compare(run_a, run_b)")
    assert "system A" in comparison
    assert "system B" in comparison
    images = [
        output for cell in executed.cells if cell.cell_type == "code" for output in cell.outputs if "image/png" in output.get("data", {})
    ]
    assert len(images) == 1


def test_the_notebook_is_stored_without_output() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(cell.outputs == [] for cell in notebook.cells if cell.cell_type == "code")
