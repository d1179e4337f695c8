"""Signing in with e-mail address and password.

Whether an address has a user must not be visible: unknown addresses are counted and locked alike,
and take as long. Attempts are counted before the password is checked, so that concurrent ones
count too. Ten consecutive failures from one network lock the address there for 15 minutes; 1,000
lock it everywhere. So an attacker locks users out of the attacker's network only.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from serving_api.oauth.forgetting import forget_failures
from serving_api.passwords import hashing, is_right
from serving_api.resources.organization.members.repository import user_named
from warehouse.operational.models import SignInFailure
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

ALLOWED = 10
"""Failures for an address from one network."""
ALLOWED_ANYWHERE = 1_000
"""Reached by 100 networks in 15 minutes, or by one in a day."""
LOCK = timedelta(minutes=15)
LONGEST_ADDRESS = 320

Outcome = Literal["wrong", "locked"]


@dataclass(frozen=True, slots=True)
class Person:
    """A user who can sign in, with the password hash."""

    user_id: UUID
    password_hash: str


def sign_in(
    store: OperationalStore, email: str, password: str, network: str, now: datetime
) -> Person | Outcome:
    """Return the user, or why sign-in failed. Takes almost 0.1 seconds.

    Raises Busy if too many sign in at once; such an attempt is not counted.
    """
    address = email.strip().lower()
    counts = {_hash(f"{address}\n{network}"): ALLOWED, _hash(address): ALLOWED_ANYWHERE}
    with hashing():
        with store.write_session() as session:
            forget_failures(session, now)
            if not all(_count(session, each, most, now) for each, most in counts.items()):
                return "locked"
            claimed = _claimed(session, address)
        if not is_right(password, claimed.password_hash if claimed else None) or claimed is None:
            return "wrong"
    with store.write_session() as session:
        for each in counts:  # in the order in which attempts lock them
            session.execute(delete(SignInFailure).where(SignInFailure.email_hash == each))
    return claimed


def _count(session: WriteSession, email_hash: bytes, most: int, now: datetime) -> bool:
    """Count an attempt; return whether it is allowed."""
    first = insert(SignInFailure).values(email_hash=email_hash, failed=0, tried_at=now)
    session.execute(
        first.on_conflict_do_update(
            index_elements=[SignInFailure.email_hash], set_={"tried_at": now}
        )
    )
    tries = session.get_one(SignInFailure, email_hash)  # locked by the statement above
    if tries.locked_until and tries.locked_until > now:
        return False
    if tries.failed >= most:
        tries.failed = 0
    tries.failed += 1
    tries.locked_until = now + LOCK if tries.failed == most else None
    return True


def _claimed(session: WriteSession, address: str) -> Person | None:
    """Return the user of the address if allowed to sign in."""
    is_one = address.isprintable() and len(address) <= LONGEST_ADDRESS
    user = user_named(session, address) if is_one else None
    if user is None or user.is_banned or user.password_hash is None:
        return None
    return Person(user.id, user.password_hash)


def _hash(counted: str) -> bytes:
    return hashlib.sha256(counted.encode()).digest()
