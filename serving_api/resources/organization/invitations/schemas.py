"""Bodies and answers of invitations (decisions.md, Invitation)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body
from serving_api.resources.organization.members.schemas import Email, Role

Status = Literal["pending", "accepted", "revoked", "expired"]


class NewInvitation(Body):
    """The address and role of an invitation."""

    email: Email
    role: Role = "member"


class Invitation(BaseModel):
    """An invitation."""

    id: UUID
    email: str
    role: Role
    status: Status
    expires_at: datetime
    created_at: datetime


class CreatedInvitation(Invitation):
    """A new invitation with the token for `/invitations/{token}`, which is shown only once."""

    token: str | None = Field(description="Null in a replayed answer")
