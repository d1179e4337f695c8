"""What had been corrected of an amount when it was disputed."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of disputes that there are it is not known, and any adjustment is later."""
    op.add_column(
        "payout_disputes",
        sa.Column("adjustments", JSONB(), server_default=sa.text("'{}'"), nullable=False),
    )
