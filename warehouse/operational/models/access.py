"""Who may come in: users, sign-ins, keys, what applications were allowed, links for visitors."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped, Unlogged


# A person. What a person may do depends on the membership, not on the user.
class User(Identified, Timestamped, Base):
    """A person who can be a member of organizations.

    `made_by_organization_id` is the organization whose invitation made the user: only that one
    vouches for the address. Null: the command line made it.
    """

    __tablename__ = "users"

    email: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str | None] = mapped_column(info=SECRET)
    made_by_organization_id: Mapped[UUID | None] = mapped_column(ForeignKey("organizations.id"))
    is_platform_admin: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    is_banned: Mapped[bool] = mapped_column(default=False, server_default=text("false"))


Index("uq_users_email_lower", func.lower(User.email), unique=True)


# Wrong passwords, counted by address whether or not anybody has it.
class SignInFailure(Unlogged, Base):
    """Tries for one e-mail address since the last right password, from one network or from any.

    The key is the SHA-256 of the address, with the network on a second line for one network's.
    Addresses that nobody has are counted too, so that a lock tells nothing. Times are the real
    clock's.
    """

    __tablename__ = "sign_in_failures"

    email_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    failed: Mapped[int]
    tried_at: Mapped[datetime] = mapped_column(index=True)
    locked_until: Mapped[datetime | None]


# Who is signed in to the desk: only the SHA-256 of a session's token is ever stored.
class DeskSession(Unlogged, Base):
    """One browser in which a person is signed in, wherever the person is a member.

    `password_seal` is the SHA-256 of the stored password of that time: with another one the session
    is over. `expires_at` moves on with each use. Times are the real clock's.
    """

    __tablename__ = "desk_sessions"
    __table_args__ = (CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    password_seal: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)


# API keys: only the SHA-256 of a key is ever stored (contract, Authentication 2).
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


# How many requests an organization made on a day of its zone (contract, Limits).
class ApiRequestDay(Unlogged, Base):
    """One organization's requests on one day by the real clock, those refused left out."""

    __tablename__ = "api_request_days"
    __table_args__ = {"postgresql_with": {"fillfactor": "50"}}  # noqa: RUF012 - updated in place

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]


# What a write under an Idempotency-Key answered (contract, Conventions, Idempotency).
class IdempotencyOutcome(Unlogged, Base):
    """The answer to the first request with a key, written in that request's own transaction.

    Secrets are null in `response_body`. `created_at` is the real clock's: a key is forgotten 24
    hours later, whatever business time says.
    """

    __tablename__ = "idempotency_outcomes"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    endpoint: Mapped[str]
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int]
    response_body: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(index=True)


# Programs that ask people for access to /api/mcp. Anyone may register one (RFC 7591).
class OauthClient(Identified, Unlogged, Base):
    """A program as it described itself: nothing of it is verified, and it has no secret.

    `let_in_at` is when somebody let it in last, null for one that nobody ever did. Times are the
    real clock's.
    """

    __tablename__ = "oauth_clients"
    __table_args__ = (Index("ix_oauth_clients_let_in_at_created_at", "let_in_at", "created_at"),)

    name: Mapped[str]
    redirect_uris: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime]
    let_in_at: Mapped[datetime | None]


# What a member allowed a program to do in one organization.
class OauthGrant(Identified, Unlogged, Base):
    """One consent: the code that stands for it until it is exchanged, and the family of its tokens.

    `expires_at` is when nothing of it is worth anything any more: first its code's end, then the
    end of the latest refresh token. Once `revoked_at` is set, no token of the family is worth
    anything. All times are the real clock's. `code_challenge` is the S256 one of PKCE.
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


# Tokens of programs that people allowed in: only the SHA-256 of a token is ever stored.
class OauthToken(Unlogged, Base):
    """An access or refresh token of a grant. A refresh token is used once (`used_at`).

    `scopes` may be fewer than the grant's, where the program asked for less. Times are the real
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


# A creator's public page, and the PIN that opens it.
class ShareLink(Timestamped, Base):
    """The settings of one creator's share page.

    The PIN is encrypted, because some may read it (contract, PIN visibility). `pin_id` names it
    and no other, also if the link is deleted and made anew: a session unlocked with another PIN is
    over. `failed_unlocks` counts the wrong PINs since the last right one; `locked_until` is the
    real clock's.
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


# A page of a project or a campaign for people outside, and the PIN that opens it.
class ReportLink(Identified, Timestamped, Base):
    """A report of a project, or of a campaign of it where one is named.

    It shows what the member who shared it sees, for as long as that is a member, and until
    `expires_at` of the real clock. PIN and tries are as those of share links.
    """

    __tablename__ = "report_links"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    shared_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    show_creators: Mapped[bool]
    expires_at: Mapped[datetime | None]
    pin_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    pin_id: Mapped[UUID]
    failed_unlocks: Mapped[int] = mapped_column(default=0, server_default="0")
    locked_until: Mapped[datetime | None]
