"""Access: users, sessions, keys, OAuth grants and links for visitors."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped, Unlogged


class User(Identified, Timestamped, Base):
    """A person who can be a member of organizations. Permissions depend on the membership.

    `made_by_organization_id` is the organization whose invitation created the user; only that one
    vouches for the address. Null: created on the command line.
    """

    __tablename__ = "users"

    email: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str | None] = mapped_column(info=SECRET)
    made_by_organization_id: Mapped[UUID | None] = mapped_column(ForeignKey("organizations.id"))
    is_platform_admin: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    is_banned: Mapped[bool] = mapped_column(default=False, server_default=text("false"))


Index("uq_users_email_lower", func.lower(User.email), unique=True)


class SignInFailure(Unlogged, Base):
    """Failed sign-ins for an e-mail address since the last success, from one network or any.

    The key is the SHA-256 of the address, with the network on a second line. Unknown addresses
    count too, so that a lock reveals nothing. Times are the real clock's.
    """

    __tablename__ = "sign_in_failures"

    email_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    failed: Mapped[int]
    tried_at: Mapped[datetime] = mapped_column(index=True)
    locked_until: Mapped[datetime | None]


# Only the SHA-256 of a session's token is stored.
class DeskSession(Unlogged, Base):
    """A browser session of a user.

    `password_seal` is the SHA-256 of the password hash at sign-in: a new password ends the session.
    `expires_at` moves with each use. Times are the real clock's.
    """

    __tablename__ = "desk_sessions"
    __table_args__ = (CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    password_seal: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)


# Only the SHA-256 of a key is stored (contract, Authentication 2).
class ApiKey(Identified, Timestamped, Base):
    """A key of one organization that acts as one of its members."""

    __tablename__ = "api_keys"
    __table_args__ = (
        CheckConstraint("status in ('active', 'revoked', 'deactivated')", name="status"),
        CheckConstraint("octet_length(key_hash) = 32", name="key_hash_length"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    key_prefix: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    acts_as_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    created_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    status: Mapped[str] = mapped_column(default="active", server_default="active")
    deactivation_reason: Mapped[str | None]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class ApiRequestDay(Unlogged, Base):
    """Requests of an organization on a day of its zone, by the real clock, without refused ones."""

    __tablename__ = "api_request_days"
    __table_args__ = {"postgresql_with": {"fillfactor": "50"}}  # noqa: RUF012 - updated in place

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]


class IdempotencyOutcome(Unlogged, Base):
    """The response to the first request with an Idempotency-Key, written in its transaction.

    Secrets are null in `response_body`. `created_at` is the real clock's: a key expires after 24
    hours.
    """

    __tablename__ = "idempotency_outcomes"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    endpoint: Mapped[str]
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int]
    response_body: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(index=True)


class OauthClient(Identified, Unlogged, Base):
    """An OAuth client for /api/mcp as it registered itself (RFC 7591): unverified, without secret.

    `let_in_at` is the last consent, null without any. Times are the real clock's.
    """

    __tablename__ = "oauth_clients"
    __table_args__ = (Index("ix_oauth_clients_let_in_at_created_at", "let_in_at", "created_at"),)

    name: Mapped[str]
    redirect_uris: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime]
    let_in_at: Mapped[datetime | None]


class OauthGrant(Identified, Unlogged, Base):
    """A member's consent for a program in one organization, with its code and tokens.

    `expires_at` is the end of the code, then of the latest refresh token. Once `revoked_at` is
    set, no token of the grant is valid. Times are the real clock's. `code_challenge` is PKCE's
    S256.
    """

    __tablename__ = "oauth_grants"
    __table_args__ = (CheckConstraint("octet_length(code_hash) = 32", name="code_hash_length"),)

    client_id: Mapped[UUID] = mapped_column(ForeignKey("oauth_clients.id"), index=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    resource: Mapped[str]
    redirect_uri: Mapped[str]
    code_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    code_challenge: Mapped[str]
    code_used_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    revoked_at: Mapped[datetime | None]


# Only the SHA-256 of a token is stored.
class OauthToken(Unlogged, Base):
    """An access or refresh token of a grant. A refresh token is used once (`used_at`).

    `scopes` may be fewer than the grant's, if the program requested fewer. Times are the real
    clock's.
    """

    __tablename__ = "oauth_tokens"
    __table_args__ = (
        CheckConstraint("kind in ('access', 'refresh')", name="kind"),
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
    )

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    grant_id: Mapped[UUID] = mapped_column(
        ForeignKey("oauth_grants.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class ShareLink(Timestamped, Base):
    """The settings of a creator's share page.

    The PIN is encrypted, because some members may read it (contract, PIN visibility). `pin_id` is
    unique, also if the link is deleted and recreated: sessions unlocked with another PIN end.
    `failed_unlocks` counts wrong PINs since the last right one; `locked_until` is the real clock's.
    """

    __tablename__ = "share_links"
    __table_args__ = (CheckConstraint("show_analytics or show_payouts", name="sections"),)

    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    is_enabled: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    show_analytics: Mapped[bool]
    show_payouts: Mapped[bool]
    pin_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    pin_id: Mapped[UUID]
    failed_unlocks: Mapped[int] = mapped_column(default=0, server_default="0")
    locked_until: Mapped[datetime | None]


class ReportLink(Identified, Timestamped, Base):
    """A report of a project, or of a campaign in it, for people outside of the organization.

    It shows what its sharing member sees, while they are a member, until `expires_at` (real
    clock). `made_by_user_id` is set if another admin's key shared it: it also ends with that
    admin. PIN and lock are those of share links.
    """

    __tablename__ = "report_links"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    shared_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    made_by_user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    show_creators: Mapped[bool]
    expires_at: Mapped[datetime | None]
    pin_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    pin_id: Mapped[UUID]
    failed_unlocks: Mapped[int] = mapped_column(default=0, server_default="0")
    locked_until: Mapped[datetime | None]
