"""An organization's endpoints and events, and a deliverer with a test clock."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.fixtures.receiver import Receiver
from warehouse.encryption import Encryption
from warehouse.operational.models import WebhookDelivery, WebhookEndpoint
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.webhooks.delivering import Deliverer
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import record
from warehouse.webhooks.sending import Sender
from warehouse.webhooks.signing import PURPOSE, new_secret

ENCRYPTION = Encryption(b"a secret of tests that has enough bytes")


@dataclass
class Hooks:
    """One organization's webhooks. `now` is the deliverer's clock.

    It is ahead of PostgreSQL's clock, by which events are due, however long logging them takes.
    """

    store: OperationalStore
    organization_id: UUID
    pool: ThreadPoolExecutor
    receiver: Receiver
    now: datetime = field(default_factory=lambda: datetime.now(UTC) + timedelta(hours=1))

    def clock(self, _session: Session) -> datetime:
        return self.now

    def endpoint(self, receiver: Receiver | None = None, **columns: Any) -> tuple[UUID, str]:
        """Add an endpoint; return its id and secret."""
        secret = new_secret()
        row = {
            "organization_id": self.organization_id,
            "url": (receiver or self.receiver).url,
            "secret_encrypted": ENCRYPTION.encrypt(secret, PURPOSE),
            **columns,
        }
        with self.store.write_session() as session:
            endpoint = WebhookEndpoint(**row)
            session.add(endpoint)
        return endpoint.id, secret

    def move(self, endpoint_id: UUID, url: str) -> None:
        """Change an endpoint's URL."""
        with self.store.write_session() as session:
            session.get_one(WebhookEndpoint, endpoint_id).url = url

    def event(self, entity: str = "one", state: str = "done", **changed: Any) -> Event:
        given: dict[str, Any] = {
            "organization_id": self.organization_id,
            "type": "goal.completed",
            "entity_type": "goal",
            "entity_id": entity,
            "state": state,
            "occurred_at": datetime(2026, 5, 20, 12, tzinfo=UTC),
            "data": {"goal_id": entity, "state": state},
        }
        return Event(**given | changed)

    def record(self, *events: Event) -> int:
        with self.store.write_session() as session:
            return record(session, events)

    def deliverer(self, sender: Sender | None = None) -> Deliverer:
        """Return a deliverer without jitter."""
        return Deliverer(
            self.store,
            ENCRYPTION,
            sender or Sender(loopback=True),
            self.pool,
            clock=self.clock,
            jitter=lambda: 0.0,
        )

    def deliver(self, sender: Sender | None = None) -> dict[str, int]:
        return dict(self.deliverer(sender).deliver())

    def deliveries(self) -> list[WebhookDelivery]:
        with self.store.read_session() as session:
            return list(session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.sequence)))

    def read(self, endpoint_id: UUID) -> WebhookEndpoint:
        with self.store.read_session() as session:
            return session.get_one(WebhookEndpoint, endpoint_id)


@pytest.fixture
def hooks(
    store: OperationalStore, organization: NewOrganization, receiver: Receiver
) -> Iterator[Hooks]:
    with ThreadPoolExecutor(4) as pool:
        yield Hooks(store, organization.organization_id, pool, receiver)
