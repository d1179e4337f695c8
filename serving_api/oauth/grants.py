"""Consents, and what becomes of them: a code, then tokens, each used once, until all are revoked.

Who presents a code or a refresh token for a second time has it from somebody else, or somebody else
has it from them: the whole family ends (OAuth 2.1, 4.1.3 and 4.3.1). What ends it must be kept, so
functions here return a Refusal within a transaction, and the caller raises it after that.
"""

import re
from datetime import datetime
from hmac import compare_digest
from uuid import UUID

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from sqlalchemy import delete, select

from serving_api.oauth import tokens
from serving_api.oauth.asking import Asking
from serving_api.oauth.refusals import Refusal
from serving_api.oauth.tokens import CODE_LASTS
from serving_api.resources.invitations.tokens import hash_token, new_token
from warehouse.operational.models import Member, OauthGrant, OauthToken, Organization, User
from warehouse.operational.session import WriteSession

Values = dict[str, str]
Issued = dict[str, str | int]

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


def allow(
    session: WriteSession, asking: Asking, member: Member, scopes: list[str], now: datetime
) -> tuple[OauthGrant, str]:
    """Keep a consent; return it with the code that stands for it."""
    code = new_token()
    grant = OauthGrant(
        client_id=asking.client.id,
        organization_id=member.organization_id,
        user_id=member.user_id,
        scopes=scopes,
        resource=asking.resource,
        redirect_uri=asking.redirect_uri,
        code_hash=hash_token(code),
        code_challenge=asking.code_challenge,
        code_expires_at=now + CODE_LASTS,
        created_at=now,
    )
    session.add(grant)
    session.flush()
    return grant, code


def exchange(
    session: WriteSession, client_id: UUID, values: Values, now: datetime
) -> Issued | Refusal:
    """Give tokens for a code, once: whatever comes of it, the code is used."""
    code_hash = hash_token(values.get("code", ""))
    grant = session.scalar(
        select(OauthGrant).where(OauthGrant.code_hash == code_hash).with_for_update()
    )
    if grant is None or grant.client_id != client_id:
        return _no_good("code")
    if grant.code_used_at is not None:
        grant.revoked_at = grant.revoked_at or now
        return _no_good("code")
    grant.code_used_at = now
    if grant.revoked_at or grant.code_expires_at <= now or not _is_askers(grant, values):
        return _no_good("code")
    return _issued(session, grant, now)


def refresh(
    session: WriteSession, client_id: UUID, values: Values, now: datetime
) -> Issued | Refusal:
    """Give new tokens for a refresh token, once; a second time ends all of its family."""
    found = _with_token(session, values.get("refresh_token", ""))
    if found is None or found[0].kind != "refresh" or found[1].client_id != client_id:
        return _no_good("refresh token")
    token, grant = found
    if token.used_at is not None or not _is_member(session, grant):
        grant.revoked_at = grant.revoked_at or now
    if grant.revoked_at or token.expires_at <= now:
        return _no_good("refresh token")
    narrower = values.get("scope", "").split()
    if not set(narrower) <= set(grant.scopes):
        return Refusal("invalid_scope", "scope: more than was allowed")
    token.used_at = now
    _forget_expired(session, grant, now)
    return _issued(session, grant, now)


def revoke(session: WriteSession, client_id: UUID, text: str, now: datetime) -> None:
    """End the family of a token of this program (RFC 7009); what is no token is nothing to end."""
    found = _with_token(session, text)
    if found and found[1].client_id == client_id:
        found[1].revoked_at = found[1].revoked_at or now


def _with_token(session: WriteSession, text: str) -> tuple[OauthToken, OauthGrant] | None:
    asked = (
        select(OauthToken, OauthGrant)
        .join(OauthGrant, OauthGrant.id == OauthToken.grant_id)
        .where(OauthToken.token_hash == hash_token(text))
        .with_for_update()
    )
    row = session.execute(asked).one_or_none()
    return None if row is None else (row[0], row[1])


def _is_askers(grant: OauthGrant, values: Values) -> bool:
    """Whether the code comes back from who asked for it (PKCE), for the address it was sent to."""
    if values.get("redirect_uri", grant.redirect_uri) != grant.redirect_uri:
        return False
    verifier = values.get("code_verifier", "")
    if not _VERIFIER.fullmatch(verifier):
        return False
    return compare_digest(create_s256_code_challenge(verifier), grant.code_challenge)


def _is_member(session: WriteSession, grant: OauthGrant) -> bool:
    """Whether the person is still a member, and neither is suspended."""
    asked = (
        select(Member.role)
        .join(User, User.id == Member.user_id)
        .join(Organization, Organization.id == Member.organization_id)
        .where(
            Member.user_id == grant.user_id,
            Member.organization_id == grant.organization_id,
            User.is_banned.is_(False),
            Organization.is_suspended.is_(False),
        )
    )
    return session.scalar(asked) is not None


def _issued(session: WriteSession, grant: OauthGrant, now: datetime) -> Issued:
    return {**tokens.issue(session, grant.id, now), "scope": " ".join(grant.scopes)}


def _forget_expired(session: WriteSession, grant: OauthGrant, now: datetime) -> None:
    of_grant = OauthToken.grant_id == grant.id
    session.execute(delete(OauthToken).where(of_grant, OauthToken.expires_at <= now))


def _no_good(what: str) -> Refusal:
    return Refusal("invalid_grant", f"The {what} is unknown, used, revoked or expired")
