"""Cursors: the position after a page, sealed for one list.

A position is an instant and an id, optionally after a rank, or an offset. For computed lists it is
a row's key with the days and publications it was computed from.

`pagination` turns cursors into SQL. A cursor grants no access: every query names the organization.
The seal, an HMAC with the server's secret, detects forged or modified cursors and those of other
lists.
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


def base64url(raw: bytes) -> str:
    """Return base64url without padding (RFC 7515, RFC 7636)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_POSITION = struct.Struct(">q16s")
_RANKED = struct.Struct(">qq16s")
_NO_ID = UUID(int=0)
_BEGUN = struct.Struct(">qqq16s")
_COMPUTED = struct.Struct(">qIIqI16s")

SEAL = "cursor_seal"
"""Key of the Seal in a session's `info`."""


class Seal:
    """Seals cursors for one list. All serving processes share the secret."""

    LENGTH = 16

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, position: bytes, listing: str) -> bytes:
        return hmac.digest(self._secret, b"cursor\0" + position + listing.encode(), sha256)[
            : self.LENGTH
        ]


@dataclass(frozen=True, slots=True)
class Cursor:
    """The sort key of a page's last row. `at` is timezone-aware with microseconds."""

    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the cursor as opaque text; `listing` names the list and its owner."""
        position = _POSITION.pack(_microseconds(self.at), self.id.bytes)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Parse the text for the same listing. Raises InvalidCursor."""
        microseconds, identity = _POSITION.unpack(_unsealed(text, listing, seal, _POSITION.size))
        return cls(_instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class RankedCursor:
    """The sort key of a page's last row in a list sorted by a number first."""

    rank: int
    at: datetime
    id: UUID

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the cursor as opaque text for `listing`."""
        position = _RANKED.pack(self.rank, _microseconds(self.at), self.id.bytes)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Parse the text for the same listing. Raises InvalidCursor."""
        rank, microseconds, identity = _RANKED.unpack(_unsealed(text, listing, seal, _RANKED.size))
        return cls(rank, _instant(microseconds), UUID(bytes=identity))


@dataclass(frozen=True, slots=True)
class BegunCursor:
    """A RankedCursor with the time of the first page, which relative days depend on.

    With a publication, later pages read that of the first page, whose order may differ.
    """

    begun_at: datetime
    rank: int
    at: datetime
    id: UUID
    publication_id: UUID | None = None

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the cursor as opaque text for `listing`."""
        instants = _microseconds(self.begun_at), self.rank, _microseconds(self.at)
        position = _BEGUN.pack(*instants, self.id.bytes) + _packed(self.publication_id)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Parse the text for the same listing. Raises InvalidCursor."""
        position, publication_id = _with_publication(text, listing, seal, _BEGUN.size)
        begun, rank, microseconds, identity = _BEGUN.unpack(position)
        at = _instant(microseconds)
        return cls(_instant(begun), rank, at, UUID(bytes=identity), publication_id)


@dataclass(frozen=True, slots=True, order=True)
class RowKey:
    """The sort key of a computed row; the list defines which parts it uses. `number` >= 0."""

    number: int = 0
    day: date = date.min
    id: UUID = _NO_ID


@dataclass(frozen=True, slots=True)
class ComputedCursor:
    """The key of a computed page's last row, with the first page's days and publication.

    Relative days and the publication may change between pages: `begun_at` is the time of the
    first.
    """

    begun_at: datetime
    from_day: date
    to_day: date
    last: RowKey
    publication_id: UUID | None

    def encode(self, listing: str, seal: Seal) -> str:
        """Return the cursor as opaque text for `listing`."""
        days = (self.from_day.toordinal(), self.to_day.toordinal())
        key = (self.last.number, self.last.day.toordinal(), self.last.id.bytes)
        begun = _microseconds(self.begun_at)
        position = _COMPUTED.pack(begun, *days, *key) + _packed(self.publication_id)
        return base64url(position + seal.of(position, listing))

    @classmethod
    def decode(cls, text: str, listing: str, seal: Seal) -> Self:
        """Parse the text for the same listing. Raises InvalidCursor."""
        position, publication_id = _with_publication(text, listing, seal, _COMPUTED.size)
        begun, first, last, number, day, identity = _COMPUTED.unpack(position)
        return cls(
            _instant(begun),
            date.fromordinal(first),
            date.fromordinal(last),
            RowKey(number, date.fromordinal(day), UUID(bytes=identity)),
            publication_id,
        )


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def _instant(microseconds: int) -> datetime:
    try:
        return _EPOCH + microseconds * _MICROSECOND
    except OverflowError:
        raise InvalidCursor from None


def _packed(publication_id: UUID | None) -> bytes:
    return publication_id.bytes if publication_id else b""


def _with_publication(text: str, listing: str, seal: Seal, size: int) -> tuple[bytes, UUID | None]:
    """Split an unsealed cursor into a position of `size` bytes and a publication id."""
    raw = _unsealed(text, listing, seal, None)
    position, publication_id = raw[:size], raw[size:]
    if len(position) < size or len(publication_id) not in {0, 16}:
        raise InvalidCursor
    return position, UUID(bytes=publication_id) if publication_id else None


def _unsealed(text: str, listing: str, seal: Seal, size: int | None) -> bytes:
    """Verify the seal and return the position of `size` bytes, or of any size if None."""
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
