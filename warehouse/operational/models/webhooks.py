"""Webhooks: endpoints, events and deliveries."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    String,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped, Unlogged


class WebhookEndpoint(Identified, Timestamped, Base):
    """A URL to which events are sent. Null `event_types` means all.

    Its secret is encrypted, because it signs each message. Previous ones, separated by spaces,
    sign too, until `previous_secret_expires_at` (real clock). `disabled_reason` is null if a person
    disabled it. `failures` counts failed messages since the last success, then probes.
    `last_success_at` and `paused_until` are the real clock's.
    """

    __tablename__ = "webhook_endpoints"
    __table_args__ = (
        CheckConstraint("disabled_reason in ('gone', 'failing')", name="disabled_reason"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    url: Mapped[str]
    description: Mapped[str | None]
    event_types: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    secret_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    previous_secret_encrypted: Mapped[bytes | None] = mapped_column(LargeBinary, info=SECRET)
    previous_secret_expires_at: Mapped[datetime | None]
    is_enabled: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    disabled_reason: Mapped[str | None]
    disabled_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(default=0, server_default="0")
    paused_until: Mapped[datetime | None]


class WebhookEvent(Unlogged, Base):
    """An event of an entity, logged exactly once; its id (UUIDv5) follows from its content.

    `sequence` orders the events of an entity. `occurred_at` is business time, `created_at` the real
    clock's.
    """

    __tablename__ = "webhook_events"
    __table_args__ = (
        Index("ix_webhook_events_organization_id_created_at", "organization_id", "created_at"),
        Index("ix_webhook_events_created_at", "created_at"),
        Index("ix_webhook_events_entity_id", "entity_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    sequence: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    type: Mapped[str]
    entity_type: Mapped[str]
    entity_id: Mapped[str]
    occurred_at: Mapped[datetime]
    created_at: Mapped[datetime]
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)


class WebhookDelivery(Unlogged, Base):
    """The delivery of an event to an endpoint. All times are the real clock's.

    `entity` and `sequence` are the event's; a pending delivery delays later events of its entity.
    A delivery is claimed while `next_attempt_at`, the end of the lease, is in the future.
    `answered` is the HTTP status of the last response, `answer` its first characters.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        CheckConstraint("status in ('pending', 'delivered', 'failed')", name="status"),
        Index(
            "ix_webhook_deliveries_pending",
            "endpoint_id",
            "entity",
            "sequence",
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            "ix_webhook_deliveries_due",
            "endpoint_id",
            "next_attempt_at",
            postgresql_where=text("status = 'pending'"),
        ),
        Index("ix_webhook_deliveries_endpoint_id_created_at", "endpoint_id", "created_at"),
    )

    endpoint_id: Mapped[UUID] = mapped_column(
        ForeignKey("webhook_endpoints.id", ondelete="CASCADE"), primary_key=True
    )
    event_id: Mapped[UUID] = mapped_column(
        ForeignKey("webhook_events.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    entity: Mapped[str]
    sequence: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(default="pending", server_default="pending")
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    next_attempt_at: Mapped[datetime]
    first_attempt_at: Mapped[datetime | None]
    last_attempt_at: Mapped[datetime | None]
    answered: Mapped[int | None]
    answer: Mapped[str | None]
    error: Mapped[str | None]
    delivered_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class WebhookReach(Unlogged, Base):
    """The last publication of each shard that was compared with the one before, for events.

    Without shards there is one row, of `main`.
    """

    __tablename__ = "webhook_reach"

    publication_id: Mapped[UUID] = mapped_column(primary_key=True)
    shard: Mapped[str] = mapped_column(server_default="main")
