"""The only place in scoring that catches exceptions: calls of matchers, evaluators, judges and causes."""

from collections.abc import Callable
from typing import Generic, TypeVar

from fieldwise.dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Success(Generic[T]):
    """The value that a guarded call returned."""

    value: T


@dataclass(frozen=True, slots=True)
class Crash:
    """The message of the exception that a guarded call raised. The caller must turn it into a fault or a diagnostic."""

    message: str


def call_guarded(function: Callable[[], T]) -> Success[T] | Crash:
    """Call registered code; an exception becomes a `Crash`, and so does `sys.exit()`, which would end the run as if it had passed.

    KeyboardInterrupt passes through.
    """
    try:
        return Success(function())
    except SystemExit as error:
        return Crash(f"SystemExit: {error}")
    except Exception as error:
        return Crash(str(error) or type(error).__name__)
