"""Builds the `Services` of a scoring run: askers that open on first use, the embedding model, a sink for diagnostics."""

import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from fieldwise.model.ask import Asker, Asking, Asks, DisabledAsker, NextAsks
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.result import Result
from fieldwise.model.services import Embedder, Services


def local_services(asker: Asker | None = None, report: Callable[[Diagnostic], None] | None = None) -> Services:
    """Services on this machine.

    Without `asker`, one is opened for each round of questions. Without `report`, diagnostics become Python warnings, except for
    information and for problems of a single case, which are in its result.
    """
    return Services(asker=asker or OnDemandAsker(), load_embedder=_load_embedder, report=report or _warn)


def _load_embedder() -> Embedder | Diagnostic:
    from fieldwise.ask.embedding import load_embedder  # onnxruntime, which most runs never need

    return load_embedder()


def _warn(diagnostic: Diagnostic) -> None:
    if diagnostic.level != "info" and diagnostic.where.case is None:
        warnings.warn(str(diagnostic), RuntimeWarning, stacklevel=2)


class ReportedProblems:
    """Collects what a single evaluation reports, so that its result can hold it: a Python warning may be an error."""

    def __init__(self) -> None:
        self._diagnostics: dict[Diagnostic, None] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a problem; information, and problems of the case itself, are in its result already."""
        if diagnostic.level != "info" and diagnostic.where.case is None:
            self._diagnostics[diagnostic] = None

    def list_all(self) -> list[Diagnostic]:
        """The problems in their order, each once."""
        return list(self._diagnostics)

    def attach_to(self, result: Result) -> Result:
        """The result with the problems among its details, as `diagnostics`."""
        if not self._diagnostics:
            return result
        return replace(result, details={**result.details, "diagnostics": [diagnostic.to_json() for diagnostic in self._diagnostics]})


class OnDemandAsker:
    """Opens an asker for each call and closes it afterwards; for evaluations outside a run."""

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        """Answer the questions with an asker of their own."""
        from fieldwise.ask.asker import open_asker  # asyncio and SQLite, which most runs never need

        with open_asker(None) as asker:
            asker.answer(first, follow)


@contextmanager
def lazy_asker(asking: Asking | None = None) -> Generator[Asker]:
    """An asker for a whole run that is opened by the first question and closed at the end."""
    if asking is not None and asking.disabled:
        yield DisabledAsker()
        return
    with ExitStack() as stack:

        def open_once() -> Asker:
            from fieldwise.ask.asker import open_asker  # asyncio and SQLite, which most runs never need

            return stack.enter_context(open_asker(asking))

        yield _LazyAsker(open_once)


class _LazyAsker:
    """Creates an asker at the first question and keeps it."""

    def __init__(self, create: Callable[[], Asker]) -> None:
        self._create = create
        self._asker: Asker | None = None

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        if self._asker is None:
            self._asker = self._create()
        self._asker.answer(first, follow)
