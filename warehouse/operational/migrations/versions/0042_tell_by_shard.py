"""How far programs were told, by shard."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What was told so far is of `main`, which was all there was."""
    shard = sa.Column("shard", sa.String(), server_default="main", nullable=False)
    op.add_column("webhook_reach", shard)
