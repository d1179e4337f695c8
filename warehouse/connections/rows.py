"""Queries of connections by state.

A connection is over once it was disconnected, or its account or creator was removed. It makes no
more requests; the only thing left is to revoke it at the platform. A broken one waits for its
creator. A connection belongs to the organization whose link was followed.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from sqlalchemy import ColumnElement, case, exists, func, not_, or_, select, text
from sqlalchemy.orm import Session, aliased

from warehouse.operational.leases import has_ended
from warehouse.operational.models import Account, AccountConnection, Creator
from warehouse.operational.session import WriteSession
from warehouse.registration.scrapable import scrapable_account

LONGEST_RETRY = timedelta(days=1)
"""Longest wait before a refused connection is tried again."""
BETWEEN_RENEWALS = timedelta(days=1)
"""Shortest time between renewals that only keep a consent from ending."""
_LOCK_CONSENT = text("select pg_advisory_xact_lock(hashtextextended(:consent, 0))")
_TROUBLED_SINCE = func.coalesce(AccountConnection.refused_since, AccountConnection.broken_at)


def is_over() -> ColumnElement[bool]:
    """Match connections that were disconnected, or whose account or creator was removed."""
    removed = (
        select(Account.id)
        .join(Creator, Creator.id == Account.creator_id)
        .where(or_(Account.is_active.is_(False), Creator.is_active.is_(False)))
    )
    return or_(AccountConnection.ended_at.is_not(None), AccountConnection.account_id.in_(removed))


def of_accounts(
    session: Session, organization_id: UUID, account_ids: Collection[UUID]
) -> Mapping[UUID, AccountConnection]:
    """Return the connections of accounts by account, including broken ones, without ended ones."""
    rows = session.scalars(
        select(AccountConnection).where(
            AccountConnection.organization_id == organization_id,
            AccountConnection.account_id.in_(account_ids),
            not_(is_over()),
        )
    )
    return {row.account_id: row for row in rows}


def usable(
    session: Session, platform: str, handle: str, user_id: str | None, now: datetime
) -> tuple[AccountConnection, str | None] | None:
    """Return the latest connection for reading an account, of any organization.

    Includes the user id of its account, None if unknown. A handle can pass to another account, so
    it decides only if `user_id` is None. A refused connection is skipped until its retry is due.
    `now` is the real clock's.
    """
    is_account = Account.platform_user_id == user_id if user_id else Account.handle == handle
    row = session.execute(
        select(AccountConnection, Account.platform_user_id)
        .join(Account, Account.id == AccountConnection.account_id)
        .where(
            AccountConnection.platform == platform,
            is_account,
            scrapable_account(),
            AccountConnection.broken_at.is_(None),
            has_ended(AccountConnection.retry_at, now, LONGEST_RETRY),
            not_(is_over()),
        )
        .order_by(AccountConnection.connected_at.desc(), AccountConnection.id.desc())
        .limit(1)
    ).first()
    return (row[0], row[1]) if row else None


def lock(session: WriteSession, connection_id: UUID) -> AccountConnection | None:
    """Lock a connection for writing. Returns None if it is gone."""
    return session.scalar(
        select(AccountConnection)
        .where(AccountConnection.id == connection_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def is_shared(session: WriteSession, connection: AccountConnection) -> bool:
    """Return whether another connection uses the same consent, and lock the consent.

    A platform has one consent for both: revoking it would end them all, also for other
    organizations. Of two that end at once, the second sees that the first is gone.
    """
    session.execute(_LOCK_CONSENT, {"consent": f"{connection.platform} {connection.subject}"})
    other = aliased(AccountConnection)
    return bool(
        session.scalar(
            select(
                exists().where(
                    other.id != connection.id,
                    other.platform == connection.platform,
                    other.subject == connection.subject,
                    other.ended_at.is_(None),
                )
            )
        )
    )


def consent_key(platform: str, subject: str) -> int:
    """Return the key of the session lock under which a consent is connected or revoked."""
    return int.from_bytes(sha256(f"{platform} {subject}".encode()).digest()[:8], signed=True)


def over(session: Session) -> Sequence[AccountConnection]:
    """Return the connections that are over."""
    connections = select(AccountConnection).where(is_over()).order_by(AccountConnection.id)
    return session.scalars(connections).all()


def lock_over(session: WriteSession, connection_id: UUID) -> AccountConnection | None:
    """Lock and return a connection; None if it is locked, or is not over any more."""
    connection = select(AccountConnection).where(AccountConnection.id == connection_id, is_over())
    return session.scalar(connection.with_for_update(skip_locked=True))


def are_any(session: Session) -> bool:
    return session.scalar(select(AccountConnection.id).limit(1)) is not None


def connection_counts(session: Session) -> Mapping[tuple[str, str], int]:
    """Return the number of connections by platform and state, without ended ones.

    A connection is `broken`, `refused` (for a week at most) or `healthy`. Counts all
    organizations, for operators.
    """
    state: ColumnElement[str] = case(
        (AccountConnection.broken_at.is_not(None), "broken"),
        (AccountConnection.refused_since.is_not(None), "refused"),
        else_="healthy",
    )
    counted = session.execute(
        select(AccountConnection.platform, state, func.count())
        .where(not_(is_over()))
        .group_by(AccountConnection.platform, state)
    )
    return {(platform, name): count for platform, name, count in counted}


def names_in_trouble(
    session: Session, platform: str, most: int
) -> Sequence[tuple[str, datetime, bool]]:
    """Return up to `most` accounts in trouble, the longest first, of any organization.

    Each has its handle, since when its consent is refused, and whether its connection is broken.
    """
    rows = session.execute(
        select(Account.handle, _TROUBLED_SINCE, AccountConnection.broken_at.is_not(None))
        .join(Account, Account.id == AccountConnection.account_id)
        .where(
            AccountConnection.platform == platform, _TROUBLED_SINCE.is_not(None), not_(is_over())
        )
        .order_by(_TROUBLED_SINCE, AccountConnection.id)
        .limit(most)
    )
    return [(handle, since, is_broken) for handle, since, is_broken in rows]


def ending(
    session: Session, platform: str, before: datetime, now: datetime
) -> Sequence[AccountConnection]:
    """Return connections whose consent ends before then, the next to end first.

    A refused connection is skipped until its retry is due. One whose access token ends before the
    consent is skipped until that token is a day past its end: a renewal may not move the consent's
    end, so that each crawl would repeat it. `now` is the real clock's.
    """
    is_unused = AccountConnection.access_expires_at < now - BETWEEN_RENEWALS
    return session.scalars(
        select(AccountConnection)
        .where(
            AccountConnection.platform == platform,
            AccountConnection.broken_at.is_(None),
            AccountConnection.expires_at < before,
            or_(AccountConnection.access_expires_at >= AccountConnection.expires_at, is_unused),
            has_ended(AccountConnection.retry_at, now, LONGEST_RETRY),
            not_(is_over()),
        )
        .order_by(AccountConnection.expires_at, AccountConnection.id)
    ).all()


def in_trouble(session: Session, organization_id: UUID) -> Sequence[AccountConnection]:
    """Return an organization's broken and refused connections, the longest broken first."""
    return session.scalars(
        select(AccountConnection)
        .where(
            AccountConnection.organization_id == organization_id,
            _TROUBLED_SINCE.is_not(None),
            not_(is_over()),
        )
        .order_by(AccountConnection.broken_at, _TROUBLED_SINCE, AccountConnection.id)
    ).all()
