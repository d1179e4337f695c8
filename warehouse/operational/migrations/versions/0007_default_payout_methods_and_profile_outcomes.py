"""Default payout methods for organizations that are there, and how looks at profiles ended."""

import sqlalchemy as sa
from alembic import op

from warehouse.ids import uuid7

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

METHODS = ("Bank transfer", "PayPal", "Wise")
WITHOUT = """
    select organizations.id
    from organizations
    where not exists (
        select 1
        from payout_methods
        where payout_methods.organization_id = organizations.id and payout_methods.is_default
    )
"""
ADD = """
    insert into payout_methods (id, organization_id, name, is_default, created_at, updated_at)
    values (:id, :organization_id, :name, true, now(), now())
"""


def upgrade() -> None:
    op.add_column("accounts", sa.Column("profile_outcome", sa.String(), nullable=True))
    op.add_column(
        "accounts", sa.Column("profile_looked_at", sa.DateTime(timezone=True), nullable=True)
    )
    connection = op.get_bind()
    for organization_id in connection.scalars(sa.text(WITHOUT)).all():
        for name in METHODS:
            row = {"id": uuid7(), "organization_id": organization_id, "name": name}
            connection.execute(sa.text(ADD), row)
