"""COCO files as cases: one image each, its objects as expected and its detections as actual."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, cast

from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import parse_location
from fieldwise.model.plan import Source
from fieldwise.model.values import Json, json_kind
from fieldwise.read.files import ReadProgress, open_bytes
from fieldwise.read.table_files import load_json


def build_coco_cases(annotations: Json, predictions: Json) -> tuple[Cases, list[Diagnostic]]:
    """Cases by rising image id from the two parsed files, and what is wrong with the files.

    `annotations` has `images`, `annotations` and `categories`; `predictions` is a list of `image_id`, `category_id`, `bbox`, `score`.
    What does not fit is left out and reported, one diagnostic for each kind of problem.

    >>> cases, problems = coco_cases({"images": [{"id": 7}], "categories": [{"id": 1, "name": "dog"}],
    ...     "annotations": [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 2, 2]}]}, [])
    >>> cases.id, cases.expected, problems
    (['7'], [[{'category': 'dog', 'bbox': [0, 0, 2, 2]}]], [])
    """
    problems: list[_Problem] = []
    truth = _truth(annotations, problems)
    return truth.cases(_found(predictions, truth, problems)), _diagnostics(problems)


@dataclass(frozen=True, slots=True)
class _Truth:
    """What the annotations say."""

    images: Mapping[Any, Mapping[str, Any]]
    categories: Mapping[Any, str]
    expected: Mapping[Any, list[dict[str, Any]]]

    def cases(self, actual: Mapping[Any, list[dict[str, Any]]]) -> Cases:
        """A case for each image."""
        keys = sorted(self.images, key=_order)
        return Cases.of([_case(self.images[key], self.expected.get(key, []), actual.get(key, [])) for key in keys])


def _truth(annotations: Any, problems: "list[_Problem]") -> _Truth:
    truth = annotations
    if json_kind(truth) != "object":
        problems.append(("coco-annotations", f"the annotations are {json_kind(truth)}, not an object", _FORMAT))
        truth = {}
    images = {image["id"]: image for image in _entries(truth.get("images", []), "images", problems, ("id",))}
    if len(images) < len(truth.get("images", [])):
        problems.append(("coco-images", "some images share an id, or have none", "give every image an id of its own"))
    categories = _categories(_entries(truth.get("categories", []), "categories", problems))
    entries = _entries(truth.get("annotations", []), "annotations", problems, _OF)
    return _Truth(images, categories, _by_image(entries, "annotations", images, categories, problems))


def _found(predictions: Any, truth: _Truth, problems: "list[_Problem]") -> dict[Any, list[dict[str, Any]]]:
    found = predictions["annotations"] if json_kind(predictions) == "object" and "annotations" in predictions else predictions
    return _by_image(_entries(found, "predictions", problems, _OF), "predictions", truth.images, truth.categories, problems)


_OF: Final = ("image_id", "category_id")
_Problem: TypeAlias = tuple[str, str, str]
"""Code, what, fix."""
_FORMAT: Final = "see the COCO data format: images, annotations, categories; predictions are a list"


def _diagnostics(problems: Sequence[_Problem]) -> list[Diagnostic]:
    """The first problem of every kind, and how many more there are."""
    first: dict[str, _Problem] = {}
    for problem in problems:
        first.setdefault(problem[0], problem)
    counts = Counter(code for code, _, _ in problems)
    return [
        Diagnostic(code=code, what=what if counts[code] == 1 else f"{what} (and {counts[code] - 1} more like it)", fix=fix)
        for code, what, fix in first.values()
    ]


def _entries(value: Any, name: str, problems: list[_Problem], needs: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The objects in a list that have what they need."""
    if json_kind(value) != "list":
        problems.append((f"coco-{name}", f"`{name}` is {json_kind(value)}, not a list", _FORMAT))
        return []
    good: list[dict[str, Any]] = []
    for index, entry in enumerate(cast("Sequence[Any]", value)):
        lacking = [key for key in needs if json_kind(entry) != "object" or not _is_id(entry.get(key))]
        if lacking or json_kind(entry) != "object":
            problems.append((f"coco-{name}", f"{name}[{index}] has no {' and no '.join(lacking) or 'keys'}", _FORMAT))
        else:
            good.append(entry)
    return good


def _is_id(value: Any) -> bool:
    return json_kind(value) in ("number", "string")


def _order(key: Any) -> tuple[str, Any]:
    return json_kind(key), key


def _categories(entries: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """Names by id; where two categories share a name, the id tells them apart."""
    ids = [entry.get("id") for entry in entries]
    names = [str(entry.get("name", entry.get("id"))) for entry in entries]
    counts = Counter(names)
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in zip(ids, names, strict=True)}


def _by_image(
    entries: Sequence[Mapping[str, Any]], name: str, images: Mapping[Any, Any], categories: Mapping[Any, str], problems: list[_Problem]
) -> dict[Any, list[dict[str, Any]]]:
    """Entries by image, in the order of the file, with the name of their category."""
    out: dict[Any, list[dict[str, Any]]] = {}
    for entry in entries:
        image, category = entry["image_id"], entry["category_id"]
        if image not in images:
            problems.append((f"coco-unknown-image-{name}", f"{name} name the image {image}, which is not there", "add it to `images`"))
        elif category not in categories:
            what = f"{name} name the category {category}, which is not there"
            problems.append((f"coco-unknown-category-{name}", what, "add it to `categories`"))
        else:
            kept = {key: entry[key] for key in ("bbox", "score", "iscrowd", "area") if key in entry}
            out.setdefault(image, []).append({"category": categories[category], **kept})
    return out


def _case(image: Mapping[str, Any], expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> Case:
    shown = {"image": image.get("file_name"), "width": image.get("width"), "height": image.get("height")}
    return Case(
        id=str(image["id"]),
        input=image.get("file_name"),
        expected=cast("Json", expected),
        actual=cast("Json", actual),
        metadata={key: value for key, value in shown.items() if value is not None},
    )


def looks_like_coco(source: Source) -> bool:
    """Whether the sides are COCO's annotations and a list of predictions, by how they begin. A suite may say so, and need not."""
    if source.format is not None or source.join or source.columns or not (source.expected and source.actual):
        return False
    try:
        truth, found = _beginning(source.expected), _beginning(source.actual)
    except (OSError, EOFError, ConfigError):
        return False  # whoever reads it says what is wrong
    return _ANNOTATIONS.match(truth) is not None and _PREDICTIONS.match(found) is not None


_BEGINNING: Final = 4096
_ANNOTATIONS: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:info|licenses|images|annotations|categories)"\s*:\s*[\[{]')
_PREDICTIONS: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*(?:\]|\{[^{}]*"(?:image_id|category_id)"\s*:)')


def _beginning(path: str) -> bytes:
    file = parse_location(path)
    if not file.is_file():
        return b""
    with open_bytes(file, ReadProgress()) as stream:
        return stream.read(_BEGINNING)


def read_coco(source: Source, chunk: int, limit: int | None, diagnostics: list[Diagnostic]) -> Iterator[Cases]:
    """The cases of two COCO files, chunk by chunk. The files are read whole, because images and their boxes stand apart in them."""
    problems: list[_Problem] = []
    try:  # one after the other, because what was read is several times as large as the file, and let go here
        truth = _truth(load_json(source.expected or ""), problems)
        cases = truth.cases(_found(load_json(source.actual or ""), truth, problems))
    except ConfigError as error:
        diagnostics += error.diagnostics
        return
    found = _diagnostics(problems)
    diagnostics += [replace(problem, where=replace(problem.where, file=problem.where.file or source.expected)) for problem in found]
    size = len(cases) if limit is None else min(limit, len(cases))
    for start in range(0, size, chunk):
        yield cases.take(range(start, min(start + chunk, size)))
