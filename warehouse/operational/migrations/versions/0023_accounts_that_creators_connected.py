"""Accounts that creators connected, and who is on the way to do so."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; nobody has connected an account so far."""
    _connections()
    _attempts()


def _connections() -> None:
    op.create_table(
        "account_connections",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("scopes", ARRAY(sa.String()), nullable=False),
        sa.Column("tokens_encrypted", sa.LargeBinary(), nullable=False),
        _instant("access_expires_at"),
        _instant("expires_at"),
        _instant("connected_at"),
        _instant("broken_at", nullable=True),
        sa.Column("broken_reason", sa.String(), nullable=True),
        _instant("ended_at", nullable=True),
        _instant("created_at"),
        _instant("updated_at"),
        sa.CheckConstraint(
            "platform in ('tiktok', 'instagram')", name=op.f("ck_account_connections_platform")
        ),
        sa.CheckConstraint(
            "broken_reason in ('expired', 'revoked')",
            name=op.f("ck_account_connections_broken_reason"),
        ),
        sa.CheckConstraint(
            "(broken_at is null) = (broken_reason is null)",
            name=op.f("ck_account_connections_broken"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_account_connections_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_account_connections_account_id_accounts"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_connections")),
        sa.UniqueConstraint("account_id", name=op.f("uq_account_connections_account_id")),
    )
    op.create_index(
        op.f("ix_account_connections_organization_id"), "account_connections", ["organization_id"]
    )
    op.create_index(
        "ix_account_connections_subject", "account_connections", ["platform", "subject"]
    )


def _attempts() -> None:
    op.create_table(
        "connect_attempts",
        sa.Column("state_hash", sa.LargeBinary(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("browser_hash", sa.LargeBinary(), nullable=False),
        sa.Column("verifier_encrypted", sa.LargeBinary(), nullable=False),
        _instant("expires_at"),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_connect_attempts_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_connect_attempts_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("state_hash", name=op.f("pk_connect_attempts")),
    )
    op.create_index(op.f("ix_connect_attempts_expires_at"), "connect_attempts", ["expires_at"])


def _instant(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
