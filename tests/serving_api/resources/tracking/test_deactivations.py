"""Accounts and creators over HTTP: deactivated and reactivated, with all consequences."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.factories.limits import leave_room
from tests.factories.payouts import assign
from tests.factories.tracking import add_video, change
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from warehouse.operational.models import (
    Account,
    AccountDeactivation,
    ChangeEntry,
    PayoutPause,
    Video,
)

KEEP = {"videos": "keep_tracking"}
FREEZE = {"videos": "freeze"}
STOP = {"videos": "stop_tracking"}
INBOX = {"missed_posts": "inbox"}
TODAY = NOW.date()
HOUR = timedelta(hours=1)
LAST_WEEK = datetime(2026, 5, 13, 9, tzinfo=UTC)
Row = TypeVar("Row", AccountDeactivation, PayoutPause)


class Stage:
    """A creator with accounts and videos."""

    def __init__(self, tenant: Tenant, *handles: str) -> None:
        self.tenant = tenant
        accounts = [{"platform": "tiktok", "handle": handle} for handle in handles or ("demo",)]
        self.creator = tenant.creator(accounts=accounts)
        self.ids = [account["id"] for account in self.creator["accounts"]]

    def video(self, post: str, account: int = 0, **columns: Any) -> UUID:
        owner = {"account": UUID(self.ids[account])}
        return add_video(self.tenant.api.store, self.tenant.made, post, **owner, **columns)

    def marks(self, *videos: UUID) -> list[str]:
        """The state of each video: tracked, frozen or stopped."""
        with self.tenant.api.store.read_session() as session:
            rows = [session.get_one(Video, video) for video in videos]
        return [
            "stopped" if row.stopped_at else "frozen" if row.frozen_at else "tracked"
            for row in rows
        ]

    def path(self, what: str, account: int | None = 0) -> str:
        """A path below one account; below the creator for None."""
        if account is None:
            return f"/creators/{self.creator['id']}/{what}"
        return f"/accounts/{self.ids[account]}/{what}"

    def post(self, what: str, body: Any, account: int | None = 0) -> Any:
        return self.tenant.client.data("POST", self.path(what, account), json=body)

    def refused(self, what: str, body: Any, code: str, account: int | None = 0) -> Any:
        path = self.path(what, account)
        return self.tenant.client.refusal("POST", path, code, json=body)

    def account(self, account: int = 0) -> Any:
        return self.tenant.client.data("GET", f"/accounts/{self.ids[account]}")

    def rows(self, row_type: type[Row]) -> list[Row]:
        with self.tenant.api.store.read_session() as session:
            own = row_type.organization_id == self.tenant.organization_id
            return list(session.scalars(select(row_type).where(own)))

    def stretches(self) -> list[tuple[datetime, datetime | None]]:
        """The start and end of each account deactivation."""
        rows = self.rows(AccountDeactivation)
        return sorted((row.deactivated_at, row.reactivated_at) for row in rows)

    def set_stretch(self, since: datetime, until: datetime) -> None:
        """Change the only deactivation."""
        with self.tenant.api.store.write_session() as session:
            [row] = self.rows(AccountDeactivation)
            stretch = session.get_one(AccountDeactivation, row.id)
            stretch.deactivated_at, stretch.reactivated_at = since, until

    def assign(self, start: date = date(2026, 5, 1), end: date | None = None) -> None:
        assign(self.tenant, self.creator["id"], start, end)

    def rest(self, body: Any = FREEZE, account: int | None = 0, *, since: datetime = NOW) -> None:
        """Deactivate, dated back to `since`."""
        self.post("deactivate", body, account)
        with self.tenant.api.store.write_session() as session:
            for row in session.scalars(select(AccountDeactivation)):
                if str(row.account_id) in self.ids and row.reactivated_at is None:
                    row.deactivated_at = since


@pytest.fixture
def stage(tenant: Tenant) -> Stage:
    return Stage(tenant)


@pytest.fixture
def pair(tenant: Tenant) -> Stage:
    return Stage(tenant, "demo", "demo.two")


class TestDeactivateAccount:
    def test_the_account_shows_it_in_both_forms(self, stage: Stage) -> None:
        account = stage.post("deactivate", {**FREEZE, "reason": "On holiday"})["account"]
        assert account["deactivation"] == {
            "deactivated_at": "2026-05-20T12:00:00Z",
            "deactivated_by": str(stage.tenant.made.user_id),
            "video_choice": "freeze",
            "reason": "On holiday",
            "via_creator": False,
        }
        raw = {
            "deactivated_at": "2026-05-20T12:00:00Z",
            "deactivated_by": str(stage.tenant.made.user_id),
            "deactivated_via_cascade": False,
            "deactivation_video_choice": "freeze",
            "deactivation_reason": "On holiday",
        }
        assert raw.items() <= account.items()
        assert account["is_active"] is True

    @pytest.mark.parametrize(
        ("choice", "mark", "counts"),
        [
            ("keep_tracking", "tracked", {"frozen": 0, "stopped": 0}),
            ("freeze", "frozen", {"frozen": 2, "stopped": 0}),
            ("stop_tracking", "stopped", {"frozen": 0, "stopped": 2}),
        ],
    )
    def test_its_videos_are_treated_as_chosen(
        self, stage: Stage, choice: str, mark: str, counts: dict[str, int]
    ) -> None:
        tracked = [stage.video("1"), stage.video("2", tracking_status="pending_review")]
        excluded = stage.video("3", tracking_status="excluded")
        result = stage.post("deactivate", {"videos": choice})["result"]
        assert result == {
            "account_id": stage.ids[0],
            "creator_id": stage.creator["id"],
            "videos_frozen": counts["frozen"],
            "videos_stopped": counts["stopped"],
            "payouts": None,
        }
        assert stage.marks(*tracked, excluded) == [mark, mark, "tracked"]
        assert stage.account()["deactivation"]["video_counts"] == counts

    @pytest.mark.parametrize("body", [KEEP, FREEZE, STOP])
    def test_its_videos_leave_the_tracked_posts(self, stage: Stage, body: Any) -> None:
        def tracked_post_count() -> int:
            creator = stage.tenant.client.data("GET", f"/creators/{stage.creator['id']}")
            return int(creator["tracked_post_count"])

        stage.video("1")
        assert tracked_post_count() == 1
        stage.post("deactivate", body)
        assert tracked_post_count() == 0

    def test_videos_that_stood_still_are_stopped_but_never_frozen_again(self, stage: Stage) -> None:
        frozen = stage.video("1", frozen_at=LAST_WEEK)
        stopped = stage.video("2", stopped_at=LAST_WEEK)
        assert stage.post("deactivate", FREEZE)["result"]["videos_frozen"] == 0
        stage.post("reactivate", {**INBOX, "existing_videos": "keep"})
        result = stage.post("deactivate", STOP)["result"]
        assert (result["videos_frozen"], result["videos_stopped"]) == (0, 1)
        assert stage.marks(frozen, stopped) == ["stopped", "stopped"]
        counts = stage.account()["deactivation"]["video_counts"]
        assert counts == {"frozen": 0, "stopped": 2}

    def test_it_leaves_the_default_list_and_stops_counting(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            stage = Stage(tenant, *(f"demo{n}" for n in range(10)))
            stage.post("deactivate", FREEZE)
            listed = tenant.client.data("GET", "/accounts")
            assert stage.ids[0] not in {account["id"] for account in listed}
            tenant.creator("eleventh")

    def test_the_change_log_names_the_account_and_each_video(self, stage: Stage) -> None:
        video = stage.video("1")
        stage.post("deactivate", FREEZE)
        with stage.tenant.api.store.read_session() as session:
            changed = session.scalars(
                select(ChangeEntry).where(
                    ChangeEntry.organization_id == stage.tenant.organization_id,
                    ChangeEntry.kind == "changed",
                )
            ).all()
        changes_by_entity = {entry.entity_id: entry.changes for entry in changed}
        assert changes_by_entity[video]["frozen_at"] == {"from": None, "to": NOW.isoformat()}
        assert changes_by_entity[UUID(stage.ids[0])]["deactivated_at"]["to"] == NOW.isoformat()

    def test_twice_is_a_conflict_also_with_its_creator(self, pair: Stage) -> None:
        pair.post("deactivate", FREEZE)
        pair.refused("deactivate", FREEZE, "already_deactivated")
        pair.post("deactivate", FREEZE, None)
        pair.refused("deactivate", FREEZE, "already_deactivated", account=1)

    def test_a_removed_one_or_one_of_a_removed_creator_is_not_found(self, pair: Stage) -> None:
        pair.tenant.client.data("DELETE", f"/accounts/{pair.ids[0]}")
        pair.refused("deactivate", FREEZE, "not_found")
        pair.refused("reactivate", INBOX, "not_found")
        pair.tenant.client.data("DELETE", f"/creators/{pair.creator['id']}")
        pair.refused("deactivate", FREEZE, "not_found", account=1)
        pair.refused("reactivate", INBOX, "not_found", account=1)


class TestPayouts:
    def test_the_last_account_needs_a_choice_if_assigned(self, pair: Stage) -> None:
        pair.assign()
        pair.assign(end=TODAY)
        pair.assign(start=TODAY + timedelta(days=5))
        pair.assign(end=TODAY - timedelta(days=1))  # over
        result = pair.post("deactivate", {**FREEZE, "payouts": "pause"})["result"]
        assert result["payouts"] is None  # ignored, as another account is active
        assert pair.rows(PayoutPause) == []
        meta = pair.refused("deactivate", FREEZE, "payouts_required", account=1)
        assert meta["assignments"] == 3
        assert pair.account(1)["deactivation"] is None
        result = pair.post("deactivate", {**FREEZE, "payouts": "pause"}, 1)["result"]
        assert result["payouts"] == "pause"
        [pause] = pair.rows(PayoutPause)
        assert (pause.creator_id, pause.paused_at) == (UUID(pair.creator["id"]), NOW)
        assert (pause.paused_by, pause.restarted_at) == (pair.tenant.made.user_id, None)

    def test_continued_payouts_are_not_paused(self, stage: Stage) -> None:
        stage.assign()
        assert (
            stage.post("deactivate", {**FREEZE, "payouts": "keep"})["result"]["payouts"] == "keep"
        )
        assert stage.rows(PayoutPause) == []

    def test_a_choice_is_ignored_where_nothing_is_assigned(self, stage: Stage) -> None:
        result = stage.post("deactivate", {**FREEZE, "payouts": "pause"})["result"]
        assert (result["payouts"], stage.rows(PayoutPause)) == (None, [])

    def test_reactivating_any_account_restarts_them(self, pair: Stage) -> None:
        pair.assign()
        pair.post("deactivate", FREEZE)
        pair.post("deactivate", {**FREEZE, "payouts": "pause"}, 1)
        pair.post("reactivate", INBOX)
        [pause] = pair.rows(PayoutPause)
        assert (pause.restarted_at, pause.restarted_by) == (NOW, pair.tenant.made.user_id)

    @pytest.mark.parametrize("handle", ["demo", "new.one"])
    def test_an_account_that_is_added_restarts_them(self, stage: Stage, handle: str) -> None:
        stage.assign()
        stage.post("deactivate", {**FREEZE, "payouts": "pause"})
        stage.tenant.client.data("DELETE", f"/accounts/{stage.ids[0]}")
        body = {"platform": "tiktok", "handle": handle}
        path = f"/creators/{stage.creator['id']}/accounts"
        stage.tenant.client.data("POST", path, json=body)
        assert stage.rows(PayoutPause)[0].restarted_at == NOW

    def test_with_the_clock_set_back_pauses_follow(self, stage: Stage) -> None:
        stage.assign()
        stage.post("deactivate", {**FREEZE, "payouts": "pause"})
        stage.post("reactivate", INBOX)
        later = NOW + HOUR
        with stage.tenant.api.store.write_session() as session:
            pause = session.get_one(PayoutPause, stage.rows(PayoutPause)[0].id)
            pause.paused_at = pause.restarted_at = later
        stage.post("deactivate", {**FREEZE, "payouts": "pause"})
        pauses = [(row.paused_at, row.restarted_at) for row in stage.rows(PayoutPause)]
        assert set(pauses) == {(later, later), (later, None)}

    def test_a_creator_asks_whatever_accounts_it_has(self, stage: Stage) -> None:
        stage.assign()
        meta = stage.refused("deactivate", FREEZE, "payouts_required", account=None)
        assert meta["assignments"] == 1
        result = stage.post("deactivate", {**FREEZE, "payouts": "pause"}, None)["result"]
        assert result["payouts"] == "pause"
        stage.post("reactivate", INBOX, None)
        assert stage.rows(PayoutPause)[0].restarted_at == NOW


class TestReactivateAccount:
    def test_it_is_active_again_and_fetched_from_the_start(self, stage: Stage) -> None:
        stage.post("deactivate", FREEZE)
        change(stage.tenant.api.store, Account, UUID(stage.ids[0]), last_discovered_at=NOW)
        reactivated = stage.post("reactivate", {**INBOX, "note": "Back"})
        assert reactivated["result"] == {
            "account_id": stage.ids[0],
            "creator_id": stage.creator["id"],
            "videos_resumed": 0,
            "videos_stopped": 0,
            "missed_posts_updated": 0,
        }
        account = reactivated["account"]
        assert account["deactivation"] is account["deactivated_at"] is None
        assert account["deactivated_by"] is account["deactivation_reason"] is None
        assert account["deactivation_video_choice"] is None
        with stage.tenant.api.store.read_session() as session:
            row = session.get_one(Account, UUID(stage.ids[0]))
            assert row.last_discovered_at is None
        [stretch] = stage.rows(AccountDeactivation)
        assert (stretch.reactivated_at, stretch.missed_posts) == (NOW, "inbox")
        assert (stretch.note, stretch.reactivated_by) == ("Back", stage.tenant.made.user_id)

    @pytest.mark.parametrize(
        ("choice", "marks", "resumed", "stopped"),
        [
            ("resume", ["tracked", "tracked"], 2, 0),
            ("keep", ["frozen", "stopped"], 0, 0),
            ("stop", ["stopped", "stopped"], 0, 1),
        ],
    )
    def test_frozen_videos_are_treated_as_chosen(
        self, stage: Stage, choice: str, marks: list[str], resumed: int, stopped: int
    ) -> None:
        videos = [stage.video("1"), stage.video("2", stopped_at=LAST_WEEK)]
        stage.post("deactivate", FREEZE)
        meta = stage.refused("reactivate", INBOX, "existing_videos_required")
        assert (meta["frozen"], meta["stopped"]) == (1, 1)
        assert stage.account()["deactivation"] is not None
        result = stage.post("reactivate", {**INBOX, "existing_videos": choice})["result"]
        assert (result["videos_resumed"], result["videos_stopped"]) == (resumed, stopped)
        assert stage.marks(*videos) == marks
        assert stage.rows(AccountDeactivation)[0].existing_videos == choice

    def test_the_choice_is_ignored_without_frozen_videos(self, stage: Stage) -> None:
        stage.video("1")
        stage.post("deactivate", {"videos": "keep_tracking"})
        stage.post("reactivate", {**INBOX, "existing_videos": "stop"})
        assert stage.rows(AccountDeactivation)[0].existing_videos is None

    @pytest.mark.parametrize(
        ("choice", "statuses", "updated"),
        [
            ("inbox", ["pending_review", "auto_tracked", "included"], 1),
            ("track", ["auto_tracked", "auto_tracked", "included"], 0),
            ("ignore", ["excluded", "auto_tracked", "included"], 1),
        ],
    )
    def test_missed_posts_that_are_known_are_filed_at_once(
        self, stage: Stage, choice: str, statuses: list[str], updated: int
    ) -> None:
        """Posted in the interval, before it, and in it but accepted by a person."""
        change(stage.tenant.api.store, Account, UUID(stage.ids[0]), tracking_start_date=None)
        meanwhile = LAST_WEEK + timedelta(days=1)
        videos = [
            stage.video("1", posted_at=meanwhile),
            stage.video("2", posted_at=LAST_WEEK - timedelta(seconds=1)),
            stage.video("3", posted_at=meanwhile, tracking_status="included"),
        ]
        stage.rest({"videos": "keep_tracking"}, since=LAST_WEEK)
        result = stage.post("reactivate", {"missed_posts": choice})["result"]
        assert result["missed_posts_updated"] == updated
        with stage.tenant.api.store.read_session() as session:
            rows = [session.get_one(Video, video) for video in videos]
        assert [row.tracking_status for row in rows] == statuses

    def test_without_room_nothing_changes(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            stage = Stage(tenant, *(f"demo{n}" for n in range(10)))
            video = stage.video("1")
            stage.post("deactivate", FREEZE)
            tenant.creator("in.its.place")
            body = {**INBOX, "existing_videos": "resume"}
            meta = stage.refused("reactivate", body, "limit_reached")
            assert meta["limitKey"] == "max_accounts_per_org"
            assert (meta["current"], meta["max"]) == (10, 10)
            assert stage.account()["deactivation"] is not None
            assert stage.marks(video) == ["frozen"]

    def test_videos_that_come_back_pause_the_oldest_at_the_limit(self, stage: Stage) -> None:
        older = [stage.video(str(n), posted_at=LAST_WEEK + timedelta(days=n)) for n in range(2)]
        stage.post("deactivate", FREEZE)
        other = Stage(stage.tenant, "other")
        newer = other.video("9", posted_at=NOW)
        leave_room(stage.tenant.api.store, stage.tenant.made, 2)
        stage.post("reactivate", {**INBOX, "existing_videos": "resume"})
        with stage.tenant.api.store.read_session() as session:
            paused = [
                session.get_one(Video, video_id).plan_limit_paused_at
                for video_id in (*older, newer)
            ]
        assert [at is not None for at in paused] == [True, False, False]

    def test_too_many_exempt_videos_stay_with_it(self, stage: Stage) -> None:
        videos = [stage.video(str(n), tracking_exempted=True) for n in range(2)]
        stage.post("deactivate", FREEZE)
        leave_room(stage.tenant.api.store, stage.tenant.made, 1)
        body = {**INBOX, "existing_videos": "resume"}
        meta = stage.refused("reactivate", body, "limit_reached")
        assert (meta["limitKey"], meta["current"], meta["max"]) == (
            "max_tracked_videos_per_org",
            501,
            500,
        )
        assert stage.marks(*videos) == ["frozen", "frozen"]
        stage.post("reactivate", {**INBOX, "existing_videos": "keep"})

    def test_an_ignored_post_is_tracked_once_included(self, stage: Stage) -> None:
        """Although it was frozen: excluding a post ends that."""
        change(stage.tenant.api.store, Account, UUID(stage.ids[0]), tracking_start_date=None)
        video = stage.video("1", posted_at=LAST_WEEK + timedelta(days=1))
        stage.rest(FREEZE, since=LAST_WEEK)
        stage.post("reactivate", {"missed_posts": "ignore", "existing_videos": "keep"})
        included = {"tracking_status": "included"}
        post = stage.tenant.client.data("PATCH", f"/videos/{video}", json=included)
        assert (post["tracking_status"], post["tracking_disabled"]) == ("included", False)

    def test_an_active_account_has_nothing_to_reactivate(self, stage: Stage) -> None:
        stage.refused("reactivate", INBOX, "not_deactivated")

    @pytest.mark.parametrize("account", [0, 1])
    def test_no_account_comes_back_without_its_creator(self, pair: Stage, account: int) -> None:
        """Neither an account deactivated earlier, nor one deactivated with the creator."""
        pair.post("deactivate", FREEZE)
        pair.post("deactivate", FREEZE, None)
        meta = pair.refused("reactivate", INBOX, "conflict", account=account)
        assert meta["reason"] == "creator_deactivated"

    def test_a_second_deactivation_is_another_row(self, stage: Stage) -> None:
        stage.rest(since=LAST_WEEK)
        stage.post("reactivate", INBOX)
        stage.post("deactivate", FREEZE)
        assert stage.stretches() == [(LAST_WEEK, NOW), (NOW, None)]

    @pytest.mark.parametrize("account", [0, None], ids=["account", "creator"])
    def test_a_second_deactivation_at_the_same_instant_replaces_the_first(
        self, stage: Stage, account: int | None
    ) -> None:
        stage.post("deactivate", {**FREEZE, "reason": "Ill"}, account)
        stage.post("reactivate", {**INBOX, "note": "Well", "existing_videos": "stop"}, account)
        stage.post("deactivate", {"videos": "keep_tracking"}, account)
        [row] = stage.rows(AccountDeactivation)
        assert (row.deactivated_at, row.reactivated_at) == (NOW, None)
        assert (row.video_choice, row.reason) == ("keep_tracking", None)
        assert (row.missed_posts, row.existing_videos, row.note) == (None, None, None)
        assert stage.account()["deactivation"]["video_choice"] == "keep_tracking"

    def test_with_the_clock_set_back_intervals_follow(self, stage: Stage) -> None:
        stage.rest(since=NOW + HOUR)
        stage.post("reactivate", INBOX)
        assert stage.stretches() == [(NOW + HOUR, NOW + HOUR)]
        stage.set_stretch(NOW + HOUR, NOW + 2 * HOUR)
        account = stage.post("deactivate", FREEZE)["account"]
        assert account["deactivation"]["deactivated_at"] == "2026-05-20T14:00:00Z"
        stage.post("reactivate", {**INBOX, "existing_videos": "keep"})
        assert stage.stretches() == [(NOW + HOUR, NOW + 2 * HOUR), (NOW + 2 * HOUR, NOW + 2 * HOUR)]


class TestCreators:
    def test_accounts_go_and_return_with_their_creator(self, pair: Stage) -> None:
        videos = [pair.video("1"), pair.video("2", account=1)]
        pair.post("deactivate", {"videos": "keep_tracking"})
        gone = pair.post("deactivate", {**STOP, "reason": "Contract ended"}, None)
        assert gone["result"] == {
            "creator_id": pair.creator["id"],
            "accounts_deactivated": 1,
            "videos_frozen": 0,
            "videos_stopped": 1,
            "payouts": None,
        }
        first, second = gone["creator"]["accounts"]
        assert first["deactivation"]["via_creator"] is False
        assert second["deactivation"]["via_creator"] is True
        assert second["deactivation"]["reason"] == "Contract ended"
        assert pair.marks(*videos) == ["tracked", "stopped"]

        meta = pair.refused("reactivate", INBOX, "existing_videos_required", account=None)
        assert (meta["frozen"], meta["stopped"]) == (0, 1)
        body = {**INBOX, "existing_videos": "resume"}
        back = pair.post("reactivate", body, None)
        assert back["result"] == {
            "creator_id": pair.creator["id"],
            "accounts_reactivated": 1,
            "videos_resumed": 1,
            "videos_stopped": 0,
            "missed_posts_updated": 0,
        }
        first, second = back["creator"]["accounts"]
        assert (first["deactivation"] is None, second["deactivation"] is None) == (False, True)

    def test_its_state_can_be_filtered_by_name(self, stage: Stage) -> None:
        stage.refused("reactivate", INBOX, "not_deactivated", account=None)
        stage.post("deactivate", FREEZE, None)
        stage.refused("deactivate", FREEZE, "already_deactivated", account=None)
        stage.tenant.client.data("DELETE", f"/creators/{stage.creator['id']}")
        stage.refused("deactivate", FREEZE, "not_found", account=None)
        stage.refused("reactivate", INBOX, "not_found", account=None)

    def test_it_stays_in_the_list_without_active_accounts(self, stage: Stage) -> None:
        stage.post("deactivate", FREEZE, None)
        [listed] = stage.tenant.client.data("GET", "/creators")
        assert (listed["is_active"], listed["handle"]) == (True, "demo")

    def test_it_returns_only_where_all_its_accounts_have_room(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            stage = Stage(tenant, "one", "two")
            stage.post("deactivate", FREEZE, None)
            Stage(tenant, *(f"demo{n}" for n in range(10)))
            body = {"platform": "tiktok", "handle": "needs.no.room"}
            tenant.client.data("POST", f"/creators/{stage.creator['id']}/accounts", json=body)
            meta = stage.refused("reactivate", INBOX, "limit_reached", account=None)
            assert (meta["current"], meta["max"]) == (10, 10)
            assert stage.account()["deactivation"]["via_creator"] is True

    def test_an_account_added_meanwhile_comes_back_with_it(self, stage: Stage) -> None:
        stage.post("deactivate", {**STOP, "reason": "Pause"}, None)
        body = {"platform": "tiktok", "handle": "late"}
        path = f"/creators/{stage.creator['id']}/accounts"
        late = stage.tenant.client.data("POST", path, json=body)
        assert late["deactivation"]["via_creator"] is True
        assert late["deactivation"]["video_choice"] == "stop_tracking"
        assert late["deactivation"]["reason"] == "Pause"
        result = stage.post("reactivate", INBOX, None)["result"]
        assert result["accounts_reactivated"] == 2
