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
    op.alter_column("webhook_reach", "shard", server_default=None)
    op.drop_constraint("pk_webhook_reach", "webhook_reach")
    op.create_primary_key("pk_webhook_reach", "webhook_reach", ["shard"])
