"""Valid names of tags, and which of them are equal."""

from unicodedata import normalize
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.errors import InvalidTagName
from serving_api.resources.programs.tags.names import (
    MAX_LENGTH,
    checked_named,
    cleaned,
    key_of,
    problem_of,
    read_named,
)

texts = st.text(max_size=60)
names = texts.map(cleaned).filter(lambda name: problem_of(name) is None)


@pytest.mark.parametrize(
    ("written", "cleaned_name"),
    [
        ("Star", "Star"),
        ("  Star  ", "Star"),
        ("Rising   Star", "Rising Star"),
        ("Rising\t\n\u00a0\u2003Star", "Rising Star"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("   ", ""),
    ],
)
def test_names_are_trimmed_composed_and_spaced_once(written: str, cleaned_name: str) -> None:
    assert cleaned(written) == cleaned_name


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Star", "sTAR"),
        ("stra\u00dfe", "STRASSE"),
        ("\u00c9T\u00c9", "e\u0301te\u0301"),
        (
            "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
            "\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3",
        ),
        ("\u212b", "\u00e5"),
        ("\u1fb3\u0301", "\u03b1\u0345\u0301"),
    ],
)
def test_casing_and_ways_to_write_accents_do_not_matter(name: str, other: str) -> None:
    assert key_of(name) == key_of(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("a", "b"), ("e", "\u00e9"), ("\u0131", "i"), ("a b", "ab"), ("1", "\uff11")],
)
def test_other_letters_are_other_names(name: str, other: str) -> None:
    assert key_of(name) != key_of(other)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "empty"),
        ("x" * (MAX_LENGTH + 1), "40"),
        ("a,b", "comma"),
        ("1c0e3f6a-52d1-4b8e-9f0a-7d3c5e2b6a41", "UUID"),
        ("1C0E3F6A-52D1-4B8E-9F0A-7D3C5E2B6A41", "UUID"),
        ("1c0e3f6a52d14b8e9f0a7d3c5e2b6a41", "UUID"),
    ],
)
def test_errors_of_names_are_explained(name: str, problem: str) -> None:
    assert problem in str(problem_of(name))


@pytest.mark.parametrize(
    "name", ["x", "x" * MAX_LENGTH, "\U0001f525" * MAX_LENGTH, "a;b", "0" * 31, "#1", "-"]
)
def test_any_other_text_is_a_name(name: str) -> None:
    assert problem_of(name) is None


@given(text=texts)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once) == once
    assert "  " not in once
    assert once == once.strip()


@given(name=names)
def test_a_name_is_itself_however_it_is_written(name: str) -> None:
    key = key_of(name)
    for other in (normalize("NFD", name), f"  {name}\t", name.casefold()):
        assert key_of(cleaned(other)) == key
    assert key_of(key) == key


@given(entries=st.lists(names | st.uuids().map(str), max_size=20))
def test_every_entry_is_an_id_or_a_name_and_counts_once(entries: list[str]) -> None:
    named = checked_named(entries)
    assert checked_named([*entries, *entries]) == named
    assert {UUID(entry) for entry in entries if problem_of(entry)} == named.ids
    assert {key_of(entry) for entry in entries if not problem_of(entry)} == named.names.keys()


@given(entries=st.lists(texts, min_size=1, max_size=5))
def test_all_bad_entries_are_named_as_sent(entries: list[str]) -> None:
    bad = [entry for entry in entries if problem_of(cleaned(entry))]
    if not bad:
        assert len(checked_named(entries).names) <= len(entries)
        return
    with pytest.raises(InvalidTagName) as refused:
        checked_named(entries)
    listed = refused.value.meta["invalid"]
    assert isinstance(listed, list)
    assert [entry["input"] for entry in listed if isinstance(entry, dict)] == bad


def test_the_first_casing_names_a_new_tag() -> None:
    assert read_named(["Star", "STAR", " star "]).names == {"star": "Star"}
