"""Batches get their place in the order of all as they are registered, not as they are ingested.

What was ingested before keeps its place, which only a warehouse knows: the next ingestion notes it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the place: it is unknown of what was registered before."""
    op.add_column("registered_batches", sa.Column("batch_seq", sa.BigInteger(), nullable=True))
    op.create_index(
        op.f("ix_registered_batches_batch_seq"), "registered_batches", ["batch_seq"], unique=True
    )
