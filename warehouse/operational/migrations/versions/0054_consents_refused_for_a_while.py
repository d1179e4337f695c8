"""Since when a platform refuses a creator's consent, and when it is asked again."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; no consent is being refused by what was known before."""
    for name in ("refused_since", "retry_at"):
        op.add_column(
            "account_connections", sa.Column(name, sa.DateTime(timezone=True), nullable=True)
        )
