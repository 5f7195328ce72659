"""Draws docs/images/demo.svg, the picture in the README: python docs/images/demo_picture.py"""

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.segment import Segment, Segments

from fieldwise.api import run
from fieldwise.report.run_view import build_run_view
from fieldwise.report.terminal import build_run_report
from fieldwise.report.terminal_layout import DisplayOptions

ROOT = Path(__file__).parents[2]
WIDTH = 116
FIELDS = 8
FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"


def picture() -> str:
    """The report of the demo as an SVG that loads nothing from anywhere."""
    with tempfile.TemporaryDirectory() as folder:
        view = build_run_view(run(ROOT / "src/fieldwise/demo/invoices.eval.yaml", root=folder), examples=True)
        console = Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO(), markup=False, highlight=False, emoji=False)
        for line in _main(console.render_lines(build_run_report(view, DisplayOptions(width=WIDTH)), pad=False)):
            console.print(Segments([*line, Segment.line()]), end="")
    svg = console.export_svg(title="fieldwise demo", unique_id="demo").replace(str(folder), ".fieldwise")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", FONTS).replace("font-family: Fira Code", f"font-family: {FONTS}")


def _main(lines: list[list[Segment]]) -> list[list[Segment]]:
    """What the README has room for: scores, gates, causes, and the fields with the lowest scores."""
    texts = ["".join(segment.text for segment in line).rstrip() for line in lines]
    fields, causes, slices = (texts.index(head) for head in ("Fields (fields)", "Likely causes (fields)", "By split and tag"))
    end = next(place for place, text in enumerate(texts) if text.startswith("exit "))
    return [*lines[:fields], *lines[causes:slices], *lines[fields : fields + 2 + FIELDS], [], *lines[end:]]


if __name__ == "__main__":
    (ROOT / "docs/images/demo.svg").write_text(picture(), encoding="utf-8")
