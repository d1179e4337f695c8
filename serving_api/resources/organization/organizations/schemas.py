"""Bodies and answers of organizations (decisions.md, Organizations, members, keys)."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt, model_validator

from serving_api.kit.schemas import Body, Changes, Name, Readme, unsent
from warehouse.zones import require_zone

Zone = Annotated[str, AfterValidator(require_zone)]
"""A time zone by its IANA name."""
PlanName = Literal["free", "starter", "ultra"]
SettlingDays = Annotated[StrictInt, Field(ge=0, le=30)]


class NewOrganization(Body):
    """An organization to make; the acting member becomes its admin."""

    name: Name
    analytics_tz: Zone = "UTC"


class OrganizationChanges(Changes):
    """What a PATCH may change.

    A new zone holds from now on; payout structures with accruals in a live payment keep theirs.
    """

    name: Name = unsent()
    analytics_tz: Zone = unsent()
    readme: Readme | None = unsent()
    expected_readme_version: str | None = Field(default=None, description="Only with `readme`")
    payout_settling_days: SettlingDays = unsent()

    @model_validator(mode="after")
    def _version_of_what_is_replaced(self) -> Self:
        if self.expected_readme_version is not None and not self.sends("readme"):
            raise ValueError("expected_readme_version needs readme")
        return self


class Organization(BaseModel):
    """An organization."""

    id: UUID
    name: str
    plan: PlanName
    analytics_tz: str
    is_suspended: bool
    readme: str | None
    payout_settling_days: int
    created_at: datetime
    updated_at: datetime


class OrganizationDetail(Organization):
    """An organization with the version of its notes."""

    readme_version: str
