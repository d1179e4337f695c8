import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.registration.hashtags import has_hashtag, hashtags_in, normalize_hashtags

tag_text = st.text(alphabet="aZ9_éßשהयाñ🔥.-", min_size=1, max_size=6)


def test_tracked_hashtags_are_separated_by_spaces_and_commas_and_lose_sign_and_case() -> None:
    assert normalize_hashtags("#Summer, winter\t##Ski  a.b-c") == ["summer", "winter", "ski", "abc"]


def test_hashtags_are_unique_without_punctuation() -> None:
    assert normalize_hashtags("cats CATS #Cats ,, #!?") == ["cats"]


@pytest.mark.parametrize(
    ("caption", "tags"),
    [
        ("New drop! #summer", {"summer"}),
        ("#One#Two end", {"one", "two"}),
        ("#summer2024_vibes.", {"summer2024_vibes"}),
        ("# summer", set()),
        ("summer", set()),
        ("#café", {"café"}),
        ("#cafe\u0301", {"café"}),
        ("#हिन्दी राज", {"हिन्दी"}),
        ("\uff03東京 の", {"東京"}),
        ("#summer🔥", {"summer"}),
        ("", set()),
    ],
)
def test_hashtags_of_a_caption(caption: str, tags: set[str]) -> None:
    assert hashtags_in(caption) == tags


@pytest.mark.parametrize(
    ("caption", "tracked", "matches"),
    [
        ("so good #Summer!", ["summer"], True),
        ("so good #summertime", ["summer"], False),
        ("so good #sum", ["summer"], False),
        ("STRASSE #STRASSE", ["straße"], True),
        ("#ΣΊΣΥΦΟΣ", ["σίσυφος"], True),
        (None, ["summer"], False),
        ("#summer", [], False),
    ],
)
def test_only_a_whole_hashtag_matches_whatever_its_case(
    caption: str | None, tracked: list[str], matches: bool
) -> None:
    assert has_hashtag(caption, tracked) is matches


def words_after_signs(caption: str) -> set[str]:
    """Find hashtags one character at a time."""
    words, current = set(), None
    for character in unicodedata.normalize("NFC", caption) + " ":
        if current is not None and (character.isalnum() or character == "_"):
            current += character
            continue
        if current:
            words.add(current.casefold())
        current = "" if character == "#" else None
    return words


@pytest.mark.slow
@given(st.text(alphabet="#aBc1_ ñÉ.,🔥", max_size=40), tag_text)
def test_a_match_equals_a_scan_by_character(caption: str, tag: str) -> None:
    tracked = normalize_hashtags(tag)
    assert has_hashtag(caption, tracked) == any(
        word.casefold() in words_after_signs(caption) for word in tracked
    )


@given(st.text(max_size=60))
def test_normalizing_again_changes_nothing(text: str) -> None:
    once = normalize_hashtags(text)
    assert normalize_hashtags(" ".join(once)) == once
    assert all(has_hashtag(f"look #{tag} here", [tag]) for tag in once)
