"""Leaderboards over HTTP: a small history with ranks calculated by hand.

    post     creator  platform   campaign  before 11 May    11 to 20 May gained
    one      Ada      tiktok     yes       100 views        300 views, 30 likes
    two      Ada      instagram  no        0                100 views
    three    Bob      tiktok     yes       1,000 views      100 views, 20 likes
    four     Bob      tiktok     no        50 views (old)   0 (not read since)
    five     Cyd      tiktok     no        never read

None has an account, so the first reading of each predates tracking: 100 views for two.

Days are UTC. Business time is 20 May, 12:00.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories import marts
from tests.factories.tracking import put_post
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from warehouse.operational.models import Campaign, Creator, Organization

VIDEOS = "/analytics/aggregate/video-leaderboard"
CREATORS = "/analytics/aggregate/creator-leaderboard"
TEN_DAYS = {"from": "2026-05-11", "to": "2026-05-20"}
CAMPAIGN = marts.named("ranked campaign")
NAMES = {marts.named(f"ranked {name}"): name for name in ("one", "two", "three", "four", "five")}


def at(day: int, month: int = 5) -> datetime:
    return datetime(2026, month, day, 12, tzinfo=UTC)


def posts(creators: dict[str, UUID]) -> list[marts.Video]:
    old, new = at(5), at(15)
    return [
        marts.Video(
            "ranked one",
            {old: {"view": 100, "like": 10}, new: {"view": 400, "like": 40}},
            posted_at=at(4),
            creator=creators["Ada"],
        ),
        marts.Video(
            "ranked two",
            {new: {"view": 100}},
            posted_at=at(14),
            platform="instagram",
            creator=creators["Ada"],
            in_campaign=False,
        ),
        marts.Video(
            "ranked three",
            {old: {"view": 1000, "like": 0}, new: {"view": 1100, "like": 20}},
            posted_at=at(3),
            creator=creators["Bob"],
        ),
        marts.Video(
            "ranked four",
            {at(1, month=4): {"view": 50}},
            posted_at=at(1, month=4),
            creator=creators["Bob"],
            in_campaign=False,
        ),
        marts.Video(
            "ranked five", {}, posted_at=at(14), creator=creators["Cyd"], in_campaign=False
        ),
    ]


def _id(name: str) -> UUID:
    return marts.named(f"ranked {name}")


@dataclass(frozen=True)
class Stage:
    tenant: Tenant
    client: Client

    def board(self, path: str, **params: str) -> Any:
        query = {"project_id": str(self.tenant.project_id), **TEN_DAYS, **params}
        return self.client.answer("GET", path, params=query)

    def places(self, path: str, **params: str) -> list[tuple[int, str, int | float]]:
        data = self.board(path, **params)["data"]
        return [
            (
                place["rank"],
                NAMES.get(UUID(place["entity"]["id"]), place["entity"]["label"]),
                place["value"],
            )
            for place in data
        ]


@pytest.fixture(scope="module")
def stage(apart: Api) -> Iterator[Stage]:
    with new_tenant(apart) as tenant:
        tenant.publish(posts(_stored(tenant)), campaign=CAMPAIGN)
        yield Stage(tenant, tenant.client)


def _stored(tenant: Tenant) -> dict[str, UUID]:
    """Store the rows of the history in PostgreSQL; return the creators' ids."""
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    rows = {name: Creator(**place, display_name=name) for name in ("Ada", "Bob", "Cyd")}
    with tenant.api.store.write_session() as session:
        session.add(Campaign(id=CAMPAIGN, **place, name="Spring"))
        session.add_all(rows.values())
        session.flush()
        creators = {name: row.id for name, row in rows.items()}
        for video in posts(creators):
            caption = f"Post {NAMES[video.id]}\nof the test"
            put_post(session, tenant.made, video, caption=caption)
    return creators


class TestVideos:
    def test_a_rank_has_an_entity_a_value_and_a_comparison(self, stage: Stage) -> None:
        answer = stage.board(VIDEOS, limit="1")
        assert answer["data"] == [
            {
                "rank": 1,
                "entity": {
                    "id": str(marts.named("ranked one")),
                    "label": "Post one",
                    "platform": "tiktok",
                },
                "value": 300,
                "previous_value": 100,
                "change_pct": 200.0,
                "share_pct": 60.0,
                "before_tracking": 0,
            }
        ]
        assert answer["meta"] == {"total": 4, "next_offset": 1, "timezone": "UTC"}

    def test_equal_values_share_a_rank_in_order_of_their_ids(self, stage: Stage) -> None:
        second = sorted(("two", "three"), key=_id)
        assert stage.places(VIDEOS) == [
            (1, "one", 300),
            (2, second[0], 100),
            (2, second[1], 100),
            (4, "four", 0),  # known before, but not read in these days; five was never read
        ]

    def test_an_unknown_change_is_null_and_no_change_is_0(self, stage: Stage) -> None:
        previous = {
            NAMES[UUID(place["entity"]["id"])]: (place["previous_value"], place["change_pct"])
            for place in stage.board(VIDEOS)["data"]
        }
        assert previous == {
            "one": (100, 200.0),
            "two": (None, None),
            "three": (1000, -90.0),
            "four": (0, None),
        }

    def test_pages_hold_every_place_once(self, stage: Stage) -> None:
        whole = stage.board(VIDEOS)["data"]
        walked: list[Any] = []
        offset: int | None = 0
        while offset is not None:
            page = stage.board(VIDEOS, limit="3", offset=str(offset))
            walked += page["data"]
            offset = page["meta"]["next_offset"]
        assert walked == whole
        beyond = stage.board(VIDEOS, offset="2147483647")
        assert (beyond["data"], beyond["meta"]["total"]) == ([], 4)
        assert beyond["meta"]["next_offset"] is None

    @pytest.mark.parametrize(
        ("params", "names"),
        [
            ({"metric": "likes"}, ["one", "three"]),
            ({"metric": "engagement_rate_by_views"}, ["three", "one"]),
            ({"metric": "saves"}, []),
            ({"platform": "instagram"}, ["two"]),
            ({"platform": "youtube"}, []),
            ({"campaign_id": str(CAMPAIGN)}, ["one", "three"]),
        ],
    )
    def test_the_filters(self, stage: Stage, params: dict[str, str], names: list[str]) -> None:
        assert [name for _, name, _ in stage.places(VIDEOS, **params)] == names

    def test_a_post_of_any_platform_is_labelled_by_its_caption(self, stage: Stage) -> None:
        [place] = stage.board(VIDEOS, platform="instagram")["data"]
        assert place["entity"]["label"] == "Post two"

    def test_rates_are_percentages_without_shares(self, stage: Stage) -> None:
        first = stage.board(VIDEOS, metric="engagement_rate_by_views")["data"][0]
        assert (first["value"], first["previous_value"]) == (20.0, 0.0)
        assert (first["change_pct"], first["share_pct"]) == (None, None)


class TestCreators:
    def test_a_creator_has_the_sums_of_its_posts(self, stage: Stage) -> None:
        assert stage.places(CREATORS) == [(1, "Ada", 400), (2, "Bob", 100)]
        first = stage.board(CREATORS)["data"][0]
        assert first["entity"] == {"id": first["entity"]["id"], "label": "Ada"}
        assert (first["previous_value"], first["share_pct"]) == (100, 80.0)

    @pytest.mark.parametrize(
        ("params", "places"),
        [
            ({"campaign_id": str(CAMPAIGN)}, [(1, "Ada", 300), (2, "Bob", 100)]),
            ({"platform": "tiktok"}, [(1, "Ada", 300), (2, "Bob", 100)]),
            ({"metric": "video_count"}, {(1, "Ada", 1), (1, "Cyd", 1), (3, "Bob", 0)}),
            ({"metric": "engagement_rate_by_views"}, [(1, "Bob", 20.0), (2, "Ada", 7.5)]),
        ],
    )
    def test_the_filters(self, stage: Stage, params: dict[str, str], places: Any) -> None:
        assert type(places)(stage.places(CREATORS, **params)) == places


class TestWindow:
    def test_the_last_30_days_count_by_default_and_nothing_after_today(self, stage: Stage) -> None:
        project = {"project_id": str(stage.tenant.project_id)}
        default = stage.client.answer("GET", VIDEOS, params=project)
        days = {"from": "2026-04-20", "to": "2026-12-31"}
        assert default == stage.client.answer("GET", VIDEOS, params={**project, **days})
        assert [place["value"] for place in default["data"]] == [1100, 400, 100, 0]

    def test_a_range_of_the_past_ranks_creators_known_then(self, stage: Stage) -> None:
        days = {"from": "2026-05-06", "to": "2026-05-10"}
        zeros = sorted(("one", "three", "four"), key=_id)
        assert stage.places(VIDEOS, **days) == [(1, name, 0) for name in zeros]
        assert {place["share_pct"] for place in stage.board(VIDEOS, **days)["data"]} == {None}

    def test_a_campaign_alone_is_enough(self, stage: Stage) -> None:
        query = {"campaign_id": str(CAMPAIGN), **TEN_DAYS}
        assert stage.client.answer("GET", VIDEOS, params=query)["meta"]["total"] == 2

    @pytest.mark.slow
    def test_videos_are_not_ranked_by_how_many_they_are(self, stage: Stage) -> None:
        query = {"project_id": str(stage.tenant.project_id), "metric": "video_count"}
        stage.client.refusal("GET", VIDEOS, "invalid_params", params=query)

    @pytest.mark.parametrize("path", [VIDEOS, CREATORS])
    def test_absent_or_others_is_404(self, stage: Stage, other: Tenant, path: str) -> None:
        project = {"project_id": str(stage.tenant.project_id)}
        for params in ({"project_id": str(uuid4())}, {**project, "campaign_id": str(uuid4())}):
            stage.client.refusal("GET", path, "not_found", params=params)
        campaign = {"campaign_id": other.campaign()["id"]}
        stage.client.refusal("GET", path, "not_found", params={**project, **campaign})
        other.client.refusal("GET", path, "not_found", params=project)

    def test_a_plan_of_30_days_ranks_no_longer_range(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            query = {"project_id": str(tenant.project_id), "from": "2026-04-19"}
            meta = tenant.client.refusal("GET", VIDEOS, "retention_exceeded", params=query)
            assert (meta["tier_retention_days"], meta["earliest"]) == (30, "2026-04-20")
            query["from"] = "2026-04-20"
            answer = tenant.client.answer("GET", VIDEOS, params=query)
            assert answer["data"] == []  # before the first publication the ranking is empty

    def test_the_prior_period_may_exceed_the_plan(self, stage: Stage) -> None:
        with stage.tenant.api.store.write_session() as session:
            session.get_one(Organization, stage.tenant.organization_id).plan = "free"
        try:
            compared = stage.board(VIDEOS, **{"from": "2026-05-11"})["data"]
            alone = stage.board(VIDEOS, **{"from": "2026-04-30"})["data"]
        finally:
            with stage.tenant.api.store.write_session() as session:
                session.get_one(Organization, stage.tenant.organization_id).plan = "ultra"
        assert compared[0]["previous_value"] == 100
        assert {place["previous_value"] for place in alone} == {None}
        assert {place["change_pct"] for place in alone} == {None}
