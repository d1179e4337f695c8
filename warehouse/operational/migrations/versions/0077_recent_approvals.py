"""Find recent approvals of a project without reading all decisions."""

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"


def upgrade() -> None:
    op.create_index(
        "ix_payout_accrual_decisions_approved",
        "payout_accrual_decisions",
        ["project_id", "decided_at"],
        postgresql_where=sa.text("decision = 'approved'"),
    )
