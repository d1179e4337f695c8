"""The event log deletes expired events, checking once an hour."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, text

from tests.fixtures.statements import statements_sent
from tests.warehouse.webhooks.conftest import Hooks
from warehouse.operational.models import WebhookEvent
from warehouse.webhooks.delivering import BETWEEN_TIDYING
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import AT_ONCE, RETENTION

pytestmark = pytest.mark.slow


def record_old(hooks: Hooks, *entities: str) -> None:
    """Record events that have just reached the retention limit."""
    hooks.record(*(hooks.event(entity) for entity in entities))
    statement = text(
        "update webhook_events set created_at = now() - :kept where entity_id = any(:entities)"
    )
    with hooks.store.engine.begin() as connection:
        connection.execute(statement, {"kept": RETENTION, "entities": list(entities)})


def event_count(hooks: Hooks) -> int:
    of_organization = WebhookEvent.organization_id == hooks.organization_id
    with hooks.store.read_session() as session:
        return session.scalars(select(func.count()).where(of_organization)).one()


def test_expired_events_are_deleted_with_their_deliveries(hooks: Hooks) -> None:
    hooks.endpoint()
    hooks.record(hooks.event("new"))
    record_old(hooks, "old")
    hooks.deliverer().tidy()
    assert [delivery.entity for delivery in hooks.deliveries()] == ["goal:new"]


def test_amounts_and_thresholds_are_remembered_beyond_their_events(
    hooks: Hooks,
) -> None:
    hooks.endpoint()

    def comes_to(cents: int) -> Event:
        data = {"accrual_id": "a", "amount_cents": cents}
        kind = {"type": "accrual.adjusted", "entity_type": "payout_accrual"}
        return hooks.event("a", f"comes to {cents}", **kind, data=data, returns_by="accrual_id")

    reached = hooks.event("budget", "80%", type="budget.reached", entity_type="payout_budget")
    assert hooks.record(comes_to(500), comes_to(600), reached) == 3
    record_old(hooks, "a", "budget", "goal")
    hooks.deliverer().tidy()
    assert event_count(hooks) == 3
    assert hooks.record(reached, comes_to(600)) == 0
    assert hooks.record(comes_to(500)) == 1


def test_events_are_compared_with_earlier_ones_in_as_many_statements_as_of_one(
    hooks: Hooks,
) -> None:
    hooks.endpoint()
    kind = {"type": "accrual.final", "entity_type": "payout_accrual", "returns_by": "accrual_id"}
    events = [
        hooks.event(str(n), f"comes to {n}", **kind, data={"accrual_id": str(n)}) for n in range(9)
    ]
    hooks.record(*events)

    def statements(count: int) -> int:
        with statements_sent() as sent:
            assert hooks.record(*events[:count]) == 0
        return len(sent)

    statements(1)
    assert statements(9) == statements(1)


def test_ended_deliveries_of_remembered_events_expire(hooks: Hooks) -> None:
    hooks.endpoint()
    hooks.record(
        *(hooks.event(name, type="budget.reached") for name in ("ended", "pending", "recent"))
    )
    ages = "update webhook_deliveries set created_at = now() - :kept where entity <> 'goal:recent'"
    ended = "update webhook_deliveries set status = 'delivered' where entity <> 'goal:pending'"
    with hooks.store.engine.begin() as connection:
        connection.execute(text(ages), {"kept": RETENTION})
        connection.execute(text(ended))
    hooks.deliverer().tidy()
    assert {each.entity for each in hooks.deliveries()} == {"goal:pending", "goal:recent"}
    assert event_count(hooks) == 3


def test_it_runs_once_an_hour(hooks: Hooks) -> None:
    """Ticks are two seconds apart."""
    hooks.endpoint()
    deliverer = hooks.deliverer()
    deliverer.tidy()
    record_old(hooks, "old")
    for waited in (timedelta(seconds=2), BETWEEN_TIDYING - timedelta(seconds=3)):
        hooks.now += waited
        deliverer.tidy()
        assert event_count(hooks) == 1
    hooks.now += timedelta(seconds=1)
    deliverer.tidy()
    assert event_count(hooks) == 0


def test_more_rows_than_a_tick_deletes_follow_in_the_next(hooks: Hooks) -> None:
    hooks.endpoint()
    record_old(hooks, *(str(number) for number in range(AT_ONCE + 1)))
    deliverer = hooks.deliverer()
    deliverer.tidy()
    assert event_count(hooks) == 1
    deliverer.tidy()
    assert event_count(hooks) == 0
