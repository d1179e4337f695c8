"""Note who has claimed a scrape job."""

import sqlalchemy as sa
from alembic import op

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("scrape_jobs", sa.Column("lease_holder", sa.String, nullable=True))
