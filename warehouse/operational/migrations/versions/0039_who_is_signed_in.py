"""Browsers in which people are signed in to the desk."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nobody is signed in so far."""
    op.create_table(
        "desk_sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("password_seal", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "octet_length(token_hash) = 32", name=op.f("ck_desk_sessions_token_hash_length")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_desk_sessions_user_id_users")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_desk_sessions")),
    )
    op.create_index(op.f("ix_desk_sessions_user_id"), "desk_sessions", ["user_id"])
    op.create_index(op.f("ix_desk_sessions_expires_at"), "desk_sessions", ["expires_at"])
