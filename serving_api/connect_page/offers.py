"""The accounts that a connect link offers."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from serving_api.connect_page.service import ConnectLinks, LoginsByPlatform
from serving_api.errors import NotFound
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.connections.schemas import Connections
from warehouse.connections import rows
from warehouse.operational.models import Account, Creator, Organization


@dataclass(frozen=True, slots=True)
class Offer:
    """A creator's accounts on platforms with OAuth, and their connections."""

    organization_id: UUID
    organization_name: str
    accounts: Sequence[Account]
    connections: Connections

    def account(self, account_id: str) -> Account:
        """Return the offered account. Raises NotFound."""
        for account in self.accounts:
            if str(account.id) == account_id:
                return account
        raise NotFound("Choose one of the accounts on the page.")


def connectable_of(
    session: Session, organization_id: UUID, creator_id: UUID, logins: LoginsByPlatform
) -> Sequence[Account]:
    """Return a creator's active accounts on connectable platforms, oldest first."""
    owned = account_rows.present_of_creators(session, organization_id, [creator_id])
    return [
        account
        for account in owned
        if account.platform in logins and account.deactivated_at is None
    ]


def offer_of(session: Session, links: ConnectLinks, logins: LoginsByPlatform, token: str) -> Offer:
    """Return a link's offer. Raises the same NotFound for every reason."""
    creator_id = links.creator_of(token)
    organization = session.execute(
        select(Organization.id, Organization.name)
        .join(Creator, Creator.organization_id == Organization.id)
        .where(Creator.id == creator_id, Creator.is_active, Organization.is_suspended.is_(False))
    ).first()
    if creator_id is None or organization is None:
        raise NotFound("This link has expired. Ask the sender for a new one.")
    accounts = connectable_of(session, organization.id, creator_id, logins)
    connections = rows.of_accounts(session, organization.id, [account.id for account in accounts])
    return Offer(organization.id, organization.name, accounts, connections)
