"""Find the videos that have notes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_videos_noted",
        "videos",
        ["organization_id"],
        unique=False,
        postgresql_where=sa.text("readme is not null"),
    )
