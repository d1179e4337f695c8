"""Notes' dates, invitations, the audit log and the change log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_invitations()
    create_audit_entries()
    create_change_entries()
    date_notes()


def create_invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("status", sa.String(), server_default="pending", nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("invited_by_user_id", sa.Uuid(), nullable=False),
        sa.Column("accepted_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role in ('admin', 'member')", name=op.f("ck_invitations_role")),
        sa.CheckConstraint(
            "status in ('pending', 'accepted', 'revoked')", name=op.f("ck_invitations_status")
        ),
        sa.CheckConstraint(
            "octet_length(token_hash) = 32", name=op.f("ck_invitations_token_hash_length")
        ),
        sa.ForeignKeyConstraint(
            ["accepted_by_user_id"],
            ["users.id"],
            name=op.f("fk_invitations_accepted_by_user_id_users"),
        ),
        sa.ForeignKeyConstraint(
            ["invited_by_user_id"],
            ["users.id"],
            name=op.f("fk_invitations_invited_by_user_id_users"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_invitations_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_index(
        op.f("ix_invitations_organization_id"), "invitations", ["organization_id"], unique=False
    )


def create_audit_entries() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("ids", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("api_key_id", sa.Uuid(), nullable=True),
        sa.Column("request_id", sa.String(), nullable=True),
        sa.CheckConstraint(
            "channel in ('api', 'mcp', 'page', 'cli')", name=op.f("ck_audit_entries_channel")
        ),
        sa.ForeignKeyConstraint(
            ["api_key_id"], ["api_keys.id"], name=op.f("fk_audit_entries_api_key_id_api_keys")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_audit_entries_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_audit_entries_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index(
        "ix_audit_entries_organization_at", "audit_entries", ["organization_id", "at"], unique=False
    )


def create_change_entries() -> None:
    op.create_table(
        "change_entries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("audit_entry_id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("entity_type", sa.String(), nullable=False),
        sa.Column("entity_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("changes", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint(
            "kind in ('created', 'changed', 'deleted', 'notes')",
            name=op.f("ck_change_entries_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["audit_entry_id"],
            ["audit_entries.id"],
            name=op.f("fk_change_entries_audit_entry_id_audit_entries"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_change_entries_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change_entries")),
    )
    op.create_index(
        op.f("ix_change_entries_audit_entry_id"), "change_entries", ["audit_entry_id"], unique=False
    )
    op.create_index(
        "ix_change_entries_entity", "change_entries", ["entity_type", "entity_id"], unique=False
    )


def date_notes() -> None:
    for table in ("campaigns", "creators", "members", "organizations", "projects", "videos"):
        op.add_column(table, sa.Column("readme_updated_at", sa.DateTime(timezone=True)))
