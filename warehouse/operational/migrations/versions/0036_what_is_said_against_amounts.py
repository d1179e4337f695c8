"""Disputes: what creators and members say is wrong about amounts, and what came of it."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

TABLE = "payout_disputes"
CHECKS = {
    "state": "state in ('open', 'answered', 'corrected', 'rejected')",
    "answer": "(state = 'open') = (answer is null)",
    "resolved": "(state in ('corrected', 'rejected')) = (resolved_at is not null)",
    "correction": "(state = 'corrected') = (correction_cents is not null)",
}
REFERS = {
    "organization_id": "organizations",
    "project_id": "projects",
    "creator_id": "creators",
    "structure_id": "payout_structures",
    "opened_by": "users",
    "answered_by": "users",
    "resolved_by": "users",
}


def upgrade() -> None:
    """Create the table."""
    instant = sa.DateTime(timezone=True)
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("creator_id", sa.Uuid(), nullable=False),
        sa.Column("structure_id", sa.Uuid(), nullable=False),
        sa.Column("accrual_id", sa.Uuid(), nullable=False),
        sa.Column("period_start", sa.Date(), nullable=False),
        sa.Column("period_end", sa.Date(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), server_default="open", nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("opened_at", instant, nullable=False),
        sa.Column("opened_by", sa.Uuid(), nullable=True),
        sa.Column("due_at", instant, nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answered_at", instant, nullable=True),
        sa.Column("answered_by", sa.Uuid(), nullable=True),
        sa.Column("resolved_at", instant, nullable=True),
        sa.Column("resolved_by", sa.Uuid(), nullable=True),
        sa.Column("correction_id", sa.Uuid(), nullable=True),
        sa.Column("correction_cents", sa.BigInteger(), nullable=True),
        *(
            sa.CheckConstraint(rule, name=op.f(f"ck_{TABLE}_{name}"))
            for name, rule in CHECKS.items()
        ),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_{TABLE}_{column}_{table}")
            )
            for column, table in REFERS.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
    )
    op.create_index(
        "uq_payout_disputes_unresolved",
        TABLE,
        ["accrual_id"],
        unique=True,
        postgresql_where=sa.text("resolved_at is null"),
    )
    op.create_index(
        "ix_payout_disputes_organization_id_opened_at",
        TABLE,
        ["organization_id", "opened_at", "id"],
    )
    for column in ("accrual_id", "project_id", "creator_id", "structure_id"):
        op.create_index(op.f(f"ix_{TABLE}_{column}"), TABLE, [column])
