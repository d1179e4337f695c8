"""Body and answer of `/me` (contract, Current member)."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from serving_api.kit.schemas import Body, Readme


class MemberNotes(Body):
    """The member's own notes; null or an empty text clears them."""

    readme: Readme | None
    expected_readme_version: str | None = None


class OwnOrganization(BaseModel):
    """The key's organization, and the member's role in it."""

    id: UUID
    name: str
    role: Literal["admin", "member"]


class CallerConnection(BaseModel):
    """How the caller is connected, and the scopes that apply."""

    via: Literal["api_key", "mcp"]
    scopes: list[str]


class CurrentMember(BaseModel):
    """The member that the key acts as."""

    id: UUID
    display_name: str
    organization: OwnOrganization
    connection: CallerConnection
    readme: str | None
    readme_version: str
    readme_length: int
    readme_visibility: Literal["organization"]
