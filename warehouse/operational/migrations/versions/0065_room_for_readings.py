"""Leave space on the pages of posts and their schedules for new row versions."""

from alembic import op

revision = "0065"
down_revision = "0064"


def upgrade() -> None:
    """Leave space on pages from now on. Rows of full pages move with their next reading.

    A reading writes a post once and its schedule twice in a transaction: with space for that on
    the row's page, no index is written.
    """
    op.execute("alter table videos set (fillfactor = 50)")
    op.execute("alter table post_looks set (fillfactor = 33)")
