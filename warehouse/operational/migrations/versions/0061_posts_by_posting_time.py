"""The latest posts of a project by when they were posted, asked of an index."""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.create_index(
        "ix_videos_posted",
        "videos",
        ["project_id", sa.text("coalesce(posted_at, created_at)"), "id"],
        postgresql_where=sa.text("tracking_status <> 'excluded'"),
    )
