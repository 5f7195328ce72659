"""Side files that a suite names, such as `strategies.json`."""

from pathlib import Path

from fieldwise.model.diagnostic import ConfigError, Where
from fieldwise.model.locations import place_of
from fieldwise.model.values import Json, Missing
from fieldwise.read.files import SizeHint, Unreadable, open_bytes
from fieldwise.read.json_file import read_value
from fieldwise.read.sources import cannot_read


def load_json(path: str | Path) -> Json:
    """The value of a JSON file; ConfigError, with every problem in it, if it cannot be used."""
    file = place_of(path)
    try:
        with open_bytes(file, SizeHint()) as stream:
            value, problems = read_value(stream.read(), str(path))
    except Unreadable as problem:
        raise ConfigError([problem.diagnostic]) from problem
    except (OSError, EOFError) as error:
        raise ConfigError([cannot_read(file, error)]) from error
    errors = [problem.diagnostic(Where(file=str(path))) for problem in problems if problem.level == "error"]
    if errors or isinstance(value, Missing):
        raise ConfigError(errors)
    return value
