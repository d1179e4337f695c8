"""`tracker deliver` in a process: it sends what is due, and what a killed one left unfinished."""

import json
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from tests.fixtures.receiver import Received, Receiver, listening
from tests.orchestration.commands import environment, started, tracker_here
from tests.warehouse.fetch_schedule.test_claims import clock_ahead
from warehouse import clock
from warehouse.encryption import Encryption
from warehouse.operational.models import WebhookEndpoint, WebhookEvent
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record
from warehouse.webhooks.signing import PURPOSE, new_secret

KEY = "a secret of tests that has enough bytes"


def queue_one(store: OperationalStore, organization: NewOrganization, url: str) -> str:
    """Queue an event for an endpoint with this URL; return the endpoint's secret."""
    secret = new_secret()
    with store.write_session() as session:
        session.add(
            WebhookEndpoint(
                organization_id=organization.organization_id,
                url=url,
                secret_encrypted=Encryption(KEY.encode()).encrypt(secret, PURPOSE),
            )
        )
        session.flush()
        event = Event(
            organization_id=organization.organization_id,
            type="goal.completed",
            entity_type="goal",
            entity_id="one",
            state="done",
            occurred_at=store.clock(),
            data={},
        )
        record(session, [event])
    return secret


@pytest.mark.parametrize("ahead", [timedelta(days=91), timedelta(days=-91)])
def test_a_machine_with_a_wrong_clock_delivers_in_time_and_loses_nothing(
    tmp_path: Path,
    database_url: str,
    store: OperationalStore,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    *,
    ahead: timedelta,
) -> None:
    with listening() as receiver:
        monkeypatch.setattr(clock, "datetime", clock_ahead(ahead))
        queue_one(store, organization, receiver.url)
        env = environment(
            tmp_path, database_url, TRACKER_SECRET_KEY=KEY, TRACKER_WEBHOOKS_TO_LOOPBACK="true"
        )
        assert sent(env) == {"arrived": 1}
        [received] = receiver.received
    sent_at = datetime.fromtimestamp(int(received.headers["webhook-timestamp"]), UTC)
    assert abs(sent_at - datetime.now(UTC)) < timedelta(minutes=5)
    with store.read_session() as session:
        assert session.scalars(select(func.count()).select_from(WebhookEvent)).one() == 1


@pytest.mark.slow
def test_a_killed_deliverers_message_is_sent_by_the_next(
    tmp_path: Path, database_url: str, store: OperationalStore, organization: NewOrganization
) -> None:
    came, let_go = threading.Event(), threading.Event()

    def hanging(_: Received) -> tuple[int, bytes]:
        came.set()
        let_go.wait(60)
        return 200, b""

    env = environment(
        tmp_path, database_url, TRACKER_SECRET_KEY=KEY, TRACKER_WEBHOOKS_TO_LOOPBACK="true"
    )
    with listening() as receiver:
        secret = queue_one(store, organization, receiver.url)
        receiver.answering = hanging
        killed = started("deliver", "--stay", "--every", "0.1", env=env)
        assert came.wait(120)
        killed.kill()
        killed.communicate()
        let_go.set()
        receiver.answer(200)
        assert sent(env) == {}  # leased
        with store.engine.begin() as connection:
            connection.execute(text("update webhook_deliveries set next_attempt_at = now()"))
        assert sent(env) == {"arrived": 1}
        assert_twice_the_same(receiver, secret)
        assert sent(env) == {}


def sent(env: dict[str, str]) -> dict[str, int]:
    done = tracker_here("deliver", "--json", env=env)
    assert done.returncode == 0, done.stderr
    messages: dict[str, int] = json.loads(done.stdout)["messages"]
    return messages


def assert_twice_the_same(receiver: Receiver, secret: str) -> None:
    first, second = receiver.received
    assert (first.id, first.body) == (second.id, second.body)
    assert first.is_signed_with(secret)
    assert second.is_signed_with(secret)
