"""What all processes that ask a platform's host agree on: one pace, pauses, routes left alone."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nobody has been asked so far."""
    op.create_table(
        "host_paces",
        sa.Column("egress", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("state", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("egress", "host", name=op.f("pk_host_paces")),
    )
