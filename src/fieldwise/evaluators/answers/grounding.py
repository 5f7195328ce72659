"""Whether the statements of an answer are supported by its sources: a heuristic that needs no model endpoint.

It detects plain inventions but does not reason; `ragas` asks a model.

* An answer in words, `by: embedding` (the default): each sentence is matched with the most similar sentence of the sources, and must not
  differ from it in numbers, negation, opposites or names.
* An answer in words, `by: words`: each sentence is matched with the passage that shares most of its words, and its numbers and names must
  occur in the sources.
* A sentence or phrase that a source has word for word, and does not negate there, is supported in either way.
* A record: each value must occur in the sources.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, prod
from typing import Annotated, Any, Final, Literal, cast

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.kernels.answer_text import has_negation, split_sentences
from fieldwise.kernels.dates import spell_iso_date
from fieldwise.kernels.keywords import get_keyword_reader
from fieldwise.kernels.meaning.guards import MeaningDifference, find_differences, read_text
from fieldwise.kernels.numbers_in_text import NumberLocale, format_number_value
from fieldwise.model.answer_values import read_answers
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.case import Case
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.path import Step, render_path
from fieldwise.model.result import Result, Results, unavailable_result
from fieldwise.model.services import MAX_SPELLED_SHARE, Embedder, Services
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_TEXT_KEYS: Final = ("text", "content", "page_content")
_MAX_LABEL: Final = 80
"""Characters of a sentence that hits and misses show."""
UNREAD_SCRIPT: Final = "unread_script"
"""Flag: some sentences were matched by words, because the model cannot read their script."""
_DEFAULT_SUPPORT: Final = {"words": 0.6, "embedding": 0.43}
"""For embeddings, the threshold fitted for the match `semantic`; it was not fitted to claims."""
_SLACK: Final = 1e-9
"""Rounding slack of the comparison with `support`."""
_SENTENCE_MARKS: Final = " .,;:!?"
_WORDS_BEFORE_QUOTE: Final = 2
"""A negation among these words before a quoted phrase negates it: "is not covered" does not support "covered"."""
_MAX_PASSAGES_PER_WORD: Final = 500
"""Passages indexed per word, the first ones: without a limit, long texts would take quadratic time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """The sources and the support that a sentence needs."""

    source: Literal["contexts", "input", "both"] = "contexts"
    """Parts of the case that count as sources."""
    by: Literal["embedding", "words"] = "embedding"
    """How a sentence is matched: by semantic similarity (`pip install 'fieldwise[semantic]'`, `unavailable` without it), or by shared
    words. A sentence in a script that the model cannot read is matched by words, and the case gets the flag `unread_script`."""
    support: Annotated[float, Ge(0), Le(1)] | None = None
    """Minimum support of a sentence. By words: the share of its words in one passage, default 0.6. By embedding: the similarity to one
    sentence of the sources after the deductions of the guards, default 0.43."""
    locale: NumberLocale = "en"
    """Number format: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""

    def min_support(self) -> float:
        """`support`, or its default."""
        return _DEFAULT_SUPPORT[self.by] if self.support is None else self.support


@evaluator(
    reads="case",
    needs_expected=False,
    version=2,
    unbounded=("sentences", "values"),
    metrics=("grounded_share", "sentences", "values", "similarity", "supported_numbers", "supported_names"),
    examples=[EvaluatorExample(key_order_matters=True)],
)
def grounding(batch: Batch, config: Grounding) -> Results:
    """The share of the sentences (or values) of the answer that the sources support."""
    return Results.from_results([_ground_case(batch.cases.at(row), config, batch.services) for row in range(len(batch))])


def _ground_case(case: Case, config: Grounding, services: Services) -> Result:
    texts = _source_texts(case, config)
    if not texts:
        return Result(status="skipped", reasoning=f"the case has no {'contexts or input' if config.source == 'both' else config.source}")
    sources = IndexedSources(texts, config.locale)
    _, answer = read_answers(case.expected, case.actual)
    if isinstance(answer, str):
        return _ground_text(answer, sources, config, services)
    return _ground_record(answer, sources)


def _source_texts(case: Case, config: Grounding) -> list[str]:
    texts: list[str] = []
    if config.source != "input":
        texts += [_text_of(context) for context in case.contexts or ()]
    if config.source != "contexts":
        texts.append(_text_of(case.input))
    return [text for text in texts if text.strip()]


def _text_of(value: Any) -> str:
    """The text of a context: the context itself, its `text`, `content` or `page_content`, or else all its values."""
    if isinstance(value, Mapping):
        context = cast("Mapping[str, Any]", value)
        for key in _TEXT_KEYS:
            if isinstance(context.get(key), str):
                return context[key]
    return "\n".join(str(leaf) for _, leaf in _iterate_leaves(value))


def _ground_text(answer: str, sources: "IndexedSources", config: Grounding, services: Services) -> Result:
    supports = [support for sentence in dict.fromkeys(split_sentences(answer)) if (support := sources.find_support(sentence))]
    if not supports:
        return Result(status="skipped", reasoning="the answer makes no statement that can be looked up")
    if config.by == "words":
        grounded = [GroundedSentence(support, _reasons_by_words(support, config.min_support())) for support in supports]
        return _text_result(grounded)
    embed = services.load_embedder()
    if isinstance(embed, Diagnostic):
        return unavailable_result(embed.what, embed.fix)
    nearest = find_nearest_sentences([support.sentence for support in supports], sources.texts, embed)
    return _text_result([_ground_by_meaning(*pair, config) for pair in zip(supports, nearest, strict=True)])


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of the answer with its support and the reasons why it is not grounded, if any."""

    support: "WordSupport"
    reasons: Sequence[str]
    similarity: float | None = None
    """By embedding, the similarity to the nearest sentence; None if the sentence was matched by words."""
    unread: bool = False
    """True if it was to be matched by embedding, but the model cannot read it."""

    def to_json(self) -> dict[str, Any]:
        """Details of one sentence."""
        details: dict[str, Any] = {
            "sentence": self.support.sentence,
            "grounded": not self.reasons,
            "support": round(self.support.share, 4),
        }
        if self.similarity is not None:
            details["similarity"] = round(self.similarity, 4)
        source = {"source": self.support.source, "passage": self.support.passage}
        return {**details, **source, "reasons": list(self.reasons)}


def _ground_by_meaning(support: "WordSupport", nearest: "NearestSentence | None", config: Grounding) -> GroundedSentence:
    """Match by embedding, or by words if the model cannot read the sentence."""
    if nearest is None:
        return GroundedSentence(support, _reasons_by_words(support, _DEFAULT_SUPPORT["words"]), unread=True)
    by_meaning = replace(support, source=nearest.source, passage=nearest.passage)
    reasons = [] if support.is_quoted else _reasons_by_meaning(nearest, config.min_support())
    return GroundedSentence(by_meaning, reasons, nearest.similarity)


def _text_result(sentences: Sequence[GroundedSentence]) -> Result:
    grounded = sum(not sentence.reasons for sentence in sentences)
    share = grounded / len(sentences)
    metrics: dict[str, float | bool] = {"grounded_share": share, "sentences": float(len(sentences))}
    similarities = [sentence.similarity for sentence in sentences if sentence.similarity is not None]
    if similarities:
        metrics["similarity"] = sum(similarities) / len(similarities)
    numbers = _Occurrences.collect((sentence.support.numbers, sentence.support.absent_numbers) for sentence in sentences)
    names = _Occurrences.collect((sentence.support.names, sentence.support.absent_names) for sentence in sentences)
    hits: list[str] = []
    misses: list[str] = []
    for sentence in sentences:
        label = _shorten(sentence.support.sentence)
        if sentence.reasons:
            misses.append(f"{label} ({'; '.join(sentence.reasons)})")
        else:
            hits.append(label)
    return Result(
        score=share,
        hits=hits,
        misses=misses,
        reasoning=f"{grounded}/{len(sentences)} sentences are supported",
        metrics=metrics | numbers.metric("numbers") | names.metric("names"),
        details={
            "sentences": [sentence.to_json() for sentence in sentences],
            "unsupported": {"numbers": numbers.absent, "names": names.absent},
            "flags": [UNREAD_SCRIPT] if any(sentence.unread for sentence in sentences) else [],
        },
    )


def _reasons_by_words(support: "WordSupport", min_support: float) -> list[str]:
    """Why a sentence is not grounded; empty if it is."""
    if support.is_quoted:
        return []
    has_passage = support.share >= min_support - _SLACK
    reasons = [] if has_passage else [f"{support.share:.0%} of its words in one passage"]
    reasons += [f"number {number} is in no source" for number in support.absent_numbers]
    reasons += [f"`{name}` is in no source" for name in support.absent_names]
    if support.contradicts and has_passage:
        reasons.append("the source says the opposite")
    return reasons


def _reasons_by_meaning(nearest: "NearestSentence", min_support: float) -> list[str]:
    """The same by semantic similarity."""
    if nearest.similarity >= min_support - _SLACK:
        return []
    return list(nearest.reasons) or [f"similarity {nearest.similarity:.2f} to the nearest sentence of the sources"]


@dataclass(frozen=True, slots=True)
class _Occurrences:
    """Numbers or names of an answer, and those that occur in no source."""

    total: int
    absent: list[str]

    @classmethod
    def collect(cls, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> "_Occurrences":
        """From all and the absent ones of each sentence."""
        every: set[str] = set()
        absent: dict[str, None] = {}
        for texts, absent_texts in pairs:
            every.update(texts)
            absent |= dict.fromkeys(absent_texts)
        return cls(len(every), list(absent))

    def metric(self, name: str) -> dict[str, float | bool]:
        """The share that occurs in a source; empty if there is none."""
        return {f"supported_{name}": (self.total - len(self.absent)) / self.total} if self.total else {}


def _ground_record(record: Any, sources: "IndexedSources") -> Result:
    values = [(render_path(steps), leaf) for steps, leaf in _iterate_leaves(record) if not isinstance(leaf, bool)]
    if not values:
        return Result(status="skipped", reasoning="the output has no value that can be looked up")
    hits: list[str] = []
    unsupported: dict[str, Any] = {}
    misses: list[str] = []
    for path, leaf in values:
        if _occurs(leaf, sources):
            hits.append(path)
        else:
            misses.append(f"{path} (not in the source)")
            unsupported[path] = leaf
    share = len(hits) / len(values)
    return Result(
        score=share,
        hits=hits,
        misses=misses,
        reasoning=f"{len(hits)}/{len(values)} values are in the source",
        metrics={"grounded_share": share, "values": float(len(values))},
        details={"unsupported": unsupported, "flags": []},
    )


def _occurs(leaf: str | int | float, sources: "IndexedSources") -> bool:
    if isinstance(leaf, str):
        return sources.has_text(leaf) or any(sources.has_text(spelling) for spelling in spell_iso_date(leaf))
    if isinstance(leaf, float) and not isfinite(leaf):
        return False
    return sources.has_number(format_number_value(leaf))


def _iterate_leaves(value: Any) -> Iterator[tuple[tuple[Step, ...], str | int | float | bool]]:
    """Every value but null, blank text and containers, with its path; iterative, because nesting may be deep."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, current = waiting.pop()
        if isinstance(current, str | bool | int | float):
            if not isinstance(current, str) or current.strip():
                yield steps, current
        elif isinstance(current, Mapping):
            waiting += [((*steps, key), inner) for key, inner in reversed(list(cast("Mapping[str, Any]", current).items()))]
        elif isinstance(current, Sequence):
            items = list(enumerate(cast("Sequence[Any]", current)))
            waiting += [((*steps, index), inner) for index, inner in reversed(items)]


def _shorten(sentence: str) -> str:
    return sentence if len(sentence) <= _MAX_LABEL else sentence[: _MAX_LABEL - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSupport:
    """The best passage of the sources for one sentence, by shared words."""

    sentence: str
    share: float
    """Share of its words that the best passage has."""
    source: int | None
    passage: str
    numbers: tuple[str, ...]
    absent_numbers: tuple[str, ...]
    """Numbers that occur in no source."""
    names: tuple[str, ...]
    absent_names: tuple[str, ...]
    contradicts: bool
    """True if the sentence is negated and its best passage is not, or the reverse."""
    is_quoted: bool
    """True if a source has the sentence word for word, and does not negate it there."""


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    source: int
    atoms: frozenset[str]
    negated: bool
    halves: "tuple[_Passage, ...]" = ()
    """The two sentences of a passage of two."""

    def count_shared(self, atoms: Iterable[str]) -> int:
        return len(self.atoms.intersection(atoms))

    def agrees(self, atoms: Iterable[str], negated: bool) -> bool:
        """True if one of its sentences that shares these words is negated like `negated`."""
        return any(half.negated == negated for half in self.halves or (self,) if half.count_shared(atoms))


class IndexedSources:
    """The sources of an answer, indexed by word."""

    def __init__(self, texts: Sequence[str], locale: NumberLocale) -> None:
        self.texts = texts
        self._keywords = get_keyword_reader(locale)
        self._search_forms = [self._keywords.to_search_form(text) for text in texts]
        self._words = {word for text in self._search_forms for word in text.split()}
        self._atoms = {atom for text in texts for atom in self._keywords.read_answer(text).atoms}
        self._passages = list(_split_passages(texts, locale))
        self._index: dict[str, list[int]] = {}
        for position, passage in enumerate(self._passages):
            for atom in passage.atoms:
                self._index.setdefault(atom, []).append(position)

    def find_support(self, sentence: str) -> WordSupport | None:
        """The best support of a sentence; None if it has no words that could be supported, such as "Yes."."""
        keywords = self._keywords.read_expected(sentence)
        if not keywords.atoms:
            return None
        negated = has_negation(sentence)
        best, share = self._best_passage(keywords.atoms, negated)
        forms = zip(keywords.phrases, keywords.search_forms, strict=True)
        absent_names = tuple(name for name, form in forms if not self._has_search_form(form))
        return WordSupport(
            sentence=sentence,
            share=share,
            source=best.source if best else None,
            passage=best.text if best else "",
            numbers=keywords.numbers,
            absent_numbers=tuple(number for number in keywords.numbers if number not in self._atoms),
            names=keywords.phrases,
            absent_names=absent_names,
            contradicts=best is not None and not best.agrees(keywords.atoms, negated),
            is_quoted=self._quotes(sentence),
        )

    def has_text(self, text: str) -> bool:
        """True if a text occurs in a source as whole words, ignoring case and punctuation."""
        return self._has_search_form(self._keywords.to_search_form(text))

    def has_number(self, value: str) -> bool:
        """True if a number occurs in a source, by value."""
        return value in self._atoms

    def _has_search_form(self, form: str) -> bool:
        has_words = all(word in self._words for word in form.split())  # a cheap test before the search through all texts
        return has_words and any(form in text for text in self._search_forms)

    def _quotes(self, sentence: str) -> bool:
        """True if a source has the words of a sentence in a row, at a place without a negation right before them."""
        form = f" {self._keywords.to_search_form(sentence).strip(_SENTENCE_MARKS)} "
        if not self._has_search_form(form):
            return False
        for text in self._search_forms:
            start = text.find(form)
            while start >= 0:
                if not has_negation(_words_before(text, start)):
                    return True
                start = text.find(form, start + 1)
        return False

    def _best_passage(self, atoms: Sequence[str], negated: bool) -> tuple[_Passage | None, float]:
        """The passage with most of the words and their share; among equals the shortest, then one with the same negation."""
        votes = Counter(position for atom in atoms for position in self._index.get(atom, ())[:_MAX_PASSAGES_PER_WORD])
        if not votes:
            return None, 0.0
        top = max(votes.values())
        passages = (self._passages[position] for position, count in votes.items() if count == top)
        best = max(passages, key=lambda passage: (passage.count_shared(atoms), -len(passage.atoms), passage.negated == negated))
        return best, best.count_shared(atoms) / len(atoms)


def _words_before(search_form: str, end: int) -> str:
    """The last words of the same sentence before a position, as text in which negations can be found.

    >>> _words_before(" rain . it isn t often covered here ", 22)
    "isn't often"
    """
    start = max(0, end - 40 * _WORDS_BEFORE_QUOTE)
    clause = search_form[start : end + 1].replace("n t ", "n't ").rpartition(" . ")[2]
    return " ".join(clause.split()[-_WORDS_BEFORE_QUOTE:])


def _split_passages(texts: Sequence[str], locale: NumberLocale) -> Iterable[_Passage]:
    """Every sentence, and every pair of consecutive sentences."""
    keywords = get_keyword_reader(locale)
    for source, text in enumerate(texts):
        previous: _Passage | None = None
        for sentence in dict.fromkeys(split_sentences(text)):
            passage = _Passage(sentence, source, frozenset(keywords.read_answer(sentence).atoms), has_negation(sentence))
            yield passage
            if previous is not None:
                yield _Passage(f"{previous.text} {sentence}", source, previous.atoms | passage.atoms, False, (previous, passage))
            previous = passage


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestSentence:
    """The sentence of the sources that is most similar to a sentence of the answer."""

    similarity: float
    """In [0, 1], after the deductions of the guards."""
    source: int | None
    passage: str
    reasons: tuple[str, ...]
    """The differences behind the deductions: other numbers, a negation, an opposite, another name."""


def find_nearest_sentences(answer: Sequence[str], texts: Sequence[str], embed: Embedder) -> Iterator[NearestSentence | None]:
    """For each sentence of an answer the nearest one of the sources; None for a script that the model cannot read.

    The guards compare the most similar sentence alone: among many there is always one without a contradiction.
    """
    passages = list(dict.fromkeys((sentence, source) for source, text in enumerate(texts) for sentence in split_sentences(text)))
    if not passages or not answer:
        yield from (NearestSentence(similarity=0.0, source=None, passage="", reasons=()) for _ in answer)
        return
    vectors = embed(answer)
    passage_vectors = embed([sentence for sentence, _ in passages])
    similarities = np.clip(vectors.value.astype(np.float64) @ passage_vectors.value.T, 0.0, 1.0)
    unread = vectors.spelled() | {row for row, words in vectors.unread.items() if _are_most_letters(words, answer[row])}
    for row, sentence in enumerate(answer):
        if row in unread:
            yield None
            continue
        nearest = int(similarities[row].argmax())
        passage, source = passages[nearest]
        differences = find_differences(read_text(passage), read_text(sentence))
        relevant = [difference for difference in differences if not _is_omission(difference)]
        similarity = float(similarities[row][nearest]) * prod(difference.factor for difference in relevant)
        yield NearestSentence(similarity=similarity, source=source, passage=passage, reasons=tuple(map(_describe_difference, relevant)))


def _are_most_letters(words: Sequence[str], sentence: str) -> bool:
    """True if most letters of a sentence are in words outside the model's vocabulary, as in much Chinese text."""
    return sum(map(len, words)) > MAX_SPELLED_SHARE * sum(map(str.isalnum, sentence))


def _describe_difference(difference: MeaningDifference) -> str:
    """A difference in the words of this evaluator: the sentence of the source is what the guards call expected.

    >>> _describe_difference(MeaningDifference("negation", "only expected is negated"))
    'only the source is negated'
    """
    return difference.what.replace("only expected", "only the source").replace("only actual", "only the answer")


def _is_omission(difference: MeaningDifference) -> bool:
    """True for a number that the answer does not repeat: an answer need not be complete."""
    return difference.kind == "number missing" and "only expected" in difference.what
