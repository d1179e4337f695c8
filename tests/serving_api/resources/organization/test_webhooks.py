"""Webhook endpoints over HTTP: created, changed, tested; the log, and who may read it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from serving_api.kit.rows import rows_of
from serving_api.resources.organization.webhooks import repository
from tests.fixtures.api import Tenant, new_tenant
from tests.fixtures.payouts import Paying
from warehouse.encryption import Encryption
from warehouse.operational.audit import HIDDEN
from warehouse.operational.models import ChangeEntry, WebhookDelivery, WebhookEndpoint, WebhookEvent
from warehouse.secret_key import secret_key
from warehouse.webhooks.event import EVENT_TYPES
from warehouse.webhooks.signing import secrets_of

URL = "https://hooks.test.invalid/tracker"
ENDPOINTS = "/webhook-endpoints"


def endpoint(tenant: Tenant, **body: Any) -> Any:
    return tenant.client.data("POST", ENDPOINTS, json={"url": URL, **body})


def events(tenant: Tenant, **query: str) -> Any:
    return tenant.client.data("GET", "/webhook-events", params=query)


def deliveries(tenant: Tenant, made: Any, **query: str) -> Any:
    return tenant.client.data("GET", f"{ENDPOINTS}/{made['id']}/deliveries", params=query)


def pay(paying: Paying, **body: Any) -> Any:
    return paying.pay(accrual_ids=None, amount_cents=5_000, **body)


def signing(tenant: Tenant, made: Any) -> list[str]:
    """The secrets that currently sign an endpoint's messages."""
    encryption = Encryption(secret_key(tenant.api.settings))
    with tenant.api.store.read_session() as session:
        row = session.get_one(WebhookEndpoint, UUID(made["id"]))
        return list(secrets_of(row, encryption, datetime.now(UTC)))


def micros(event: Any) -> int:
    """When an event was logged, in microseconds."""
    since = datetime.fromisoformat(event["created_at"]) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1)


class TestEndpoints:
    def test_a_secret_is_shown_when_it_is_made_and_never_again(self, tenant: Tenant) -> None:
        made = endpoint(tenant, event_types=["payment.recorded", "payment.recorded"])
        assert made["secret"].startswith("whsec_")
        assert made["event_types"] == ["payment.recorded"]
        answer = tenant.client.data("GET", f"{ENDPOINTS}/{made['id']}")
        assert answer == {name: made[name] for name in answer}
        assert "secret" not in answer
        assert tenant.client.data("GET", ENDPOINTS) == [answer]
        log = tenant.client.data("GET", "/webhook-events")
        assert log == []

    def test_secrets_are_stored_encrypted(self, tenant: Tenant) -> None:
        made = endpoint(tenant)
        with tenant.api.store.read_session() as session:
            [row] = session.scalars(select(WebhookEndpoint).filter_by(id=made["id"]))
            changes = session.scalars(select(ChangeEntry.changes).filter_by(entity_id=made["id"]))
            assert [each["secret_encrypted"]["to"] for each in changes] == [HIDDEN]
        assert made["secret"].encode() not in row.secret_encrypted

    def test_the_previous_secret_signs_for_another_day(self, tenant: Tenant) -> None:
        made = endpoint(tenant)
        before = datetime.now(UTC)
        turned = tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/rotate-secret")
        assert turned["secret"] != made["secret"]
        until = datetime.fromisoformat(turned["previous_secret_expires_at"])
        assert before + timedelta(hours=24) <= until <= datetime.now(UTC) + timedelta(hours=24)

    def test_previous_secrets_still_sign_after_further_rotations(self, tenant: Tenant) -> None:
        """If a response is lost, the receiver still has the first secret."""
        made = endpoint(tenant)
        rotate = f"{ENDPOINTS}/{made['id']}/rotate-secret"
        secrets = [made["secret"]]
        for _ in range(5):
            secrets.insert(0, tenant.client.data("POST", rotate)["secret"])
            assert signing(tenant, made) == secrets[:5]

    def test_one_that_cannot_be_read_is_replaced(self, tenant: Tenant) -> None:
        made = endpoint(tenant)
        with tenant.api.store.write_session() as session:
            row = session.get_one(WebhookEndpoint, UUID(made["id"]))
            row.secret_encrypted = b"made with another key"
        turned = tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/rotate-secret")
        assert turned["previous_secret_expires_at"] is None
        assert signing(tenant, made) == [turned["secret"]]

    def test_ten_are_the_most(self, tenant: Tenant) -> None:
        for _ in range(10):
            endpoint(tenant)
        meta = tenant.client.refusal("POST", ENDPOINTS, "conflict", json={"url": URL})
        assert meta["reason"] == "too_many_webhook_endpoints"

    def test_a_deleted_endpoint_is_not_found_and_its_log_stays(self, tenant: Tenant) -> None:
        made = endpoint(tenant)
        tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        assert tenant.client.data("DELETE", f"{ENDPOINTS}/{made['id']}") == {"deleted": True}
        path = f"{ENDPOINTS}/{made['id']}"
        tenant.client.refusal("GET", path, "not_found")
        assert [event["type"] for event in events(tenant)] == ["webhook.test"]

    def test_disabling_and_enabling_it_again(self, tenant: Tenant) -> None:
        path = f"{ENDPOINTS}/{endpoint(tenant)['id']}"
        off = tenant.client.data("PATCH", path, json={"is_enabled": False})
        assert (off["is_enabled"], off["disabled_reason"]) == (False, None)
        assert off["disabled_at"] is not None
        for action in ("test", "redeliver"):
            body = {"since": "2026-05-20T10:00:00Z"} if action == "redeliver" else None
            meta = tenant.client.refusal("POST", f"{path}/{action}", "conflict", json=body)
            assert meta["reason"] == "webhook_endpoint_disabled"
        on = tenant.client.data("PATCH", path, json={"is_enabled": True})
        assert (on["is_enabled"], on["disabled_at"]) == (True, None)

    @pytest.mark.parametrize(
        ("method", "below", "body"),
        [
            ("PATCH", "", {"url": "https://hooks.example.com/mended"}),
            ("POST", "/test", None),
            ("POST", "/redeliver", {"since": "2026-05-20T10:00:00Z"}),
        ],
    )
    def test_a_pause_is_shown_until_a_person_expects_messages_again(
        self, tenant: Tenant, method: str, below: str, body: dict[str, str] | None
    ) -> None:
        made = endpoint(tenant)
        path, its_own = f"{ENDPOINTS}/{made['id']}", WebhookEndpoint.id == made["id"]
        until = datetime(2026, 11, 25, 12, tzinfo=UTC)
        with tenant.api.store.write_session() as session:
            paused = {"failures": 9, "paused_until": until}
            session.execute(update(WebhookEndpoint).where(its_own).values(paused))
        assert tenant.client.data("GET", path)["paused_until"] == "2026-11-25T12:00:00Z"
        tenant.client.data(method, f"{path}{below}", json=body)
        assert tenant.client.data("GET", path)["paused_until"] is None
        with tenant.api.store.read_session() as session:
            assert session.scalars(select(WebhookEndpoint.failures).where(its_own)).all() == [0]

    def test_a_changed_address_is_validated_as_a_new_one(self, tenant: Tenant) -> None:
        path = f"{ENDPOINTS}/{endpoint(tenant)['id']}"
        body = {"url": "https://192.168.0.1/"}
        tenant.client.refusal("PATCH", path, "invalid_body", json=body)
        assert tenant.client.data("GET", path)["url"] == URL


class TestLog:
    def test_a_payment_is_logged_and_queued_for_subscribed_endpoints(self, paying: Paying) -> None:
        payments_only = endpoint(paying.tenant, event_types=["payment.recorded"])
        all_of_them = endpoint(paying.tenant)
        others = endpoint(paying.tenant, event_types=["goal.completed"])
        payment = pay(paying, status="pending")
        paying.change(payment, status="paid")
        paying.change(payment, reference="No news")
        paid, pending = events(paying.tenant)
        assert (paid["type"], paid["data"]["status"]) == ("payment.recorded", "paid")
        assert pending["data"] == {
            "payment_id": payment["id"],
            "project_id": payment["project_id"],
            "creator_id": payment["creator_id"],
            "amount_cents": 5_000,
            "currency": payment["currency"],
            "status": "pending",
            "accrual_ids": [],
        }
        assert paid["sequence"] > pending["sequence"]
        assert paid["entity_id"] == pending["entity_id"] == payment["id"]
        for made in (payments_only, all_of_them):
            queued = deliveries(paying.tenant, made, status="pending")
            assert [delivery["event_id"] for delivery in queued] == [paid["id"], pending["id"]]
        assert deliveries(paying.tenant, others) == []

    def test_a_sequence_reveals_nothing_of_other_organizations(self, paying: Paying) -> None:
        """It depends on when events were logged, and on their order in an entity."""
        endpoint(paying.tenant)
        payment = pay(paying, status="pending")
        with new_tenant(paying.tenant.api) as busy:
            made = endpoint(busy)
            for _ in range(3):
                busy.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        paying.change(payment, status="paid")
        pay(paying, status="pending")
        *_, paid, pending = events(paying.tenant)
        assert paid["sequence"] - pending["sequence"] == micros(paid) - micros(pending)
        with paying.tenant.api.store.write_session() as session:
            row = session.get_one(WebhookEvent, UUID(paid["id"]))
            row.created_at -= timedelta(minutes=1)  # as by another machine's clock
        *_, pending, paid = events(paying.tenant)
        assert (paid["data"]["status"], pending["data"]["status"]) == ("paid", "pending")
        assert paid["sequence"] == pending["sequence"] + 1

    def test_a_payment_that_is_refused_leaves_no_event(self, paying: Paying) -> None:
        endpoint(paying.tenant)
        paying.refused("not_found", "settled", payout_method_id=str(uuid4()))
        assert events(paying.tenant) == []

    def test_nothing_is_logged_before_the_first_endpoint(self, paying: Paying) -> None:
        pay(paying)
        endpoint(paying.tenant)
        assert events(paying.tenant) == []

    def test_the_log_is_filtered_and_paged(self, paying: Paying) -> None:
        made = endpoint(paying.tenant)
        first, second = pay(paying), pay(paying)
        paying.tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        assert len(events(paying.tenant, type="payment.recorded")) == 2
        [event] = events(paying.tenant, entity_id=first["id"])
        assert event["data"]["payment_id"] == first["id"]
        answer = paying.tenant.client.answer("GET", "/webhook-events", params={"limit": "2"})
        assert answer["data"][1]["entity_id"] == second["id"]
        cursor = answer["meta"]["nextCursor"]
        assert [each["entity_id"] for each in events(paying.tenant, cursor=cursor)] == [first["id"]]
        bad = {"type": "payment"}
        paying.tenant.client.refusal("GET", "/webhook-events", "invalid_query", params=bad)

    def test_organizations_are_apart(self, paying: Paying, other: Tenant) -> None:
        theirs = endpoint(other)
        mine = endpoint(paying.tenant)
        pay(paying)
        [event] = events(paying.tenant)
        assert events(other) == []
        assert deliveries(other, theirs) == []
        body = {"event_ids": [event["id"]]}
        path = f"{ENDPOINTS}/{theirs['id']}/redeliver"
        meta = other.client.refusal("POST", path, "not_found", json=body)
        assert meta["event_ids"] == [event["id"]]
        path = f"{ENDPOINTS}/{mine['id']}"
        other.client.refusal("GET", path, "not_found")
        other.client.refusal("GET", f"{path}/deliveries", "not_found")


def test_a_change_of_an_endpoint_blocks_no_payment(paying: Paying) -> None:
    """A payment's transaction references the endpoint until it ends."""
    made = endpoint(paying.tenant)
    own = rows_of(WebhookEndpoint, paying.tenant.organization_id, UUID(made["id"]))
    with paying.tenant.api.store.write_session() as session:
        session.scalars(own.with_for_update(read=True, key_share=True)).one()
        changed = paying.tenant.client.data(
            "PATCH", f"{ENDPOINTS}/{made['id']}", json={"event_types": ["payment.recorded"]}
        )
    assert changed["event_types"] == ["payment.recorded"]


class TestSendingAgain:
    def settle(self, tenant: Tenant, status: str) -> None:
        with tenant.api.store.write_session() as session:
            session.execute(
                update(WebhookDelivery)
                .where(WebhookDelivery.organization_id == tenant.organization_id)
                .values(status=status, attempts=7)
            )

    def redeliver(self, tenant: Tenant, made: Any, **body: Any) -> int:
        path = f"{ENDPOINTS}/{made['id']}/redeliver"
        return int(tenant.client.data("POST", path, json=body)["queued"])

    def test_what_did_not_arrive_since(self, paying: Paying) -> None:
        made = endpoint(paying.tenant, event_types=["payment.recorded"])
        pay(paying)
        paying.tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
        assert self.redeliver(paying.tenant, made, since=hour_ago) == 0  # still queued
        self.settle(paying.tenant, "delivered")
        assert self.redeliver(paying.tenant, made, since=hour_ago) == 0
        self.settle(paying.tenant, "failed")
        assert self.redeliver(paying.tenant, made, since=datetime.now(UTC).isoformat()) == 0
        assert self.redeliver(paying.tenant, made, since=hour_ago) == 1
        [waiting] = deliveries(paying.tenant, made, status="pending")
        assert (waiting["event_type"], waiting["attempts"]) == ("payment.recorded", 0)

    def test_tests_of_other_endpoints_do_not_count(self, tenant: Tenant) -> None:
        made, another = endpoint(tenant), endpoint(tenant)
        tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        self.settle(tenant, "failed")
        hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
        queued = [self.redeliver(tenant, each, since=hour_ago) for each in (another, made)]
        assert queued == [0, 1]

    def test_redelivery_is_limited_to_the_oldest_messages(
        self, paying: Paying, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(repository, "MOST_AT_ONCE", 2)
        made = endpoint(paying.tenant)
        for _ in range(3):
            paying.tenant.client.data("POST", f"{ENDPOINTS}/{made['id']}/test")
        self.settle(paying.tenant, "failed")
        hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
        queued = [self.redeliver(paying.tenant, made, since=hour_ago) for _ in range(3)]
        assert queued == [2, 1, 0]

    def test_named_events_even_if_delivered_or_never_queued(self, paying: Paying) -> None:
        made = endpoint(paying.tenant)
        pay(paying)
        [event] = events(paying.tenant)
        self.settle(paying.tenant, "delivered")
        assert self.redeliver(paying.tenant, made, event_ids=[event["id"]]) == 1
        later = endpoint(paying.tenant)
        assert self.redeliver(paying.tenant, later, event_ids=[event["id"]]) == 1


def test_every_type_can_be_subscribed_to(tenant: Tenant) -> None:
    assert endpoint(tenant, event_types=list(EVENT_TYPES))["event_types"] == list(EVENT_TYPES)
