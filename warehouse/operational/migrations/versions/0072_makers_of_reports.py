"""Store who made the key that shared a report for another member."""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"


def upgrade() -> None:
    """Older reports have no maker: the audit log names the key."""
    op.add_column(
        "report_links",
        sa.Column("made_by_user_id", sa.Uuid, sa.ForeignKey("users.id"), nullable=True),
    )
