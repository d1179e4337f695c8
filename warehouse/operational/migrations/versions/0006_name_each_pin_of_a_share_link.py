"""Name each PIN of a share link, in place of numbering it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "share_links",
        sa.Column("pin_id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
    )
    op.alter_column("share_links", "pin_id", server_default=None)
    op.drop_column("share_links", "session_version")
