"""Posts' next looks change with every reading: in place, without a word to any index.

That wants an index without them, and room on each page for another version of each row. Which of a
visit's posts are due is decided by the rows themselves: a visit has few.
"""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Leave the instant out of the index, and half of each page free."""
    op.drop_index("ix_post_looks_subject", table_name="post_looks")
    op.create_index("ix_post_looks_subject", "post_looks", ["platform", "subject"])
    op.execute("alter table post_looks set (fillfactor = 50)")
