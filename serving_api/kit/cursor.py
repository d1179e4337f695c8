"""The place in a list where a page ended, sealed for one list.

It is an instant and an id, a rank before these, a number, or of what is computed the key of a row
with the days and the publications that it was computed of.

What belongs here: encode, decode, validate. Turning a cursor into SQL is `pagination`'s.
A cursor carries no right: every query it goes into names the organization itself. The seal, an
HMAC by the server's secret, shows what was made up, altered or is another list's.
"""

import base64
import binascii
import hmac
import struct
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Self
from uuid import UUID

from serving_api.errors import InvalidCursor
from serving_api.kit.base64url import base64url

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_POSITION = struct.Struct(">q16s")
_RANKED = struct.Struct(">qq16s")
_NUMBER = struct.Struct(">q")
_NO_ID = UUID(int=0)
_BEGUN = struct.Struct(">qqq16s")
_COMPUTED = struct.Struct(">qIIqI16s")

SEAL = "cursor_seal"
"""Where a request's session has the Seal, in its `info`."""


class Seal:
    """Proves that a text was made here, for one list. Every process that serves has the secret."""

    LENGTH = 16

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, position: bytes, listing: str) -> bytes:
        """Return the proof for a place in the list."""
        return hmac.digest(self._secret, b"cursor\0" + position + listing.encode(), sha256)[
            : self.LENGTH
        ]


@dataclass(frozen=True, slots=True)
class Cursor:
    """The sort key of the last row of a page. `at` is aware and keeps its microseconds."""

    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, which names the list and whose it is."""
        position = _POSITION.pack(_microseconds(self.at), self.id.bytes)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        microseconds, identity = _POSITION.unpack(_unsealed(text, listing, seal, _POSITION.size))
        return cls(_instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class RankedCursor:
    """The sort key of the last row of a page that is sorted by a number first."""

    rank: int
    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        position = _RANKED.pack(self.rank, _microseconds(self.at), self.id.bytes)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        rank, microseconds, identity = _RANKED.unpack(_unsealed(text, listing, seal, _RANKED.size))
        return cls(rank, _instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class BegunCursor:
    """A RankedCursor, and when the first page was read: days that follow from today are its.

    With `publications` later pages read the first one's, where a later one may order otherwise.
    """

    begun_at: datetime
    rank: int
    at: datetime
    id: UUID
    publications: tuple[UUID, ...] = ()

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        instants = _microseconds(self.begun_at), self.rank, _microseconds(self.at)
        position = _BEGUN.pack(*instants, self.id.bytes) + _packed(self.publications)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        position, publications = _with_publications(text, listing, seal, _BEGUN.size)
        begun, rank, microseconds, identity = _BEGUN.unpack(position)
        at = _instant(microseconds)
        return cls(_instant(begun), rank, at, UUID(bytes=identity), publications)


@dataclass(frozen=True, slots=True, order=True)
class RowKey:
    """What rows of a computed list are in order of, the rest of it being alike; `number` >= 0."""

    number: int = 0
    day: date = date.min
    id: UUID = _NO_ID


@dataclass(frozen=True, slots=True)
class ComputedCursor:
    """The key of the last row of a page that is computed, the days asked for, and of what.

    Days that follow from today, and a publication, are another when the next page is asked for:
    `begun_at` is when the first page was read.
    """

    begun_at: datetime
    from_day: date
    to_day: date
    last: RowKey
    publications: tuple[UUID, ...]

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        days = (self.from_day.toordinal(), self.to_day.toordinal())
        key = (self.last.number, self.last.day.toordinal(), self.last.id.bytes)
        begun = _microseconds(self.begun_at)
        position = _COMPUTED.pack(begun, *days, *key) + _packed(self.publications)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        position, publications = _with_publications(text, listing, seal, _COMPUTED.size)
        begun, first, last, number, day, identity = _COMPUTED.unpack(position)
        return cls(
            _instant(begun),
            date.fromordinal(first),
            date.fromordinal(last),
            RowKey(number, date.fromordinal(day), UUID(bytes=identity)),
            publications,
        )


@dataclass(frozen=True, slots=True)
class Offset:
    """How many rows came before: the place in a list that no longer changes."""

    rows: int

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the opaque text for `listing`, as a Cursor's."""
        position = _NUMBER.pack(self.rows)
        return base64url(position + seal.of(position, listing))

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


def _packed(publications: tuple[UUID, ...]) -> bytes:
    return b"".join(publication.bytes for publication in publications)


def _with_publications(
    text: str, listing: str, seal: Seal, size: int
) -> tuple[bytes, tuple[UUID, ...]]:
    """Return the first bytes of the place, and the ids that follow."""
    raw = _unsealed(text, listing, seal, None)
    position, ids = raw[:size], raw[size:]
    if len(position) < size or len(ids) % 16:
        raise InvalidCursor
    return position, tuple(UUID(bytes=ids[at : at + 16]) for at in range(0, len(ids), 16))


def _unsealed(text: str, listing: str, seal: Seal, size: int | None) -> bytes:
    """Return the place, which has so many bytes; None: all but the proof's."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCursor from None
    if size is None:
        size = max(len(raw) - Seal.LENGTH, 0)
    position, proof = raw[:size], raw[size:]
    is_ours = hmac.compare_digest(proof, seal.of(position, listing))
    if len(position) != size or not is_ours or base64url(raw) != text:
        raise InvalidCursor
    return position
