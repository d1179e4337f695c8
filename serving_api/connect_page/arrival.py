"""A creator is back from a platform: tokens for the code, whose they are, and the connection.

Nothing is held open while the platform is asked. A consent that is not used in the end is given
back, as far as the platform takes that.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from scrapers.consent.grant import (
    ConsentEndedError,
    ConsentError,
    Grant,
    Person,
    grant_of,
)
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
    """What a platform gave, and whose it is."""

    grant: Grant
    person: Person


def arrive(login: Login, returned: Returned, code: str, redirect_uri: str) -> Arrival:
    """Ask the platform for the tokens and whose they are. Raises InvalidRequest, in words.

    What was allowed comes first: without a permission the platform may not say whose they are.
    """
    name = PLATFORM_NAMES[login.platform]
    proof = Proof(code=code, verifier=returned.verifier, redirect_uri=redirect_uri)
    try:
        grant = login.exchange(proof)
        require_permissions(login, grant)
        return Arrival(grant, login.who(grant))
    except ConsentEndedError:
        raise InvalidRequest(f"{name} did not accept the way back. Please try again.") from None
    except ConsentError:
        raise InvalidRequest(f"{name} does not answer as it should. Try again later.") from None


def connect(
    session: WriteSession,
    returned: Returned,
    arrival: Arrival,
    *,
    encryption: Encryption,
    now: datetime,
) -> tuple[AccountConnection, Grant | None]:
    """Write the connection of an account, in place of an earlier one.

    Returns it, and the grant before where that was another account's. Raises InvalidRequest where
    the tokens are another account's, NotFound where it was removed meanwhile.
    """
    account = account_rows.lock(session, returned.organization_id, returned.account_id)
    if account is None or not session.get_one(Creator, account.creator_id).is_active:
        raise NotFound("The account is not tracked any more.")
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
    """Raise InvalidRequest for a consent without which figures would be missing, and name which.

    Nothing is given back: the tokens are forgotten, and whose they are may be what was not allowed.
    """
    missing = [words for scope, words in login.permissions.items() if scope not in grant.scopes]
    if missing:
        name = PLATFORM_NAMES[login.platform]
        raise InvalidRequest(
            f"{name} did not let us read {', '.join(missing)}. "
            f"Try again, and leave every permission on that {name} shows."
        )


def require_same(account: Account, person: Person) -> None:
    """Raise InvalidRequest for tokens of another account than the one that is tracked.

    The platform's own id decides where both sides have it; else the handle.
    """
    known = account.platform_alt_id if person.alt_id else None
    is_same = known == person.alt_id if known else account.handle == person.handle
    if not is_same:
        name = PLATFORM_NAMES[account.platform]
        raise InvalidRequest(
            f"You signed in to {name} as @{person.handle}, but the account to connect is"
            f" @{account.handle}. Sign in as @{account.handle} there and try again."
        )


def is_stood_on(session: Session, platform: str, person: Person) -> bool:
    """Tell whether a connection stands on this consent, so that it is not to be given back."""
    connections = select(AccountConnection.id).where(
        AccountConnection.platform == platform,
        AccountConnection.subject == person.subject,
        AccountConnection.ended_at.is_(None),
    )
    return session.scalar(connections.limit(1)) is not None


def _row(session: WriteSession, account: Account) -> AccountConnection:
    """Return the account's row, held where there is one, so that nobody renews it meanwhile."""
    held = select(AccountConnection).where(AccountConnection.account_id == account.id)
    return session.scalar(held.with_for_update()) or AccountConnection(
        organization_id=account.organization_id, account_id=account.id, platform=account.platform
    )


def _earlier(
    session: WriteSession, row: AccountConnection, person: Person, encryption: Encryption
) -> Grant | None:
    """Return the grant that is to be given back, where one was another account's."""
    is_new = row not in session
    if is_new or row.subject == person.subject or rows.is_shared(session, row):
        return None
    return grant_of(storing.tokens_of(row, encryption), row)
