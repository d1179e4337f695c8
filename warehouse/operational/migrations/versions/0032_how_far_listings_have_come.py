"""Where the listing of an account's posts goes on, when it was cut before its end."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the place to accounts: it is unknown of those that were cut before."""
    op.add_column(
        "accounts", sa.Column("listing", postgresql.JSONB(none_as_null=True), nullable=True)
    )
