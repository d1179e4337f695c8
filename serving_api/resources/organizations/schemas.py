"""Bodies and answers of organizations (decisions.md, Organizations, members, keys)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel

from serving_api.kit.schemas import Body, Name
from warehouse.zones import require_zone

Zone = Annotated[str, AfterValidator(require_zone)]
"""A time zone by its IANA name."""


class NewOrganization(Body):
    """An organization to make; the acting member becomes its admin."""

    name: Name
    analytics_tz: Zone = "UTC"


class Organization(BaseModel):
    """An organization."""

    id: UUID
    name: str
    plan: Literal["free", "starter", "ultra"]
    analytics_tz: str
    is_suspended: bool
    readme: str | None
    created_at: datetime
    updated_at: datetime
