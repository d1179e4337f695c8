"""Remove queued simulations: `POST /payout-structures/simulate` answers at once."""

from alembic import op

revision = "0068"
down_revision = "0067"


def upgrade() -> None:
    """Remove their results, which expired after seven days."""
    op.drop_table("payout_simulation_creators")
    op.drop_table("payout_simulations")
