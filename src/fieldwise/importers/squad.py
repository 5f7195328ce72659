"""SQuAD: questions with their accepted answers, by article and paragraph, as many question-answering sets are published."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import accept_each, list_rows, none_if_missing, take, take_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.registry import importer

_CONTEXT_NAMES: Final = ("context", "context_text")
_ANSWER_NAMES: Final = ("answers", "answer")


def _list_paragraphs(document: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each paragraph with the article that it is in; a paragraph outside an article is its own."""
    is_paragraph = isinstance(document, Mapping) and "qas" in document
    for article in [document] if is_paragraph else list_rows(document, "data"):
        for paragraph in [article] if "qas" in article else list_rows(article, "paragraphs"):
            yield article, paragraph


def _recognizes(document: Any) -> bool:
    paragraphs = [paragraph for _, paragraph in _list_paragraphs(document)]
    questions = [question for paragraph in paragraphs for question in list_rows(paragraph, "qas")]
    return bool(questions) and all("qas" in paragraph for paragraph in paragraphs)


@importer(label="SQuAD", recognizes=_recognizes)
def squad(document: Any) -> Iterator[ImportedRecord]:
    """One record for each question: its accepted answers, and the paragraph as the context. A question without an answer expects none."""
    for article, paragraph in _list_paragraphs(document):
        context, title = take_text(paragraph, *_CONTEXT_NAMES), take_text(article, "title")
        for question in list_rows(paragraph, "qas"):
            yield ImportedRecord(
                id=take_text(question, "id", "qid", "question_id", "query_id"),
                expected=_read_answers(take(question, *_ANSWER_NAMES), question.get("is_impossible") is True),
                input=none_if_missing(take(question, "question", "query_text")),
                contexts=None if context is None else [context],
                metadata={} if title is None else {"title": title},
            )


def _read_answers(answers: Any, is_impossible: bool) -> Any:
    """The accepted answers, an empty one for a question that has none; MISSING where the file does not say, as in a test set."""
    if isinstance(answers, str):
        return answers
    texts = [answer.get("text") if isinstance(answer, Mapping) else answer for answer in answers] if isinstance(answers, list) else []
    texts = [*dict.fromkeys(text for text in texts if isinstance(text, str))]
    return accept_each(texts) if texts or not (is_impossible or isinstance(answers, list)) else ""
