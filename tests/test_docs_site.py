"""The documentation site builds offline, with every link intact, and makes no external request."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r"""<(?:script|img|iframe)[^>]+src=["\'](https?:)?//|<link[^>]+href=["\'](https?:)?//""")


def test_the_site_builds_strictly_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        assert not LOADED.search(page.read_text(encoding="utf-8")), page.name
