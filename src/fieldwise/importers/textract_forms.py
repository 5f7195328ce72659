"""Amazon Textract AnalyzeDocument with FORMS and QUERIES: key-value pairs, check boxes and answers among `Blocks`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from fieldwise.importers._leaves import Leaf, as_share, build_record, collect
from fieldwise.importers._textract import find_responses, read_box
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

Block: TypeAlias = Mapping[str, Any]
_NO_FIELDS: Final = Diagnostic(
    code="nothing-extracted",
    what="the response of Textract has text or tables, but no form and no query: it names no field",
    fix="analyze the document with FORMS or QUERIES",
    level="warning",
)


def _recognizes(document: Any) -> bool:
    responses = find_responses(document, "Blocks")
    blocks = [block for response in responses for block in response["Blocks"]]
    return bool(blocks) and all(isinstance(block, Mapping) and "BlockType" in block for block in blocks)


@importer(label="Amazon Textract AnalyzeDocument (forms, queries)", recognizes=_recognizes)
def textract_forms(document: Any) -> Iterator[ImportedRecord]:
    """One record for the whole document: values by the text of their keys, answers by the alias (or text) of their queries.

    A key that occurs several times has a list of values. A check box is true or false.
    """
    blocks = [block for response in find_responses(document, "Blocks") for block in response["Blocks"]]
    by_id = {str(block["Id"]): block for block in blocks if "Id" in block}
    leaves: list[tuple[str, Leaf]] = []
    for block in blocks:
        if block.get("BlockType") == "KEY_VALUE_SET" and "KEY" in (block.get("EntityTypes") or ()):
            key = _read_text(block, by_id)
            name = key.strip().rstrip(":").rstrip() if isinstance(key, str) else ""  # a key without words names no field
            values = list(_related_blocks(block, "VALUE", by_id))
            leaves.append((name, _read_value(values[0], by_id) if values else Leaf(None)))
        elif block.get("BlockType") == "QUERY":
            query = block.get("Query") or {}
            answers = list(_related_blocks(block, "ANSWER", by_id))
            leaf = max(
                (_make_leaf(answer, answer.get("Text")) for answer in answers), key=lambda leaf: leaf.confidence or 0, default=Leaf(None)
            )
            leaves.append((str(query.get("Alias") or query.get("Text")), leaf))
    if not any("Page" in block for block in blocks):  # an operation on one page does not number it
        leaves = [(name, leaf if leaf.value is None else replace(leaf, page=1)) for name, leaf in leaves]
    has_fields = any(block.get("BlockType") in ("KEY_VALUE_SET", "QUERY") for block in blocks)
    notes = () if has_fields else (_NO_FIELDS,)
    yield build_record(collect((name, leaf) for name, leaf in leaves if name), repeatable=True, diagnostics=notes)


def _related_blocks(block: Block, kind: str, by_id: Mapping[str, Block]) -> Iterator[Block]:
    for relationship in block.get("Relationships") or ():
        if relationship.get("Type") == kind:
            yield from (by_id[id] for id in relationship.get("Ids") or () if id in by_id)


def _read_text(block: Block, by_id: Mapping[str, Block]) -> str | bool | None:
    """The words of a block; true or false if it is a check box alone."""
    words: list[str] = []
    selected: bool | None = None
    for child in _related_blocks(block, "CHILD", by_id):
        if child.get("BlockType") == "WORD":
            words.append(str(child.get("Text", "")))
        elif child.get("BlockType") == "SELECTION_ELEMENT":
            selected = child.get("SelectionStatus") == "SELECTED"
    return " ".join(words) if words else selected


def _read_value(block: Block, by_id: Mapping[str, Block]) -> Leaf:
    return _make_leaf(block, _read_text(block, by_id))


def _make_leaf(block: Block, value: Any) -> Leaf:
    return Leaf(value, as_share(block.get("Confidence")), block.get("Page"), read_box(block.get("Geometry")))
