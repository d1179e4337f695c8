"""Webhooks: where organizations want to be told of events, the log of these, how sending goes.

Nothing is told of what was before: the log begins with an organization's first endpoint.
"""

from datetime import datetime

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

PENDING = sa.text("status = 'pending'")


def instant(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    """Return a column of instants."""
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def organization(table: str) -> tuple[sa.Column[object], sa.ForeignKeyConstraint]:
    """Return the column of the tenant, and its key."""
    key = sa.ForeignKeyConstraint(
        ["organization_id"],
        ["organizations.id"],
        name=op.f(f"fk_{table}_organization_id_organizations"),
    )
    return sa.Column("organization_id", sa.Uuid(), nullable=False), key


def upgrade() -> None:
    """Create the four tables."""
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", sa.Uuid(), nullable=False),
        *organization("webhook_endpoints"),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("event_types", postgresql.ARRAY(sa.String()), nullable=True),
        sa.Column("secret_encrypted", sa.LargeBinary(), nullable=False),
        sa.Column("previous_secret_encrypted", sa.LargeBinary(), nullable=True),
        instant("previous_secret_expires_at", nullable=True),
        sa.Column("is_enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("disabled_reason", sa.String(), nullable=True),
        instant("disabled_at", nullable=True),
        instant("last_success_at", nullable=True),
        instant("created_at"),
        instant("updated_at"),
        sa.CheckConstraint(
            "disabled_reason in ('gone', 'failing')",
            name=op.f("ck_webhook_endpoints_disabled_reason"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_endpoints")),
    )
    op.create_index(
        op.f("ix_webhook_endpoints_organization_id"), "webhook_endpoints", ["organization_id"]
    )
    op.create_table(
        "webhook_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        *organization("webhook_events"),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("entity_type", sa.String(), nullable=False),
        sa.Column("entity_id", sa.String(), nullable=False),
        instant("occurred_at"),
        instant("created_at"),
        sa.Column("data", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_events")),
    )
    op.create_index(
        "ix_webhook_events_organization_id_created_at",
        "webhook_events",
        ["organization_id", "created_at"],
    )
    op.create_index("ix_webhook_events_created_at", "webhook_events", ["created_at"])
    _create_deliveries()
    op.create_table(
        "webhook_reach",
        sa.Column("publication_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("publication_id", name=op.f("pk_webhook_reach")),
    )


def _create_deliveries() -> None:
    table = "webhook_deliveries"
    op.create_table(
        table,
        sa.Column("endpoint_id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        *organization(table),
        sa.Column("entity", sa.String(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        instant("next_attempt_at"),
        instant("first_attempt_at", nullable=True),
        instant("last_attempt_at", nullable=True),
        sa.Column("answered", sa.Integer(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        instant("delivered_at", nullable=True),
        instant("created_at"),
        sa.CheckConstraint(
            "status in ('pending', 'delivered', 'failed')", name=op.f(f"ck_{table}_status")
        ),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f(f"fk_{table}_endpoint_id_webhook_endpoints"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["event_id"],
            ["webhook_events.id"],
            name=op.f(f"fk_{table}_event_id_webhook_events"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("endpoint_id", "event_id", name=op.f(f"pk_{table}")),
    )
    op.create_index(op.f(f"ix_{table}_event_id"), table, ["event_id"])
    _index_pending(table, "pending", ["endpoint_id", "entity", "sequence"])
    _index_pending(table, "due", ["endpoint_id", "next_attempt_at"])
    op.create_index(f"ix_{table}_endpoint_id_created_at", table, ["endpoint_id", "created_at"])


def _index_pending(table: str, name: str, columns: list[str]) -> None:
    op.create_index(f"ix_{table}_{name}", table, columns, postgresql_where=PENDING)
