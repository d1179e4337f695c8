"""Conversions: recorded once, batches all or nothing, found by rollup, voided or deleted."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.factories.tracking import change
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import Account, Organization, Video

NOTHING = "01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"
LATEST = "2026-05-20T12:00:00Z"


def path_of(tenant: Tenant, conversion: Any = None) -> str:
    path = f"/projects/{tenant.project_id}/conversions"
    return path if conversion is None else f"{path}/{conversion['id']}"


def owned_video(tenant: Tenant, creator: Any, number: int = 1) -> Any:
    """A post of the creator's first account."""
    video = tenant.video(number)
    give(tenant, video, creator, NOW)
    return video


def give(tenant: Tenant, video: Any, creator: Any, at: datetime) -> None:
    """Make the creator's first account the post's owner."""
    with tenant.api.store.write_session() as session:
        post, account = (
            session.get_one(Video, video["id"]),
            session.get_one(Account, creator["accounts"][0]["id"]),
        )
        post.account_id, post.creator_id = account.id, account.creator_id
        owned = Owned(post.id, post.organization_id, account.id, account.creator_id)
        date_owners(session, [owned], at)


@pytest.fixture
def event(tenant: Tenant) -> Any:
    return tenant.conversion_event(default_value_cents=500, currency="EUR")


class TestRecord:
    def test_defaults(self, tenant: Tenant, creator: Any, event: Any) -> None:
        body = {"conversion_event_key": "SIGNUP", "creator_id": creator["id"]}
        recorded = tenant.client.answer("POST", path_of(tenant), json=body)
        assert recorded["meta"] == {"deduped_count": 0}
        conversion = recorded["data"]
        assert conversion == {
            "id": conversion["id"],
            "conversion_event_id": event["id"],
            "conversion_event_key": "signup",
            "conversion_event_name": "Signup",
            "project_id": str(tenant.project_id),
            "target_type": "creator",
            "creator_id": creator["id"],
            "account_id": None,
            "video_id": None,
            "value_cents": 500,
            "quantity": 1,
            "total_value_cents": 500,
            "currency": "EUR",
            "external_id": None,
            "source": None,
            "label": None,
            "note": None,
            "metadata": {},
            "status": "recorded",
            "voided_at": None,
            "voided_reason": None,
            "occurred_at": LATEST,
            "created_at": LATEST,
        }
        assert tenant.client.data("GET", path_of(tenant, conversion)) == conversion

    def test_all_fields(self, tenant: Tenant, creator: Any, event: Any) -> None:
        fields = {
            "value_cents": 0,
            "quantity": 1_000_000,
            "external_id": "order 7",
            "source": "shop",
            "label": "Spring",
            "note": "By phone",
            "metadata": {"basket": [1, 2.5, None]},
        }
        at = {"occurred_at": "2026-05-01T02:30:00.123456+05:30"}
        conversion = tenant.conversion(event, creator_id=creator["id"], **fields, **at)
        assert fields.items() <= conversion.items()
        assert conversion["occurred_at"] == "2026-04-30T21:00:00.123456Z"
        assert conversion["total_value_cents"] == 0

    @pytest.mark.parametrize("offset", ["+05", "+05:00", "+0500"])
    def test_offsets_may_omit_minutes(
        self, tenant: Tenant, creator: Any, event: Any, offset: str
    ) -> None:
        at = f"2026-05-01 02:30:00.5{offset}"
        conversion = tenant.conversion(event, creator_id=creator["id"], occurred_at=at)
        assert conversion["occurred_at"] == "2026-04-30T21:30:00.500000Z"

    def test_the_largest_total_is_exact(self, tenant: Tenant, creator: Any, event: Any) -> None:
        most = {"value_cents": 9_000_000_000, "quantity": 1_000_000}
        conversion = tenant.conversion(event, creator_id=creator["id"], **most)
        assert conversion["total_value_cents"] == 9_000_000_000_000_000


class TestTargets:
    def test_an_account_credits_its_creator(self, tenant: Tenant, creator: Any, event: Any) -> None:
        account = creator["accounts"][0]["id"]
        conversion = tenant.conversion(event, account_id=account)
        assert conversion["target_type"] == "account"
        assert (conversion["creator_id"], conversion["account_id"]) == (creator["id"], account)
        assert conversion["video_id"] is None

    @pytest.mark.parametrize(
        "handle", ["demo.creator", "@Demo.Creator", "https://www.tiktok.com/@demo.creator"]
    )
    def test_a_handle_names_the_account_that_has_it(
        self, tenant: Tenant, creator: Any, event: Any, handle: str
    ) -> None:
        conversion = tenant.conversion(event, platform="tiktok", handle=handle)
        assert conversion["account_id"] == creator["accounts"][0]["id"]

    def test_a_video_credits_owners(self, tenant: Tenant, creator: Any, event: Any) -> None:
        video = owned_video(tenant, creator)
        conversion = tenant.conversion(event, video_id=video["id"])
        assert conversion["target_type"] == "video"
        assert conversion["video_id"] == video["id"]
        assert conversion["account_id"] == creator["accounts"][0]["id"]
        assert conversion["creator_id"] == creator["id"]

    def test_removed_creators_by_id(self, tenant: Tenant, creator: Any, event: Any) -> None:
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        assert tenant.conversion(event, creator_id=creator["id"])
        assert tenant.conversion(event, account_id=creator["accounts"][0]["id"])
        body = {"conversion_event_id": event["id"], "platform": "tiktok", "handle": "demo.creator"}
        tenant.client.refusal("POST", path_of(tenant), "account_not_found", json=body)

    @pytest.mark.parametrize(
        ("target", "code"),
        [
            ({"creator_id": "{other_creator}"}, "creator_not_found"),
            ({"account_id": "{other_account}"}, "account_not_found"),
            ({"video_id": "{other_video}"}, "video_not_found"),
            ({"creator_id": "{nothing}"}, "creator_not_found"),
            ({"account_id": "{nothing}"}, "account_not_found"),
            ({"video_id": "{nothing}"}, "video_not_found"),
            ({"platform": "tiktok", "handle": "unheard.of"}, "account_not_found"),
            ({"platform": "instagram", "handle": "demo.creator"}, "account_not_found"),
            ({"platform": "youtube", "handle": "demo.creator"}, "account_not_found"),
            ({"platform": "tiktok", "handle": "no handle at all!"}, "account_not_found"),
        ],
    )
    def test_missing_rows(
        self, tenant: Tenant, other: Tenant, event: Any, target: dict[str, str], code: str
    ) -> None:
        foreign = other.creator("other.creator")
        ids = {
            "{other_creator}": foreign["id"],
            "{other_account}": foreign["accounts"][0]["id"],
            "{other_video}": other.video()["id"],
            "{nothing}": NOTHING,
        }
        named = {name: ids.get(value, value) for name, value in target.items()}
        body = {"conversion_event_id": event["id"], **named}
        tenant.client.refusal("POST", path_of(tenant), code, json=body)

    def test_others_are_not_there(self, tenant: Tenant, creator: Any, event: Any) -> None:
        video = owned_video(tenant, creator)
        administration = f"/organizations/{tenant.organization_id}/projects"
        project = tenant.client.data("POST", administration, json={"name": "Next"})
        path = f"/projects/{project['id']}"
        there = tenant.client.data(
            "POST", f"{path}/conversion-events", json={"key": "there", "name": "There"}
        )
        for target, code in (
            ({"creator_id": creator["id"]}, "creator_not_found"),
            ({"account_id": creator["accounts"][0]["id"]}, "account_not_found"),
            ({"video_id": video["id"]}, "video_unattributed"),
        ):
            body = {"conversion_event_id": there["id"], **target}
            tenant.client.refusal("POST", f"{path}/conversions", code, json=body)
        body = {"conversion_event_id": event["id"], "creator_id": creator["id"]}
        tenant.client.refusal(
            "POST", f"{path}/conversions", "conversion_event_not_found", json=body
        )

    def test_a_video_without_an_owner(self, tenant: Tenant, event: Any) -> None:
        body = {"conversion_event_id": event["id"], "video_id": tenant.video()["id"]}
        tenant.client.refusal("POST", path_of(tenant), "video_unattributed", json=body)


def batch_of(event: Any, creator: Any, count: int) -> list[dict[str, Any]]:
    selected = {"conversion_event_id": event["id"], "creator_id": creator["id"]}
    return [{**selected, "external_id": f"order {number}"} for number in range(count)]


class TestBatch:
    @pytest.fixture
    def rows(self, creator: Any, event: Any) -> list[dict[str, Any]]:
        return batch_of(event, creator, 20)

    @pytest.mark.slow
    def test_answers_keep_the_order(self, tenant: Tenant, creator: Any, event: Any) -> None:
        rows = batch_of(event, creator, 500)
        rows.reverse()
        recorded = tenant.client.answer("POST", path_of(tenant), json={"conversions": rows})
        assert recorded["meta"] == {"deduped_count": 0}
        sent = [row["external_id"] for row in rows]
        assert [row["external_id"] for row in recorded["data"]] == sent

    @pytest.mark.parametrize(
        ("broken", "code"),
        [
            ({"quantity": 0}, "invalid_body"),
            ({"account_id": NOTHING}, "invalid_body"),
            ({"conversion_event_id": None}, "invalid_body"),
            ({"creator_id": NOTHING}, "creator_not_found"),
            ({"conversion_event_id": NOTHING}, "conversion_event_not_found"),
        ],
    )
    def test_one_bad_row_is_named_and_nothing_is_recorded(
        self, tenant: Tenant, rows: list[dict[str, Any]], broken: dict[str, Any], code: str
    ) -> None:
        rows[13] |= broken
        rows[17] |= broken
        meta = tenant.client.refusal("POST", path_of(tenant), code, json={"conversions": rows})
        assert meta["index"] == 13
        assert tenant.client.data("GET", path_of(tenant)) == []

    def test_one_deactivated_event(self, tenant: Tenant, creator: Any, event: Any) -> None:
        inactive = tenant.conversion_event("old")
        tenant.client.data(
            "DELETE", f"/projects/{tenant.project_id}/conversion-events/{inactive['id']}"
        )
        rows = [*batch_of(event, creator, 2), *batch_of(inactive, creator, 4)[2:]]
        meta = tenant.client.refusal(
            "POST", path_of(tenant), "conversion_event_inactive", json={"conversions": rows}
        )
        assert meta["index"] == 2


class TestExternalId:
    def test_a_known_one_is_unchanged(self, tenant: Tenant, creator: Any, event: Any) -> None:
        first = tenant.conversion(event, creator_id=creator["id"], external_id="7", quantity=2)
        changed = {"conversion_event_id": event["id"], "account_id": creator["accounts"][0]["id"]}
        body = {**changed, "external_id": "7", "quantity": 9}
        again = tenant.client.answer("POST", path_of(tenant), json=body)
        assert (again["data"], again["meta"]) == (first, {"deduped_count": 1})
        assert tenant.client.data("GET", path_of(tenant)) == [first]

    def test_a_repeated_batch_adds_new_rows(self, tenant: Tenant, creator: Any, event: Any) -> None:
        rows = batch_of(event, creator, 10)
        first = tenant.client.data("POST", path_of(tenant), json={"conversions": rows[:6]})
        again = tenant.client.answer("POST", path_of(tenant), json={"conversions": rows})
        assert again["data"][:6] == first
        assert again["meta"] == {"deduped_count": 6}
        assert len(tenant.client.data("GET", path_of(tenant))) == 10

    def test_the_first_of_a_batch_counts(self, tenant: Tenant, creator: Any, event: Any) -> None:
        row = batch_of(event, creator, 1)[0]
        rows = [{**row, "label": "first"}, {**row, "label": "second"}]
        recorded = tenant.client.answer("POST", path_of(tenant), json={"conversions": rows})
        assert [each["label"] for each in recorded["data"]] == ["first", "first"]
        assert recorded["meta"] == {"deduped_count": 1}

    def test_recorded_rows_answer(self, tenant: Tenant, creator: Any, event: Any) -> None:
        body = batch_of(event, creator, 1)[0]
        first = tenant.client.data("POST", path_of(tenant), json=body)
        event_path = f"/projects/{tenant.project_id}/conversion-events/{event['id']}"
        tenant.client.data("DELETE", event_path)
        again = tenant.client.answer("POST", path_of(tenant), json=body)
        assert (again["data"], again["meta"]) == (first, {"deduped_count": 1})

    def test_deleting_frees_the_id(self, tenant: Tenant, creator: Any, event: Any) -> None:
        body = batch_of(event, creator, 1)[0]
        first = tenant.client.data("POST", path_of(tenant), json=body)
        tenant.client.data("DELETE", path_of(tenant, first))
        voided = tenant.client.answer("POST", path_of(tenant), json=body)
        assert (voided["data"]["id"], voided["data"]["status"]) == (first["id"], "voided")
        tenant.client.data("DELETE", path_of(tenant, first), params={"mode": "hard"})
        anew = tenant.client.answer("POST", path_of(tenant), json=body)
        assert anew["data"]["id"] != first["id"]
        assert anew["meta"] == {"deduped_count": 0}

    def test_projects_have_ids_of_their_own(
        self, tenant: Tenant, other: Tenant, creator: Any, event: Any
    ) -> None:
        mine = tenant.conversion(event, creator_id=creator["id"], external_id="7")
        theirs = other.conversion(
            other.conversion_event(), creator_id=other.creator("else")["id"], external_id="7"
        )
        assert mine["id"] != theirs["id"]


class TestList:
    def listed(self, tenant: Tenant, **query: Any) -> list[str]:
        rows = tenant.client.data("GET", path_of(tenant), params=query)
        return [row["label"] for row in rows]

    def test_rollups(self, tenant: Tenant, creator: Any, event: Any) -> None:
        account, video = creator["accounts"][0]["id"], owned_video(tenant, creator)["id"]
        someone = tenant.creator("someone.else")["id"]
        for label, target in {
            "video": {"video_id": video},
            "account": {"account_id": account},
            "creator": {"creator_id": creator["id"]},
            "someone": {"creator_id": someone},
        }.items():
            tenant.conversion(event, label=label, **target)
        assert self.listed(tenant, creator_id=creator["id"]) == ["creator", "account", "video"]
        assert self.listed(tenant, account_id=account) == ["account", "video"]
        assert self.listed(tenant, video_id=video) == ["video"]
        assert self.listed(tenant, creator_id=someone) == ["someone"]

    def test_filters(self, tenant: Tenant, creator: Any, event: Any) -> None:
        second = tenant.conversion_event("sale")
        whose = {"creator_id": creator["id"]}
        tenant.conversion(event, **whose, label="a", source="shop")
        voided = tenant.conversion(second, **whose, label="b", source="Shop")
        tenant.client.data("DELETE", path_of(tenant, voided))
        assert self.listed(tenant) == ["a"]
        assert self.listed(tenant, status="voided") == ["b"]
        assert self.listed(tenant, status="all") == ["b", "a"]
        assert self.listed(tenant, status="all", source="shop") == ["a"]
        assert self.listed(tenant, status="all", conversion_event_id=second["id"]) == ["b"]

    def test_from_and_to_are_inclusive(self, tenant: Tenant, creator: Any, event: Any) -> None:
        for day in (1, 2, 3):
            at = f"2026-05-0{day}T00:00:00Z"
            tenant.conversion(event, creator_id=creator["id"], label=str(day), occurred_at=at)
        bounds = {"from": "2026-05-01T02:00:00+02:00", "to": "2026-05-02T00:00:00Z"}
        assert self.listed(tenant, **bounds) == ["2", "1"]
        assert self.listed(tenant, **{"from": "2026-05-02T00:00:00.000001Z"}) == ["3"]


class TestWithdraw:
    def test_voiding_keeps_the_first_reason(self, tenant: Tenant, creator: Any, event: Any) -> None:
        conversion = tenant.conversion(event, creator_id=creator["id"])
        path = path_of(tenant, conversion)
        voided = tenant.client.data("DELETE", path, params={"mode": "void"})
        changes = {"status": "voided", "voided_at": LATEST, "voided_reason": None}
        assert voided == {**conversion, **changes}
        again = tenant.client.request("DELETE", path, json={"reason": "Refund"})
        assert again.json()["data"] == voided
        assert tenant.client.data("GET", path) == voided

    def test_with_a_reason(self, tenant: Tenant, creator: Any, event: Any) -> None:
        path = path_of(tenant, tenant.conversion(event, creator_id=creator["id"]))
        voided = tenant.client.request("DELETE", path, json={"reason": "Refund"})
        assert voided.json()["data"]["voided_reason"] == "Refund"

    def test_hard_deletes(self, tenant: Tenant, creator: Any, event: Any) -> None:
        conversion = tenant.conversion(event, creator_id=creator["id"])
        path, query = path_of(tenant, conversion), {"mode": "hard"}
        with tenant.client_with("read", "write") as client:
            client.refusal("DELETE", path, "insufficient_scope", params=query)
        with tenant.client_with(role="member") as client:
            client.refusal("DELETE", path, "insufficient_role", params=query)
        deleted = tenant.client.data("DELETE", path, params=query)
        assert deleted == {"id": conversion["id"], "mode": "hard"}
        tenant.client.refusal("GET", path, "not_found")
        tenant.client.refusal("DELETE", path, "not_found", params=query)


def test_it_keeps_its_first_creator(tenant: Tenant, creator: Any, event: Any) -> None:
    video = owned_video(tenant, creator)
    conversion = tenant.conversion(event, video_id=video["id"])
    heir = tenant.creator("the.heir")
    give(tenant, video, heir, NOW + timedelta(days=1))
    assert tenant.client.data("GET", path_of(tenant, conversion))["creator_id"] == creator["id"]
    assert tenant.conversion(event, video_id=video["id"])["creator_id"] == heir["id"]


def test_the_switch_leaves_recording_alone(tenant: Tenant, creator: Any, event: Any) -> None:
    """If off, conversions create no accruals, but are recorded."""
    change(tenant.api.store, Organization, tenant.organization_id, conversion_payouts_enabled=False)
    assert tenant.conversion(event, creator_id=creator["id"])["status"] == "recorded"
