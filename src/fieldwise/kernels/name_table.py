"""A table of many names, of which a process usually looks up a few.

The names are stored in groups, the text of each group under the characters with which its names begin. A group is read when a name that may
be in it is looked up, so that a table of 50,000 names costs 2 ms instead of 20.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar, overload

Entry = TypeVar("Entry")
Default = TypeVar("Default")
GROUP_CHARACTERS: Final = 2
"""Names that begin with the same characters, this many of them, are in one group."""


def group_names(texts_by_name: Mapping[str, str]) -> dict[str, str]:
    r"""The groups of a table, as they are stored: the names in order, a line each, with a tab before the text of the entry.

    >>> group_names({"kongo": "CD CG", "korea": "KP KR", "peru": "PE"})
    {'ko': 'kongo\tCD CG\nkorea\tKP KR', 'pe': 'peru\tPE'}
    """
    groups: dict[str, list[str]] = {}
    for name, text in sorted(texts_by_name.items()):
        groups.setdefault(name[:GROUP_CHARACTERS], []).append(f"{name}\t{text}")
    return {start: "\n".join(lines) for start, lines in groups.items()}


class NameTable(Mapping[str, Entry]):
    r"""Names with their entries, read group by group from what `group_names` made.

    >>> table = NameTable({"ko": "kongo\tCD CG\nkorea\tKP KR", "pe": "peru\tPE"}, str.split)
    >>> table["korea"], table.get("kuwait"), "peru" in table, len(table), list(table)
    (['KP', 'KR'], None, True, 3, ['kongo', 'korea', 'peru'])
    """

    __slots__ = ("_read_entry", "_read_groups", "_stored_groups")

    def __init__(self, stored_groups: Mapping[str, str], read_entry: Callable[[str], Entry]) -> None:
        self._stored_groups = stored_groups
        self._read_entry = read_entry
        self._read_groups: dict[str, dict[str, Entry]] = {}

    def __getitem__(self, name: str) -> Entry:
        return self._group_of(name)[name]

    @overload
    def get(self, name: str, /) -> Entry | None: ...

    @overload
    def get(self, name: str, /, default: Entry | Default) -> Entry | Default: ...

    def get(self, name: str, /, default: Entry | Default | None = None) -> Entry | Default | None:
        """The entry of a name, or `default`. Most names that are looked up are not in the table, so this raises no error inside."""
        return self._group_of(name).get(name, default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._group_of(name)

    def __iter__(self) -> Iterator[str]:
        for text in self._stored_groups.values():
            for line in text.split("\n"):
                yield line.partition("\t")[0]

    def __len__(self) -> int:
        return sum(text.count("\n") + 1 for text in self._stored_groups.values())

    def starts(self) -> Iterable[str]:
        """The characters with which the names of each group begin."""
        return self._stored_groups

    def entries_with_start(self, start: str) -> Mapping[str, Entry]:
        """The names of a group with their entries."""
        return self._group_of(start)

    def _group_of(self, name: str) -> dict[str, Entry]:
        start = name[:GROUP_CHARACTERS]
        group = self._read_groups.get(start)
        if group is None:
            lines = self._stored_groups[start].split("\n") if start in self._stored_groups else ()
            group = {name: self._read_entry(text) for name, _, text in (line.partition("\t") for line in lines)}
            if group:
                self._read_groups[start] = group
        return group
