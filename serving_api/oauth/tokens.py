"""Codes and tokens: random texts, kept as hashes, and for how long each is good (real clock)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from serving_api.resources.organization.invitations.tokens import hash_token, new_token
from warehouse.operational.models import OauthGrant, OauthToken
from warehouse.operational.session import WriteSession

CODE_LASTS = timedelta(minutes=1)
ACCESS_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=30)


def issue(
    session: WriteSession, grant: OauthGrant, scopes: Sequence[str], now: datetime
) -> dict[str, str | int]:
    """Make an access token and the refresh token that follows it; return what the program gets.

    `scopes` are the access token's; the refresh token is good for all of the consent.
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
    session: WriteSession,
    grant: OauthGrant,
    kind: str,
    scopes: Sequence[str],
    expires_at: datetime,
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
