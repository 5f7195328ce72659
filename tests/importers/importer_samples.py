"""Sample files of the vendors' published schemas, and what an importer reads from them."""

import json
from pathlib import Path
from typing import Any

from fieldwise.model.imported import ImportedRecord
from fieldwise.read.imported_files import read_documents

DATA = Path(__file__).parent / "data"


def load_sample(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def read_sample(name: str) -> list[ImportedRecord]:
    return list(read_documents("auto", load_sample(name)))
