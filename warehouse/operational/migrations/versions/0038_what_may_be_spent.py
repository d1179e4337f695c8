"""Budgets: what a project, a campaign or a payout structure may cost."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

TABLE = "payout_budgets"
CHECKS = {
    "amount_cents": "amount_cents > 0",
    "period": "period = 'monthly'",
    "on_exceeded": "on_exceeded in ('warn', 'stop_assignments')",
    "scope": "campaign_id is null or structure_id is null",
}
REFERS = {
    "organization_id": ("organizations", None),
    "project_id": ("projects", None),
    "campaign_id": ("campaigns", "CASCADE"),
    "structure_id": ("payout_structures", "CASCADE"),
}


def upgrade() -> None:
    """Create the table."""
    instant = sa.DateTime(timezone=True)
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("structure_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("amount_cents", sa.BigInteger(), nullable=False),
        sa.Column("period", sa.String(), nullable=True),
        sa.Column("thresholds", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column("on_exceeded", sa.String(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        *(
            sa.CheckConstraint(rule, name=op.f(f"ck_{TABLE}_{name}"))
            for name, rule in CHECKS.items()
        ),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_{TABLE}_{column}_{table}"), ondelete=ends
            )
            for column, (table, ends) in REFERS.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
    )
    op.create_index(
        f"ix_{TABLE}_organization_id_created_at", TABLE, ["organization_id", "created_at", "id"]
    )
    for column in ("project_id", "campaign_id", "structure_id"):
        op.create_index(op.f(f"ix_{TABLE}_{column}"), TABLE, [column])
