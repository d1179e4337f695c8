"""Webhook events and their types. Uses no table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from warehouse.ids import computed_id
from warehouse.reading.videos import LEAST_VIEWS, RISING_DAYS, TAKES_OFF

EventType = Literal[
    "publication.completed",
    "accrual.final",
    "accrual.adjusted",
    "accrual.held",
    "accrual.released",
    "payment.recorded",
    "dispute.opened",
    "dispute.resolved",
    "budget.reached",
    "goal.completed",
    "goal.at_risk",
    "video.discovered",
    "video.viral",
    "account.stale",
    "platform.refusing",
    "comment.flagged",
]
"""The types that endpoints can subscribe to."""
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
MEANS: Mapping[EventType, str] = {
    "publication.completed": "new numbers were computed and are served",
    "accrual.final": "an accrual is final, final at another amount, or void (0)",
    "accrual.adjusted": "a paid amount changed: there is an adjustment, or another one",
    "accrual.held": "an amount is on hold",
    "accrual.released": "a member released an amount from its hold",
    "payment.recorded": "a payment was recorded, or its status changed",
    "dispute.opened": "a creator or a member disputes an amount",
    "dispute.resolved": "a disputed amount was corrected, or the dispute rejected",
    "budget.reached": "payouts reached a threshold of a budget, once per month or in total",
    "goal.completed": "a goal is reached in a period",
    "goal.at_risk": "a goal is likely to be missed in the period under way",
    "video.discovered": "a new post of an account was found",
    "video.viral": f"a post of the last {RISING_DAYS} days outperforms: {LEAST_VIEWS:,} views,"
    f" {TAKES_OFF} times its creator's median",
    "account.stale": "an account's profile or posts were not read for too long",
    "platform.refusing": "a platform refuses 8 of the last 16 fetches of a kind, or half of an "
    "hour's; once a day",
    "comment.flagged": "a comment has the signals `ad_disclosure` or `risk`",
}
"""The meaning of each event, as in the documentation."""
TEST = "webhook.test"
"""Sent only on request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to an entity of an organization.

    `state` is the entity's new state as text: the same state again is not another event.
    `returns_by` is the field of `data` whose amount may return to an earlier state: that is
    another event, unless the state is the last one. `data` is JSON with ids and figures, and
    nothing personal.
    """

    organization_id: UUID
    type: str
    entity_type: str
    entity_id: str
    state: str
    occurred_at: datetime
    data: Mapping[str, Any]
    returns_by: str | None = None

    @property
    def id(self) -> UUID:
        """The event's id, the same each time it is found."""
        return computed_id("webhook", self.organization_id, self.type, self.entity_id, self.state)

    def id_after(self, earlier: Sequence[UUID]) -> UUID:
        """Return the event's id after earlier events of its entity, in their order."""
        if not earlier:
            return self.id
        names = (self.organization_id, self.type, self.entity_id, self.state)
        own = [self.id, *(computed_id("webhook", *names, n) for n in range(1, len(earlier) + 1))]
        return earlier[-1] if earlier[-1] in own else own[-1]
