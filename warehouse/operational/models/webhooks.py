"""What programs of an organization are told: where, of what, and how each telling went."""

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


# Where an organization wants to be told.
class WebhookEndpoint(Identified, Timestamped, Base):
    """An address that events are sent to; null `event_types` are all of them.

    Its secret is encrypted, because each message is signed with it. The one before signs beside it
    until `previous_secret_expires_at` (real clock). `disabled_reason` is null where a person
    disabled it. `failures` counts messages that failed since the last success, then probes.
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


# The log of events: each exactly once, however often what it tells of is found.
class WebhookEvent(Unlogged, Base):
    """Something that happened to an entity; its id follows from what happened (UUIDv5).

    `sequence` orders the events of one entity. `occurred_at` is business time, `created_at` the
    real clock's.
    """

    __tablename__ = "webhook_events"
    __table_args__ = (
        Index("ix_webhook_events_organization_id_created_at", "organization_id", "created_at"),
        Index("ix_webhook_events_created_at", "created_at"),
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


# What is sent where: one row for each event and endpoint.
class WebhookDelivery(Unlogged, Base):
    """How the sending of one event to one endpoint goes. All times are the real clock's.

    `entity` and `sequence` are the event's: what is pending holds up later events of its entity. A
    claimed delivery is one whose `next_attempt_at`, the end of the lease, lies ahead.
    `answered` is the HTTP status of the last answer, `answer` its first characters.
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


# Up to which publication events were told.
class WebhookReach(Unlogged, Base):
    """Each shard's publication that was last compared with the one before; of `main` there is one.

    Where nothing is sharded it is the only row.
    """

    __tablename__ = "webhook_reach"

    publication_id: Mapped[UUID] = mapped_column(primary_key=True)
    shard: Mapped[str] = mapped_column(server_default="main")
