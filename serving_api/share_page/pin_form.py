"""The form that asks for the PIN, and what it says of the one that was just entered."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil

from fastapi import Response

from serving_api.pages.rendering import page
from serving_api.share_page.tries import Outcome, lock_left, tries_left
from warehouse.operational.models import ShareLink

OK, BAD_REQUEST, FORBIDDEN, TOO_MANY = 200, 400, 403, 429
STATUS: Mapping[Outcome | None, int] = {
    None: OK,
    "malformed": BAD_REQUEST,
    "wrong": FORBIDDEN,
    "locked": TOO_MANY,
}

MINUTE = timedelta(minutes=1)
LONGEST_IN_MINUTES = 90


def pin_form(link: ShareLink, now: datetime, outcome: Outcome | None = None) -> Response:
    """Return the form after a try, or before the first one (None).

    While the page is locked there is nothing to fill in.
    """
    wait = lock_left(link, now)
    status = STATUS["locked" if wait and outcome else outcome]
    form = page(
        "share_pin.html",
        status=status,
        problem=_problem(link, outcome),
        wait=told(wait) if wait else None,
    )
    if wait and status == TOO_MANY:
        form.headers["Retry-After"] = str(ceil(wait.total_seconds()))
    return form


def _problem(link: ShareLink, outcome: Outcome | None) -> str | None:
    if outcome == "malformed":
        return "A PIN has exactly 4 digits."
    if outcome != "wrong":
        return None
    left = tries_left(link)
    return f"This is not the PIN. {left} {'try' if left == 1 else 'tries'} left."


def told(wait: timedelta) -> str:
    """Return how long to wait, in words that are never too short."""
    minutes = ceil(wait / MINUTE)
    if minutes == 1:
        return "1 minute"
    if minutes <= LONGEST_IN_MINUTES:
        return f"{minutes} minutes"
    return f"{ceil(minutes / 60)} hours"
