"""Disputed amounts without a decision."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from serving_api.desk.creators import names_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import Dispute, DisputeQuery, DisputeState

MOST = 100
WAITING: tuple[DisputeState, ...] = ("open", "answered")


@dataclass(frozen=True, slots=True)
class OpenDispute:
    """A dispute and the name of the amount's creator."""

    dispute: Dispute
    creator: str


def list_open_disputes(context: RequestContext, project_id: UUID) -> Sequence[OpenDispute]:
    """Return a project's open disputes: unanswered first, then newest first."""
    dispute_rows = list(_waiting(context, project_id))
    names = names_of(context, {dispute.creator_id for dispute in dispute_rows})
    return [OpenDispute(dispute, names[dispute.creator_id]) for dispute in dispute_rows]


def _waiting(context: RequestContext, project_id: UUID) -> Iterator[Dispute]:
    for state in WAITING:
        query = DisputeQuery(project_id=project_id, state=state, limit=MOST)
        yield from disputes.list_page(context, query).data
