"""Add which changes a person waits for, and which transaction made a change."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"

IS_AWAITED = "coalesce(current_setting('tracker.change_is_awaited', true), '') = 'yes'"
OWN = "pg_current_xact_id()::text::bigint"


def upgrade() -> None:
    """Add the columns. `written_by` of waiting changes is 0: unknown."""
    op.add_column(
        "unpublished_changes",
        sa.Column("written_by", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.alter_column("unpublished_changes", "written_by", server_default=sa.text(OWN))
    op.add_column(
        "unpublished_changes",
        sa.Column("is_awaited", sa.Boolean(), nullable=False, server_default=sa.text(IS_AWAITED)),
    )
