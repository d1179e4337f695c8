"""Freshness settings of organizations, and their parameters for the fetch rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

Freshness = Literal["fast", "standard", "frugal"]

HOUR = 3600
STALE = timedelta(hours=28)
"""Age of the last reading from which a post is late, and shown as stale."""
LONGEST = 27 * HOUR
"""Longest wait in seconds, an hour below STALE for a worker to get to it."""


@dataclass(frozen=True, slots=True)
class Wants:
    """The parameters of a freshness setting. Waits are in seconds.

    Between two fetches a post's views may grow by `share`. A fetch comes at least `shortest` and
    at most `longest` after the last one. Profiles and new posts are fetched each `account_every`.
    """

    share: float
    shortest: int
    longest: int
    account_every: int


WANTS: Mapping[Freshness, Wants] = {
    "fast": Wants(share=0.01, shortest=HOUR, longest=6 * HOUR, account_every=HOUR),
    "standard": Wants(share=0.05, shortest=2 * HOUR, longest=LONGEST, account_every=6 * HOUR),
    "frugal": Wants(share=0.5, shortest=20 * HOUR, longest=LONGEST, account_every=24 * HOUR),
}

WORDS: Mapping[Freshness, str] = {
    "fast": "About 70 requests a day for an account with 40 posts. A post may grow by 1% between "
    "fetches, at most 6 hours apart. Expect a day's views within about 1.5% and a paid week's "
    "within 0.1%, also where old posts take off; a threshold is seen within 5 hours.",
    "standard": "About 20 requests a day for an account with 40 posts. A post may grow by 5% "
    "between fetches; idle ones are read once a day. Expect a day's views within about 1.5% and a "
    "paid week's within 0.1%, also where old posts take off; a threshold is seen within 23 hours.",
    "frugal": "About 6 requests a day for an account with 40 posts. Posts are read once a day, "
    "right before it ends. Expect a day's views within about 1.5% and a paid week's within 0.1%, "
    "also where old posts take off; a threshold is seen within 24 hours.",
}
"""Cost and accuracy of each setting, as simulated: docs/guides/fetch-schedule.md."""

WANTS_SQL = "(values {}) as wants (freshness, share, shortest, longest, account_every)".format(
    ", ".join(
        f"('{name}', {each.share}::float8, {each.shortest}::float8, {each.longest}::float8,"
        f" {each.account_every}::float8)"
        for name, each in WANTS.items()
    )
)
"""The same as a relation of PostgreSQL."""
