import pytest

from warehouse.comment_scoring.folding import folded
from warehouse.comment_scoring.terms import TermMatcher, Terms


def mentions(text: str, *brand: str, competitor: tuple[str, ...] = ()) -> list[str]:
    return TermMatcher(Terms(brand, competitor)).mentions(folded(text))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Lumora", "LUMORA's update"),
        ("Lumora", "“lumora” is trash"),
        ("Lumora", "thanks @lumora"),
        ("Lumora", "#lumora"),
        ("Lumora", "l u m o r a"),
        ("Lumora", "ʟumora"),
        ("Lumora", "Lumoraのおかげ"),
        ("Lumora AI", "#LumoraAI"),
        ("QuillPad", "Quill Pad is free"),
        ("quill-pad", "quillpad"),
        ("C++", "c here"),
        ("Лумор", "люблю Лумору"),
        ("ルモラ", "このルモラいいね"),
        ("لومورا", "واللومورا"),
        ("a.b*c", "a.b*c"),
        ("🍋", "love 🍋!"),
    ],
)
def test_finds_a_term(term: str, text: str) -> None:
    assert mentions(text, term) == ["brand_mention"]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Lumora", "illumora and lumorama"),
        ("Brainbox", "my brain box hurts"),
        ("a.b", "axb"),
        ("...", "well..."),
        ("Ada", "Adam"),
    ],
)
def test_does_not_find_it_in_other_words(term: str, text: str) -> None:
    assert mentions(text, term) == []


def test_distinguishes_brand_and_competitor() -> None:
    both = mentions("lumora or notely", "Lumora", competitor=("Notely",))

    assert both == ["brand_mention", "competitor"]
    assert mentions("notely", "Lumora", competitor=("Notely",)) == ["competitor"]
    assert mentions("anything") == []


def test_a_change_of_terms_is_another_version() -> None:
    versions = {
        Terms(("a",), ()).version,
        Terms((), ("a",)).version,
        Terms(("a", "b"), ()).version,
        Terms(("ab",), ()).version,
        Terms(("\ud800",), ()).version,
    }

    assert len(versions) == 5
    assert Terms(("a",), ()).version == Terms(("a",), ()).version
