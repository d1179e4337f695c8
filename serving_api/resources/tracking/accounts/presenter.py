"""Accounts as answers, with counters of the current publication and tags."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from serving_api.kit.counters import ViewCoverage, as_of
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row
from serving_api.resources.programs.tags.items import Labels, labels_of
from serving_api.resources.tracking.accounts import schemas
from serving_api.resources.tracking.connections import schemas as connections
from warehouse.operational.models import Account, AccountConnection
from warehouse.reading.accounts import AccountCounts, latest_counts

Counts = Mapping[UUID, AccountCounts]

_COUNTERS = tuple(schemas.AccountCountersAsOf.model_fields)


def counts_of(numbers: Published, organization_id: UUID, rows: Sequence[Account]) -> Counts:
    return numbers.look_up(latest_counts, organization_id, [row.id for row in rows])


def present(context: RequestContext, rows: Sequence[Account]) -> list[schemas.Account]:
    counts = counts_of(context.marts, context.organization_id, rows)
    labels = labels_of(context.session, context.organization_id, [row.id for row in rows])
    return [present_one(row, counts, labels) for row in rows]


def present_one(row: Account, counts: Counts, labels: Labels) -> schemas.Account:
    shared, deactivation = _shared(row, counts, labels), _deactivation(row)
    return from_row(schemas.Account, row, **shared, deactivation=deactivation)


def present_detail(
    row: Account,
    counts: Counts,
    labels: Labels,
    video_counts: tuple[int, int],
    connection: AccountConnection | None,
    *,
    covered: ViewCoverage | None,
) -> schemas.AccountDetail:
    """Return one account with the fields that lists leave out.

    `video_counts`: how many of its videos are frozen and stopped.
    """
    frozen, stopped = video_counts
    deactivation = _deactivation(row)
    detail = (
        schemas.DeactivationDetail(
            **deactivation.model_dump(),
            video_counts=schemas.VideoCounts(frozen=frozen, stopped=stopped),
        )
        if deactivation
        else None
    )
    return from_row(
        schemas.AccountDetail,
        row,
        **_shared(row, counts, labels),
        deactivation=detail,
        view_coverage=covered,
        connected=connections.is_connected(connection),
        connection=connections.present(connection),
    )


def _shared(row: Account, counts: Counts, labels: Labels) -> dict[str, Any]:
    known = counts.get(row.id)
    return {
        **{name: getattr(known, name) if known else None for name in _COUNTERS},
        "counters_as_of": schemas.AccountCountersAsOf(**as_of(known, _COUNTERS)),
        "tags": labels[row.id],
    }


def _deactivation(row: Account) -> schemas.Deactivation | None:
    if row.deactivated_at is None:
        return None
    return from_row(
        schemas.Deactivation,
        row,
        video_choice=row.deactivation_video_choice,
        reason=row.deactivation_reason,
        via_creator=row.deactivated_via_cascade,
    )
