"""Comments of a simulated post: each is drawn from the post and its number.

Comments arrive as the post's reach grows, so their number at a time is known without listing them.
Every fourth is a reply to an earlier one; guests see how many replies a comment has. A few are
edited later, a few deleted. Texts are in comments.toml. Bots (`fraud.py`) repeat a few texts, each
time with another author.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from typing import Any

from scrapers.simulator import identifiers, words
from scrapers.simulator.creators import Creator
from scrapers.simulator.draws import draws, happens
from scrapers.simulator.growth import DAY
from scrapers.simulator.posts import Post
from scrapers.simulator.records import Platform

_TEXTS = Path(__file__).with_name("comments.toml")
_REPLY_EVERY, _REPLY_POSITION = 4, 3
_EDITED_SHARE, _DELETED_SHARE = 0.03, 0.05
_KINDS = ("english", "others", "emoji", "spam", "stickers")
_EDITABLE = ("english", "others")
_BOTS_NUMBER = 1
"""The number of a comment that is no reply and has no replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One comment under a post. Times are in epoch seconds; None means never."""

    number: int
    platform_id: str
    author_handle: str
    author_name: str
    author_id: str
    text: str
    edited_text: str
    written_at: int
    edited_at: int | None
    deleted_at: int | None
    most_likes: float

    def text_at(self, at: float) -> str:
        return (
            self.edited_text if self.edited_at is not None and at >= self.edited_at else self.text
        )

    def likes_at(self, at: float) -> int:
        """Return its likes at `at`: most arrive on the first day."""
        return int(self.most_likes * (1 - exp(-max(at - self.written_at, 0) / DAY)))

    def stands(self, at: float) -> bool:
        """Return whether it exists at `at`."""
        return self.written_at <= at and (self.deleted_at is None or at < self.deleted_at)


def is_reply(number: int) -> bool:
    """Return whether the comment is a reply, which guests do not see."""
    return number % _REPLY_EVERY == _REPLY_POSITION


def replies(number: int, written: int) -> int:
    """Return how many of the first `written` comments are replies to comment `number`.

    In each two groups of four, the replies answer the first comment of the first group.
    """
    if number % (2 * _REPLY_EVERY):
        return 0
    positions = (number + _REPLY_POSITION, number + _REPLY_EVERY + _REPLY_POSITION)
    return sum(position < written for position in positions)


def make_comment(seed: int, platform: Platform, creator: int, post: Post, number: int) -> Comment:
    draw = draws(seed, "comment", platform, creator, post.number, number)
    written_at = int(post.growth.reached_at("comment", number + 1)) + 1
    kind = draw.choices(_KINDS, [_book()[kind]["share"] for kind in _KINDS])[0]
    text = draw.choice(_book()[kind]["texts"])
    edited_at = written_at + draw.randrange(DAY // 2, 12 * DAY)
    deleted_at = written_at + draw.randrange(DAY // 4, 20 * DAY)
    viewer = identifiers.MOST_CREATORS + draw.getrandbits(30)
    return Comment(
        number=number,
        platform_id=_platform_id(draw, platform, written_at),
        **_author(viewer, seed),
        text=text,
        edited_text=text + draw.choice(_book()["edits"]["texts"]),
        written_at=written_at,
        edited_at=edited_at if happens(draw, _EDITED_SHARE) and kind in _EDITABLE else None,
        deleted_at=deleted_at if happens(draw, _DELETED_SHARE) else None,
        most_likes=draw.lognormvariate(0.5, 1.7),
    )


def bot_comments(seed: int, creator: Creator, post: Post, at: float) -> list[Comment]:
    """Return the bots' comments under a creator's post by `at`, oldest first."""
    fraud = post.growth.fraud
    if fraud is None:
        return []
    draw = draws(seed, "bots", creator.platform, creator.number, post.number)
    texts = draw.sample(_book()["bots"]["texts"], draw.randrange(1, 4))
    return [
        _bot_comment(draw, seed, creator.platform, draw.choice(texts), int(fraud.bot_writes_at(n)))
        for n in range(fraud.written_by_bots(at))
    ]


def _bot_comment(
    draw: Random, seed: int, platform: Platform, text: str, written_at: int
) -> Comment:
    return Comment(
        number=_BOTS_NUMBER,
        platform_id=_platform_id(draw, platform, written_at),
        **_author(identifiers.MOST_CREATORS + draw.getrandbits(30), seed),
        text=text,
        edited_text=text,
        written_at=written_at,
        edited_at=None,
        deleted_at=None,
        most_likes=0,
    )


def _author(viewer: int, seed: int) -> dict[str, Any]:
    return {
        "author_handle": words.handle(viewer, seed),
        "author_name": words.display_name(viewer, seed),
        "author_id": identifiers.instagram_user_pk(viewer),
    }


def _platform_id(draw: Random, platform: Platform, written_at: int) -> str:
    if platform is Platform.TIKTOK:
        return str(written_at << 32 | draw.getrandbits(32))
    return str(18_000_000_000_000_000 + draw.getrandbits(49))


@cache
def _book() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_TEXTS.read_text(encoding="utf-8"))
