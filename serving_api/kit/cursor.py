"""The place in a list where a page ended: an instant and an id, sealed for one list.

What belongs here: encode, decode, validate. Turning a cursor into SQL is `pagination`'s.
A cursor carries no right: every query it goes into names the organization itself. The seal only
keeps a cursor from being mistaken for another list's, or for one that was altered.
"""

import base64
import binascii
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Self
from uuid import UUID

from serving_api.errors import InvalidCursor

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SEAL_BYTES = 8
_PLACE = struct.Struct(">q16s")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The sort key of the last row of a page. `at` is aware and keeps its microseconds."""

    at: datetime
    id: UUID

    def encode(self, listing: str) -> str:
        """Return the opaque text for `listing`, which names the list and whose it is."""
        place = _PLACE.pack((self.at - _EPOCH) // _MICROSECOND, self.id.bytes)
        return base64.urlsafe_b64encode(place + _seal(place, listing)).rstrip(b"=").decode()

    @classmethod
    def decode(cls, text: str, listing: str) -> Self:
        """Read what `encode` wrote for the same listing. Raises InvalidCursor for all else."""
        place = _unsealed(text, listing)
        microseconds, identity = _PLACE.unpack(place)
        try:
            return cls(_EPOCH + microseconds * _MICROSECOND, UUID(bytes=identity))
        except OverflowError:
            raise InvalidCursor from None


def _seal(place: bytes, listing: str) -> bytes:
    return blake2b(place, digest_size=_SEAL_BYTES, key=blake2b(listing.encode()).digest()).digest()


def _unsealed(text: str, listing: str) -> bytes:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCursor from None
    place, seal = raw[: _PLACE.size], raw[_PLACE.size :]
    canonical = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    if len(place) != _PLACE.size or seal != _seal(place, listing) or canonical != text:
        raise InvalidCursor
    return place
