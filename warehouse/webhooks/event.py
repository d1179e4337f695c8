"""What an event is, and which there are. Knows no table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from warehouse.ids import computed_id

EventType = Literal[
    "publication.completed",
    "accrual.final",
    "accrual.adjusted",
    "payment.recorded",
    "goal.completed",
    "goal.at_risk",
    "video.discovered",
    "account.stale",
    "platform.refusing",
    "comment.flagged",
]
"""What endpoints can ask for."""
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
TEST = "webhook.test"
"""Sent only where somebody asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to an entity of an organization.

    `state` is what the entity came to, as a text: an entity that comes to the same state again is
    no other event. `data` is JSON; it has ids and figures, and nothing that is personal.
    """

    organization_id: UUID
    type: str
    entity_type: str
    entity_id: str
    state: str
    occurred_at: datetime
    data: Mapping[str, Any]

    @property
    def id(self) -> UUID:
        """The event's id, the same however often it is found."""
        return computed_id("webhook", self.organization_id, self.type, self.entity_id, self.state)
