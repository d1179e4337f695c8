"""Idempotency outcomes and daily requests."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_request_days",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_api_request_days_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "day", name=op.f("pk_api_request_days")),
        postgresql_with={"fillfactor": "50"},
    )
    op.create_table(
        "idempotency_outcomes",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("endpoint", sa.String(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("response_body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_idempotency_outcomes_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("organization_id", "key", name=op.f("pk_idempotency_outcomes")),
    )
    op.create_index(
        op.f("ix_idempotency_outcomes_created_at"),
        "idempotency_outcomes",
        ["created_at"],
        unique=False,
    )
