"""Note which worker has claimed an account fetch."""

import sqlalchemy as sa
from alembic import op

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("visits", sa.Column("lease_holder", sa.String, nullable=True))
