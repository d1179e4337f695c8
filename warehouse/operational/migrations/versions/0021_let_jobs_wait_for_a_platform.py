"""When a queued job may be claimed: behind the pause that its platform asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; jobs that wait now may be claimed at once."""
    op.add_column("scrape_jobs", sa.Column("not_before", sa.DateTime(timezone=True)))
