"""When a post's comments are due again: workers ask an index, and not all posts."""

import sqlalchemy as sa
from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

DUE = """
    update comment_collections as walks
    set due_at = walks.walked_at + interval '1 second' * case
        when walks.failures = 0 then waits.usual
        else least(waits.usual, 14400 * power(2, least(walks.failures - 1, 10)))
    end
    from (
        select
            comment_collections.video_id,
            extract(
                epoch from comment_collections.walked_at
                - coalesce(videos.posted_at, videos.created_at)
            ) / 2 as usual
        from comment_collections inner join videos on comment_collections.video_id = videos.id
    ) as waits
    where walks.video_id = waits.video_id
"""
"""As `warehouse/scrape_jobs/comment_targets.due_again` has it."""


def upgrade() -> None:
    """Add it, worked out for what was walked so far."""
    op.add_column(
        "comment_collections", sa.Column("due_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.execute(DUE)
    op.create_index(
        "ix_comment_collections_due", "comment_collections", ["organization_id", "due_at"]
    )
