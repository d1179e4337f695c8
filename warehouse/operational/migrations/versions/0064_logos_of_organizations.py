"""Add the logo of an organization: the path of its file, as for icons of payout methods."""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"


def upgrade() -> None:
    op.add_column("organizations", sa.Column("logo_path", sa.String(), nullable=True))
