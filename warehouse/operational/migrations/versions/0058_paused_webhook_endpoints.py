"""Until when a webhook endpoint is sent nothing, and after how many failures in a row."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; no endpoint is paused."""
    op.add_column(
        "webhook_endpoints", sa.Column("failures", sa.Integer(), server_default="0", nullable=False)
    )
    op.add_column(
        "webhook_endpoints", sa.Column("paused_until", sa.DateTime(timezone=True), nullable=True)
    )
