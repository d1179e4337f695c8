"""Comments that somebody has handled."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

TABLE = "handled_comments"


def upgrade() -> None:
    """Add the table; nothing is handled so far."""
    op.create_table(
        TABLE,
        sa.Column("comment_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("handled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("handled_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f(f"fk_{TABLE}_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f(f"fk_{TABLE}_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["handled_by"], ["users.id"], name=op.f(f"fk_{TABLE}_handled_by_users")
        ),
        sa.PrimaryKeyConstraint("comment_id", name=op.f(f"pk_{TABLE}")),
    )
    op.create_index(op.f(f"ix_{TABLE}_organization_id"), TABLE, ["organization_id"])
    op.create_index(op.f(f"ix_{TABLE}_project_id"), TABLE, ["project_id"])
