"""Reports of projects and campaigns that people open by a PIN."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

TABLE = "report_links"
REFERS = {
    "organization_id": ("organizations", None),
    "project_id": ("projects", None),
    "campaign_id": ("campaigns", "CASCADE"),
    "shared_by_user_id": ("users", None),
}


def upgrade() -> None:
    """Add the table; nothing is shared so far."""
    instant = sa.DateTime(timezone=True)
    op.create_table(
        TABLE,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("shared_by_user_id", sa.Uuid(), nullable=False),
        sa.Column("show_creators", sa.Boolean(), nullable=False),
        sa.Column("expires_at", instant, nullable=True),
        sa.Column("pin_encrypted", sa.LargeBinary(), nullable=False),
        sa.Column("pin_id", sa.Uuid(), nullable=False),
        sa.Column("failed_unlocks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("locked_until", instant, nullable=True),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("updated_at", instant, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_{TABLE}_{column}_{table}"), ondelete=ends
            )
            for column, (table, ends) in REFERS.items()
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{TABLE}")),
    )
    for column in REFERS:
        op.create_index(op.f(f"ix_{TABLE}_{column}"), TABLE, [column])
