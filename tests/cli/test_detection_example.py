"""The detection example, from the command line."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise.cli.app import app

EXAMPLE = Path(__file__).parents[2] / "examples" / "detection"


def test_a_pair_of_coco_files_gives_ap_by_category_and_the_worst_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "detection")
    monkeypatch.chdir(tmp_path / "detection")
    output = CliRunner().invoke(app, ["run", "detection.eval.yaml", "--format", "plain"])
    assert output.exit_code == 0
    assert "ap by category: dog 0.453 · ball 0.544 · person 0.611" in output.stdout
    assert "5 0.000" in output.stdout
    suite = (EXAMPLE / "detection.eval.yaml").read_text().strip().splitlines()
    assert len(suite) <= 11
