"""Pictures of posts: where they are to be had, and under which path they are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

TABLE = "post_pictures"


def upgrade() -> None:
    """Add the table; pictures are those that posts are shown with from now on."""
    op.create_table(
        TABLE,
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("platform_video_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("path", sa.String(), nullable=True),
        sa.CheckConstraint("path is null or due_at is null", name=op.f(f"ck_{TABLE}_path")),
        sa.PrimaryKeyConstraint("platform", "platform_video_id", name=op.f(f"pk_{TABLE}")),
    )
    op.create_index(
        f"ix_{TABLE}_due", TABLE, ["due_at"], postgresql_where=sa.text("due_at is not null")
    )
