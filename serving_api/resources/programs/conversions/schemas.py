"""Bodies, filters and answers of conversions (contract, Conversion and Conversions)."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue, StrictInt, StringConstraints, Tag, model_validator

from serving_api.kit.envelope import Envelope
from serving_api.kit.pagination import DEFAULT_LIMIT, UpdatedQuery
from serving_api.kit.schemas import (
    MANY,
    ONE,
    Batch,
    Body,
    Instant,
    Metadata,
    Platform,
    SupportedInstant,
    Text,
    one_or_many,
)
from serving_api.resources.programs.conversion_events.schemas import Cents

MAX_BATCH = 500
MAX_LIMIT = 200
MAX_QUANTITY = 1_000_000

TargetType = Literal["creator", "account", "video"]
Status = Literal["recorded", "voided"]


ExternalId = Annotated[Text, StringConstraints(min_length=1, max_length=255)]
Source = Annotated[Text, StringConstraints(max_length=100)]
ConversionLabel = Annotated[Text, StringConstraints(max_length=200)]
Note = Annotated[Text, StringConstraints(max_length=1000)]


class NewConversion(Body):
    """An outcome: one conversion event, one target, and its details."""

    conversion_event_id: UUID | None = None
    conversion_event_key: Text | None = Field(default=None, description="Case-insensitive")
    creator_id: UUID | None = None
    account_id: UUID | None = None
    video_id: UUID | None = None
    platform: Platform | None = Field(default=None, description="Requires `handle`")
    handle: Text | None = Field(default=None, description="Handle of an account in the project")
    value_cents: Cents | None = Field(
        default=None, description="Value of one unit. Defaults to the event's value"
    )
    quantity: Annotated[StrictInt, Field(ge=1, le=MAX_QUANTITY)] | None = Field(
        default=None, description="Defaults to 1"
    )
    external_id: ExternalId | None = Field(
        default=None, description="Your own id, unique among the project's conversions"
    )
    source: Source | None = None
    label: ConversionLabel | None = None
    note: Note | None = None
    metadata: Metadata | None = None
    occurred_at: SupportedInstant | None = Field(default=None, description="Defaults to now")

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.conversion_event_id is None) == (self.conversion_event_key is None):
            raise ValueError("send exactly one of conversion_event_id and conversion_event_key")
        if (self.platform is None) != (self.handle is None):
            raise ValueError("send platform and handle together")
        targets = (self.creator_id, self.account_id, self.video_id, self.handle)
        if sum(target is not None for target in targets) != 1:
            raise ValueError(
                "send exactly one of creator_id, account_id, video_id, or platform with handle"
            )
        return self


class ConversionBatch(Batch):
    """Conversions to record. Either all are recorded or none."""

    conversions: list[NewConversion] = Field(min_length=1, max_length=MAX_BATCH)


OneOrMany = Annotated[
    Annotated[NewConversion, Tag(ONE)] | Annotated[ConversionBatch, Tag(MANY)],
    one_or_many("conversions"),
]


class Voiding(Body):
    """Why a conversion is voided."""

    reason: Annotated[Text, StringConstraints(max_length=1000)] | None = None


class ConversionQuery(UpdatedQuery):
    limit: int = Field(
        default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description="Maximum number of items"
    )
    conversion_event_id: UUID | None = None
    creator_id: UUID | None = Field(
        default=None, description="Conversions of the creator, its accounts and its videos"
    )
    account_id: UUID | None = Field(
        default=None, description="Conversions of the account and its videos"
    )
    video_id: UUID | None = None
    source: Source | None = Field(default=None, description="Exact match")
    status: Literal["recorded", "voided", "all"] = "recorded"
    since: Instant | None = Field(
        default=None, alias="from", description="Occurred at this time or later"
    )
    until: Instant | None = Field(
        default=None, alias="to", description="Occurred at this time or earlier"
    )


class Conversion(BaseModel):
    """An outcome. Cents are in `currency`; creator and account are those at recording."""

    id: UUID
    conversion_event_id: UUID
    conversion_event_key: str | None
    conversion_event_name: str | None
    project_id: UUID
    target_type: TargetType
    creator_id: UUID | None
    account_id: UUID | None
    video_id: UUID | None
    value_cents: int
    quantity: int
    total_value_cents: int
    currency: str
    external_id: str | None
    source: str | None
    label: str | None
    note: str | None
    metadata: dict[str, JsonValue]
    status: Status
    voided_at: datetime | None
    voided_reason: str | None
    occurred_at: datetime
    created_at: datetime


class DeletedConversion(BaseModel):
    """A deleted conversion."""

    id: UUID
    mode: Literal["hard"] = "hard"


class RecordedConversions(Envelope[Conversion | list[Conversion]]):
    """The recorded conversion, or a list in the order of the request."""


class WithdrawnConversion(Envelope[Conversion | DeletedConversion]):
    """The voided conversion, or the id of the deleted one."""
