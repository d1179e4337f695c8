"""What commercial providers of platform data cost a day."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nothing has been spent so far."""
    op.create_table(
        "provider_spending",
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("usd", sa.Numeric(precision=20, scale=10), nullable=False),
        sa.PrimaryKeyConstraint("provider", "day", name=op.f("pk_provider_spending")),
    )
