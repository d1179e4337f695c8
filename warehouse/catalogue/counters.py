"""Declares each counter of readings once.

A counter is named again only in the parsers (`scrapers`) and where the REST API shows it. Tables
with a column for each counter are derived, or written by `make catalogue`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warehouse.catalogue.table import Column


@dataclass(frozen=True, slots=True)
class Counter:
    """A platform's counter: `like`, in daily marts `likes`.

    One that `came_later` may be missing in older batches and raw tables, where it is unknown.
    """

    name: str
    plural: str
    means: str = ""
    came_later: bool = False

    @property
    def count(self) -> str:
        """The column of its readings."""
        return f"{self.name}_count"


VIDEO_COUNTERS = (
    Counter("view", "views"),
    Counter("like", "likes"),
    Counter("comment", "comments"),
    Counter("share", "shares"),
    Counter("save", "saves"),
)
"""The counters of a post's reading. Each may be unknown."""

ACCOUNT_COUNTERS = (
    Counter("follower", "followers"),
    Counter("following", "following"),
    Counter("total_likes", "total_likes"),
    Counter("video", "videos", "posts as the platform counts them"),
)
"""The counters of a profile's reading. Each may be unknown."""

ORGANIC_VIEWS = ("instagram.login_media",)
"""Sources whose views are organic only (Meta: media insights, `views`).

Views of all other sources are organic and paid: pages, lists, business discovery, commercial
providers, imports (docs/rules/counting.md, Views of two meanings).
"""


def counts(counters: Iterable[Counter]) -> tuple[Column, ...]:
    """Return the columns of the counters. Null is unknown, never 0."""
    return tuple(
        Column(counter.count, "bigint", counter.means, came_later=counter.came_later)
        for counter in counters
    )


def mentions(counter: Counter, text: str) -> bool:
    """Return whether a text or column name is about a counter."""
    return bool(_words(counter).search(text))


def reworded(counter: Counter, before: Counter, text: str) -> str:
    """Return a text about the counter `before`, rewritten for `counter`."""

    def other(match: re.Match[str]) -> str:
        word = counter.plural if match[0].lower() == before.plural else counter.name
        return word.capitalize() if match[0][0].isupper() else word

    return _words(before).sub(other, text)


def _words(counter: Counter) -> re.Pattern[str]:
    """Return a pattern for the counter's words, also inside of names."""
    return re.compile(rf"(?<![a-z])(?:{counter.plural}|{counter.name})(?![a-z])", re.IGNORECASE)
