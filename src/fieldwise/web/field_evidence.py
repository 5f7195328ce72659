"""The place of a field for pages: the part of its page with the box, and the source texts with the values marked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.report.evidence import MarkedText, PagePlace, Side, find_page_place, list_source_texts, mark_sources
from fieldwise.report.html import build_query
from fieldwise.report.picture import PlaceBox, draw_place
from fieldwise.report.text_format import make_visible
from fieldwise.report.value_diff import TextPiece, plain_pieces
from fieldwise.store.run import Run
from fieldwise.web.case_images import CaseImage, image_reference, load_image
from fieldwise.web.server import Server

SIDES: Final[tuple[Side, ...]] = ("expected", "actual")
SIDE_NAMES: Final = {"expected": "expected", "actual": "actual"}
_COLOURS: Final = {"expected": "#047857", "actual": "#4338ca"}
_BLIND_COLOUR: Final = "#b45309"
_MAX_SHOWN: Final = 12_000
"""Characters of a source text that are shown around the first place."""
_MAX_PIECE: Final = 400
"""`plain_pieces` cuts out the middle of longer texts."""


@dataclass(frozen=True, slots=True)
class TextStretch:
    """A stretch of a source text; `role` names the value that it is, or is empty."""

    pieces: tuple[TextPiece, ...]
    role: str
    label: str
    """What a reader without colours is told: `expected`, `actual`, `both`, `A`, `B`."""


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """A source text with the values marked."""

    name: str
    stretches: tuple[TextStretch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """Where the values of a comparison come from."""

    picture: Markup | None = None
    places: tuple[str, ...] = ()
    """The pages of the values in words."""
    texts: tuple[EvidenceText, ...] = ()
    not_found: tuple[str, ...] = ()
    """The sides whose value is in no source text, if there is a source text."""
    note: str = ""
    """Why the image is not shown."""

    def __bool__(self) -> bool:
        return bool(self.picture or self.places or self.texts or self.not_found)


def may_have_place(case: Case, comparison: Comparison, *, has_text: bool) -> bool:
    """Whether a field may lead to a place, without searching the texts for it; `has_text` if the case has a source text."""
    if any(find_page_place(case, comparison, side) for side in SIDES):
        return True
    return has_text and any(map(_may_be_in_text, (comparison.expected, comparison.actual)))


def _may_be_in_text(value: Any) -> bool:
    return accepted_values(value) is not None or (value is not None and not isinstance(value, dict | list | bool))


def build_field_evidence(
    server: Server,
    run: Run,
    case: Case,
    comparison: Comparison,
    *,
    names: Mapping[str, str] = SIDE_NAMES,
) -> FieldEvidence:
    """The place of a comparison. `names` are the words for the two sides, which a blind review replaces by A and B."""
    sides: dict[Side, PagePlace | None] = {side: find_page_place(case, comparison, side) for side in SIDES}
    blind = names is not SIDE_NAMES
    ordered = sorted(sides, key=lambda side: names[side]) if blind else list(sides)
    places_by_side = [(side, place) for side in ordered if (place := sides[side]) is not None]
    # Often only the output has a box: in a blind review, a name beside it would tell which side is which.
    places = [place.describe() if blind else f"{names[side]}: {place.describe()}" for side, place in places_by_side]
    boxes: dict[int, list[PlaceBox]] = {}
    for side, place in places_by_side:
        if place.box is not None:
            box = PlaceBox(place.box, "", _BLIND_COLOUR) if blind else PlaceBox(place.box, side, _COLOURS[side], dashed=side == "actual")
            boxes.setdefault(place.page or 1, []).append(box)  # without a page, `image_reference` is that of the first one
    picture, note = _draw_boxes(server, run, case, boxes, comparison.path)
    values = {side: getattr(comparison, side) for side in ordered if getattr(comparison, f"{side}_presence") == "present"}
    scalars = {side: value for side, value in values.items() if _may_be_in_text(value)}
    sources = list_source_texts(case)
    marked = mark_sources(case, scalars)
    if sources and not marked:  # the text is shown all the same: a reader has to look for the value
        marked = [MarkedText(sources[0].name, sources[0].text, ())]
    marked_roles = {role for text in marked for _, _, role in text.spans}
    missing = [names[side] for side in scalars if side not in marked_roles and "both" not in marked_roles]
    return FieldEvidence(
        picture=picture,
        places=tuple(dict.fromkeys(places)),
        texts=tuple(_cut_text(text, names, blind=blind) for text in marked),
        not_found=tuple(missing) if sources else (),
        note=note,
    )


def _draw_boxes(server: Server, run: Run, case: Case, boxes: Mapping[int, list[PlaceBox]], path: str) -> tuple[Markup | None, str]:
    """The part of the first page that has a box."""
    if not boxes:
        return None, ""
    page, on_page = next(iter(boxes.items()))
    reference = image_reference(case, page)
    image = load_image(server.settings, run, case, page) if reference else None
    address, size, note = None, None, ""
    if isinstance(image, CaseImage):
        size = image.size
        inline = reference is not None and reference.startswith("data:image/")
        address = reference if inline else f"/runs/{run.id}/image{build_query({'id': case.id, 'page': page})}"
    elif image is not None:
        note = image.reason
    width, height = case.metadata.get("width"), case.metadata.get("height")
    if size is None and isinstance(width, int | float) and isinstance(height, int | float) and width > 0 and height > 0:
        size = (width, height)
    title = f"The place of {make_visible(path)} on page {page}"
    return Markup(draw_place(on_page, size=size, image=address, title=title)), note  # draw_place escapes


def _cut_text(text: MarkedText, names: Mapping[str, str], *, blind: bool) -> EvidenceText:
    """The part of a source text around its first place, with every place in it marked; without a place, its beginning."""
    first = text.spans[0][0] if text.spans else 0
    start = max(first - _MAX_SHOWN // 2, 0) if len(text.text) > _MAX_SHOWN else 0
    end = min(start + _MAX_SHOWN, len(text.text))
    stretches: list[TextStretch] = [TextStretch((TextPiece("…", "left out", f"{start:,} characters left out"),), "", "")] if start else []
    at = start
    for span_start, span_end, role in text.spans:
        if span_end > end:
            break
        if span_start > at:
            stretches.append(TextStretch(tuple(_visible(text.text[at:span_start])), "", ""))
        label = "both" if role == "both" else names[role]
        stretches.append(TextStretch(tuple(_visible(text.text[span_start:span_end])), "place" if blind else role, label))
        at = span_end
    stretches.append(TextStretch(tuple(_visible(text.text[at:end])), "", ""))
    if end < len(text.text):
        left_out = f"{len(text.text) - end:,} characters left out"
        stretches.append(TextStretch((TextPiece("…", "left out", left_out),), "", ""))
    return EvidenceText(text.name, tuple(stretches))


def _visible(text: str) -> Iterable[TextPiece]:
    for number, line in enumerate(text.split("\n")):
        if number:
            yield TextPiece("\n")
        for start in range(0, len(line), _MAX_PIECE):
            yield from plain_pieces(line[start : start + _MAX_PIECE])
