"""Find the oldest tracked videos without sorting all; why tracking is off follows from the rest."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_videos_tracked",
        "videos",
        ["organization_id", "posted_at", "created_at", "id"],
        unique=False,
        postgresql_where=sa.text(
            "tracking_status in ('auto_tracked', 'included', 'direct_add')"
            " and tracking_disabled is false and plan_limit_paused_at is null"
            " and frozen_at is null and stopped_at is null"
        ),
    )
    op.drop_column("videos", "tracking_disabled_reason")
