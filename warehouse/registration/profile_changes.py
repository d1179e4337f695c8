"""Logs changes of profile fields, because accounts have only the latest values.

URLs of pictures are not logged: platforms sign them again for every fetch.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import Account, AccountProfileChange
from warehouse.registration.identities import accounts_of
from warehouse.registration.staging import PROFILES

LOGGED_FIELDS = ("handle", "display_name", "bio_link", "is_private")

Profile = Row[Any]


@contextmanager
def noted(session: Session) -> Iterator[None]:
    """Log how the block changes the accounts of the batch's profiles."""
    read_at = _read_at(session)
    before = _profiles(session, read_at)
    yield
    after = _profiles(session, read_at)
    for account_id, profile in after.items():
        changes = _changes(before[account_id], profile)
        if changes:
            _note(session, profile, read_at[account_id], changes)
    session.flush()


def _note(session: Session, profile: Profile, read_at: datetime, changes: dict[str, Any]) -> None:
    """Log changes, merged with those that an earlier batch logged for the same instant."""
    key = {"account_id": profile.id, "observed_at": read_at}
    change = session.scalars(select(AccountProfileChange).filter_by(**key)).one_or_none()
    if change is None:
        organization_id = profile.organization_id
        change = AccountProfileChange(organization_id=organization_id, **key, changes={})
        session.add(change)
    change.changes = {
        **change.changes,
        **{name: {**to, **_begun(change.changes, name)} for name, to in changes.items()},
    }


def _begun(noted_before: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the first value of a field with an earlier change."""
    return {"from": noted_before[name]["from"]} if name in noted_before else {}


def _read_at(session: Session) -> Mapping[UUID, datetime]:
    """Return by account the instant of its newest profile."""
    return {row.account_id: row.read_at for row in session.execute(_newest())}


@cache
def _newest() -> Select[Any]:
    accounts = accounts_of(PROFILES)
    return (
        select(accounts.c.account_id, func.max(PROFILES.c.captured_at).label("read_at"))
        .join(PROFILES, PROFILES.c.row == accounts.c.row)
        .group_by(accounts.c.account_id)
    )


def _profiles(session: Session, accounts: Mapping[UUID, datetime]) -> Mapping[UUID, Profile]:
    columns = (getattr(Account, name) for name in LOGGED_FIELDS)
    statement = select(Account.id, Account.organization_id, *columns)
    rows = session.execute(statement.where(Account.id.in_(list(accounts))))
    return {row.id: row for row in rows}


def _changes(before: Profile, after: Profile) -> dict[str, Any]:
    """Return changed fields that were known before. A known value never becomes unknown."""
    return {
        name: {"from": getattr(before, name), "to": getattr(after, name)}
        for name in LOGGED_FIELDS
        if getattr(before, name) not in (None, getattr(after, name))
    }
