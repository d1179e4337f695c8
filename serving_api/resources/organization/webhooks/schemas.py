"""Parameters, bodies and answers of webhooks. The messages themselves are warehouse.webhooks'."""

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
        description="https, on a public address; nothing is followed from there",
        examples=["https://hooks.example.com/tracker"],
    ),
]
_WHICH = "Null: all, later ones too. " + "; ".join(
    f"`{name}`: {meaning}" for name, meaning in MEANS.items()
)
EventTypes = Annotated[
    list[EventType],
    Field(min_length=1, max_length=len(EVENT_TYPES), description=_WHICH),
    AfterValidator(_each_once),
]


class NewWebhookEndpoint(Body):
    """An endpoint to make. It is told of what happens from now on."""

    url: Url
    event_types: EventTypes | None = None
    description: Label | None = None


class WebhookEndpointChanges(Changes):
    """What a PATCH may change. Enabled again, it is sent what still waits, in order."""

    url: Url = unsent()
    event_types: EventTypes | None = unsent()
    description: Label | None = unsent()
    is_enabled: Flag = unsent()


class WebhookEndpoint(BaseModel):
    """An endpoint.

    `disabled_reason` says why it was disabled if nobody did that: `gone`, it answered 410;
    `failing`, it took nothing for three days. A PATCH of `is_enabled` makes it a person's doing.
    """

    id: UUID
    url: str
    description: str | None
    event_types: list[EventType] | None = Field(description="Null: all")
    is_enabled: bool
    disabled_reason: DisabledReason | None
    disabled_at: datetime | None
    last_success_at: datetime | None = Field(description="When it last took a message")
    paused_until: datetime | None = Field(
        description="When the next message probes it: it took none of the last three or more."
        " Null: it is not paused"
    )
    previous_secret_expires_at: datetime | None = Field(
        description="Until when messages are signed with the secret before this one, too"
    )
    created_at: datetime
    updated_at: datetime


class SecretWebhookEndpoint(WebhookEndpoint):
    """An endpoint with its secret: shown only now."""

    secret: str | None = Field(
        description="`whsec_...`, as libraries of Standard Webhooks take it; null where an"
        " Idempotency-Key repeats the request",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )


class WebhookEventQuery(PageQuery):
    """Which events of the log."""

    type: LoggedType | None = None
    entity_id: Annotated[Text, StringConstraints(max_length=200)] | None = Field(
        default=None, description="Of one creator's payment, goal, account, ... alone"
    )


class WebhookEvent(BaseModel):
    """An event of the log, whether or not it was sent anywhere."""

    id: UUID = Field(description="`webhook-id` of its messages, the same each time it is sent")
    type: LoggedType
    entity_type: str
    entity_id: str
    sequence: int = Field(
        description="Larger for later events of an entity; it follows from `created_at`"
    )
    occurred_at: datetime
    created_at: datetime = Field(description="When it came into the log")
    data: dict[str, Any]


class WebhookDeliveryQuery(PageQuery):
    """Which deliveries of an endpoint."""

    status: DeliveryStatus | None = None


class WebhookDelivery(BaseModel):
    """How the sending of an event to an endpoint goes.

    `answered` is the HTTP status of the last answer, `answer` how its body begins, `error` why
    there was none. `next_attempt_at` is null once it is over.
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
    """What to send once more: events by their ids, or all since an instant that did not arrive."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 1,
            "examples": [{"since": "2026-05-20T10:00:00Z"}],
        }
    )

    event_ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_REDELIVERED)] | None = (
        Field(default=None, description="Of the log; also those that had arrived")
    )
    since: Instant | None = Field(
        default=None,
        description="Those of the types asked for that came into the log since and did not arrive,"
        " at most 10,000, the oldest first: repeat until `queued` is 0",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.event_ids is None) == (self.since is None):
            raise ValueError("send either event_ids or since")
        return self


class Redelivered(BaseModel):
    """How many events were queued to be sent once more."""

    queued: int
