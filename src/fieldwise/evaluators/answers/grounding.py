"""Whether what the AI says stands in the sources it was given: a heuristic that asks nobody.

For an answer in words, each sentence looks for the passage of the contexts that shares most of its words, and must have its numbers and
names from the contexts; or, `by: embedding`, for the sentence that means most nearly the same, and must not differ from it in numbers,
negation, opposites or names. For a record, each value must occur in the source. It finds what was made up in plain sight; it does not
reason, which is what `ragas` is for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, cast

from annotated_types import Ge, Le

from fieldwise.evaluators.answers._meant import Meant, meant
from fieldwise.evaluators.answers._support import Sources, Support
from fieldwise.kernels.numbers_in_text import Locale, written
from fieldwise.kernels.sentences import sentences, ways_to_write
from fieldwise.model.batch import Batch
from fieldwise.model.case import Case
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.faults import unavailable
from fieldwise.model.path import Step, render
from fieldwise.model.result import Result, Results
from fieldwise.ports import embedder
from fieldwise.registry import evaluator

_TEXT_KEYS: Final = ("text", "content", "page_content")
_SHOWN: Final = 80
BY_WORDS: Final = "unread_script"
"""Says that some sentences were judged by their words, because the model cannot read them."""
_ENOUGH: Final = {"words": 0.6, "embedding": 0.43}
"""For embeddings it is the cut that the match `semantic` was fitted with; nothing was fitted to claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """Where the sources are, and how much support a sentence needs."""

    source: Literal["contexts", "input", "both"] = "contexts"
    """What the answer may rest on."""
    by: Literal["words", "embedding"] = "words"
    """Whether a sentence of an answer finds its support by shared words, or by meaning (`pip install 'fieldwise[semantic]'`). A sentence
    in a script that the model cannot read finds it by words even so, and the flag `unread_script` says that some did."""
    support: Annotated[float, Ge(0), Le(1)] | None = None
    """How much support a sentence needs. By words: the share of its words that one passage must have, 0.6 unless given. By embedding:
    the similarity to one sentence of the sources after what the guards took off, 0.43 unless given."""
    locale: Locale = "en"
    """How numbers are written: en 1,234.56, de 1.234,56, fr 1 234,56, ch 1'234.56."""

    def enough(self) -> float:
        """What `support` is if nobody says."""
        return _ENOUGH[self.by] if self.support is None else self.support


@evaluator(reads="case", needs_expected=False, version=1)
def grounding(batch: Batch, config: Grounding) -> Results:
    """Score each answer by the share of its sentences (or values) that the sources support."""
    return Results.from_results([_result(batch.cases.at(row), config) for row in range(len(batch))])


def _result(case: Case, config: Grounding) -> Result:
    texts = _source_texts(case, config)
    if not texts:
        return Result(status="skipped", reasoning=f"the case has no {'contexts or input' if config.source == 'both' else config.source}")
    sources = Sources(texts, config.locale)
    if isinstance(case.actual, str):
        return _of_text(case.actual, sources, config)
    return _of_record(case.actual, sources)


def _source_texts(case: Case, config: Grounding) -> list[str]:
    found: list[str] = []
    if config.source != "input":
        found += [_text_of(context) for context in case.contexts or ()]
    if config.source != "contexts":
        found.append(_text_of(case.input))
    return [text for text in found if text.strip()]


def _text_of(value: Any) -> str:
    """The text of a context: itself, what stands under `text`, `content` or `page_content`, or else all its values."""
    if isinstance(value, Mapping):
        known = cast("Mapping[str, Any]", value)
        for key in _TEXT_KEYS:
            if isinstance(known.get(key), str):
                return known[key]
    return "\n".join(str(leaf) for _, leaf in _leaves(value))


def _of_text(answer: str, sources: Sources, config: Grounding) -> Result:
    supports = [support for sentence in dict.fromkeys(sentences(answer)) if (support := sources.support(sentence))]
    if not supports:
        return Result(status="skipped", reasoning="the answer says nothing that could be looked up")
    similarities: list[float | None] = []
    if config.by == "embedding":
        embed = embedder()
        if isinstance(embed, Diagnostic):
            return unavailable(embed.what, embed.fix)
        said = list(meant([support.sentence for support in supports], sources.texts, embed))
        reasons = [_reasons_either(support, one, config) for support, one in zip(supports, said, strict=True)]
        supports = [
            replace(support, source=one.source, passage=one.passage) if one else support
            for support, one in zip(supports, said, strict=True)
        ]
        similarities = [one.similarity if one else None for one in said]
    else:
        reasons = [_reasons(support, config.enough()) for support in supports]
    grounded = sum(not reason for reason in reasons)
    measured = [one for one in similarities if one is not None]
    numbers = _share([(support.numbers, support.lost_numbers) for support in supports])
    names = _share([(support.names, support.lost_names) for support in supports])
    return Result(
        score=grounded / len(supports),
        hits=[_short(support.sentence) for support, reason in zip(supports, reasons, strict=True) if not reason],
        misses=[f"{_short(support.sentence)} ({'; '.join(reason)})" for support, reason in zip(supports, reasons, strict=True) if reason],
        reasoning=f"{grounded}/{len(supports)} sentences are supported",
        metrics={"grounded_share": grounded / len(supports), "sentences": float(len(supports))}
        | ({"similarity": sum(measured) / len(measured)} if measured else {})
        | numbers.metric("numbers")
        | names.metric("names"),
        details={
            "sentences": [_told(*told) for told in zip_longest(supports, reasons, similarities)],
            "unsupported": {"numbers": numbers.lost, "names": names.lost},
            "flags": [BY_WORDS] if None in similarities else [],
        },
    )


def _reasons(support: Support, enough: float) -> list[str]:
    """Why a sentence is not grounded; nothing if it is."""
    slack = 1e-9
    return [
        *([f"{support.share:.0%} of its words in one passage"] if support.share < enough - slack else []),
        *(f"number {number} is in no source" for number in support.lost_numbers),
        *(f"`{name}` is in no source" for name in support.lost_names),
        *(["the source says the opposite"] if support.contradicts and support.share >= enough - slack else []),
    ]


def _reasons_either(support: Support, found: Meant | None, config: Grounding) -> list[str]:
    """By meaning; by words where the model cannot read the sentence."""
    return _reasons(support, _ENOUGH["words"]) if found is None else _reasons_meant(found, config.enough())


def _reasons_meant(found: Meant, enough: float) -> list[str]:
    """The same by meaning."""
    if found.similarity >= enough - 1e-9:
        return []
    return list(found.reasons) or [f"similarity {found.similarity:.2f} to the nearest sentence of the sources"]


def _told(support: Support, reasons: Sequence[str], similarity: float | None) -> dict[str, Any]:
    return {
        "sentence": support.sentence,
        "grounded": not reasons,
        "support": round(support.share, 4),
        **({} if similarity is None else {"similarity": round(similarity, 4)}),
        "source": support.source,
        "passage": support.passage,
        "reasons": list(reasons),
    }


@dataclass(frozen=True, slots=True)
class _Found:
    total: int
    lost: list[str]

    def metric(self, name: str) -> dict[str, float | bool]:
        """The share that has support, if there is anything to share."""
        return {f"supported_{name}": (self.total - len(self.lost)) / self.total} if self.total else {}


def _share(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> _Found:
    every = {one for all_, _ in pairs for one in all_}
    return _Found(len(every), list(dict.fromkeys(one for _, lost in pairs for one in lost)))


def _of_record(record: Any, sources: Sources) -> Result:
    values = [(render(steps), leaf) for steps, leaf in _leaves(record) if not isinstance(leaf, bool)]
    if not values:
        return Result(status="skipped", reasoning="the output has no value that could be looked up")
    found = [_stands(leaf, sources) for _, leaf in values]
    share = sum(found) / len(values)
    return Result(
        score=share,
        hits=[path for (path, _), there in zip(values, found, strict=True) if there],
        misses=[f"{path} (not in the source)" for (path, _), there in zip(values, found, strict=True) if not there],
        reasoning=f"{sum(found)}/{len(values)} values are in the source",
        metrics={"grounded_share": share, "values": float(len(values))},
        details={"unsupported": {path: leaf for (path, leaf), there in zip(values, found, strict=True) if not there}, "flags": []},
    )


def _stands(leaf: str | int | float, sources: Sources) -> bool:
    if isinstance(leaf, str):
        return sources.has_text(leaf) or any(sources.has_text(way) for way in ways_to_write(leaf))
    return leaf == leaf and abs(leaf) != float("inf") and sources.has_number(written(leaf))  # noqa: PLR0124


def _leaves(value: Any) -> Iterator[tuple[tuple[Step, ...], str | int | float | bool]]:
    """Every value that is not null, empty text or a container, with where it stands; nesting may be of any depth."""
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), value)]
    while waiting:
        steps, here = waiting.pop()
        if isinstance(here, str | bool | int | float):
            if not isinstance(here, str) or here.strip():
                yield steps, here
        elif isinstance(here, Mapping):
            waiting += [((*steps, key), inner) for key, inner in reversed(list(cast("Mapping[str, Any]", here).items()))]
        elif isinstance(here, Sequence):
            items = list(enumerate(cast("Sequence[Any]", here)))
            waiting += [((*steps, at), inner) for at, inner in reversed(items)]


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= _SHOWN else sentence[: _SHOWN - 1].rstrip() + "…"
