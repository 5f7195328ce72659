"""What folders say about installed packages is what `importlib.metadata` says."""

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fieldwise.installed_packages import find_version, may_have_entry_points


@pytest.mark.parametrize("package", ["numpy", "rapidfuzz", "scipy", "orjson", "pyarrow", "pytest", "fieldwise"])
def test_a_version_is_that_of_the_metadata(package: str) -> None:
    assert find_version(package) == importlib.metadata.version(package)


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert find_version("no-such-package") is None


def test_groups_of_entry_points_are_found() -> None:
    assert may_have_entry_points("pytest11")
    assert not may_have_entry_points("no.such.group")


def ask_with_path(path: Path, code: str) -> str:
    """What an expression is in a process with this path in front of its own."""
    script = f"from fieldwise.installed_packages import *; print([{code}])"
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True).stdout.strip()


def write_package(folder: Path) -> None:
    info = folder / "Mine-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[mine.group]\na = b:c\n")


def test_the_first_package_on_the_path_counts(tmp_path: Path) -> None:
    write_package(tmp_path)
    assert ask_with_path(tmp_path, 'find_version("mine"), may_have_entry_points("mine.")') == "['1.5', True]"


def test_packages_in_an_archive_are_left_to_the_standard_library(tmp_path: Path) -> None:
    write_package(tmp_path / "files")
    with zipfile.ZipFile(tmp_path / "files.zip", "w") as archive:
        for file in (tmp_path / "files").glob("*/*"):
            archive.write(file, file.relative_to(tmp_path / "files"))
    assert ask_with_path(tmp_path / "files.zip", 'find_version("mine"), may_have_entry_points("mine.")') == "['1.5', True]"
