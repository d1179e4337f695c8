"""Connections as answers."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from serving_api.resources.tracking.connections import schemas
from warehouse.operational.models import Account, AccountConnection

Connections = Mapping[UUID, AccountConnection]


def is_connected(connection: AccountConnection | None) -> bool:
    """Return whether there is a connection in force."""
    return connection is not None and connection.broken_at is None


def present(connection: AccountConnection | None) -> schemas.Connection | None:
    """Return an account's connection as an answer, or None."""
    if connection is None:
        return None
    return schemas.Connection.model_validate(
        {
            "connected_at": connection.connected_at,
            "until": connection.expires_at,
            "broken_at": connection.broken_at,
            "broken_reason": connection.broken_reason,
        }
    )


def connectable(
    accounts: Sequence[Account], connections: Connections
) -> list[schemas.ConnectableAccount]:
    return [
        schemas.ConnectableAccount.model_validate(
            {
                "account_id": account.id,
                "platform": account.platform,
                "handle": account.handle,
                "connected": is_connected(connections.get(account.id)),
            }
        )
        for account in accounts
    ]
