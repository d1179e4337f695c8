"""Events about amounts on hold follow the order of commits."""

from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import func, select, text

from tests.warehouse.webhooks.conftest import Hooks
from warehouse.operational.models import PayoutHoldRelease, WebhookEvent
from warehouse.operational.organizations import NewOrganization
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record

ACCRUAL, ONE, TWO = uuid4(), uuid4(), uuid4()


def held_event(hooks: Hooks) -> Event:
    readings = " ".join(sorted([str(ONE), str(TWO)]))
    return hooks.event(
        str(ACCRUAL),
        f"held by {readings}",
        type="accrual.held",
        entity_type="payout_accrual",
    )


def release(hooks: Hooks, organization: NewOrganization, *anomaly_ids: object) -> None:
    with hooks.store.write_session() as session:
        session.add_all(
            PayoutHoldRelease(
                accrual_id=ACCRUAL,
                anomaly_id=anomaly_id,
                organization_id=hooks.organization_id,
                project_id=organization.project_id,
                reason="checked",
                released_at=datetime(2026, 5, 20, tzinfo=UTC),
            )
            for anomaly_id in anomaly_ids
        )
        session.flush()
        record(session, [released_event(hooks)])


def released_event(hooks: Hooks) -> Event:
    return hooks.event(
        str(ACCRUAL), "released", type="accrual.released", entity_type="payout_accrual"
    )


def types(hooks: Hooks) -> list[str]:
    with hooks.store.read_session() as session:
        return list(session.scalars(select(WebhookEvent.type).order_by(WebhookEvent.sequence)))


def test_a_hold_released_before_its_report_is_not_reported(
    hooks: Hooks, organization: NewOrganization
) -> None:
    hooks.endpoint()
    release(hooks, organization, ONE, TWO)
    assert hooks.record(held_event(hooks)) == 0
    assert types(hooks) == ["accrual.released"]


def test_a_partly_released_hold_is_reported(hooks: Hooks, organization: NewOrganization) -> None:
    hooks.endpoint()
    release(hooks, organization, ONE)
    assert hooks.record(held_event(hooks)) == 1


def test_a_release_waits_for_a_running_report(hooks: Hooks, organization: NewOrganization) -> None:
    hooks.endpoint()
    with hooks.store.write_session() as telling:
        record(telling, [held_event(hooks)])
        released = hooks.pool.submit(release, hooks, organization, ONE, TWO)
        waiting = select(func.count()).select_from(text("pg_locks")).where(text("not granted"))
        with hooks.store.read_session() as session:
            while not released.done() and not session.scalar(waiting):
                session.rollback()
        assert not released.done()
    released.result(timeout=30)
    assert types(hooks) == ["accrual.held", "accrual.released"]
