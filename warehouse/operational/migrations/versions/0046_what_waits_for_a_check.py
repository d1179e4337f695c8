"""Rules whose amounts wait where readings are odd, and what was released of that."""

import sqlalchemy as sa
from alembic import op

from warehouse.operational.migrations.following import follow, note_changes

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

TABLE = "payout_hold_releases"
COPIED = ["accrual_id", "anomaly_id", "organization_id", "project_id", "released_at"]
OF_VERSIONS = [
    *("id", "organization_id", "structure_id", "number", "period", "amount_cents"),
    *("criteria_type", "criteria_params", "proration_mode", "backfill_on_assignment"),
    *("period_anchor", "platform_scope", "platform", "account_id", "created_at"),
    "hold_anomalies",
]
TRIGGERS = (
    "note_unpublished_change",
    "note_writer",
    "refuse_another_key",
    "note_departures",
    "note_emptied",
)


def upgrade() -> None:
    """Add the rule's field, which nothing has so far, and the table; both are copied."""
    op.add_column(
        "payout_versions",
        sa.Column("hold_anomalies", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    for trigger in TRIGGERS:
        op.execute(f"drop trigger {trigger} on payout_versions")
    note_changes("payout_versions", OF_VERSIONS)
    follow("payout_versions", OF_VERSIONS, ["id"])
    _create_releases()
    note_changes(TABLE, COPIED)
    follow(TABLE, COPIED, ["accrual_id", "anomaly_id"])


def _create_releases() -> None:
    op.create_table(
        TABLE,
        sa.Column("accrual_id", sa.Uuid(), nullable=False),
        sa.Column("anomaly_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("released_by", sa.Uuid(), nullable=True),
        sa.Column(
            "changed_by",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f(f"fk_{TABLE}_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f(f"fk_{TABLE}_project_id_projects")
        ),
        sa.ForeignKeyConstraint(
            ["released_by"], ["users.id"], name=op.f(f"fk_{TABLE}_released_by_users")
        ),
        sa.PrimaryKeyConstraint("accrual_id", "anomaly_id", name=op.f(f"pk_{TABLE}")),
    )
    for column in ("organization_id", "project_id", "changed_by"):
        op.create_index(op.f(f"ix_{TABLE}_{column}"), TABLE, [column])
