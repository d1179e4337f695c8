"""Record conversions: each external_id once, and all of a request or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from serving_api.errors import ApiError, LostRace
from serving_api.kit.request_context import WriteContext
from serving_api.resources.organization import projects
from serving_api.resources.programs.conversions import schemas, service
from serving_api.resources.programs.conversions.attribution import Named
from warehouse.ids import uuid7
from warehouse.operational.base import business_now
from warehouse.operational.models import Conversion, Project
from warehouse.operational.session import WriteSession


@dataclass(frozen=True, slots=True)
class Recorded:
    """The conversions in the order of the request, and how many existed before."""

    conversions: list[schemas.Conversion]
    deduped_count: int


def record_one(context: WriteContext, project_id: UUID, body: schemas.NewConversion) -> Recorded:
    """Record one conversion, or return the existing one with its external_id.

    Raises NotFound, and the errors of Named for its event and target.
    """
    project = projects.require(context.session, context.organization_id, project_id)
    return _record(context.session, project, [body])


def record_many(context: WriteContext, project_id: UUID, body: schemas.ConversionBatch) -> Recorded:
    """Record conversions, all or none. Raises the errors of `record_one` with `meta.index`."""
    project = projects.require(context.session, context.organization_id, project_id)
    return _record(context.session, project, body.conversions, names_rows=True)


def _record(
    session: WriteSession,
    project: Project,
    bodies: Sequence[schemas.NewConversion],
    *,
    names_rows: bool = False,
) -> Recorded:
    external_ids = {body.external_id for body in bodies if body.external_id is not None}
    known = dict(service.by_external_id(session, project, external_ids))
    fresh = _fresh(bodies, known)
    now = business_now(session)
    rows = _attributed(session, project, fresh, now, names_rows=names_rows)
    written = service.record(session, project, list(rows.values()), now) if rows else []
    by_id = {row.id: row for row in written}
    known |= {row.external_id: row for row in written if row.external_id is not None}
    known |= _recorded_meanwhile(session, project, external_ids - known.keys())
    stored = [
        known[body.external_id] if body.external_id is not None else by_id[rows[index]["id"]]
        for index, body in enumerate(bodies)
    ]
    return Recorded(service.present(session, project, stored), len(bodies) - len(written))


def _fresh(
    bodies: Sequence[schemas.NewConversion], known: Mapping[str, Conversion]
) -> dict[int, schemas.NewConversion]:
    """Return the bodies to write by index: the first for each external_id."""
    seen = set(known)
    fresh = {}
    for index, body in enumerate(bodies):
        if body.external_id is None or body.external_id not in seen:
            fresh[index] = body
        if body.external_id is not None:
            seen.add(body.external_id)
    return fresh


def _attributed(
    session: WriteSession,
    project: Project,
    fresh: Mapping[int, schemas.NewConversion],
    now: datetime,
    *,
    names_rows: bool,
) -> dict[int, dict[str, Any]]:
    if not fresh:
        return {}
    named = Named(session, project, list(fresh.values()))
    rows = {}
    for index, body in fresh.items():
        with _naming(index if names_rows else None):
            rows[index] = _row(body, named, now)
    return rows


@contextmanager
def _naming(index: int | None) -> Iterator[None]:
    """Set `meta.index` of an error to the index of the row."""
    try:
        yield
    except ApiError as error:
        if index is not None:
            error.meta["index"] = index
        raise


def _row(body: schemas.NewConversion, named: Named, now: datetime) -> dict[str, Any]:
    event = named.event_of(body)
    target = named.target_of(body)
    value = event.default_value_cents if body.value_cents is None else body.value_cents
    return {
        "id": uuid7(),
        "conversion_event_id": event.id,
        "target_type": target.type,
        "creator_id": target.creator_id,
        "account_id": target.account_id,
        "video_id": target.video_id,
        "value_cents": value,
        "quantity": body.quantity or 1,
        "external_id": body.external_id,
        "source": body.source,
        "label": body.label,
        "note": body.note,
        "metadata": body.metadata or {},
        "occurred_at": body.occurred_at or now,
    }


def _recorded_meanwhile(
    session: WriteSession, project: Project, external_ids: set[str]
) -> Mapping[str, Conversion]:
    """Return conversions that other requests recorded with these ids since the first lookup.

    Raises LostRace if one of them was deleted in between.
    """
    existing = service.by_external_id(session, project, external_ids)
    if existing.keys() != external_ids:
        raise LostRace
    return existing
