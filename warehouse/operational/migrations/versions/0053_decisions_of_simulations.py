"""By which decisions a simulation that is computed at length was begun."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the digest; what a worker of before began has none, and begins again."""
    op.add_column("payout_simulations", sa.Column("decisions", sa.String(), nullable=True))
