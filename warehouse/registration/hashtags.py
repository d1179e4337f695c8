"""Hashtags: how a tracked one is spelled, and which ones a caption carries (contract, Account).

Pure text; what follows from a match is decided in `tracking_modes`.
"""

import unicodedata
from collections.abc import Iterable

SIGNS = "#\uff03"  # the second is the full-width sign of East Asian keyboards
JOINERS = "\u200c\u200d"  # part of words in Persian and Indic scripts


def normalize_hashtags(text: str) -> list[str]:
    """Return the tags that a person wrote, separated by whitespace or commas, each one once.

    NFC, lower case, without the leading sign and without characters that no hashtag can have;
    what is then empty is left out.
    """
    words = (word.lstrip(SIGNS) for word in text.replace(",", " ").split())
    tags = ("".join(filter(_is_tag_character, _fold(word))) for word in words)
    return list(dict.fromkeys(tag for tag in tags if tag))


def hashtags_in(caption: str) -> frozenset[str]:
    """Return the hashtags of a caption, spelled as `normalize_hashtags` spells them."""
    text = _fold(caption)
    for sign in SIGNS[1:]:
        text = text.replace(sign, SIGNS[0])
    _before, *pieces = text.split(SIGNS[0])
    return frozenset(tag for piece in pieces if (tag := _leading_tag(piece)))


def has_hashtag(caption: str | None, tracked: Iterable[str]) -> bool:
    """Tell whether a caption carries one of the tracked hashtags, whatever their case."""
    if not caption:
        return False
    carried = {tag.casefold() for tag in hashtags_in(caption)}
    return any(tag.casefold() in carried for tag in _folded(tracked))


def _folded(tags: Iterable[str]) -> Iterable[str]:
    return (tag for text in tags for tag in normalize_hashtags(text))


def _leading_tag(piece: str) -> str:
    for position, character in enumerate(piece):
        if not _is_tag_character(character):
            return piece[:position]
    return piece


def _fold(text: str) -> str:
    """Return NFC lower case; lower casing can decompose, so NFC comes last as well."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def _is_tag_character(character: str) -> bool:
    """Letters, marks and digits of any script, and the underscore."""
    return (
        character == "_"
        or character in JOINERS
        or unicodedata.category(character)[0] in {"L", "M", "N"}
    )
