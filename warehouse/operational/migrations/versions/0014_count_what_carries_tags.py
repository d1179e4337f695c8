"""Count what carries each tag where it changes: a list of tags counted all items of all of them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tags", sa.Column("item_count", sa.Integer(), server_default="0", nullable=False))
    op.execute(
        "update tags set item_count = carried.count"
        " from (select tag_id, count(*) from tag_items group by tag_id) as carried"
        " where tags.id = carried.tag_id"
    )
    op.create_index(
        "ix_videos_excluded",
        "videos",
        ["organization_id", "id"],
        unique=False,
        postgresql_where=sa.text("tracking_status = 'excluded'"),
    )
