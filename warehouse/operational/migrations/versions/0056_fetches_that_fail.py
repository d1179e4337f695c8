"""Since when an account's fetches get no answer: the next one waits for as long."""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; none is known to be failing."""
    op.add_column("visits", sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True))
