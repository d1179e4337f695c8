"""Creators over HTTP: created with their accounts, listed, changed and removed."""

from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from tests.factories.limits import leave_room
from tests.factories.payouts import assign
from tests.factories.tracking import add_video, change
from tests.fixtures.api import NOW, Tenant, new_tenant
from tests.fixtures.statements import statements_sent
from warehouse.operational.models import (
    Account,
    ChangeEntry,
    PayoutAssignment,
    ScrapeJob,
    VideoOwner,
)


def body_of(tenant: Tenant, *accounts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    account_bodies = accounts or ({"platform": "tiktok", "handle": "demo.creator"},)
    return {"project_id": str(tenant.project_id), "accounts": list(account_bodies), **changes}


def create(tenant: Tenant, *accounts: dict[str, Any], **changes: Any) -> Any:
    body = body_of(tenant, *accounts, **changes)
    return tenant.client.data("POST", "/creators", json=body)


def handles(tenant: Tenant, **filters: Any) -> list[str]:
    return [creator["handle"] for creator in tenant.client.data("GET", "/creators", params=filters)]


class TestCreate:
    def test_a_creator_comes_with_unknown_accounts(self, tenant: Tenant) -> None:
        creator = create(
            tenant,
            {"platform": "instagram", "handle": "https://www.instagram.com/Demo.Insta/?hl=en"},
            {"platform": "tiktok", "handle": "@Demo.Creator"},
            metadata={"team": "north"},
        )
        assert creator["handle"] == "demo.creator"
        assert creator["display_name"] == "demo.insta"
        assert creator["metadata"] == {"team": "north"}
        assert [account["handle"] for account in creator["accounts"]] == [
            "demo.insta",
            "demo.creator",
        ]
        assert creator["org_id"] == str(tenant.organization_id)
        assert creator["follower_count"] is None
        assert (creator["tracked_post_count"], creator["pending_review_count"]) == (0, 0)
        assert tenant.client.data("GET", f"/creators/{creator['id']}") == creator | {
            "readme_version": "e3b0c44298fc1c14"
        }

    def test_every_account_gets_a_profile_and_a_discovery_scrape(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        account = creator["accounts"][0]["id"]
        with tenant.api.store.read_session() as session:
            jobs = session.scalars(
                select(ScrapeJob).where(ScrapeJob.account_id == account).order_by(ScrapeJob.id)
            ).all()
        assert {job.job_type for job in jobs} == {"creator_profiles", "discover_videos"}
        assert {job.status for job in jobs} == {"queued"}

    def test_tracking_starts_today_in_the_organizations_zone(self, api: Any) -> None:
        with new_tenant(api, tz="Pacific/Kiritimati") as tenant:
            creator = tenant.creator()
        assert creator["accounts"][0]["tracking_start_date"] == "2026-05-21"

    @pytest.mark.parametrize(
        ("platform", "handle", "reason"),
        [
            ("tiktok", "no handle", "invalid_handle"),
            ("tiktok", "https://www.tiktok.com/@demo/video/7682837474828885294", "video_url"),
            ("tiktok", "https://www.instagram.com/demo/", "platform_mismatch"),
            ("instagram", "https://www.instagram.com/explore/", "no_handle_in_url"),
            ("tiktok", "https://example.com/@demo", "unrecognized_url"),
            ("youtube", "demo", "unsupported_platform"),
        ],
    )
    def test_what_names_no_account_is_refused_with_the_reason(
        self, tenant: Tenant, platform: str, handle: str, reason: str
    ) -> None:
        body = body_of(tenant, {"platform": platform, "handle": handle})
        meta = tenant.client.refusal("POST", "/creators", "invalid_account", json=body)
        assert meta["reason"] == reason
        assert meta["author"] == ("demo" if reason == "video_url" else None)

    def test_the_same_account_twice_in_a_request_is_refused(self, tenant: Tenant) -> None:
        twice = [{"platform": "tiktok", "handle": handle} for handle in ("demo", "@DEMO")]
        tenant.client.refusal(
            "POST", "/creators", "duplicate_account", json=body_of(tenant, *twice)
        )

    def test_a_tracked_handle_makes_nothing(self, tenant: Tenant) -> None:
        first = tenant.creator("taken")
        body = body_of(
            tenant,
            {"platform": "tiktok", "handle": "new.one"},
            {"platform": "tiktok", "handle": "taken"},
        )
        meta = tenant.client.refusal("POST", "/creators", "already_tracked", json=body)
        assert meta["platform"] == "tiktok"
        assert meta["handle"] == "taken"
        assert meta["account_id"] == first["accounts"][0]["id"]
        assert meta["creator_id"] == first["id"]
        assert handles(tenant) == ["taken"]

    def test_two_organizations_track_a_handle(self, tenant: Tenant, other: Tenant) -> None:
        assert tenant.creator("shared")["handle"] == other.creator("shared")["handle"]

    def test_past_the_plans_accounts_nothing_is_made(self, api: Any) -> None:
        with new_tenant(api, plan="free") as tenant:
            create(tenant, *({"platform": "tiktok", "handle": f"demo{n}"} for n in range(9)))
            two = ({"platform": "tiktok", "handle": f"more{n}"} for n in range(2))
            meta = tenant.client.refusal(
                "POST", "/creators", "limit_reached", json=body_of(tenant, *two)
            )
            assert meta["limitKey"] == "max_accounts_per_org"
            assert (meta["current"], meta["max"]) == (9, 10)
            assert len(handles(tenant)) == 1
            tenant.creator("tenth")

    def test_hashtags_are_normalized(self, tenant: Tenant) -> None:
        account = {
            "platform": "tiktok",
            "handle": "demo",
            "tracking_mode": "hashtag",
            "tracking_hashtags": ["#Sommer, #ÜBER\u0075\u0308 sommer", "we-love"],
        }
        made = create(tenant, account)["accounts"][0]
        assert made["tracking_hashtags"] == ["sommer", "überü", "welove"]


class TestBatch:
    def url(self, tenant: Tenant) -> str:
        return f"/projects/{tenant.project_id}/creators"

    def batch(self, *handles: str) -> dict[str, Any]:
        accounts = [[{"platform": "tiktok", "handle": handle}] for handle in handles]
        return {"creators": [{"accounts": account} for account in accounts]}

    def test_one_object_makes_one_creator(self, tenant: Tenant) -> None:
        body = self.batch("demo")["creators"][0]
        made = tenant.client.data("POST", self.url(tenant), json=body)
        assert made["handle"] == "demo"
        assert made["project_id"] == str(tenant.project_id)

    def test_a_batch_makes_creators_in_its_order(self, tenant: Tenant) -> None:
        body = self.batch("demo1", "demo2", "demo3")
        made = tenant.client.data("POST", self.url(tenant), json=body)
        assert [creator["handle"] for creator in made] == ["demo1", "demo2", "demo3"]

    @pytest.mark.parametrize(
        ("failing", "code"), [("demo1", "already_tracked"), ("not a handle", "invalid_account")]
    )
    def test_earlier_creators_are_stored(self, tenant: Tenant, failing: str, code: str) -> None:
        body = self.batch("demo1", "demo2", failing, "demo4")
        meta = tenant.client.refusal("POST", self.url(tenant), code, json=body)
        assert meta["index"] == 2
        assert [creator["handle"] for creator in meta["created"]] == ["demo1", "demo2"]
        assert sorted(handles(tenant)) == ["demo1", "demo2"]

    def test_a_handle_of_an_earlier_one_of_the_batch_is_named(self, tenant: Tenant) -> None:
        body = self.batch("demo1", "demo1")
        meta = tenant.client.refusal("POST", self.url(tenant), "already_tracked", json=body)
        [made] = meta["created"]
        [account] = tenant.client.data("GET", "/accounts")
        assert (meta["creator_id"], meta["account_id"]) == (made["id"], account["id"])

    def test_the_first_of_several_errors_is_returned(self, tenant: Tenant) -> None:
        """Later items are not checked, whatever is wrong with them."""
        seen = tenant.creator("banned")["accounts"][0]["id"]
        looked = {"profile_looked_at": NOW, "profile_outcome": "banned"}
        change(tenant.api.store, Account, seen, is_active=False, **looked)
        body = self.batch("demo1", "banned", "demo1", "not a handle")
        body["creators"].insert(1, self.batch("demo2")["creators"][0])
        early = {"tracking_end_date": "2026-05-01", "tracking_start_date": "2026-05-02"}
        body["creators"][3]["accounts"][0] |= early
        meta = tenant.client.refusal("POST", self.url(tenant), "creator_banned", json=body)
        assert (meta["index"], meta["handle"]) == (2, "banned")
        assert [creator["handle"] for creator in meta["created"]] == ["demo1", "demo2"]

    def test_a_reversed_window_keeps_the_earlier_creators(self, tenant: Tenant) -> None:
        body = self.batch("demo1", "demo2")
        body["creators"][1]["accounts"][0]["tracking_end_date"] = "2026-05-01"
        meta = tenant.client.refusal("POST", self.url(tenant), "invalid_body", json=body)
        assert meta["issues"][0]["path"] == "accounts.0.tracking_end_date"
        assert (meta["index"], len(meta["created"])) == (1, 1)

    def test_the_plans_accounts_end_it_where_they_are_used_up(self, api: Any) -> None:
        with new_tenant(api, plan="free") as tenant:
            body = self.batch(*(f"demo{n}" for n in range(12)))
            meta = tenant.client.refusal("POST", self.url(tenant), "limit_reached", json=body)
            assert (meta["index"], meta["current"], meta["max"]) == (10, 10, 10)
            assert len(handles(tenant, limit=100)) == 10

    def test_videos_without_room_end_it_where_they_come_along(self, tenant: Tenant) -> None:
        store = tenant.api.store
        for number in (1, 2):
            gone = tenant.creator(f"demo{number}")["accounts"][0]["id"]
            exempt = number == 2
            add_video(store, tenant.made, str(number), account=gone, tracking_exempted=exempt)
            tenant.client.data("DELETE", f"/accounts/{gone}")
        leave_room(store, tenant.made, 0)
        body = self.batch("demo1", "demo2", "demo3")
        meta = tenant.client.refusal("POST", self.url(tenant), "limit_reached", json=body)
        assert (meta["limitKey"], meta["index"]) == ("max_tracked_videos_per_org", 1)
        assert [creator["handle"] for creator in meta["created"]] == ["demo1"]
        assert [account["handle"] for account in tenant.client.data("GET", "/accounts")] == [
            "demo1"
        ]

    def test_videos_come_along_each_with_its_own_account(self, tenant: Tenant) -> None:
        store, names = tenant.api.store, [f"demo{number}" for number in range(4)]
        videos = {}
        for number, name in enumerate(names[:2]):
            gone = tenant.creator(name)["accounts"][0]["id"]
            videos[name] = add_video(store, tenant.made, str(number), account=gone, frozen_at=NOW)
            tenant.client.data("DELETE", f"/accounts/{gone}")
        videos["demo2"] = add_video(store, tenant.made, "2", author_handle="demo2")
        made = tenant.client.data("POST", self.url(tenant), json=self.batch(*names))
        for creator in made[:3]:
            video = tenant.client.data("GET", f"/videos/{videos[creator['handle']]}")
            assert video["account_id"] == creator["accounts"][0]["id"]
            assert video["creator_id"] == creator["id"]
            assert video["tracking_disabled_reason"] is None
            with store.read_session() as session:
                dated = select(VideoOwner).where(VideoOwner.video_id == video["id"])
                owners = session.scalars(dated.order_by(VideoOwner.valid_from)).all()
                noted = session.scalars(
                    select(ChangeEntry).where(ChangeEntry.entity_id == video["id"])
                ).all()
            assert str(owners[-1].account_id) == video["account_id"]
            assert str(owners[-1].creator_id) == video["creator_id"]
            to = {name: side["to"] for line in noted for name, side in line.changes.items()}
            assert to["account_id"] == video["account_id"]
            assert to["creator_id"] == video["creator_id"]

    @pytest.mark.parametrize("comes_along", [False, True])
    def test_statements_do_not_grow_with_a_batch(self, tenant: Tenant, comes_along: bool) -> None:
        """One statement per account locked the organization's row for 13 s."""
        taken = []
        for creators, accounts in ((2, 2), (8, 10)):
            names = [f"demo{creators}.{number}" for number in range(creators * accounts)]
            body = {
                "creators": [
                    {
                        "accounts": [
                            {"platform": "tiktok", "handle": name}
                            for name in names[first * accounts : (first + 1) * accounts]
                        ]
                    }
                    for first in range(creators)
                ]
            }
            if comes_along:
                for number, name in enumerate(names):
                    post = f"{creators}{number:03d}"
                    add_video(tenant.api.store, tenant.made, post, author_handle=name)
            with statements_sent() as sent:
                tenant.client.data("POST", self.url(tenant), json=body)
            taken.append(len(sent))
        assert taken[0] == taken[1]

    def test_a_bad_field_of_a_batch_is_named(self, tenant: Tenant) -> None:
        body = self.batch("demo1", "demo2")
        body["creators"][1]["accounts"][0]["handle"] = 7
        meta = tenant.client.refusal("POST", self.url(tenant), "invalid_body", json=body)
        assert [issue["path"] for issue in meta["issues"]] == ["creators.1.accounts.0.handle"]

    def test_another_project_in_the_body_is_refused(self, tenant: Tenant) -> None:
        body = self.batch("demo")["creators"][0] | {"project_id": str(uuid4())}
        meta = tenant.client.refusal("POST", self.url(tenant), "invalid_body", json=body)
        assert meta["issues"][0]["path"] == "project_id"


class TestList:
    def test_filters(self, tenant: Tenant) -> None:
        create(tenant, {"platform": "instagram", "handle": "on.insta"}, display_name="Ada L.")
        create(tenant, {"platform": "tiktok", "handle": "on_tok"}, display_name="Grace 100%")
        assert handles(tenant, platform="instagram") == ["on.insta"]
        assert handles(tenant, platform="youtube") == []
        assert handles(tenant, search="ADA") == ["on.insta"]
        assert handles(tenant, search="N_T") == ["on_tok"]
        assert handles(tenant, search="100%") == ["on_tok"]
        assert handles(tenant, search="%") == ["on_tok"]
        assert handles(tenant, search="nobody") == []
        assert handles(tenant, search="@on_tok") == ["on_tok"]
        assert handles(tenant, search="https://www.tiktok.com/@On_Tok?lang=en") == ["on_tok"]
        assert handles(tenant, search="https://www.instagram.com/on_tok/") == []
        assert handles(tenant, project_id=str(uuid4())) == []
        assert len(handles(tenant, project_id=str(tenant.project_id))) == 2


class TestPosts:
    """tracked_post_count and pending_review_count come directly from PostgreSQL."""

    def test_counted_and_waiting_posts_are_distinguished(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        account = creator["accounts"][0]["id"]
        statuses = ["auto_tracked", "included", "direct_add", "excluded"] + ["pending_review"] * 2
        rows: list[dict[str, Any]] = [{"tracking_status": status} for status in statuses]
        rows += [
            {"tracking_status": "included", "tracking_disabled": True},
            {"tracking_status": "included", "stopped_at": "2026-05-01T00:00:00Z"},
            {"tracking_status": "included", "frozen_at": "2026-05-01T00:00:00Z"},
            {"tracking_status": "included", "plan_limit_paused_at": "2026-05-01T00:00:00Z"},
        ]
        for number, row in enumerate(rows):
            add_video(tenant.api.store, tenant.made, str(number), account=account, **row)
        answer = tenant.client.data("GET", f"/creators/{creator['id']}")
        assert (answer["tracked_post_count"], answer["pending_review_count"]) == (3, 2)

    def test_posts_of_a_removed_account_count_no_longer(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        account = creator["accounts"][0]["id"]
        add_video(tenant.api.store, tenant.made, "1", account=account)
        tenant.client.data("DELETE", f"/accounts/{account}")
        answer = tenant.client.data("GET", f"/creators/{creator['id']}")
        assert (answer["tracked_post_count"], answer["handle"], answer["accounts"]) == (0, None, [])


class TestChange:
    def test_fields_change_and_the_rest_stays(self, tenant: Tenant) -> None:
        creator = tenant.creator(metadata={"a": 1})
        path = f"/creators/{creator['id']}"
        changed = tenant.client.data("PATCH", path, json={"display_name": " Ada ", "readme": "Hi"})
        assert (changed["display_name"], changed["readme"]) == ("Ada", "Hi")
        assert changed["metadata"] == {"a": 1}
        changed = tenant.client.data("PATCH", path, json={"metadata": {"b": 2}, "readme": None})
        assert (changed["metadata"], changed["readme"]) == ({"b": 2}, None)
        assert changed["display_name"] == "Ada"

    def test_only_an_org_admin_removes(self, tenant: Tenant) -> None:
        path = f"/creators/{tenant.creator()['id']}"
        with tenant.client_with("read", "write", role="member") as client:
            client.data("PATCH", path, json={"display_name": "Ada", "is_active": True})
            client.refusal("PATCH", path, "insufficient_role", json={"is_active": False})
            client.refusal("DELETE", path, "insufficient_role")


class TestRemove:
    def test_accounts_go_with_the_creator_and_handles_are_free_again(self, tenant: Tenant) -> None:
        creator = tenant.creator("demo")
        path = f"/creators/{creator['id']}"
        assert tenant.client.data("PATCH", path, json={"is_active": False})["is_active"] is False
        assert tenant.client.data("DELETE", path) == {"deleted": True}
        assert handles(tenant) == []
        assert tenant.client.data("PATCH", path, json={"is_active": True})["is_active"] is False
        account = tenant.client.data("GET", f"/accounts/{creator['accounts'][0]['id']}")
        assert account["is_active"] is False
        assert tenant.creator("demo")["id"] != creator["id"]

    def test_its_assignments_end_with_the_day(self, api: Any) -> None:
        """In the organization's zone, where it is already tomorrow (money.md M5)."""
        with new_tenant(api, tz="Pacific/Kiritimati") as tenant:
            creator = tenant.creator()
            today = date(2026, 5, 21)
            for days in (
                (date(2026, 5, 1), None),
                (today, date(2026, 6, 30)),
                (date(2026, 5, 1), today - timedelta(days=1)),  # was over
                (today + timedelta(days=1), None),  # had not begun
            ):
                assign(tenant, creator["id"], *days)
            tenant.client.data("DELETE", f"/creators/{creator['id']}")
            with tenant.api.store.read_session() as session:
                own = PayoutAssignment.organization_id == tenant.organization_id
                left = session.scalars(
                    select(PayoutAssignment).where(own).order_by(PayoutAssignment.id)
                ).all()
            assert [(assignment.end_date, assignment.ended_at) for assignment in left] == [
                (today, NOW),
                (today, NOW),
                (today - timedelta(days=1), None),
            ]


class TestScrape:
    def test_the_primary_account_is_scraped(self, tenant: Tenant) -> None:
        creator = create(
            tenant,
            {"platform": "instagram", "handle": "first"},
            {"platform": "tiktok", "handle": "second"},
        )
        queued = tenant.client.data("POST", f"/creators/{creator['id']}/scrape")
        assert queued["job_type"] == "discover_videos"
        assert queued["account_id"] == creator["accounts"][1]["id"]
        job = tenant.client.data("GET", f"/scrape-jobs/{queued['job_id']}")
        assert (job["status"], job["error"], job["finished_at"]) == ("queued", None, None)

    def test_another_account_can_be_named(self, tenant: Tenant) -> None:
        creator = create(
            tenant,
            {"platform": "instagram", "handle": "first"},
            {"platform": "tiktok", "handle": "second"},
        )
        named = creator["accounts"][0]["id"]
        queued = tenant.client.data(
            "POST",
            f"/creators/{creator['id']}/scrape",
            params={"account_id": named},
            json={"job_type": "creator_profiles"},
        )
        assert (queued["account_id"], queued["job_type"]) == (named, "creator_profiles")

    def test_another_creators_account_is_not_found(self, tenant: Tenant) -> None:
        creator, stranger = tenant.creator("one"), tenant.creator("two")
        tenant.client.refusal(
            "POST",
            f"/creators/{creator['id']}/scrape",
            "not_found",
            params={"account_id": stranger["accounts"][0]["id"]},
        )

    def test_without_an_active_account_there_is_nothing_to_scrape(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        account = creator["accounts"][0]["id"]
        change(tenant.api.store, Account, account, deactivated_at="2026-05-01T00:00:00Z")
        tenant.client.refusal("POST", f"/creators/{creator['id']}/scrape", "invalid_request")
