"""Ids in the platforms' formats, with the creation time and the way back to a post.

The low bits, random on the real sites, hold the creator's number (scrambled), so that a post is
found by its id without a table of all posts.
"""

import re
from base64 import urlsafe_b64encode
from hashlib import blake2b
from string import ascii_lowercase, ascii_uppercase, digits

from scrapers.simulator.draws import scramble, unscramble

MOST_CREATORS = 1 << 18
"""Number of creators that fit into an Instagram pk."""

_INSTAGRAM_EPOCH_MS = 1314220021721
_SHORTCODE_ALPHABET = ascii_uppercase + ascii_lowercase + digits + "-_"
_TIKTOK_BITS, _TIKTOK_NOISE = 32, 12
_INSTAGRAM_BITS, _INSTAGRAM_NOISE = 23, 5
_ID_STRIDE = 104_729
_LONGEST_SHORTCODE = 11
_DIGITS = re.compile(r"[0-9]{1,20}")


def tiktok_id(created_at: int, creator: int, noise: int) -> int:
    """Return an id whose top bits are `created_at` (epoch seconds)."""
    low = creator << _TIKTOK_NOISE | noise % (1 << _TIKTOK_NOISE)
    return created_at << _TIKTOK_BITS | scramble(low, _TIKTOK_BITS)


def tiktok_id_origin(number: int) -> tuple[int, int]:
    """Return the creation time (epoch seconds) and the creator in a TikTok id."""
    low = unscramble(number % (1 << _TIKTOK_BITS), _TIKTOK_BITS)
    return number >> _TIKTOK_BITS, low >> _TIKTOK_NOISE


def instagram_pk(created_ms: int, creator: int, noise: int) -> int:
    """Return a media pk whose top bits are `created_ms` (epoch milliseconds)."""
    low = creator << _INSTAGRAM_NOISE | noise % (1 << _INSTAGRAM_NOISE)
    high = created_ms - _INSTAGRAM_EPOCH_MS
    return high << _INSTAGRAM_BITS | scramble(low, _INSTAGRAM_BITS)


def instagram_pk_origin(pk: int) -> tuple[int, int]:
    """Return the creation time (epoch milliseconds) and the creator in a pk."""
    low = unscramble(pk % (1 << _INSTAGRAM_BITS), _INSTAGRAM_BITS)
    return (pk >> _INSTAGRAM_BITS) + _INSTAGRAM_EPOCH_MS, low >> _INSTAGRAM_NOISE


def instagram_user_pk(creator: int) -> str:
    return str(67_000_000_001 + creator * _ID_STRIDE)


def instagram_facebook_id(creator: int) -> str:
    """Return the Facebook-side id of an account, which guests' queries call `id`."""
    return str(17_841_460_000_000_001 + creator * _ID_STRIDE)


def facebook_side_media_id(pk: int) -> str:
    """Return the id of a post in the official API's id space."""
    return str(18_000_000_000_000_000 + pk % 1_000_000_000_000_000)


def parse_id(text: str) -> int | None:
    """Return a number of at most 20 digits, or None for any other text."""
    return int(text) if _DIGITS.fullmatch(text) else None


def creator_of_facebook_id(text: str) -> int | None:
    """Return the creator's number, or None for an invalid id."""
    offset = (parse_id(text) or 0) - int(instagram_facebook_id(0))
    return offset // _ID_STRIDE if offset >= 0 and offset % _ID_STRIDE == 0 else None


def tiktok_sec_uid(seed: int, creator: int) -> str:
    digest = blake2b(f"{seed}/{creator}".encode(), digest_size=33).digest()
    return "MS4wLjABAAAA" + urlsafe_b64encode(digest).decode()


def shortcode(pk: int) -> str:
    """Return the pk in base 64, as in Instagram's URLs."""
    return _encode(pk, _SHORTCODE_ALPHABET)


def pk_of_shortcode(code: str) -> int | None:
    """Return the pk of a shortcode, or None if invalid."""
    return _decode(code, _SHORTCODE_ALPHABET) if len(code) <= _LONGEST_SHORTCODE else None


def _encode(number: int, alphabet: str) -> str:
    text = ""
    while number:
        number, digit = divmod(number, len(alphabet))
        text = alphabet[digit] + text
    return text


def _decode(text: str, alphabet: str) -> int | None:
    number = 0
    for character in text:
        digit = alphabet.find(character)
        if digit < 0:
            return None
        number = number * len(alphabet) + digit
    return number
