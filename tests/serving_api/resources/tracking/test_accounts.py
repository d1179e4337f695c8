"""Accounts over HTTP: added to creators, listed, changed, removed, scraped."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_video, change
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from warehouse.operational.models import (
    Account,
    Creator,
    OrganizationZone,
    ScrapeJob,
    Video,
    VideoOwner,
)


def add(tenant: Tenant, creator: Any, handle: str, **body: Any) -> Any:
    body = {"platform": "tiktok", "handle": handle, **body}
    return tenant.client.data("POST", f"/creators/{creator['id']}/accounts", json=body)


def creating(tenant: Tenant, handle: str, client: Client | None = None) -> int:
    accounts = [{"platform": "tiktok", "handle": handle}]
    body = {"project_id": str(tenant.project_id), "accounts": accounts}
    return (client or tenant.client).post("/creators", json=body).status_code


def handles(tenant: Tenant, path: str = "/accounts", **filters: Any) -> list[str]:
    return [account["handle"] for account in tenant.client.data("GET", path, params=filters)]


def deactivate(tenant: Tenant, account: str, **columns: Any) -> None:
    change(
        tenant.api.store,
        Account,
        account,  # type: ignore[arg-type]
        deactivated_at="2026-05-01T00:00:00Z",
        deactivation_video_choice="freeze",
        deactivation_reason="holiday",
        **columns,
    )


def discovered_at(tenant: Tenant, account: str) -> datetime | None:
    with tenant.api.store.read_session() as session:
        return session.get_one(Account, account).last_discovered_at


class TestAdd:
    def test_an_account_joins_its_creator(self, tenant: Tenant) -> None:
        creator = tenant.creator("first")
        account = add(
            tenant,
            creator,
            "@Second",
            platform="instagram",
            tracking_mode="selective",
            tracking_start_date="2026-05-01",
            tracking_end_date="2026-05-01",
        )
        assert account["handle"] == "second"
        assert account["creator_id"] == creator["id"]
        assert account["tracking_mode"] == "selective"
        assert account["tracking_start_date"] == account["tracking_end_date"] == "2026-05-01"
        assert account["deactivation"] is None
        assert account["follower_count"] is None
        path = f"/creators/{creator['id']}/accounts"
        assert handles(tenant, path) == ["first", "second"]

    def test_a_removed_creator_accepts_no_accounts(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        tenant.client.refusal(
            "POST",
            f"/creators/{creator['id']}/accounts",
            "creator_inactive",
            json={"platform": "tiktok", "handle": "demo"},
        )

    def test_a_handle_that_the_platform_banned_is_refused(self, tenant: Tenant) -> None:
        """The last outcome counts, in any project of the organization, removed or not."""
        creator = tenant.creator("demo")
        seen = creator["accounts"][0]["id"]
        looked = {"profile_looked_at": NOW, "profile_outcome": "banned"}
        change(tenant.api.store, Account, seen, **looked)
        tenant.client.data("DELETE", f"/accounts/{seen}")
        path = f"/creators/{creator['id']}/accounts"
        body = {"platform": "tiktok", "handle": "@Demo"}
        meta = tenant.client.refusal("POST", path, "creator_banned", json=body)
        assert (meta["platform"], meta["handle"]) == ("tiktok", "demo")
        whole = {"project_id": str(tenant.project_id), "accounts": [body]}
        tenant.client.refusal("POST", "/creators", "creator_banned", json=whole)
        tenant.client.data("POST", path, json={**body, "platform": "instagram"})

        later = NOW + timedelta(hours=1)
        looked = {"profile_looked_at": later, "profile_outcome": "ok"}
        add_account(tenant.api.store, tenant.made, "demo", is_active=False, **looked)
        tenant.client.data("POST", path, json=body)

    def test_outcomes_of_others_ban_no_account(self, tenant: Tenant, other: Tenant) -> None:
        seen = other.creator("demo")["accounts"][0]["id"]
        change(other.api.store, Account, seen, profile_looked_at=NOW, profile_outcome="banned")
        assert tenant.creator("demo")["handle"] == "demo"

    def test_new_accounts_of_a_deactivated_creator(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        change(
            tenant.api.store,
            Creator,
            creator["id"],
            deactivated_at="2026-05-01T00:00:00Z",
            deactivation_video_choice="freeze",
        )
        account = add(tenant, creator, "late")
        assert account["deactivation"]["via_creator"] is True
        with tenant.api.store.read_session() as session:
            jobs = select(ScrapeJob).where(ScrapeJob.account_id == account["id"])
            assert session.scalars(jobs).all() == []

    def test_a_handle_added_again_gets_its_videos(self, tenant: Tenant) -> None:
        creator = tenant.creator("demo")
        removed = creator["accounts"][0]["id"]
        video = add_video(
            tenant.api.store, tenant.made, "1", account=removed, frozen_at="2026-05-01T00:00:00Z"
        )
        tenant.client.data("DELETE", f"/accounts/{removed}")
        add(tenant, creator, "demo", platform="instagram")
        assert tenant.client.data("GET", f"/videos/{video}")["account_id"] == removed
        account = add(tenant, creator, "demo")
        assert account["id"] != removed
        assert tenant.client.data("GET", f"/videos/{video}")["account_id"] == account["id"]
        with tenant.api.store.read_session() as session:
            owners = session.scalars(
                select(VideoOwner.account_id)
                .where(VideoOwner.video_id == video)
                .order_by(VideoOwner.valid_from)
            ).all()
            assert [str(owner) for owner in owners] == [removed, account["id"]]
            assert session.get_one(Video, video).frozen_at is None

    @pytest.mark.parametrize(
        ("choice", "before", "reason"),
        [
            ("keep_tracking", "frozen_at", None),
            ("freeze", "stopped_at", "account_frozen"),
            ("stop_tracking", "frozen_at", "account_stopped"),
        ],
    )
    def test_a_deactivated_creator_applies_its_choice_to_them(
        self, tenant: Tenant, choice: str, before: str, reason: str | None
    ) -> None:
        removed = tenant.creator("demo")["accounts"][0]["id"]
        owned = {"account": removed, before: NOW}
        video = add_video(tenant.api.store, tenant.made, "1", **owned)
        tenant.client.data("DELETE", f"/accounts/{removed}")
        creator = tenant.creator("resting")
        path = f"/creators/{creator['id']}/deactivate"
        tenant.client.data("POST", path, json={"videos": choice})
        add(tenant, creator, "demo")
        post = tenant.client.data("GET", f"/videos/{video}")
        assert post["tracking_disabled_reason"] == reason

    @pytest.mark.parametrize("choice", ["keep_tracking", None])
    def test_its_videos_respect_the_limit(self, tenant: Tenant, choice: str | None) -> None:
        removed = tenant.creator("demo")["accounts"][0]["id"]
        videos = [
            add_video(tenant.api.store, tenant.made, str(n), account=removed) for n in range(2)
        ]
        tenant.client.data("DELETE", f"/accounts/{removed}")
        leave_room(tenant.api.store, tenant.made, 1)
        creator = tenant.creator("resting")
        if choice:
            path = f"/creators/{creator['id']}/deactivate"
            tenant.client.data("POST", path, json={"videos": choice})
        add(tenant, creator, "demo")
        posts = [tenant.client.data("GET", f"/videos/{video}") for video in videos]
        assert [post["plan_limit_paused_at"] is None for post in posts].count(True) == 1

    def test_a_handle_whose_exempt_videos_have_no_room_is_not_added(self, tenant: Tenant) -> None:
        removed = tenant.creator("demo")["accounts"][0]["id"]
        add_video(tenant.api.store, tenant.made, "1", account=removed, tracking_exempted=True)
        tenant.client.data("DELETE", f"/accounts/{removed}")
        leave_room(tenant.api.store, tenant.made, 0)
        meta = tenant.client.refusal(
            "POST",
            "/creators",
            "limit_reached",
            json={
                "project_id": str(tenant.project_id),
                "accounts": [{"platform": "tiktok", "handle": "demo"}],
            },
        )
        assert meta["limitKey"] == "max_tracked_videos_per_org"
        assert tenant.client.data("GET", "/accounts") == []

    def test_simultaneous_requests_track_a_handle_once(self, tenant: Tenant) -> None:
        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: creating(tenant, "demo"), range(8)))
        assert sorted(statuses) == [201] + [409] * 7
        assert len(handles(tenant)) == 1


class TestRead:
    def test_a_deactivated_account_counts_its_frozen_videos(self, tenant: Tenant) -> None:
        account = tenant.creator()["accounts"][0]["id"]
        for number, column in enumerate(("frozen_at", "stopped_at", "frozen_at")):
            row = {column: "2026-05-01T00:00:00Z"}
            add_video(tenant.api.store, tenant.made, str(number), account=account, **row)
        deactivate(tenant, account)
        answer = tenant.client.data("GET", f"/accounts/{account}")
        assert answer["is_active"] is True
        assert answer["deactivation"] == {
            "deactivated_at": "2026-05-01T00:00:00Z",
            "deactivated_by": None,
            "video_choice": "freeze",
            "reason": "holiday",
            "via_creator": False,
            "video_counts": {"frozen": 2, "stopped": 1},
        }
        assert answer["deactivation_reason"] == "holiday"

    @pytest.mark.slow
    def test_lists_filter(self, tenant: Tenant) -> None:
        creator = tenant.creator("on_tok")
        add(tenant, creator, "on.insta", platform="instagram")
        resting = tenant.creator("resting")["accounts"][0]["id"]
        deactivate(tenant, resting)
        assert handles(tenant) == ["on.insta", "on_tok"]
        assert handles(tenant, status="deactivated") == ["resting"]
        assert handles(tenant, status="all") == ["resting", "on.insta", "on_tok"]
        assert handles(tenant, platform="instagram") == ["on.insta"]
        assert handles(tenant, creator_id=creator["id"]) == ["on.insta", "on_tok"]
        assert handles(tenant, search="_T") == ["on_tok"]
        assert handles(tenant, search="tiktok.com/@on_tok") == ["on_tok"]
        assert len(handles(tenant, project_id=str(tenant.project_id))) == 2

    def test_a_removed_account_is_in_no_list(self, tenant: Tenant) -> None:
        account = tenant.creator()["accounts"][0]["id"]
        assert tenant.client.data("DELETE", f"/accounts/{account}") == {"deleted": True}
        assert handles(tenant, status="all") == []
        assert tenant.client.data("GET", f"/accounts/{account}")["is_active"] is False

    def test_a_creators_accounts_come_in_pages_oldest_first(self, tenant: Tenant) -> None:
        creator = tenant.creator("demo0")
        for number in (1, 2):
            add(tenant, creator, f"demo{number}")
        path = f"/creators/{creator['id']}/accounts"
        page = tenant.client.answer("GET", path, params={"limit": 2})
        cursor = page["meta"]["nextCursor"]
        assert [account["handle"] for account in page["data"]] == ["demo0", "demo1"]
        assert handles(tenant, path, cursor=cursor, limit=2) == ["demo2"]


class TestChange:
    def test_a_new_handle_is_fetched_again(self, tenant: Tenant) -> None:
        account = tenant.creator("before")["accounts"][0]["id"]
        change(tenant.api.store, Account, account, platform_user_id="1")
        path = f"/accounts/{account}"
        changed = tenant.client.data("PATCH", path, json={"handle": "@After"})
        assert (changed["handle"], changed["platform_user_id"]) == ("after", None)
        with tenant.api.store.read_session() as session:
            jobs = select(ScrapeJob).where(ScrapeJob.account_id == account)
            assert len(session.scalars(jobs).all()) == 4

    def test_a_new_handle_or_a_wider_window_fetches_all_posts(self, tenant: Tenant) -> None:
        account = tenant.creator("before")["accounts"][0]["id"]
        path = f"/accounts/{account}"
        wider = [
            {"handle": "after"},
            {"tracking_start_date": "2026-05-19"},
            {"tracking_start_date": None},
            {"tracking_end_date": "2026-06-02"},
            {"tracking_end_date": None},
        ]
        tenant.client.data("PATCH", path, json={"tracking_end_date": "2026-06-01"})
        for body in wider:
            change(tenant.api.store, Account, account, last_discovered_at=NOW)
            tenant.client.data("PATCH", path, json=body)
            assert discovered_at(tenant, account) is None, body
        narrower = [
            {"tracking_start_date": "2026-05-01", "tracking_end_date": "2026-06-01"},
            {"tracking_end_date": "2026-05-30"},
            {"tracking_mode": "selective"},
            {"handle": "AFTER"},
        ]
        for body in narrower:
            change(tenant.api.store, Account, account, last_discovered_at=NOW)
            tenant.client.data("PATCH", path, json=body)
            assert discovered_at(tenant, account) == NOW, body

    def test_a_deactivated_account_accepts_a_new_handle_but_no_scrape(self, tenant: Tenant) -> None:
        account = tenant.creator("before")["accounts"][0]["id"]
        deactivate(tenant, account)
        tenant.client.data("PATCH", f"/accounts/{account}", json={"handle": "after"})
        with tenant.api.store.read_session() as session:
            jobs = select(ScrapeJob).where(ScrapeJob.account_id == account)
            assert len(session.scalars(jobs).all()) == 2

    def test_the_same_handle_changes_nothing(self, tenant: Tenant) -> None:
        """Even if a removed account had the same handle."""
        removed = tenant.creator("same")["accounts"][0]["id"]
        tenant.client.data("DELETE", f"/accounts/{removed}")
        account = tenant.creator("same")["accounts"][0]["id"]
        tenant.client.data("PATCH", f"/accounts/{account}", json={"handle": "SAME"})
        with tenant.api.store.read_session() as session:
            jobs = select(ScrapeJob).where(ScrapeJob.account_id == account)
            assert len(session.scalars(jobs).all()) == 2

    def test_a_handle_that_another_account_has_or_had_is_refused(self, tenant: Tenant) -> None:
        account = tenant.creator("mine")["accounts"][0]["id"]
        removed = tenant.creator("gone")["accounts"][0]["id"]
        tenant.client.data("DELETE", f"/accounts/{removed}")
        tenant.creator("theirs")
        for handle in ("gone", "theirs"):
            tenant.client.refusal(
                "PATCH", f"/accounts/{account}", "handle_taken", json={"handle": handle}
            )

    def test_tracking_changes_and_null_clears_a_date(self, tenant: Tenant) -> None:
        path = f"/accounts/{tenant.creator()['accounts'][0]['id']}"
        body = {
            "tracking_mode": "hashtag",
            "tracking_hashtags": ["#Ad"],
            "hashtag_inbox_non_matching": False,
            "tracking_end_date": "2026-06-01",
        }
        changed = tenant.client.data("PATCH", path, json=body)
        assert {name: changed[name] for name in body} == body | {"tracking_hashtags": ["ad"]}
        body = {"tracking_start_date": None, "tracking_end_date": None}
        assert body.items() <= tenant.client.data("PATCH", path, json=body).items()

    def test_a_removed_account_is_not_found_by_writes(self, tenant: Tenant) -> None:
        path = f"/accounts/{tenant.creator()['accounts'][0]['id']}"
        tenant.client.data("DELETE", path)
        for method, request in (("PATCH", {"json": {"handle": "x1"}}), ("DELETE", {})):
            tenant.client.refusal(method, path, "not_found", **request)
        tenant.client.refusal("POST", f"{path}/scrape", "not_found")


class TestScrape:
    @pytest.mark.parametrize("job_type", ["creator_profiles", "video_stats", "discover_videos"])
    def test_each_kind_of_fetch_can_be_requested(self, tenant: Tenant, job_type: str) -> None:
        account = tenant.creator()["accounts"][0]["id"]
        queued = tenant.client.data(
            "POST", f"/accounts/{account}/scrape", json={"job_type": job_type}
        )
        assert (queued["job_type"], queued["account_id"]) == (job_type, account)

    def test_a_deactivated_account_is_not_scraped(self, tenant: Tenant) -> None:
        account = tenant.creator()["accounts"][0]["id"]
        deactivate(tenant, account)
        tenant.client.refusal("POST", f"/accounts/{account}/scrape", "invalid_request")

    def test_the_days_allowance_ends_at_midnight_of_the_organization(self, api: Api) -> None:
        """Business time is noon UTC, 17:30 in India: six and a half hours are left."""
        with new_tenant(api, plan="free", tz="Asia/Kolkata") as tenant:
            path = f"/accounts/{tenant.creator()['accounts'][0]['id']}/scrape"
            for _ in range(5):
                tenant.client.data("POST", path)
            response = tenant.client.post(path)
            assert response.status_code == 429
            assert response.headers["Retry-After"] == str(6 * 3600 + 1800)
            assert response.json()["meta"] == {
                "code": "rate_limit_exceeded",
                "bucket": "manual_scrapes",
                "retryAfter": 6 * 3600 + 1800,
            }

    def test_another_zone_begins_no_new_day(self, api: Api) -> None:
        """Noon UTC is past midnight in Auckland, where the UTC day is over."""
        with new_tenant(api, plan="free") as tenant:
            path = f"/accounts/{tenant.creator()['accounts'][0]['id']}/scrape"
            for _ in range(5):
                tenant.client.data("POST", path)
            own = {"organization_id": tenant.organization_id}
            with tenant.api.store.write_session() as session:
                for model, column in ((ScrapeJob, "created_at"), (OrganizationZone, "valid_from")):
                    rows = update(model).filter_by(**own)
                    session.execute(rows.values({column: NOW - timedelta(minutes=30)}))
            organization = f"/organizations/{tenant.organization_id}"
            tenant.client.data("PATCH", organization, json={"analytics_tz": "Pacific/Auckland"})
            assert tenant.client.post(path).status_code == 429
