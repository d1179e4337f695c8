"""Connections as answers."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from serving_api.kit.rows import from_row
from serving_api.resources.tracking.connections import schemas
from warehouse.operational.models import Account, AccountConnection

Connections = Mapping[UUID, AccountConnection]


def is_connected(connection: AccountConnection | None) -> bool:
    return connection is not None and connection.broken_at is None


def present(connection: AccountConnection | None) -> schemas.Connection | None:
    if connection is None:
        return None
    return from_row(schemas.Connection, connection, until=connection.expires_at)


def connectable(
    accounts: Sequence[Account], connections: Connections
) -> list[schemas.ConnectableAccount]:
    return [
        from_row(
            schemas.ConnectableAccount,
            account,
            account_id=account.id,
            connected=is_connected(connections.get(account.id)),
        )
        for account in accounts
    ]
