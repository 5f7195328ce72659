"""A review in Label Studio: the queue as tasks, and annotated tasks as decisions.

A task has the comparison in `data`, with its source text or image, and what the system read as a prediction. An annotation answers with a
choice named `decision` and, where expected is wrong, the right value in a text area named `value`. `LABELING_CONFIG` is the interface.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.report.evidence import find_page_place, list_source_texts
from fieldwise.report.text_format import dump_json
from fieldwise.study.review_queue import ReviewItem
from fieldwise.study.review_session import AlreadyApplied, AlreadyDecided, Choice, ReviewProblem, ReviewSession

CHOICES: Final[Mapping[str, Choice]] = {
    "expected is wrong, actual is right": "take_actual",
    "expected is wrong": "type",
    "both are right": "both_right",
    "actual is wrong": "actual_wrong",
    "skip": "skip",
}
"""The words of an annotation → what they mean."""
LABELING_CONFIG: Final = """\
<View>
  <Header value="$path of $case"/>
  <Text name="expected" value="$expected"/>
  <Text name="actual" value="$actual"/>
  <Text name="text" value="$text"/>
  <Choices name="decision" toName="actual" choice="single" required="true">
    <Choice value="expected is wrong, actual is right"/>
    <Choice value="expected is wrong"/>
    <Choice value="both are right"/>
    <Choice value="actual is wrong"/>
    <Choice value="skip"/>
  </Choices>
  <TextArea name="value" toName="actual" maxSubmissions="1" placeholder="the right value, where expected is wrong"/>
</View>
"""
_MAX_TEXT: Final = 50_000


def make_task(number: int, run_id: str, item: ReviewItem, comparison: Comparison, case: Case) -> dict[str, Any]:
    """One comparison as a task."""
    text = "\n\n".join(source.text for source in list_source_texts(case))
    data: dict[str, Any] = {
        "run": run_id,
        "case": item.case,
        "path": item.path,
        "evaluator": item.evaluator,
        "source": item.source,
        "expected": format_side(comparison.expected, comparison.expected_presence),
        "actual": format_side(comparison.actual, comparison.actual_presence),
        "text": text[:_MAX_TEXT],
    }
    image = case.metadata.get("image")
    if isinstance(image, str) and image and not item.redacted:
        data["image"] = image
    results = [_text_result(data["actual"], item.confidence)]
    place = find_page_place(case, comparison)
    if "image" in data and place is not None and place.box is not None and max(place.box) <= 1:
        results.append(_box_result(item.path, place.box, place.page))
    prediction: dict[str, Any] = {"model_version": run_id, "result": results}
    if item.confidence is not None:
        prediction["score"] = item.confidence
    return {"id": number, "data": data, "predictions": [prediction]}


def _text_result(actual: str, confidence: float | None) -> dict[str, Any]:
    result = {"id": "actual", "from_name": "value", "to_name": "actual", "type": "textarea", "value": {"text": [actual]}}
    return result if confidence is None else {**result, "score": confidence}


def _box_result(path: str, box: Sequence[float], page: int | None) -> dict[str, Any]:
    """A rectangle in percent of the picture."""
    left, top, right, bottom = (100 * edge for edge in box)
    value = {"x": left, "y": top, "width": right - left, "height": bottom - top, "rotation": 0, "rectanglelabels": [path]}
    result: dict[str, Any] = {"id": "place", "from_name": "place", "to_name": "image", "type": "rectanglelabels", "value": value}
    return result if page is None else {**result, "item_index": page - 1}


def format_side(value: Any, presence: str) -> str:
    """A value as text: text as it is, others as JSON, nothing for a missing one."""
    if presence == "missing":
        return ""
    return value if isinstance(value, str) else dump_json(value)


@dataclass(frozen=True, slots=True)
class Annotation:
    """The answer to one task."""

    case: str
    path: str
    choice: Choice
    typed: str | None
    by: str


def read_annotations(document: Any, by: str) -> tuple[list[Annotation], list[str]]:
    """The answers in a document of Label Studio, and what is wrong with those that cannot be read.

    Tasks without an annotation are left out. `by` is who annotated, where the document does not say so by an e-mail address.
    """
    if not isinstance(document, list) or not all(isinstance(task, dict) for task in cast("list[Any]", document)):
        return [], ["it is not a list of tasks, as Label Studio exports them (format JSON)"]
    annotations: list[Annotation] = []
    problems: list[str] = []
    for number, task in enumerate(cast("list[dict[str, Any]]", document), 1):
        written: Any = task.get("annotations") or []
        if not isinstance(written, list) or not all(isinstance(entry, dict) for entry in cast("list[Any]", written)):
            problems.append(f"task {task.get('id', number)}: its `annotations` are no list of objects")
            continue
        entries = [entry for entry in cast("list[dict[str, Any]]", written) if not entry.get("was_cancelled")]
        if not entries:
            continue
        answer = _read_annotation(task, entries[-1], by)
        if isinstance(answer, str):
            problems.append(f"task {task.get('id', number)}: {answer}")
        else:
            annotations.append(answer)
    return annotations, problems


def _read_annotation(task: Mapping[str, Any], entry: Mapping[str, Any], by: str) -> Annotation | str:
    data: Any = task.get("data")
    if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in ("case", "path")):
        return "its data has no `case` and `path`, so it is no task of a review"
    values = _read_results(entry.get("result") or [])
    if values is None:
        return "its `result` is no list of answers, as Label Studio writes them"
    word = values.get("decision", "").strip().lower()
    if word not in CHOICES:
        return f"its choice `decision` is `{word}`; the choices are {', '.join(CHOICES)}" if word else "it has no choice named `decision`"
    choice = CHOICES[word]
    if choice == "type" and "value" not in values:
        return "expected is wrong, but no right value was typed in `value`"
    author: Any = entry.get("completed_by")
    email = author.get("email") if isinstance(author, dict) else author
    who = email if isinstance(email, str) and email else by
    return Annotation(str(data["case"]), str(data["path"]), choice, values.get("value"), who)


def _read_results(results: Any) -> dict[str, str] | None:
    """The answer of each control by its name; None if these are no results."""
    if not isinstance(results, list):
        return None
    values: dict[str, str] = {}
    for result in cast("list[Any]", results):
        content: Any = result.get("value") or {} if isinstance(result, dict) else None
        if not isinstance(content, dict):
            return None
        name: Any = cast("dict[str, Any]", result).get("from_name")
        answer: Any = content.get("choices") or content.get("text")
        if isinstance(name, str) and answer:
            values[name] = str(answer[0]) if isinstance(answer, list) else str(answer)
    return values


def apply_annotations(session: ReviewSession, annotations: Sequence[Annotation]) -> tuple[int, int, list[str]]:
    """Write the answers as decisions: how many were written, how many had been decided before, and what is wrong with the others.

    Nothing is written if something is wrong with one of them.
    """
    decided = 0
    open_answers: list[tuple[int, Annotation]] = []
    problems: list[str] = []
    for annotation in annotations:
        place = f"{annotation.case}, {annotation.path}"
        index = session.find_index(annotation.case, annotation.path)
        if index is None:
            problems.append(f"{place}: the run has no such comparison to review")
            continue
        try:
            session.check_decision(index, annotation.choice, by=annotation.by, typed=annotation.typed)
            open_answers.append((index, annotation))
        except (AlreadyDecided, AlreadyApplied):
            decided += 1
        except ReviewProblem as error:
            problems.append(f"{place}: {error}")
    if problems:
        return 0, decided, problems
    written = 0
    for index, annotation in open_answers:
        try:
            session.decide(index, annotation.choice, by=annotation.by, typed=annotation.typed)
            written += 1
        except AlreadyDecided:  # two answers to one comparison, or another person meanwhile
            decided += 1
        except ReviewProblem as error:
            problems.append(f"{annotation.case}, {annotation.path}: {error}")
    return written, decided, problems
