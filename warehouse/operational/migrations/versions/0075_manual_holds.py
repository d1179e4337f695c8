"""Store the amounts that members put on hold."""

import sqlalchemy as sa
from alembic import op

revision = "0075"
down_revision = "0074"

TABLE = "payout_manual_holds"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("accrual_id", sa.Uuid, nullable=False, index=True),
        sa.Column(
            "organization_id",
            sa.Uuid,
            sa.ForeignKey("organizations.id"),
            nullable=False,
            index=True,
        ),
        sa.Column("project_id", sa.Uuid, sa.ForeignKey("projects.id"), nullable=False, index=True),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Uuid, sa.ForeignKey("users.id")),
    )
