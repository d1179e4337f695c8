"""Answers about connections (DECISIONS.md, Connected accounts)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Platform

BrokenReason = Literal["expired", "revoked"]

_URL = "https://www.example.com/connect/IjAxOTc2YjJlLTdjMDAi.aQ4hXw.c2lnbmF0dXJl"


class Connection(BaseModel):
    """A creator's consent to have the account read through its platform's official API."""

    connected_at: datetime
    until: datetime = Field(
        description="When the consent ends unless it is renewed, which happens by itself"
    )
    broken_at: datetime | None = Field(
        description="Since when the platform refuses it; the creator has to connect again"
    )
    broken_reason: BrokenReason | None = Field(
        description="`expired`: it ran out; `revoked`: the creator or the platform took it back"
    )


class ConnectableAccount(BaseModel):
    """An account that the link's page offers to connect."""

    account_id: UUID
    platform: Platform
    handle: str
    connected: bool


class ConnectLink(BaseModel):
    """Where a creator connects accounts. Whoever has it needs the account's own login."""

    url: str | None = Field(description="Null in a replayed answer", examples=[_URL])
    expires_at: datetime
    accounts: list[ConnectableAccount]
