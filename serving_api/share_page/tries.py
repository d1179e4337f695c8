"""A PIN that somebody entered: right, wrong, or one too many (contract, Share links).

Ten wrong PINs since the last right one, or since the PIN was set, lock the page for a quarter of
an hour. After that every further wrong one locks it again for twice as long, up to a day: ten
thousand PINs would take decades. A new PIN ends the lock. While it lasts, no PIN is looked at, so
that it tells nothing; pages that were unlocked before stay so. Locks follow the real clock.
"""

import hmac
from datetime import datetime, timedelta
from typing import Literal

from serving_api.resources.tracking.share_links.pins import is_pin, read_pin
from warehouse.encryption import Encryption
from warehouse.operational.models import ShareLink

ALLOWED = 10
FIRST_LOCK = timedelta(minutes=15)
LONGEST_LOCK = timedelta(days=1)


Outcome = Literal["right", "wrong", "malformed", "locked"]


def lock_left(link: ShareLink, now: datetime) -> timedelta | None:
    """Return for how long the page is still locked; None where it is not."""
    if link.locked_until is None or link.locked_until <= now:
        return None
    return link.locked_until - now


def tries_left(link: ShareLink) -> int:
    """Return how many wrong PINs in turn there may be until the page is locked."""
    return ALLOWED - link.failed_unlocks


def take(link: ShareLink, pin: str, encryption: Encryption, now: datetime) -> Outcome:
    """Judge a PIN and count it if it is wrong; what is no PIN at all is not counted.

    The row must be locked, so that tries at the same time are counted one by one.
    """
    if not is_pin(pin):
        return "malformed"
    if lock_left(link, now):
        return "locked"
    if hmac.compare_digest(pin, read_pin(link, encryption)):
        link.failed_unlocks = 0
        link.locked_until = None
        return "right"
    link.failed_unlocks += 1
    if link.failed_unlocks >= ALLOWED:
        link.locked_until = now + _lock_after(link.failed_unlocks)
    return "wrong"


def _lock_after(failed: int) -> timedelta:
    doublings = min(failed - ALLOWED, 10)  # the longest lock is reached before
    return min(FIRST_LOCK * (1 << doublings), LONGEST_LOCK)
