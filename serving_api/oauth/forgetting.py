"""Retention of OAuth data; the only place that deletes it.

Expired rows have no effect even before deletion. Sign-in sessions are only in cookies (see
`sign_in_sessions`).
"""

from datetime import datetime, timedelta

from sqlalchemy import and_, delete, or_, select

from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import OauthClient, OauthGrant, OauthToken, SignInFailure
from warehouse.operational.session import WriteSession

UNUSED_PROGRAM_LASTS = timedelta(days=7)
PROGRAM_LASTS = timedelta(days=365)
"""Since its last authorization: clients remember their id and do not register again."""
MOST_UNUSED_PROGRAMS = 10_000
FAILURE_LASTS = timedelta(days=1)

_NEVER_LET_IN = OauthClient.let_in_at.is_(None)


def forget_consents(session: WriteSession, now: datetime) -> None:
    """Delete grants that expired unused or unrefreshed, with their tokens."""
    delete_expired(session, OauthGrant, OauthGrant.expires_at <= now)


def forget_tokens(session: WriteSession, grant: OauthGrant, now: datetime) -> None:
    """Delete expired tokens of a live grant."""
    of_grant = OauthToken.grant_id == grant.id
    session.execute(delete(OauthToken).where(of_grant, OauthToken.expires_at <= now))


def forget_programs(session: WriteSession, now: datetime) -> None:
    """Delete unused clients, and the oldest never-authorized ones above the limit.

    So mass registrations cannot block others.
    """
    consents = select(OauthGrant).where(OauthGrant.client_id == OauthClient.id)
    is_unused = and_(_NEVER_LET_IN, OauthClient.created_at <= now - UNUSED_PROGRAM_LASTS)
    is_left = and_(OauthClient.let_in_at <= now - PROGRAM_LASTS, ~consents.exists())
    delete_expired(session, OauthClient, or_(is_unused, is_left))
    one_too_many = (
        select(OauthClient.id)
        .where(_NEVER_LET_IN)
        .order_by(OauthClient.id.desc())
        .offset(MOST_UNUSED_PROGRAMS - 1)
        .limit(1)
    )
    delete_expired(
        session, OauthClient, _NEVER_LET_IN, OauthClient.id <= one_too_many.scalar_subquery()
    )


def forget_failures(session: WriteSession, now: datetime) -> None:
    """Delete old sign-in failures."""
    delete_expired(session, SignInFailure, SignInFailure.tried_at <= now - FAILURE_LASTS)
