"""Bodies and answers of reports (DECISIONS.md, Reports to share)."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.schemas import Body, Flag, Instant
from serving_api.resources.tracking.share_links.pins import Pin

_URL = "https://www.example.com/share/report/01976b2e-7c00-7c3a-9d7e-3f1c2b4a5d6e"


class NewReport(Body):
    """A new report: its scope, its content, and when it closes."""

    campaign_id: UUID | None = Field(
        default=None, description="A campaign of the project. Defaults to the whole project"
    )
    show_creators: Flag = Field(
        default=True, description="Name the creators with the most views, without amounts"
    )
    expires_at: Instant | None = Field(
        default=None, description="When it closes. Defaults to never"
    )
    pin: Pin | None = Field(default=None, description="Exactly 4 digits. Random by default")


class Report(BaseModel):
    """A report. It is open while its author is a member of the organization."""

    id: UUID
    url: str = Field(examples=[_URL])
    project_id: UUID
    campaign_id: UUID | None
    show_creators: bool
    expires_at: datetime | None
    shared_by_user_id: UUID
    created_at: datetime


class OpenReport(Report):
    """A new report with its PIN, which is shown only once."""

    pin: str | None = Field(description="Null in a replayed answer", examples=["4821"])
