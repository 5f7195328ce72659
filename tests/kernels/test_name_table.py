"""A table of names gives the entries that a dictionary of the same names gives."""

from hypothesis import given
from hypothesis import strategies as st

from fieldwise.kernels.name_table import NameTable, group_names

NAMES = st.text(st.characters(exclude_characters="\t\n", codec="utf-8"), min_size=1, max_size=4)
TABLES = st.dictionaries(NAMES, st.text("abc ", min_size=1, max_size=3))


@given(TABLES, st.lists(NAMES))
def test_a_table_is_a_mapping_equal_to_the_dictionary_it_was_made_of(entries: dict[str, str], others: list[str]) -> None:
    table = NameTable(group_names(entries), str)
    for name in others:  # before and after the groups are read
        assert table.get(name) == entries.get(name)
        assert table.get(name, "none") == entries.get(name, "none")
        assert (name in table) == (name in entries)
    assert len(table) == len(entries)
    assert sorted(table) == sorted(entries)
    assert dict(table) == entries


def test_a_group_is_read_when_one_of_its_names_is_looked_up() -> None:
    read_texts: list[str] = []
    table = NameTable(group_names({"kongo": "CD CG", "korea": "KP KR", "peru": "PE"}), lambda text: read_texts.append(text) or text)
    assert table.get("zaire") is None
    assert read_texts == []
    assert table["kongo"] == "CD CG"
    assert table["korea"] == "KP KR"
    assert read_texts == ["CD CG", "KP KR"]
