"""The counters that readings show, each declared here once.

Named again only where a person decides about one: what a platform's answer calls it (`scrapers`),
and where the REST API shows it. What has a column for each counter is derived, or written by
`make catalogue`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warehouse.catalogue.table import Column


@dataclass(frozen=True, slots=True)
class Counter:
    """Something a platform counts: `like`, and in the plural, as daily marts say it, `likes`.

    One that `came_later` may be missing in batches and raw tables of before, and is unknown there.
    """

    name: str
    plural: str
    means: str = ""
    came_later: bool = False

    @property
    def count(self) -> str:
        """The column that holds a reading of it."""
        return f"{self.name}_count"


VIDEO_COUNTERS = (
    Counter("view", "views"),
    Counter("like", "likes"),
    Counter("comment", "comments"),
    Counter("share", "shares"),
    Counter("save", "saves"),
)
"""What a reading of a post shows; each may be unknown."""

ACCOUNT_COUNTERS = (
    Counter("follower", "followers"),
    Counter("following", "following"),
    Counter("total_likes", "total_likes"),
    Counter("video", "videos", "posts as the platform counts them"),
)
"""What a reading of a profile shows; each may be unknown."""

ORGANIC_VIEWS = ("instagram.login_media",)
"""The sources whose views are organic alone (Meta: media insights, `views`).

Views of all others are organic and paid: pages, lists, business discovery, commercial providers,
imports (docs/rules/counting.md, Views of two meanings).
"""


def counts(counters: Iterable[Counter]) -> tuple[Column, ...]:
    """Return the columns of a reading of counters: null is unknown, never 0."""
    return tuple(
        Column(counter.count, "bigint", counter.means, came_later=counter.came_later)
        for counter in counters
    )


def mentions(counter: Counter, text: str) -> bool:
    """Return whether a text, or the name of a column, is about a counter."""
    return bool(_words(counter).search(text))


def reworded(counter: Counter, before: Counter, text: str) -> str:
    """Return a text about `before` as it is about another counter."""

    def other(match: re.Match[str]) -> str:
        word = counter.plural if match[0].lower() == before.plural else counter.name
        return word.capitalize() if match[0][0].isupper() else word

    return _words(before).sub(other, text)


def _words(counter: Counter) -> re.Pattern[str]:
    """Return the counter's words, also as parts of names."""
    return re.compile(rf"(?<![a-z])(?:{counter.plural}|{counter.name})(?![a-z])", re.IGNORECASE)
