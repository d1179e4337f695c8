"""Codes and tokens: random texts, kept as hashes, and for how long each is good (real clock)."""

from datetime import datetime, timedelta
from uuid import UUID

from serving_api.resources.invitations.tokens import hash_token, new_token
from warehouse.operational.models import OauthToken
from warehouse.operational.session import WriteSession

CODE_LASTS = timedelta(minutes=1)
ACCESS_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=30)


def issue(session: WriteSession, grant_id: UUID, now: datetime) -> dict[str, str | int]:
    """Make an access token and the refresh token that follows it; return what the program gets."""
    return {
        "access_token": _made(session, grant_id, "access", now + ACCESS_LASTS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LASTS.total_seconds()),
        "refresh_token": _made(session, grant_id, "refresh", now + REFRESH_LASTS),
    }


def _made(session: WriteSession, grant_id: UUID, kind: str, expires_at: datetime) -> str:
    text = new_token()
    session.add(
        OauthToken(token_hash=hash_token(text), grant_id=grant_id, kind=kind, expires_at=expires_at)
    )
    return text
