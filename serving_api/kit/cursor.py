"""The place in a list where a page ended, sealed for one list.

It is an instant and an id, a rank before these, or a number.

What belongs here: encode, decode, validate. Turning a cursor into SQL is `pagination`'s.
A cursor carries no right: every query it goes into names the organization itself. The seal, an
HMAC by the server's secret, shows what was made up, altered or is another list's.
"""

import base64
import binascii
import hmac
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Self
from uuid import UUID

from serving_api.errors import InvalidCursor
from serving_api.kit.base64url import base64url

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_PLACE = struct.Struct(">q16s")
_RANKED = struct.Struct(">qq16s")
_NUMBER = struct.Struct(">q")

SEAL = "cursor_seal"
"""Where a request's session has the Seal, in its `info`."""


class Seal:
    """Proves that a text was made here, for one list. Every process that serves has the secret."""

    LENGTH = 16

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, place: bytes, listing: str) -> bytes:
        """Return the proof for a place in the list."""
        return hmac.digest(self._secret, b"cursor\0" + place + listing.encode(), sha256)[
            : self.LENGTH
        ]


@dataclass(frozen=True, slots=True)
class Cursor:
    """The sort key of the last row of a page. `at` is aware and keeps its microseconds."""

    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, which names the list and whose it is."""
        place = _PLACE.pack(_microseconds(self.at), self.id.bytes)
        return base64url(place + seal.of(place, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        microseconds, identity = _PLACE.unpack(_unsealed(text, listing, seal, _PLACE.size))
        return cls(_instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class RankedCursor:
    """The sort key of the last row of a page that is sorted by a number first."""

    rank: int
    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        place = _RANKED.pack(self.rank, _microseconds(self.at), self.id.bytes)
        return base64url(place + seal.of(place, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        rank, microseconds, identity = _RANKED.unpack(_unsealed(text, listing, seal, _RANKED.size))
        return cls(rank, _instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class Offset:
    """How many rows came before: the place in a list that is computed anew for each page."""

    rows: int

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        place = _NUMBER.pack(self.rows)
        return base64url(place + seal.of(place, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        return cls(*_NUMBER.unpack(_unsealed(text, listing, seal, _NUMBER.size)))


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def _instant(microseconds: int) -> datetime:
    try:
        return _EPOCH + microseconds * _MICROSECOND
    except OverflowError:
        raise InvalidCursor from None


def _unsealed(text: str, listing: str, seal: Seal, size: int) -> bytes:
    """Return the place, which has so many bytes."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCursor from None
    place, proof = raw[:size], raw[size:]
    is_ours = hmac.compare_digest(proof, seal.of(place, listing))
    if len(place) != size or not is_ours or base64url(raw) != text:
        raise InvalidCursor
    return place
