"""Whose a post is by its URL or its last sight, for the account that may be added later."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("videos", sa.Column("author_handle", sa.String(), nullable=True))
    op.create_index(
        "ix_videos_of_nobody",
        "videos",
        ["project_id", "platform", "author_handle"],
        unique=False,
        postgresql_where=sa.text("account_id is null"),
    )
