"""Grants: a code, then single-use tokens, until revoked.

A second use of a code or refresh token reveals that it leaked, so the whole grant is revoked
(OAuth 2.1, 4.1.3 and 4.3.1). The revocation must commit, so functions return a Refusal and the
caller raises it after the transaction.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest
from uuid import UUID

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from sqlalchemy import select

from serving_api.errors import InvalidRequest
from serving_api.oauth.authorization_request import UNKNOWN_PROGRAM, Asking
from serving_api.oauth.forgetting import forget_consents, forget_tokens
from serving_api.oauth.refusals import Refusal, required
from serving_api.passwords import hash_token, new_token
from warehouse.operational.models import Member, OauthClient, OauthGrant, OauthToken
from warehouse.operational.session import WriteSession

CODE_LASTS = timedelta(minutes=1)
ACCESS_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=30)


def issue(
    session: WriteSession, grant: OauthGrant, scopes: Sequence[str], now: datetime
) -> dict[str, str | int]:
    """Issue an access token and its refresh token; return the token response.

    `scopes` are the access token's; the refresh token keeps all scopes of the grant.
    """
    grant.expires_at = now + REFRESH_LASTS
    return {
        "access_token": _made(session, grant, "access", scopes, now + ACCESS_LASTS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LASTS.total_seconds()),
        "refresh_token": _made(session, grant, "refresh", grant.scopes, grant.expires_at),
        "scope": " ".join(scopes),
    }


def _made(
    session: WriteSession, grant: OauthGrant, kind: str, scopes: Sequence[str], expires_at: datetime
) -> str:
    text = new_token()
    token = OauthToken(
        token_hash=hash_token(text),
        grant_id=grant.id,
        kind=kind,
        scopes=list(scopes),
        expires_at=expires_at,
    )
    session.add(token)
    return text


Issued = dict[str, str | int]

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Presented:
    """A token request: client, resource, form and time."""

    client_id: UUID
    resource: str
    form: Mapping[str, str]
    now: datetime

    def belongs_to(self, grant: OauthGrant) -> bool:
        """Return whether the grant is for this client and resource."""
        return (grant.client_id, grant.resource) == (self.client_id, self.resource)


def allow(
    session: WriteSession, asking: Asking, member: Member, scopes: Sequence[str], now: datetime
) -> tuple[OauthGrant, str]:
    """Store a grant; return it with its code.

    Raises InvalidRequest if the client was just deleted.
    """
    forget_consents(session, now)
    _lock_program(session, asking).let_in_at = now
    code = new_token()
    grant = OauthGrant(
        client_id=asking.client.id,
        organization_id=member.organization_id,
        user_id=member.user_id,
        scopes=list(scopes),
        resource=asking.resource,
        redirect_uri=asking.redirect_uri,
        code_hash=hash_token(code),
        code_challenge=asking.code_challenge,
        created_at=now,
        expires_at=now + CODE_LASTS,
    )
    session.add(grant)
    session.flush()
    return grant, code


def exchange(session: WriteSession, presented: Presented) -> Issued | Refusal:
    """Exchange a code for tokens; it is used up even on failure."""
    code_hash = hash_token(required(presented.form, "code"))
    grant = session.scalar(
        select(OauthGrant).where(OauthGrant.code_hash == code_hash).with_for_update()
    )
    if grant is None or not presented.belongs_to(grant):
        return _no_good("code")
    if grant.code_used_at is not None:
        _end(grant, presented.now)
        return _no_good("code")
    grant.code_used_at = presented.now
    is_over = grant.revoked_at or grant.expires_at <= presented.now
    if is_over or not _is_askers(grant, presented.form):
        return _no_good("code")
    return issue(session, grant, grant.scopes, presented.now)


def refresh(session: WriteSession, presented: Presented) -> Issued | Refusal:
    """Exchange a refresh token for new tokens; reuse revokes the grant.

    The client may request fewer scopes (RFC 6749, section 6). Membership needs no check here: see
    `end_consents`.
    """
    family = _family_of(session, required(presented.form, "refresh_token"))
    if family is None:
        return _no_good("refresh token")
    token, grant = family
    if token.kind != "refresh" or not presented.belongs_to(grant):
        return _no_good("refresh token")
    if token.used_at is not None:
        _end(grant, presented.now)
    if grant.revoked_at or token.expires_at <= presented.now:
        return _no_good("refresh token")
    requested = presented.form.get("scope", "").split() or grant.scopes
    if not set(requested) <= set(grant.scopes):
        return Refusal("invalid_scope", "scope: exceeds the granted scopes")
    token.used_at = presented.now
    forget_tokens(session, grant, presented.now)
    scopes = [scope for scope in grant.scopes if scope in requested]
    return issue(session, grant, scopes, presented.now)


def revoke(session: WriteSession, client_id: UUID, text: str, now: datetime) -> None:
    """Revoke the grant of a client's token (RFC 7009); unknown tokens are ignored."""
    family = _family_of(session, text)
    if family and family[1].client_id == client_id:
        _end(family[1], now)


def _lock_program(session: WriteSession, asking: Asking) -> OauthClient:
    program = session.get(
        OauthClient, asking.client.id, with_for_update={"key_share": True}, populate_existing=True
    )
    if program is None:
        raise InvalidRequest(UNKNOWN_PROGRAM)
    return program


def _family_of(session: WriteSession, text: str) -> tuple[OauthToken, OauthGrant] | None:
    """Return a token and its grant, locking the grant.

    The token is read after the lock, so that it is current.
    """
    token_hash = hash_token(text)
    of_token = select(OauthToken.grant_id).where(OauthToken.token_hash == token_hash)
    grant = session.scalar(
        select(OauthGrant).where(OauthGrant.id == of_token.scalar_subquery()).with_for_update()
    )
    token = session.get(OauthToken, token_hash)
    return (token, grant) if token and grant else None


def _is_askers(grant: OauthGrant, form: Mapping[str, str]) -> bool:
    """Return whether PKCE verifier and redirect URI match the code's request."""
    if form.get("redirect_uri", grant.redirect_uri) != grant.redirect_uri:
        return False
    verifier = form.get("code_verifier", "")
    if not _VERIFIER.fullmatch(verifier):
        return False
    return compare_digest(create_s256_code_challenge(verifier), grant.code_challenge)


def _end(grant: OauthGrant, now: datetime) -> None:
    grant.revoked_at = grant.revoked_at or now


def _no_good(what: str) -> Refusal:
    return Refusal("invalid_grant", f"The {what} is unknown, used, revoked or expired")
