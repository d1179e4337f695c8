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
    """A key to make. It acts as the acting member unless another is named."""

    name: Label
    scopes: Scopes = Field(default=["read", "write"], description="Only those of the calling key")
    acts_as_user_id: UUID | None = None
    expires_at: Instant | None = Field(default=None, description="Default: never")


class Person(BaseModel):
    """A user by name."""

    user_id: UUID
    display_name: str


class ApiKey(BaseModel):
    """A key. `deactivation_reason` says why one that was not revoked is refused at present."""

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
    """A new key with its text: shown only now."""

    key: str | None = Field(description="Null where an Idempotency-Key repeats the request")
