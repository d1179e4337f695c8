"""Posts of the simulator's creators as facts of one organization, with daily readings of views."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

from scrapers.simulator.creators import EPOCH, Creator, make_creator
from scrapers.simulator.posts import Post, make_post
from scrapers.simulator.records import Platform
from tests.dbt_project.histories import Row, Tables, zone_offsets

ORGANIZATION = UUID(int=1)
PROJECT = UUID(int=2)
CAMPAIGN = UUID(int=3)
BEGIN = EPOCH - timedelta(days=30)
"""The day before the first readings."""
DAY = timedelta(days=1)
DAILY_UNTIL = 10
"""Age in days up to which posts are read daily; older ones are read every third day."""


def world(seed: int, creators: int, days: int, projects: int = 1) -> tuple[Tables, list[Row]]:
    """Return decisions and all readings of `days` days, with `creators` creators per platform.

    Creators are distributed over the projects. The first one of each platform is in a campaign.
    """
    made = [make_creator(seed, platform, n) for platform in Platform for n in range(creators)]
    posts = [
        (creator, post)
        for creator in made
        for post in posts_of(seed, creator, creators, BEGIN + days * DAY)
    ]
    owned_by = {creator: owned(creator.number % projects) for creator in made}
    decided: Tables = {
        "organizations": [{"id": ORGANIZATION, "name": "o", "analytics_tz": "UTC"}],
        "creators": [{"id": id_of(creator), **owned_by[creator]} for creator in made],
        "videos": [_video(creator, post) | owned_by[creator] for creator, post in posts],
        "campaigns": [{"id": CAMPAIGN, **OWNED}],
        "campaign_items": [
            {"campaign_id": CAMPAIGN, "creator_id": id_of(creator)}
            for creator in made
            if creator.number == 0
        ],
        "goal_states": [
            _goal(creator, metric) | owned_by[creator]
            for creator in made
            for metric in ("views", "posts", "engagement")
        ],
        **paid_by(owned_by),
        "zone_offsets": list(zone_offsets(("UTC",))),
    }
    readings = [
        reading
        for creator, post in posts
        for reading in readings_of(creator, post, BEGIN + days * DAY)
    ]
    return decided, readings


OWNED = {"organization_id": ORGANIZATION, "project_id": PROJECT}


def owned(project: int) -> Row:
    """Return the owner columns of a project's rows; number 0 is PROJECT."""
    return OWNED | {"project_id": UUID(int=PROJECT.int | project << 100)}


def id_of(creator: Creator, post: int | None = None) -> UUID:
    return uuid5(ORGANIZATION, f"{creator.platform} {creator.number} {post}")


def posts_of(seed: int, creator: Creator, creators: int, until: datetime) -> Iterator[Post]:
    for number in range(creator.schedule.published(until.timestamp())):
        if creator.schedule.posted_at(number) >= BEGIN.timestamp():
            post = make_post(seed, creator, number, creators)
            if "view" in post.growth.ratios:
                yield post


def readings_of(creator: Creator, post: Post, until: datetime) -> Iterator[Row]:
    posted_at = datetime.fromtimestamp(post.posted_at, UTC)
    at = posted_at.replace(hour=20, minute=0, second=0)
    while at < until and (post.withdrawn_at is None or at.timestamp() < post.withdrawn_at):
        age = (at - posted_at).days
        if at >= posted_at and (age <= DAILY_UNTIL or age % 3 == 0):
            yield {
                "video_id": id_of(creator, post.number),
                "captured_at": at,
                "view_count": post.growth.counts(at.timestamp())["view"],
                "is_exact": True,
                "source": "web",
            }
        at += DAY


def structure_of(creator: Creator) -> str:
    """Return the structure that pays a creator for views, named by its period."""
    return "weekly" if creator.number % 2 else "monthly"


def paid_by(owned_by: Mapping[Creator, Row]) -> Tables:
    """Weekly and monthly CPM of $1, monthly capped at $300, and a weekly fee of $10 for all."""
    structures = {
        "weekly": {"period": "weekly", **_per_thousand(None)},
        "monthly": {"period": "monthly", **_per_thousand(30_000)},
        "fee": {
            "period": "weekly",
            "criteria_type": "recurring",
            "amount_cents": 1000,
            "proration_mode": "prorate",
            "criteria_params": "{}",
        },
    }
    by = [(creator, name) for creator in owned_by for name in (structure_of(creator), "fee")]
    projects = {owner["project_id"]: owner for owner in owned_by.values()}
    return {
        "payout_structures": [
            {"id": id_of_structure(name, project), **owner, "name": name, "is_active": True}
            | {"created_at": BEGIN}
            for project, owner in projects.items()
            for name in structures
        ],
        "payout_versions": [
            {"id": uuid5(project, f"version {name}"), "organization_id": ORGANIZATION, "number": 1}
            | {"structure_id": id_of_structure(name, project), "created_at": BEGIN}
            | {"platform_scope": "all", "backfill_on_assignment": False, **rule}
            for project in projects
            for name, rule in structures.items()
        ],
        "payout_assignments": [
            {"id": uuid5(id_of(creator), name), "organization_id": ORGANIZATION}
            | {"structure_id": id_of_structure(name, owned_by[creator]["project_id"])}
            | {"creator_id": id_of(creator)}
            | {"start_date": BEGIN.date()}
            for creator, name in by
        ],
    }


def id_of_structure(name: str, project: UUID = PROJECT) -> UUID:
    return uuid5(project, name)


def _per_thousand(most_cents: int | None) -> Row:
    tiers = [{"up_to_impressions": None, "cents_per_thousand": "100"}]
    params = {"tiers": tiers, "max_payout_cents": most_cents}
    return {"criteria_type": "cpm", "criteria_params": json.dumps(params)}


def _goal(creator: Creator, metric: str) -> Row:
    return {
        "id": uuid5(id_of(creator), f"state {metric}"),
        "goal_id": uuid5(id_of(creator), metric),
        **OWNED,
        "creator_id": id_of(creator),
        "metric": metric,
        "period": "monthly",
        "target_value": 10,
        "platform_scope": "all",
        "is_active": True,
        "is_deleted": False,
        "valid_from": BEGIN,
    }


def _video(creator: Creator, post: Post) -> Row:
    return {
        "id": id_of(creator, post.number),
        **OWNED,
        "creator_id": id_of(creator),
        "platform": creator.platform.value,
        "platform_video_id": post.platform_id,
        "url": "https://www.tiktok.com/@h/video/1",
        "tracking_status": "included",
        "posted_at": datetime.fromtimestamp(post.posted_at, UTC),
        "posted_at_is_estimate": False,
        "created_at": BEGIN,
        "tracking_disabled": False,
        "media_type": post.media_type,
    }
