"""Cases from COCO files: one image each, its annotated objects as expected and its detections as actual; or its captions on both sides."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import ANY
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import parse_location
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING, Json, Value, json_kind
from fieldwise.pattern import compile_on_use
from fieldwise.read.files import ReadProgress, UnreadableFile, open_bytes
from fieldwise.read.table_files import load_json

_CocoProblem: TypeAlias = tuple[str, str, str]
"""Code, what is wrong, how to fix it."""
_ObjectsByImage: TypeAlias = Mapping[Any, list[dict[str, Any]]]

_REFERENCES: Final = ("image_id", "category_id")
_CAPTION: Final = "caption"
_CAPTION_REFERENCES: Final = ("image_id", _CAPTION)
_OBJECT_KEYS: Final = ("bbox", "score", "iscrowd", "area")
_FORMAT_FIX: Final = "see the COCO data format: images, annotations, categories; predictions are a list"
_SAMPLE_BYTES: Final = 4096
_ANNOTATIONS_START: Final = compile_on_use(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:info|licenses|images|annotations|categories)"\s*:\s*[\[{]')
_PREDICTIONS_START: Final = compile_on_use(rb'(?:\xef\xbb\xbf)?\s*\[\s*(?:\]|\{[^{}]*"(?:image_id|category_id)"\s*:)')


@dataclass(frozen=True, slots=True)
class _Annotations:
    """The content of an annotations file."""

    images: Mapping[Any, Mapping[str, Any]]
    categories: Mapping[Any, str]
    objects: _ObjectsByImage
    are_captions: bool = False
    """Whether the annotations describe whole images in words: each of those of an image is accepted."""

    def build_cases(self, predictions: _ObjectsByImage) -> Cases:
        """A case for each image, by rising image id."""
        image_ids = sorted(self.images, key=lambda image_id: (json_kind(image_id), image_id))
        sides = [(self.objects.get(key, []), predictions.get(key, [])) for key in image_ids]
        if self.are_captions:
            sides = [(_accept_captions(expected), actual[0][_CAPTION] if actual else MISSING) for expected, actual in sides]
        return Cases.of([_build_case(self.images[key], *values) for key, values in zip(image_ids, sides, strict=True)])


def _accept_captions(captions: list[dict[str, Any]]) -> Value:
    texts = [entry[_CAPTION] for entry in captions]
    return {ANY: texts} if len(texts) > 1 else texts[0] if texts else MISSING


def build_coco_cases(annotations: Json, predictions: Json) -> tuple[Cases, list[Diagnostic]]:
    """Cases by rising image id from the two parsed files, and the problems of the files.

    `annotations` has `images`, `annotations` and `categories`; `predictions` is a list of `image_id`, `category_id`, `bbox`, `score`.
    Invalid entries are left out and reported, one diagnostic for each kind of problem.

    >>> cases, problems = build_coco_cases({"images": [{"id": 7}], "categories": [{"id": 1, "name": "dog"}],
    ...     "annotations": [{"image_id": 7, "category_id": 1, "bbox": [0, 0, 2, 2]}]}, [])
    >>> cases.id, cases.expected, problems
    (['7'], [[{'category': 'dog', 'bbox': [0, 0, 2, 2]}]], [])
    """
    problems: list[_CocoProblem] = []
    parsed = _parse_annotations(annotations, problems)
    return parsed.build_cases(_parse_predictions(predictions, parsed, problems)), _summarize_problems(problems)


def read_coco(source: Source, chunk: int, limit: int | None, diagnostics: list[Diagnostic]) -> Iterator[Cases]:
    """The cases of two COCO files, chunk by chunk. The files are read whole, because images and their boxes are in separate lists."""
    problems: list[_CocoProblem] = []
    try:  # one file after the other: a parsed file takes several times its size, and is released before the next one is read
        annotations = _parse_annotations(load_json(source.expected or ""), problems)
        cases = annotations.build_cases(_parse_predictions(load_json(source.actual or ""), annotations, problems))
    except ConfigError as error:
        diagnostics += error.diagnostics
        return
    for diagnostic in _summarize_problems(problems):
        diagnostics.append(replace(diagnostic, where=replace(diagnostic.where, file=diagnostic.where.file or source.expected)))
    size = len(cases) if limit is None else min(limit, len(cases))
    for start in range(0, size, chunk):
        yield cases.take(range(start, min(start + chunk, size)))


def looks_like_coco(source: Source) -> bool:
    """Whether the sides are COCO annotations and a list of predictions, by how the files begin; `format: coco` is then optional."""
    if (
        source.format is not None
        or source.join
        or source.columns
        or source.mappings
        or source.memory
        or not (source.expected and source.actual)
    ):
        return False
    try:
        annotations, predictions = _read_start(source.expected), _read_start(source.actual)
    except (OSError, EOFError, ConfigError, UnreadableFile):
        return False  # reading the file as a record reports the problem
    return _ANNOTATIONS_START.match(annotations) is not None and _PREDICTIONS_START.match(predictions) is not None


def _read_start(path: str) -> bytes:
    file = parse_location(path)
    if not file.is_file():
        return b""
    with open_bytes(file, ReadProgress()) as stream:
        return stream.read(_SAMPLE_BYTES)


def _parse_annotations(document: Any, problems: list[_CocoProblem]) -> _Annotations:
    if json_kind(document) != "object":
        problems.append(("coco-annotations", f"the annotations are {json_kind(document)}, not an object", _FORMAT_FIX))
        document = {}
    image_entries = _select_valid_entries(document.get("images", []), "images", problems, ("id",))
    images = {image["id"]: image for image in image_entries}
    if len(images) < len(document.get("images", [])):
        problems.append(("coco-images", "some images share an id, or have none", "give every image an id of its own"))
    if _hold_captions(document.get("annotations")):
        entries = _select_valid_entries(document["annotations"], "annotations", problems, _CAPTION_REFERENCES)
        return _Annotations(images, {}, _group_captions(entries, "annotations", images, problems), are_captions=True)
    categories = _name_categories(_select_valid_entries(document.get("categories", []), "categories", problems))
    entries = _select_valid_entries(document.get("annotations", []), "annotations", problems, _REFERENCES)
    return _Annotations(images, categories, _group_by_image(entries, "annotations", images, categories, problems))


def _parse_predictions(document: Any, annotations: _Annotations, problems: list[_CocoProblem]) -> _ObjectsByImage:
    is_wrapped = json_kind(document) == "object" and "annotations" in document
    predictions = document["annotations"] if is_wrapped else document
    if annotations.are_captions:
        entries = _select_valid_entries(predictions, "predictions", problems, _CAPTION_REFERENCES)
        captions = _group_captions(entries, "predictions", annotations.images, problems)
        repeated = next((image for image, texts in captions.items() if len(texts) > 1), None)
        if repeated is not None:
            problems.append(("coco-captions", f"the image {repeated} has several predicted captions", "give each image one caption"))
        return captions
    entries = _select_valid_entries(predictions, "predictions", problems, _REFERENCES)
    return _group_by_image(entries, "predictions", annotations.images, annotations.categories, problems)


def _hold_captions(entries: Any) -> bool:
    """Whether annotations are captions of images, and no objects in them."""
    first = cast("list[Any]", entries)[0] if isinstance(entries, list) and entries else None
    return isinstance(first, dict) and _CAPTION in first and "bbox" not in first and "category_id" not in first


def _group_captions(
    entries: Sequence[dict[str, Any]], name: str, images: Mapping[Any, Any], problems: list[_CocoProblem]
) -> _ObjectsByImage:
    """Captions by image, in the order of the file."""
    captions: dict[Any, list[dict[str, Any]]] = {}
    for entry in entries:
        if entry["image_id"] in images:
            captions.setdefault(entry["image_id"], []).append(entry)
        else:
            problems.append(_describe_unknown_image(name, entry["image_id"]))
    return captions


def _describe_unknown_image(name: str, image: Any) -> _CocoProblem:
    return f"coco-unknown-image-{name}", f"{name} name the image {image}, which is not there", "add it to `images`"


def _summarize_problems(problems: Sequence[_CocoProblem]) -> list[Diagnostic]:
    """The first problem of every kind, with the number of further ones."""
    first_by_code: dict[str, _CocoProblem] = {}
    for problem in problems:
        first_by_code.setdefault(problem[0], problem)
    counts = Counter(code for code, _, _ in problems)
    diagnostics: list[Diagnostic] = []
    for code, what, fix in first_by_code.values():
        more = f" (and {counts[code] - 1} more like it)" if counts[code] > 1 else ""
        diagnostics.append(Diagnostic(code=code, what=f"{what}{more}", fix=fix))
    return diagnostics


def _select_valid_entries(value: Any, name: str, problems: list[_CocoProblem], required: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The objects in a list that have an id for each required key; the others are reported."""
    if json_kind(value) != "list":
        problems.append((f"coco-{name}", f"`{name}` is {json_kind(value)}, not a list", _FORMAT_FIX))
        return []
    valid: list[dict[str, Any]] = []
    for index, entry in enumerate(cast("Sequence[Any]", value)):
        is_object = json_kind(entry) == "object"
        missing = [key for key in required if not is_object or json_kind(entry.get(key)) not in ("number", "string")]
        if missing or not is_object:
            problems.append((f"coco-{name}", f"{name}[{index}] has no {' and no '.join(missing) or 'keys'}", _FORMAT_FIX))
        else:
            valid.append(entry)
    return valid


def _name_categories(entries: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """Names by id; if two categories share a name, the id is appended."""
    ids = [entry.get("id") for entry in entries]
    names = [str(entry.get("name", entry.get("id"))) for entry in entries]
    counts = Counter(names)
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in zip(ids, names, strict=True)}


def _group_by_image(
    entries: Sequence[Mapping[str, Any]], name: str, images: Mapping[Any, Any], categories: Mapping[Any, str], problems: list[_CocoProblem]
) -> _ObjectsByImage:
    """Objects by image, in the order of the file, with the name of their category."""
    objects: dict[Any, list[dict[str, Any]]] = {}
    for entry in entries:
        image, category = entry["image_id"], entry["category_id"]
        if image not in images:
            problems.append(_describe_unknown_image(name, image))
        elif category not in categories:
            what = f"{name} name the category {category}, which is not there"
            problems.append((f"coco-unknown-category-{name}", what, "add it to `categories`"))
        else:
            values = {key: entry[key] for key in _OBJECT_KEYS if key in entry}
            objects.setdefault(image, []).append({"category": categories[category], **values})
    return objects


def _build_case(image: Mapping[str, Any], expected: Any, actual: Any) -> Case:
    metadata = {"image": image.get("file_name"), "width": image.get("width"), "height": image.get("height")}
    return Case(
        id=str(image["id"]),
        input=image.get("file_name"),
        expected=cast("Json", expected),
        actual=cast("Json", actual),
        metadata={key: value for key, value in metadata.items() if value is not None},
    )
