"""Bodies and answers of invitations (decisions.md, Invitation)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body
from serving_api.resources.organization.members.schemas import Email, Role

Status = Literal["pending", "accepted", "revoked", "expired"]


class NewInvitation(Body):
    """Whom to invite, as what."""

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
    """A new invitation, with what opens `/invitations/{token}`: shown only now."""

    token: str | None = Field(description="Null where an Idempotency-Key repeats the request")
