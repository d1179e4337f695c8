"""Posts that await review are found without looking at all others."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index; it has the few posts that wait."""
    op.create_index(
        "ix_videos_waiting",
        "videos",
        ["project_id", "created_at", "id"],
        postgresql_where=sa.text("tracking_status = 'pending_review'"),
    )
