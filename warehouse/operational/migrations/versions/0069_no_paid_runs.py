"""Remove the runs of Apify and Bright Data, which are no longer read."""

from alembic import op

revision = "0069"
down_revision = "0068"


def upgrade() -> None:
    op.execute("drop table if exists provider_runs")
