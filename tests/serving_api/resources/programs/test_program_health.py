"""Program health over HTTP: a small project with figures calculated by hand.

Today is 20 May, so 30 days begin on 21 April and the previous ones on 22 March.

    post      creator  posted    campaign  views
    new       Ada      10 May    Launch    100 on 11 May, 600 on 19 May (60 likes)
    newer     Ada      18 May    -         200 on 19 May
    before    Bob      1 April   -         1,000 on 2 April, 9,000 on 19 May (200 likes)

Campaign Spring contains campaign Launch, which contains the post `new`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from serving_api.resources.programs.program_health.loading import (
    compared,
    freshness_level,
    status_of,
)
from tests.factories import marts
from tests.factories.tracking import put_post
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from warehouse.operational.models import Account, Campaign, CampaignItem, Creator

SPRING, LAUNCH = marts.named("health spring"), marts.named("health launch")


def at(month: int, day: int) -> datetime:
    return datetime(2026, month, day, 10, tzinfo=UTC)


def posts(ada: UUID, bob: UUID, account: UUID) -> list[marts.Video]:
    return [
        marts.Video(
            "health new",
            {at(5, 11): {"view": 100, "like": 5}, at(5, 19): {"view": 600, "like": 60}},
            posted_at=at(5, 10),
            creator=ada,
            account=account,
        ),
        marts.Video(
            "health newer",
            {at(5, 19): {"view": 200}},
            posted_at=at(5, 18),
            creator=ada,
            account=account,
            in_campaign=False,
        ),
        marts.Video(
            "health before",
            {at(4, 2): {"view": 1000, "like": 200}, at(5, 19): {"view": 9000, "like": 300}},
            posted_at=at(4, 1),
            creator=bob,
            in_campaign=False,
        ),
    ]


@dataclass(frozen=True)
class Stage:
    tenant: Tenant
    client: Client
    creators: dict[str, UUID]
    accounts: dict[str, UUID]

    def ask(self, **params: str) -> Any:
        path = f"/projects/{self.tenant.project_id}/program-health"
        return self.client.answer("GET", path, params=params)

    def health(self, **params: str) -> Any:
        return self.ask(**params)["data"]


@pytest.fixture(scope="module")
def stage(apart: Api) -> Iterator[Stage]:
    with new_tenant(apart) as tenant:
        creators, accounts = _people(tenant)
        videos = posts(creators["Ada"], creators["Bob"], accounts["ada"])
        _store(tenant, videos)
        tenant.publish(
            videos,
            accounts=[
                marts.Account(
                    name,
                    {at(4, 20): 10, at(5, 19): 10},
                    posts={at(4, 20): 3, at(5, 19): 3 + gained},
                    creator=creators[creator],
                )
                for name, creator, gained in (("health ada", "Ada", 5), ("health bob", "Bob", 0))
            ],
            campaign=SPRING,
            looks=_looks(accounts["ada"], accounts["bob"]),
            statuses=[
                {
                    "platform": "instagram",
                    "is_refusing": True,
                    "fetches": 3,
                    "refused": 2,
                    "refused_since": datetime(2026, 5, 19, 22, tzinfo=UTC),
                    "outcome": "login_required",
                },
                {"platform": "tiktok", "is_refusing": False, "fetches": 8, "refused": 4},
            ],
        )
        yield Stage(tenant, tenant.client, creators, accounts)


def _looks(ada: UUID, bob: UUID) -> list[dict[str, Any]]:
    hours = {
        ("tiktok", ada, "ok"): (21, 4),
        ("tiktok", bob, "challenged"): (20, 3),
        ("tiktok", bob, "unreachable"): (21, 1),
        ("instagram", None, "ok"): (23, 1),
        ("instagram", None, "login_required"): (22, 2),
    }
    return [
        {
            "platform": platform,
            "account_id": account,
            "outcome": outcome,
            "looks": looks,
            "first_at": (first := datetime(2026, 5, 19, hour, tzinfo=UTC)),
            "last_at": first,
        }
        for (platform, account, outcome), (hour, looks) in hours.items()
    ]


def _people(tenant: Tenant) -> tuple[dict[str, UUID], dict[str, UUID]]:
    """Ada and Bob with an account each; in the window Cyd was deactivated and Dan removed."""
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    old = at(1, 1)
    people = [
        Creator(**place, display_name="Ada", created_at=old),
        Creator(**place, display_name="Bob", created_at=at(4, 21)),
        Creator(**place, display_name="Cyd", created_at=at(4, 20), deactivated_at=at(5, 1)),
        Creator(**place, display_name="Dan", created_at=old, is_active=False, removed_at=at(5, 2)),
    ]
    with tenant.api.store.write_session() as session:
        session.add_all(people)
        session.flush()
        rows = [
            Account(
                id=marts.named(f"health {name}"),
                **place,
                creator_id=person.id,
                platform="tiktok",
                handle=f"health.{name}",
                last_scraped_at=scraped_at,
                last_discovered_at=NOW - timedelta(hours=discovered),
                is_private=name == "ada",
            )
            for person, name, scraped_at, discovered in (
                (people[0], "ada", NOW - timedelta(hours=28), 49),
                (people[1], "bob", NOW - timedelta(hours=28, seconds=1), 48),
            )
        ]
        session.add_all(rows)
    creators = {str(person.display_name): person.id for person in people}
    return creators, {"ada": rows[0].id, "bob": rows[1].id}


def _store(tenant: Tenant, videos: list[marts.Video]) -> None:
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    with tenant.api.store.write_session() as session:
        session.add(Campaign(id=SPRING, **place, name="Spring", target_views=5000))
        session.add(Campaign(id=LAUNCH, **place, name="Launch"))
        for video in videos:
            put_post(session, tenant.made, video)
        session.flush()
        of = {"organization_id": tenant.organization_id, "created_at": NOW}
        session.add(CampaignItem(**of, campaign_id=SPRING, child_campaign_id=LAUNCH))
        session.add(CampaignItem(**of, campaign_id=LAUNCH, video_id=videos[0].id))


class TestProject:
    def test_the_window_ends_today_and_has_as_many_days_before_it(self, stage: Stage) -> None:
        answer = stage.ask()
        assert answer["data"]["range"] == "30d"
        assert answer["data"]["campaign"] is None
        assert answer["data"]["window"] == {
            "from": "2026-04-21",
            "to": "2026-05-20",
            "prior_from": "2026-03-22",
            "prior_to": "2026-04-20",
            "days": 30,
            "tz": "UTC",
        }
        assert answer["meta"] == {
            "computed_at": "2026-05-20T12:00:00Z",
            "as_of": "2026-05-20T12:00:00Z",
        }

    @pytest.mark.parametrize(
        ("days", "first", "prior"),
        [
            ("7d", "2026-05-14", "2026-05-07"),
            ("14d", "2026-05-07", "2026-04-23"),
            ("90d", "2026-02-20", "2025-11-22"),
        ],
    )
    def test_every_range(self, stage: Stage, days: str, first: str, prior: str) -> None:
        window = stage.health(range=days)["window"]
        assert (window["from"], window["prior_from"]) == (first, prior)
        assert window["days"] == int(days[:-1])

    def test_figures_are_of_the_posts_of_the_window(self, stage: Stage) -> None:
        assert stage.health()["kpis"] == {
            "views_on_window_posts": 800,
            "posts_in_window": 2,
            "posts_this_week": 1,
            "active_creators": 1,
            "scrape_freshness": 50.0,
            "engagement_rate": 7.5,
        }

    def test_signals_compare_with_the_prior_window(self, stage: Stage) -> None:
        health = stage.health()["health"]
        signals = {
            signal["signal"]: (signal["level"], signal["value"]) for signal in health["signals"]
        }
        assert signals == {
            "active_creators": ("ok", 1),
            "views": ("ok", 800),  # 1,000 before: the post's views on 20 April
            "posts_week_over_week": ("ok", 1),  # and one in the week before
            "scrape_freshness": ("bad", 50.0),
        }
        assert health["status"] == "at-risk"
        assert all(signal["detail"] for signal in health["signals"])

    def test_notable_creators_are_named(self, stage: Stage) -> None:
        health = stage.health()
        ada = {"creator_id": str(stage.creators["Ada"]), "display_name": "Ada"}
        bob = {"creator_id": str(stage.creators["Bob"]), "display_name": "Bob"}
        assert health["top_performers"] == [
            {
                **ada,
                "handle": "health.ada",
                "posts": 2,
                "views": 800,
                "views_per_post": 400.0,
                "engagement_rate": 7.5,
            }
        ]
        assert health["underperformers"] == []
        assert health["stale_creators"] == [
            {
                **bob,
                "handle": "health.bob",
                "last_posted_at": "2026-04-01T10:00:00Z",
                "days_since_last_post": 49,
            }
        ]

    def test_alerts_name_what_needs_a_check(self, stage: Stage) -> None:
        alerts = stage.health()["alerts"]
        assert alerts["roster_churn"] == {"added": 1, "removed": 1}
        assert alerts["engagement_rate_drop"] == {
            "current": 7.5,
            "prior": 20.0,
            "change_pct": -62.5,
        }
        assert alerts["sudden_view_drops"] == []
        assert alerts["over_posting"] == []
        assert alerts["comment_flags"]["flagged_count"] == 0
        ada = {
            "account_id": str(stage.accounts["ada"]),
            "creator_id": str(stage.creators["Ada"]),
            "platform": "tiktok",
            "handle": "health.ada",
        }
        assert alerts["private_accounts"] == [ada]
        assert [
            disabled_creator["display_name"] for disabled_creator in alerts["disabled_creators"]
        ] == ["Cyd"]
        assert alerts["disabled_creators"][0]["deactivated_at"] == "2026-05-01T10:00:00Z"

    def test_gaps_of_tracking_are_listed_by_account(self, stage: Stage) -> None:
        gaps = stage.health()["alerts"]["tracking_gaps"]
        stale = gaps["stale_scrapes"]
        assert (stale["count"], stale["accounts"][0]["handle"]) == (1, "health.bob")
        assert stale["accounts"][0]["last_at"] == "2026-05-19T07:59:59Z"
        stale = gaps["stale_discovery"]
        assert (stale["count"], stale["accounts"][0]["handle"]) == (1, "health.ada")
        # Five more posts by TikTok's count, two of them registered.
        missing = gaps["missing_videos"]
        assert (missing["count"], missing["accounts"][0]["missing"]) == (3, 3)

    @pytest.mark.parametrize(
        ("hours", "expected"), [(28, (1, 0, 0, 0.0)), (29, (0, 1, 0, 0.0)), (49, (0, 1, 1, 0.0))]
    )
    def test_a_new_account_waits_for_its_first_check(
        self, stage: Stage, hours: int, expected: tuple[int, int, int, float]
    ) -> None:
        with new_tenant(stage.tenant.api) as tenant:
            added = tenant.creator("eve")["accounts"][0]["id"]
            with tenant.api.store.write_session() as session:
                session.get_one(Account, UUID(added)).created_at = NOW - timedelta(hours=hours)
            health = tenant.client.data("GET", f"/projects/{tenant.project_id}/program-health")
        gaps = health["alerts"]["tracking_gaps"]
        stale = (gaps["stale_scrapes"]["count"], gaps["stale_discovery"]["count"])
        fresh = health["kpis"]["scrape_freshness"]
        assert (gaps["first_checks"], *stale, fresh) == expected

    def test_refusals_are_listed_by_platform_or_by_account(self, stage: Stage) -> None:
        """Half of the fetches from TikTok succeed; those of one account fail."""
        gaps = stage.health()["alerts"]["tracking_gaps"]
        refused = {"looks": 3, "refused": 2, "refused_since": "2026-05-19T22:00:00Z"}
        assert gaps["refused_platforms"] == [
            {**refused, "outcome": "login_required", "platform": "instagram"}
        ]
        of_account = gaps["refused_accounts"]
        assert of_account["count"] == 1
        refused = {"looks": 4, "refused": 4, "refused_since": "2026-05-19T20:00:00Z"}
        [account] = of_account["accounts"]
        assert account | refused == account
        assert (account["handle"], account["outcome"]) == ("health.bob", "challenged")

    def test_campaigns_with_posts_of_the_window_are_active(self, stage: Stage) -> None:
        assert stage.health()["active_campaigns"] == [
            {
                "id": str(SPRING),
                "name": "Spring",
                "target_views": 5000,
                "target_at": None,
                "posts_in_window": 1,
                "views_on_window_posts": 600,
            }
        ]

    def test_without_goals_none_is_on_track_or_not(self, stage: Stage) -> None:
        counts = {"on_track": 0, "at_risk": 0, "missed": 0}
        assert stage.health()["goal_compliance"] == {**counts, "at_risk_goals": []}


class TestCampaign:
    def test_it_counts_its_sub_campaigns_too(self, stage: Stage) -> None:
        health = stage.health(campaign_id=str(SPRING))
        assert health["campaign"] == {"id": str(SPRING), "name": "Spring"}
        assert health["kpis"]["posts_in_window"] == 1
        assert health["kpis"]["views_on_window_posts"] == 600
        assert health["kpis"]["scrape_freshness"] == 100.0  # Ada's account alone
        assert health["alerts"]["roster_churn"] == {"added": 0, "removed": 0}
        assert health["stale_creators"] == []

    def test_it_must_be_of_the_project(self, stage: Stage, other: Tenant) -> None:
        """Contract: 400 for another project's campaign, 404 for an unknown project."""
        path = f"/projects/{stage.tenant.project_id}/program-health"
        elsewhere = stage.client.data(
            "POST", f"/organizations/{stage.tenant.organization_id}/projects", json={"name": "Two"}
        )
        campaigns = f"/projects/{elsewhere['id']}/campaigns"
        of_two = stage.client.data("POST", campaigns, json={"name": "Elsewhere"})
        for campaign in (str(uuid4()), other.campaign()["id"], of_two["id"]):
            query = {"campaign_id": campaign}
            refusal = stage.client.refusal("GET", path, "invalid_query", params=query)
            assert [issue["path"] for issue in refusal["issues"]] == ["campaign_id"]
            absent = f"/projects/{uuid4()}/program-health"
            stage.client.refusal("GET", absent, "not_found", params=query)
        other.client.refusal("GET", path, "not_found")


@pytest.mark.slow
def test_each_publication_has_its_own_figures(api: Api, tmp_path: Path) -> None:
    with api.changed(home=tmp_path) as served, new_tenant(served) as tenant:
        path = f"/projects/{tenant.project_id}/program-health"
        ada = UUID(tenant.creator("ada")["id"])
        for views in (100, 700):
            post = marts.Video("health republished", {at(5, 19): {"view": views}}, creator=ada)
            tenant.publish([post])
            for _ in range(2):
                health = tenant.client.data("GET", path)
                assert health["kpis"]["views_on_window_posts"] == views


def test_before_the_first_publication_numbers_are_unknown(tenant: Tenant) -> None:
    answer = tenant.client.answer("GET", f"/projects/{tenant.project_id}/program-health")
    assert answer["meta"]["as_of"] is None
    assert set(answer["data"]["kpis"].values()) == {None}
    assert answer["data"]["alerts"]["over_posting"] is None
    assert answer["data"]["health"]["status"] == "at-risk"


class TestSignals:
    @pytest.mark.parametrize(
        ("value", "prior", "level"),
        [
            (4, 10, "bad"),
            (5, 10, "warn"),
            (7, 10, "warn"),
            (8, 10, "ok"),
            (20, 10, "ok"),
            (0, 10, "bad"),
            (3, 0, "ok"),
            (0, 0, "warn"),
            (None, 10, "warn"),
            (10, None, "warn"),
        ],
    )
    def test_values_are_compared(self, value: int | None, prior: int | None, level: str) -> None:
        assert compared(value, prior, bad=0.5, warn=0.8) == level

    def test_posts_of_the_week_are_ok_from_three_quarters_on(self) -> None:
        levels = [compared(posts, 100, bad=0.5, warn=0.75) for posts in (49, 50, 74, 75)]
        assert levels == ["bad", "warn", "warn", "ok"]

    @pytest.mark.parametrize(
        ("share", "level"), [(None, "ok"), (69.9, "bad"), (70, "warn"), (89.9, "warn"), (90, "ok")]
    )
    def test_freshness(self, share: float | None, level: str) -> None:
        assert freshness_level(share) == level

    @pytest.mark.parametrize(
        ("levels", "status"),
        [
            (["ok", "ok", "ok", "ok"], "healthy"),
            (["warn", "ok", "ok", "ok"], "healthy"),
            (["warn", "warn", "ok", "ok"], "at-risk"),
            (["bad", "ok", "ok", "ok"], "at-risk"),
            (["bad", "warn", "warn", "warn"], "at-risk"),
            (["bad", "bad", "ok", "ok"], "degraded"),
        ],
    )
    def test_the_status_follows_from_the_levels(self, levels: Any, status: str) -> None:
        assert status_of(levels) == status
