"""Runs of commercial providers that are paid for and whose items nobody has fetched yet."""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; runs that older programs have started are not in it."""
    op.create_table(
        "provider_runs",
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("wanted", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("items_id", sa.String(), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("provider", "wanted", name=op.f("pk_provider_runs")),
    )
    op.create_index(op.f("ix_provider_runs_started_at"), "provider_runs", ["started_at"])
