"""The example of a reflective optimiser: it runs, and it improves the held-out split without seeing it."""

import json
import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "optimiser" / "optimise.py"


def test_packs_lead_the_loop_to_a_better_prompt(tmp_path: Path) -> None:
    example = runpy.run_path(str(EXAMPLE))
    prompt, before, after = example["optimise"](tmp_path)
    assert "ISO" in prompt
    assert "plain numbers" in prompt
    assert (before, after) == (1 / 3, 1.0)
    held_out = [case for case in example["DOCUMENTS"] if case["split"] == "test"]
    for file in tmp_path.glob("pack-*/*"):
        assert not [case for case in held_out if json.dumps(case["id"]) in file.read_text()], file
