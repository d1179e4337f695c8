"""What sign-in for agents keeps, and until when: the one place that deletes any of it.

What is past its time is worth nothing even while it is there; deleting it is housekeeping. Visits
are kept by browsers alone (see `visits`).
"""

from datetime import datetime, timedelta

from sqlalchemy import and_, delete, or_, select

from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import OauthClient, OauthGrant, OauthToken, SignInFailure
from warehouse.operational.session import WriteSession

UNUSED_PROGRAM_LASTS = timedelta(days=7)
PROGRAM_LASTS = timedelta(days=365)
"""From when somebody let it in last: programs remember who they are, and do not register anew."""
MOST_UNUSED_PROGRAMS = 10_000
FAILURE_LASTS = timedelta(days=1)

_NEVER_LET_IN = OauthClient.let_in_at.is_(None)


def forget_consents(session: WriteSession, now: datetime) -> None:
    """Delete, with their tokens, consents whose code nobody exchanged or that nobody refreshed."""
    delete_expired(session, OauthGrant, OauthGrant.expires_at <= now)


def forget_tokens(session: WriteSession, grant: OauthGrant, now: datetime) -> None:
    """Delete what has expired in a family that lives on."""
    of_grant = OauthToken.grant_id == grant.id
    session.execute(delete(OauthToken).where(of_grant, OauthToken.expires_at <= now))


def forget_programs(session: WriteSession, now: datetime) -> None:
    """Delete programs that nobody uses, and make room for one more of those nobody let in yet.

    Where there is no room the oldest go: whoever registers thousands keeps nobody else out.
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
    """Delete wrong passwords of long ago."""
    delete_expired(session, SignInFailure, SignInFailure.tried_at <= now - FAILURE_LASTS)
