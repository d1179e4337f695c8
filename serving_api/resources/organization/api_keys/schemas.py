"""Bodies and answers of API keys (decisions.md, API key)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field

from serving_api.kit.principals import Scope
from serving_api.kit.schemas import Body, Instant, Label

Status = Literal["active", "revoked", "deactivated"]
Reason = Literal[
    "key_member_removed",
    "key_creator_removed",
    "key_creator_not_admin",
    "key_creator_banned",
    "member_banned",
    "organization_suspended",
    "expired",
]


def _each_once(scopes: list[Scope]) -> list[Scope]:
    return list(dict.fromkeys(scopes))


Scopes = Annotated[list[Scope], Field(min_length=1, max_length=10), AfterValidator(_each_once)]


class NewApiKey(Body):
    """A new API key. By default it acts as the calling member."""

    name: Label
    scopes: Scopes = Field(
        default=["read", "write"], description="A subset of the calling key's scopes"
    )
    acts_as_user_id: UUID | None = None
    expires_at: Instant | None = Field(default=None, description="Defaults to never")


class Person(BaseModel):
    """A user by name."""

    user_id: UUID
    display_name: str


class ApiKey(BaseModel):
    """An API key. `deactivation_reason` tells why a key that is not revoked does not work."""

    id: UUID
    name: str
    scopes: list[Scope]
    key_prefix: str
    acts_as: Person
    created_by: Person
    status: Status
    deactivation_reason: Reason | None
    expires_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime


class CreatedApiKey(ApiKey):
    """A new API key with its text, which is shown only once."""

    key: str | None = Field(description="Null in a replayed answer")
