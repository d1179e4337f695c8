"""Copy what payouts may cost, and what is said against them."""

import sqlalchemy as sa
from alembic import op

from warehouse.operational.migrations.following import follow, note_changes

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

COPIED = {
    "payout_budgets": "id organization_id project_id campaign_id structure_id name amount_cents"
    " period thresholds on_exceeded created_at",
    "payout_disputes": "id organization_id project_id creator_id structure_id accrual_id"
    " period_start period_end currency amount_cents state opened_at opened_by due_at answered_at"
    " resolved_at correction_id correction_cents",
}


def upgrade() -> None:
    """Have both tables followed like the others that are copied."""
    for table, columns in COPIED.items():
        op.add_column(
            table,
            sa.Column(
                "changed_by",
                sa.BigInteger(),
                server_default=sa.text("pg_current_xact_id()::text::bigint"),
                nullable=False,
            ),
        )
        op.create_index(op.f(f"ix_{table}_changed_by"), table, ["changed_by"])
        note_changes(table, columns.split())
        follow(table, columns.split(), ["id"])
