"""Record imports, so that they can be listed and retracted."""

import sqlalchemy as sa
from alembic import op

from warehouse.operational.migrations.following import follow, note_changes

revision = "0071"
down_revision = "0070"

COPIED = ("id", "organization_id", "project_id", "retracted_at")


def upgrade() -> None:
    """Create the table. `tracker import list` adds the imports that are older."""
    op.create_table(
        "imports",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column(
            "organization_id",
            sa.Uuid,
            sa.ForeignKey("organizations.id"),
            nullable=False,
            index=True,
        ),
        sa.Column("project_id", sa.Uuid, sa.ForeignKey("projects.id"), nullable=False, index=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("file", sa.String),
        sa.Column("row_count", sa.BigInteger, nullable=False),
        sa.Column("imported_by", sa.String),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retracted_at", sa.DateTime(timezone=True)),
        sa.Column("retracted_by", sa.Uuid, sa.ForeignKey("users.id")),
        sa.Column("retraction_reason", sa.String),
        sa.Column(
            "changed_by",
            sa.BigInteger,
            nullable=False,
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            index=True,
        ),
        sa.CheckConstraint(
            "(retracted_at is null) = (retraction_reason is null)",
            name=op.f("ck_imports_has_a_reason"),
        ),
    )
    note_changes("imports", COPIED)
    follow("imports", COPIED, ["id"])
