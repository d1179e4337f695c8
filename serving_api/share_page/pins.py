"""PINs of shared pages (contract, Share links): the form, checking, and the session cookie."""

import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from typing import Literal

from fastapi import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from serving_api.pages import page
from serving_api.resources.programs.reports import report_path
from serving_api.resources.tracking.share_links.repository import PATH
from serving_api.resources.tracking.share_links.schemas import Pinned, is_pin, read_pin
from warehouse.encryption import Encryption
from warehouse.operational.models import ReportLink

# Ten wrong PINs since the last right one, or since the PIN was set, lock the page for 15 minutes.
# Each further wrong one then locks it for twice as long, up to a day, so that guessing would take
# decades. A new PIN ends the lock. While locked, no PIN is checked, so that guesses reveal nothing;
# open sessions continue. Uses the real clock.

ALLOWED = 10
FIRST_LOCK = timedelta(minutes=15)
LONGEST_LOCK = timedelta(days=1)


Outcome = Literal["right", "wrong", "malformed", "locked"]


def path_of(link: Pinned) -> str:
    if isinstance(link, ReportLink):
        return report_path(link.id)
    return f"{PATH}/{link.creator_id}"


def lock_left(link: Pinned, now: datetime) -> timedelta | None:
    """Return how long the page stays locked, or None."""
    if link.locked_until is None or link.locked_until <= now:
        return None
    return link.locked_until - now


def tries_left(link: Pinned) -> int:
    """Return the number of wrong PINs until the page is locked."""
    return ALLOWED - link.failed_unlocks


def check_pin(link: Pinned, pin: str, encryption: Encryption, now: datetime) -> Outcome:
    """Check a PIN and count a wrong one; malformed ones do not count.

    The row must be locked, so that concurrent attempts are counted one by one.
    """
    if not is_pin(pin):
        return "malformed"
    if lock_left(link, now):
        return "locked"
    if hmac.compare_digest(pin, read_pin(link, encryption) or ""):
        link.failed_unlocks = 0
        link.locked_until = None
        return "right"
    link.failed_unlocks += 1
    if link.failed_unlocks >= ALLOWED:
        link.locked_until = now + _lock_after(link.failed_unlocks)
    return "wrong"


def _lock_after(failed: int) -> timedelta:
    doublings = min(failed - ALLOWED, 10)  # LONGEST_LOCK is reached earlier
    return min(FIRST_LOCK * (1 << doublings), LONGEST_LOCK)


OK, BAD_REQUEST, FORBIDDEN, TOO_MANY = 200, 400, 403, 429
STATUS: Mapping[Outcome | None, int] = {
    None: OK,
    "malformed": BAD_REQUEST,
    "wrong": FORBIDDEN,
    "locked": TOO_MANY,
}

MINUTE = timedelta(minutes=1)
LONGEST_IN_MINUTES = 90


def pin_form(link: Pinned, now: datetime, outcome: Outcome | None = None) -> Response:
    """Return the PIN form after an attempt, or before the first (None).

    A locked page has no input.
    """
    wait = lock_left(link, now)
    status = STATUS["locked" if wait and outcome else outcome]
    form = page(
        "share_pin.html",
        action=path_of(link),
        status=status,
        problem=_problem(link, outcome),
        wait=wait_in_words(wait) if wait else None,
    )
    if wait and status == TOO_MANY:
        form.headers["Retry-After"] = str(ceil(wait.total_seconds()))
    return form


def _problem(link: Pinned, outcome: Outcome | None) -> str | None:
    if outcome == "malformed":
        return "A PIN has exactly 4 digits."
    if outcome != "wrong":
        return None
    left = tries_left(link)
    return f"Wrong PIN. {left} {'attempt' if left == 1 else 'attempts'} left."


def wait_in_words(wait: timedelta) -> str:
    """Format a waiting time, rounded up."""
    minutes = ceil(wait / MINUTE)
    if minutes == 1:
        return "1 minute"
    if minutes <= LONGEST_IN_MINUTES:
        return f"{minutes} minutes"
    return f"{ceil(minutes / 60)} hours"


# The cookie contains the PIN's `pin_id`, so that it becomes invalid with a new PIN, on other pages,
# and for a recreated link. Uses the real clock.

COOKIE = "share"
SECONDS = 24 * 60 * 60


class ShareSessions:
    """Created once per application. `https` sets the Secure flag."""

    def __init__(self, secret: bytes, *, https: bool) -> None:
        self._https = https
        self._signed = URLSafeTimedSerializer(
            secret, salt="share session", signer_kwargs={"digest_method": sha256}
        )

    def begin(self, response: Response, link: Pinned) -> None:
        """Start a session. `lax`: with `strict`, links in messages would not send the cookie."""
        response.set_cookie(
            COOKIE,
            self._signed.dumps(str(link.pin_id)),
            max_age=SECONDS,
            path=path_of(link),
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def is_open(self, request: Request, link: Pinned) -> bool:
        """Return whether the visitor has a session for this link and its current PIN."""
        try:
            pin_id = self._signed.loads(request.cookies.get(COOKIE, ""), max_age=SECONDS)
        except BadSignature:
            return False
        return bool(pin_id == str(link.pin_id))
