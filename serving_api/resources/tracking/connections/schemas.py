"""Answers about connections (DECISIONS.md, Connected accounts)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.rows import from_row
from serving_api.kit.schemas import Platform
from warehouse.operational.models import Account, AccountConnection

BrokenReason = Literal["expired", "revoked"]

_URL = "https://www.example.com/connect/IjAxOTc2YjJlLTdjMDAi.aQ4hXw.c2lnbmF0dXJl"


class Connection(BaseModel):
    """A creator's consent to read the account through its platform's official API."""

    connected_at: datetime
    until: datetime = Field(description="When the consent ends. It is renewed automatically")
    refused_since: datetime | None = Field(
        description="Since when the platform refuses it, which may pass: it is retried for a week"
    )
    broken_at: datetime | None = Field(
        description="When it broke. The creator has to connect again"
    )
    broken_reason: BrokenReason | None = Field(
        description="`expired`: it ran out; `revoked`: the creator or the platform revoked it"
    )


class ConnectableAccount(BaseModel):
    """An account that can be connected with the link."""

    account_id: UUID
    platform: Platform
    handle: str
    connected: bool


class ConnectLink(BaseModel):
    """A link for a creator to connect accounts. Each account's own login is needed as well."""

    url: str | None = Field(description="Null in a replayed answer", examples=[_URL])
    expires_at: datetime
    accounts: list[ConnectableAccount]


Connections = Mapping[UUID, AccountConnection]


def is_connected(connection: AccountConnection | None) -> bool:
    return connection is not None and connection.broken_at is None


def present(connection: AccountConnection | None) -> Connection | None:
    if connection is None:
        return None
    return from_row(Connection, connection, until=connection.expires_at)


def connectable(accounts: Sequence[Account], connections: Connections) -> list[ConnectableAccount]:
    return [
        from_row(
            ConnectableAccount,
            account,
            account_id=account.id,
            connected=is_connected(connections.get(account.id)),
        )
        for account in accounts
    ]
