"""Index when rows of lists changed, for callers that ask for those since an instant.

Videos have none: each reading changes them, and would write it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0074"
down_revision = "0073"


def upgrade() -> None:
    for table in ("creators", "accounts", "payout_payments"):
        op.create_index(f"ix_{table}_updated", table, ["organization_id", "updated_at"])
    op.create_index(
        "ix_conversions_updated",
        "conversions",
        ["project_id", sa.text("coalesce(voided_at, created_at)")],
    )
