"""Instagram's media pks: as shortcodes in base 64, and their time (platforms.md, 2.0)."""

import re
from datetime import UTC, datetime, timedelta

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_DIGIT = {letter: value for value, letter in enumerate(_ALPHABET)}
_PRIVATE_SUFFIX = 28
"""Number of characters that links to posts of private accounts append to the code."""
_MAX_PK = 2**63 - 1
_PK_AND_OWNER = re.compile(r"[0-9]{15,19}_[0-9]+")
"""The id of a post in other programs' exports, which looks like a private post's code."""
_ZERO = datetime(2011, 8, 24, 21, 7, 1, 721_000, tzinfo=UTC)
"""Epoch of the milliseconds in a pk's upper bits."""


def public_part(code: str) -> str:
    """Return a shortcode without the suffix of a link to a private post."""
    return code[:-_PRIVATE_SUFFIX] if len(code) > _PRIVATE_SUFFIX else code


def shortcode_to_pk(code: str) -> str:
    """Return the media pk, a string of digits.

    Raises ValueError if the code has an invalid character, exceeds 63 bits or is another id.
    """
    if _PK_AND_OWNER.fullmatch(code):
        raise ValueError(f"a media pk with its owner, not a shortcode: {code!r}")
    pk = 0
    for letter in public_part(code):
        if letter not in _DIGIT:
            raise ValueError(f"not a shortcode letter: {letter!r}")
        pk = pk * 64 + _DIGIT[letter]
    if not 0 < pk <= _MAX_PK:
        raise ValueError(f"not a shortcode: {code!r}")
    return str(pk)


def pk_to_shortcode(pk: str) -> str:
    """Return the shortcode of a media pk. Raises ValueError if it is not a positive number."""
    rest = int(pk)
    if rest <= 0:
        raise ValueError(f"not a media pk: {pk!r}")
    letters = ""
    while rest:
        rest, digit = divmod(rest, 64)
        letters = _ALPHABET[digit] + letters
    return letters


def uploaded_at(pk: str) -> datetime:
    """Return the upload time in a pk of at most 20 digits, minutes before publication."""
    return _ZERO + timedelta(milliseconds=int(pk) >> 23)
