"""Parameters, bodies and answers of webhooks; `warehouse.webhooks` sends the messages."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Body, Changes, Flag, Instant, Label, Text, unsent
from warehouse.webhooks.addresses import LONGEST_URL
from warehouse.webhooks.event import EVENT_TYPES, MEANS, EventType

MOST_REDELIVERED = 100
DeliveryStatus = Literal["pending", "delivered", "failed"]
DisabledReason = Literal["gone", "failing"]
LoggedType = EventType | Literal["webhook.test"]


def _each_once(types: list[EventType]) -> list[EventType]:
    return list(dict.fromkeys(types))


Url = Annotated[
    Text,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_URL),
    Field(
        description="An https URL with a public address. Redirects are not followed",
        examples=["https://hooks.example.com/tracker"],
    ),
]
_WHICH = "Null: all types, including future ones. " + "; ".join(
    f"`{name}`: {meaning}" for name, meaning in MEANS.items()
)
EventTypes = Annotated[
    list[EventType],
    Field(min_length=1, max_length=len(EVENT_TYPES), description=_WHICH),
    AfterValidator(_each_once),
]


class NewWebhookEndpoint(Body):
    """A new webhook endpoint. It receives events from now on."""

    url: Url
    event_types: EventTypes | None = None
    description: Label | None = None


class WebhookEndpointChanges(Changes):
    """Changes to an endpoint. Once enabled again, it receives its pending messages in order."""

    url: Url = unsent()
    event_types: EventTypes | None = unsent()
    description: Label | None = unsent()
    is_enabled: Flag = unsent()


class WebhookEndpoint(BaseModel):
    """A webhook endpoint.

    `disabled_reason` is set if it was disabled automatically: `gone`, it answered 410; `failing`,
    it accepted no message for three days. A PATCH of `is_enabled` clears it.
    """

    id: UUID
    url: str
    description: str | None
    event_types: list[EventType] | None = Field(description="Null: all types")
    is_enabled: bool
    disabled_reason: DisabledReason | None
    disabled_at: datetime | None
    last_success_at: datetime | None = Field(description="When it last accepted a message")
    paused_until: datetime | None = Field(
        description="When the next message is tried, after three or more failures in a row. Null:"
        " it is not paused"
    )
    previous_secret_expires_at: datetime | None = Field(
        description="When messages stop being signed with the previous secret as well"
    )
    created_at: datetime
    updated_at: datetime


class SecretWebhookEndpoint(WebhookEndpoint):
    """An endpoint with its secret, which is shown only once."""

    secret: str | None = Field(
        description="`whsec_...`, as libraries of Standard Webhooks expect it. Null in a replayed"
        " answer",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )


class WebhookEventQuery(PageQuery):
    type: LoggedType | None = None
    entity_id: Annotated[Text, StringConstraints(max_length=200)] | None = Field(
        default=None, description="Only events of this payment, goal, account or other entity"
    )


class WebhookEvent(BaseModel):
    """An event of the log, sent or not."""

    id: UUID = Field(description="`webhook-id` of its messages, the same for every retry")
    type: LoggedType
    entity_type: str
    entity_id: str
    sequence: int = Field(
        description="Larger for later events of an entity. Derived from `created_at`"
    )
    occurred_at: datetime
    created_at: datetime = Field(description="When it was logged")
    data: dict[str, Any]


class WebhookDeliveryQuery(PageQuery):
    status: DeliveryStatus | None = None


class WebhookDelivery(BaseModel):
    """The delivery of an event to an endpoint.

    `answered` is the HTTP status of the last answer, `answer` the beginning of its body, `error`
    why there was none. `next_attempt_at` is null once the delivery ended.
    """

    event_id: UUID
    event_type: LoggedType
    status: DeliveryStatus
    attempts: int
    next_attempt_at: datetime | None
    last_attempt_at: datetime | None
    answered: int | None
    answer: str | None
    error: str | None
    delivered_at: datetime | None
    created_at: datetime


class Redelivery(Body):
    """Events to resend: by id, or all since an instant that were not delivered."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 1,
            "examples": [{"since": "2026-05-20T10:00:00Z"}],
        }
    )

    event_ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_REDELIVERED)] | None = (
        Field(default=None, description="Events of the log, also delivered ones")
    )
    since: Instant | None = Field(
        default=None,
        description="All events of the endpoint's types that were logged since and not delivered,"
        " at most 10,000, oldest first. Repeat until `queued` is 0",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.event_ids is None) == (self.since is None):
            raise ValueError("send either event_ids or since")
        return self


class Redelivered(BaseModel):
    """Number of events queued."""

    queued: int
