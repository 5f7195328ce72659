"""A match on its own, outside any suite."""

from collections.abc import Mapping
from typing import Any

from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.document import Document
from fieldwise.model.rule import Match
from fieldwise.plan.review import Invalid, Review
from fieldwise.plan.rules import READERS, read_match


def plan_match(name: str, options: Mapping[str, Any]) -> Match:
    """The match of that name with its options checked; ConfigError with everything that is wrong with them."""
    written = {"match": name, **options}
    review = Review(document=Document(value=written), load=_no_files, resolve=str, readers=READERS)
    match = read_match(review, written, ())
    if isinstance(match, Invalid):
        raise ConfigError(review.found)
    return match


def _no_files(path: str) -> Any:
    raise ValueError(f"files cannot be read here; give the content of {path} itself")
