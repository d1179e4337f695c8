"""Only a posting time that is known is an estimate: one that nothing tells is not awaited.

Posts that were added without any time were taken for estimated ones, and so left out of money for
two days. From the next run on they count as rule M7 says.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Mend the rows, then hold all of them to it."""
    op.execute(
        "update videos set posted_at_is_estimate = false"
        " where posted_at_is_estimate and posted_at is null"
    )
    op.create_check_constraint(
        op.f("ck_videos_posted_at_is_estimate"),
        "videos",
        "posted_at is not null or not posted_at_is_estimate",
    )
