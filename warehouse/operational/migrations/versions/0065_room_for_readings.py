"""Room beside each post and its fetch schedule for their next versions, which a reading writes."""

from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Leave room in pages from now on. Rows of full pages move to such with their next reading.

    A reading writes a post once and its schedule twice in a transaction: with room for that beside
    each row no index is written.
    """
    op.execute("alter table videos set (fillfactor = 50)")
    op.execute("alter table post_looks set (fillfactor = 33)")
