"""Hashtags: normalizing tracked ones, and finding those in a caption (contract, Account).

`tracking_modes` decides what follows from a match.
"""

import unicodedata
from collections.abc import Iterable

SIGNS = "#\uff03"  # the second is the full-width sign of East Asian keyboards
JOINERS = "\u200c\u200d"  # part of words in Persian and Indic scripts


def normalize_hashtags(text: str) -> list[str]:
    """Return the distinct tags in a text, separated by whitespace or commas.

    NFC, lower case, without the leading sign and characters that no hashtag can have; empty ones
    are dropped.
    """
    words = (word.lstrip(SIGNS) for word in text.replace(",", " ").split())
    tags = ("".join(filter(_is_tag_character, _fold(word))) for word in words)
    return list(dict.fromkeys(tag for tag in tags if tag))


def hashtags_in(caption: str) -> frozenset[str]:
    """Return a caption's hashtags, normalized as by `normalize_hashtags`."""
    text = _fold(caption)
    for sign in SIGNS[1:]:
        text = text.replace(sign, SIGNS[0])
    _before, *pieces = text.split(SIGNS[0])
    return frozenset(tag for piece in pieces if (tag := _leading_tag(piece)))


def has_hashtag(caption: str | None, tracked: Iterable[str]) -> bool:
    """Return whether a caption has one of the tracked hashtags, in any case."""
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
    """Return NFC lower case. NFC is applied twice, because lower casing can decompose."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def _is_tag_character(character: str) -> bool:
    """Return whether it is a letter, mark or digit of any script, or the underscore."""
    return (
        character == "_"
        or character in JOINERS
        or unicodedata.category(character)[0] in {"L", "M", "N"}
    )
