"""What of a simulation that is computed at length would wait for a check."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

TABLES = ("payout_simulations", "payout_simulation_creators")


def upgrade() -> None:
    """Add the sums; of what was found so far, and by workers of before, they are not known."""
    for table in TABLES:
        op.add_column(table, sa.Column("held_cents", sa.BigInteger(), nullable=True))
