"""Readings and comments of a simulated world with fraud, as rows.

They come from the simulator's own numbers, without HTTP, pages or parsers. A reading holds the true
counts of its instant, every 6, 12 or 24 hours until a post is 60 days old. Comments are the newest
that one crawl shows, within half a day of bot comments or on any day.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from scrapers.simulator import EPOCH, World
from scrapers.simulator.creators import Creator
from scrapers.simulator.fraud import Fraud, FraudKind
from scrapers.simulator.posts import Post
from scrapers.simulator.records import TrueComment

ORGANIZATION, PROJECT = UUID(int=1), UUID(int=2)
AS_OF = EPOCH
DAY = 86_400
HOURS = (6, 12, 24)
TRACKED_DAYS = 60
COMMENTS_A_WALK = 150
OLDEST_DAYS, POSTS = 75, 20
"""How old posts are at the end at most, and about how many each creator has."""
SHARE = 0.1
"""Share of posts with fraud."""
MATTERS = 1_000
"""Views that a fraud must move to be worth finding."""

Row = dict[str, Any]


@dataclass
class FraudWorld:
    """Rows of raw.* and of posts, and the fraud of each post that has one."""

    videos: list[Row] = field(default_factory=list)
    readings: list[Row] = field(default_factory=list)
    comments: list[Row] = field(default_factory=list)
    walks: list[Row] = field(default_factory=list)
    frauds: dict[UUID, Fraud] = field(default_factory=dict)
    to_find: set[UUID] = field(default_factory=set)
    """Posts whose fraud should be found."""

    def with_other_ids(self, number: int) -> "FraudWorld":
        """Return this world with the ids of another organization; number 0 keeps the ids."""

        def own(value: Any) -> Any:
            return UUID(int=value.int ^ number << 100) if isinstance(value, UUID) else value

        def rows(table: list[Row]) -> list[Row]:
            return [{name: own(value) for name, value in row.items()} for row in table]

        return FraudWorld(
            *map(rows, (self.videos, self.readings, self.comments, self.walks)),
            {own(video): fraud for video, fraud in self.frauds.items()},
            set(map(own, self.to_find)),
        )

    def operational(self) -> dict[str, list[Row]]:
        begin, end = datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)
        span = {"starts_at": begin, "ends_at": end, "utc_offset_seconds": 0}
        return {
            "organizations": [
                {"id": organization, "name": "one", "analytics_tz": "UTC"}
                for organization in sorted({row["organization_id"] for row in self.videos})
            ],
            "videos": self.videos,
            "zone_offsets": [{"zone": "UTC", **span}],
        }


def fraud_world(seed: int, creators: int) -> FraudWorld:
    """Draw some posts of creators on both platforms; `creators` is their number."""
    world, made = World(seed, creators, fraud=SHARE), FraudWorld()
    for platform in ("tiktok", "instagram"):
        for handle in world.handles(platform, at=AS_OF):
            creator = world.creator(platform, handle, AS_OF)
            if creator and creator.shows_exact_counts:
                for post in _posts(world, creator):
                    _add(made, world, creator, post)
    return made


def _posts(world: World, creator: Creator) -> Iterator[Post]:
    everything = world.posts(creator.platform, creator.first_handle, AS_OF)
    young = [post for post in everything if post.posted_at > AS_OF - timedelta(days=OLDEST_DAYS)]
    for true in young[:: max(1, len(young) // POSTS)]:
        creator_post = world.find_post(creator.platform, true.platform_video_id, AS_OF)
        if creator_post:
            yield creator_post[1]


def _add(made: FraudWorld, world: World, creator: Creator, post: Post) -> None:
    video_id = uuid5(NAMESPACE_OID, f"{creator.platform}/{post.platform_id}")
    made.videos.append(
        {
            "id": video_id,
            "organization_id": ORGANIZATION,
            "project_id": PROJECT,
            "creator_id": uuid5(NAMESPACE_OID, creator.first_handle),
            "platform": str(creator.platform),
            "platform_video_id": post.platform_id,
            "tracking_status": "included",
            "posted_at": _at(post.posted_at),
            "created_at": _at(post.posted_at),
        }
    )
    draw = Random(f"{world.seed}/{video_id}")
    readings = list(_readings(video_id, post, draw))
    made.readings += readings
    walked_at = _walked_at(post, draw)
    if walked_at < AS_OF:
        comments = world.comments(creator, post, walked_at, newest_first=True, size=COMMENTS_A_WALK)
        made.walks.append(_walk(video_id, walked_at, len(comments)))
        made.comments += [_comment(video_id, walked_at, comment) for comment in comments]
    fraud = post.growth.fraud
    if fraud:
        made.frauds[video_id] = fraud
        if _matters(post, fraud):
            made.to_find.add(video_id)


def _readings(video_id: UUID, post: Post, draw: Random) -> Iterator[Row]:
    hours = draw.choice(HOURS)
    at = post.posted_at + draw.uniform(0.1, 1) * hours * 3600
    while at < min(AS_OF.timestamp(), post.posted_at + TRACKED_DAYS * DAY):
        counts: dict[str, int | None] = {**post.growth.counts(int(at))}
        hidden = {"like": post.likes_hidden, "view": post.plays_hidden}
        yield {
            "video_id": video_id,
            "captured_at": _at(int(at)),
            "is_exact": True,
            "source": "simulator",
            **{
                f"{name}_count": None if hidden.get(name) else counts.get(name)
                for name in ("view", "like", "comment", "share", "save")
            },
        }
        at += draw.uniform(0.8, 1.15) * hours * 3600


def _walked_at(post: Post, draw: Random) -> datetime:
    fraud = post.growth.fraud
    if fraud and fraud.kind is FraudKind.BOTS:
        return _at(int(fraud.ends_at + draw.uniform(0, 0.5) * DAY))
    return _at(int(post.posted_at + draw.uniform(0.5, 9) * DAY))


def _walk(video_id: UUID, at: datetime, comment_count: int) -> Row:
    return {
        "video_id": video_id,
        "outcome": "ok",
        "is_complete": comment_count < COMMENTS_A_WALK,
        "collected_count": comment_count,
        "source": "simulator",
        "started_at": at,
        "finished_at": at,
    }


def _comment(video_id: UUID, at: datetime, comment: TrueComment) -> Row:
    return {
        "video_id": video_id,
        "platform_comment_id": comment.platform_comment_id,
        "text": comment.text,
        "like_count": comment.like_count,
        "reply_count": comment.reply_count,
        "author_unique_id": comment.author_handle,
        "author_nickname": comment.author_name,
        "posted_at": comment.written_at,
        "captured_at": at,
    }


def _matters(post: Post, fraud: Fraud) -> bool:
    """Return whether a fraud was visible for a day and moved enough views or wrote comments.

    A late revival takes five days to show.
    """
    if min(fraud.ends_at, fraud.starts_at + 5 * DAY) + DAY >= AS_OF.timestamp():
        return False
    if fraud.kind is FraudKind.BOTS:
        return True
    days = (fraud.ends_at - fraud.starts_at) / DAY if fraud.kind is FraudKind.REVIVED else 1
    moved = post.growth.counts(fraud.starts_at)["view"] * fraud.size * days
    return moved >= MATTERS and not post.plays_hidden


def _at(instant: float) -> datetime:
    return datetime.fromtimestamp(instant, UTC)
