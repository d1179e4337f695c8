"""Batches in a bucket are written anew by each attempt at their registration: which one counts."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the attempt: a batch in a folder has none, as one is written over the other there."""
    op.add_column("registered_batches", sa.Column("form", sa.Uuid(), nullable=True))
