"""What profiles showed differently from when, and business time in the change log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# Nothing better than the real clock is known of older lines.
FILL = """
    update change_entries
    set changed_at = audit_entries.at
    from audit_entries
    where audit_entries.id = change_entries.audit_entry_id
"""


def upgrade() -> None:
    op.create_table(
        "account_profile_changes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_account_profile_changes_account_id_accounts"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_account_profile_changes_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_profile_changes")),
        sa.UniqueConstraint(
            "account_id",
            "observed_at",
            name=op.f("uq_account_profile_changes_account_id_observed_at"),
        ),
    )
    op.add_column(
        "change_entries", sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.execute(FILL)
    op.alter_column("change_entries", "changed_at", nullable=False)
