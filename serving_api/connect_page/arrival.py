"""The OAuth callback: exchanges the code, checks the account and stores the connection.

No transaction is open during platform requests. An unused grant is revoked where the platform
supports it.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from scrapers.consent.grant import ConsentEndedError, ConsentError, Grant, Person, grant_of
from scrapers.consent.login import Login, Proof
from serving_api.connect_page.attempts import Returned
from serving_api.errors import InvalidRequest, NotFound
from serving_api.resources.tracking.accounts import repository as account_rows
from warehouse.connections import rows, storing
from warehouse.encryption import Encryption
from warehouse.operational.models import Account, AccountConnection, Creator
from warehouse.operational.session import WriteSession
from warehouse.platforms import PLATFORM_NAMES


@dataclass(frozen=True, slots=True)
class Arrival:
    """A platform's grant, and the person who gave it."""

    grant: Grant
    person: Person


def arrive(login: Login, returned: Returned, code: str, redirect_uri: str) -> Arrival:
    """Exchange the code and read whose tokens they are. Raises InvalidRequest.

    Checks permissions first: without them, some platforms do not name the account.
    """
    name = PLATFORM_NAMES[login.platform]
    proof = Proof(code=code, verifier=returned.verifier, redirect_uri=redirect_uri)
    try:
        grant = login.exchange(proof)
        require_permissions(login, grant)
        return Arrival(grant, login.who(grant))
    except ConsentEndedError:
        raise InvalidRequest(f"{name} rejected this sign-in. Try again.") from None
    except ConsentError:
        raise InvalidRequest(f"{name} is not responding correctly. Try again later.") from None


def connect(
    session: WriteSession,
    returned: Returned,
    arrival: Arrival,
    *,
    encryption: Encryption,
    now: datetime,
) -> tuple[AccountConnection, Grant | None]:
    """Store an account's connection, replacing an earlier one.

    Returns the connection, and the earlier grant if it belonged to another account. Raises
    InvalidRequest if the tokens belong to another account, NotFound if the account was removed.
    """
    account = account_rows.lock(session, returned.organization_id, returned.account_id)
    if account is None or not session.get_one(Creator, account.creator_id).is_active:
        raise NotFound("This account is no longer tracked.")
    require_same(account, arrival.person)
    connection = _row(session, account)
    earlier = _earlier(session, connection, arrival.person, encryption)
    connection.subject = arrival.person.subject
    connection.connected_at = now
    connection.broken_at = connection.broken_reason = connection.ended_at = None
    storing.note_success(connection)
    storing.store(connection, arrival.grant, encryption)
    session.add(connection)
    session.flush()
    return connection, earlier


def require_permissions(login: Login, grant: Grant) -> None:
    """Raise InvalidRequest, naming each missing permission.

    The tokens are dropped, not revoked: revoking may need the missing permission.
    """
    missing = [words for scope, words in login.permissions.items() if scope not in grant.scopes]
    if missing:
        name = PLATFORM_NAMES[login.platform]
        raise InvalidRequest(
            f"{name} gave no permission to read {', '.join(missing)}. "
            f"Try again and allow every permission that {name} asks for."
        )


def require_same(account: Account, person: Person) -> None:
    """Raise InvalidRequest if the tokens belong to an account other than the tracked one.

    Compares platform ids if both are known, otherwise handles.
    """
    known = account.platform_alt_id if person.alt_id else None
    is_same = known == person.alt_id if known else account.handle == person.handle
    if not is_same:
        name = PLATFORM_NAMES[account.platform]
        raise InvalidRequest(
            f"You signed in to {name} as @{person.handle}, not as @{account.handle}."
            f" Sign in to {name} as @{account.handle} and try again."
        )


def is_stood_on(session: Session, platform: str, person: Person) -> bool:
    """Return whether an open connection uses this grant, so that it must not be revoked."""
    connections = select(AccountConnection.id).where(
        AccountConnection.platform == platform,
        AccountConnection.subject == person.subject,
        AccountConnection.ended_at.is_(None),
    )
    return session.scalar(connections.limit(1)) is not None


def _row(session: WriteSession, account: Account) -> AccountConnection:
    """Return the account's connection, locked against concurrent token refreshes."""
    query = select(AccountConnection).where(AccountConnection.account_id == account.id)
    return session.scalar(query.with_for_update()) or AccountConnection(
        organization_id=account.organization_id, account_id=account.id, platform=account.platform
    )


def _earlier(
    session: WriteSession, row: AccountConnection, person: Person, encryption: Encryption
) -> Grant | None:
    """Return the earlier grant to revoke, if it belonged to another account."""
    is_new = row not in session
    if is_new or row.subject == person.subject or rows.is_shared(session, row):
        return None
    return grant_of(storing.tokens_of(row, encryption), row)
