"""Index the latest posts of a project by posting time."""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    op.create_index(
        "ix_videos_posted",
        "videos",
        ["project_id", sa.text("coalesce(posted_at, created_at)"), "id"],
        postgresql_where=sa.text("tracking_status <> 'excluded'"),
    )
