"""When consents and programs end, and access tokens with fewer scopes than their consent."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _programs()
    _consents()
    _tokens()


def _programs() -> None:
    op.add_column("oauth_clients", sa.Column("let_in_at", sa.DateTime(timezone=True)))
    op.execute(
        "update oauth_clients set let_in_at ="
        " (select max(created_at) from oauth_grants where client_id = oauth_clients.id)"
    )
    op.create_index(
        "ix_oauth_clients_let_in_at_created_at",
        "oauth_clients",
        ["let_in_at", "created_at"],
        unique=False,
    )


def _consents() -> None:
    op.alter_column("oauth_grants", "code_expires_at", new_column_name="expires_at")
    op.execute(
        "update oauth_grants set expires_at = latest.expires_at from"
        " (select grant_id, max(expires_at) as expires_at from oauth_tokens group by 1) as latest"
        " where latest.grant_id = oauth_grants.id"
    )
    op.execute(
        "update oauth_grants set revoked_at = now() where revoked_at is null and not exists"
        " (select from members join users on users.id = members.user_id"
        " join organizations on organizations.id = members.organization_id"
        " where members.user_id = oauth_grants.user_id"
        " and members.organization_id = oauth_grants.organization_id"
        " and not users.is_banned and not organizations.is_suspended)"
    )
    op.create_index(
        op.f("ix_oauth_grants_expires_at"), "oauth_grants", ["expires_at"], unique=False
    )


def _tokens() -> None:
    op.add_column("oauth_tokens", sa.Column("scopes", postgresql.ARRAY(sa.String())))
    op.execute(
        "update oauth_tokens set scopes = oauth_grants.scopes from oauth_grants"
        " where oauth_grants.id = oauth_tokens.grant_id"
    )
    op.alter_column("oauth_tokens", "scopes", nullable=False)
    reference = op.f("fk_oauth_tokens_grant_id_oauth_grants")
    op.drop_constraint(reference, "oauth_tokens", type_="foreignkey")
    op.create_foreign_key(
        reference, "oauth_tokens", "oauth_grants", ["grant_id"], ["id"], ondelete="CASCADE"
    )
