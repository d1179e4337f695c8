"""Store who created an organization with the API, to count them for each user."""

import sqlalchemy as sa
from alembic import op

revision = "0073"
down_revision = "0072"


def upgrade() -> None:
    """Older organizations count for no user."""
    op.add_column(
        "organizations",
        sa.Column("created_by_user_id", sa.Uuid, sa.ForeignKey("users.id"), nullable=True),
    )
    op.create_index(
        op.f("ix_organizations_created_by_user_id"), "organizations", ["created_by_user_id"]
    )
