"""From rows to answers of assignments."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy.orm import Session

from serving_api.resources.payouts.assignments import pauses, repository, schemas
from serving_api.resources.payouts.assignments.repository import Status, is_over
from serving_api.resources.payouts.structures.repository import current_versions
from serving_api.resources.payouts.structures.zones import today_of, zone_of
from warehouse.operational.models import PayoutAssignment, PayoutPause, PayoutStructure
from warehouse.zones import start_of

ONE_DAY = timedelta(days=1)


def present(
    session: Session,
    structure: PayoutStructure,
    rows: Sequence[PayoutAssignment],
    organization_zone: str,
) -> list[schemas.Assignment]:
    """Return assignments of one structure as they stand today."""
    of_structure = _Presenter(session, structure, organization_zone)
    paused = repository.latest_pauses(
        session, structure.organization_id, [row.creator_id for row in rows]
    )
    return [of_structure.present(row, paused.get(row.creator_id)) for row in rows]


class _Presenter:
    """Knows of a structure what all its assignments are shown by."""

    def __init__(
        self, session: Session, structure: PayoutStructure, organization_zone: str
    ) -> None:
        self._zone = zone_of(structure, organization_zone)
        self._today = today_of(session, structure, organization_zone)
        current = current_versions(session, structure.organization_id, [structure.id])
        self._version = current[structure.id]

    def present(self, row: PayoutAssignment, pause: PayoutPause | None) -> schemas.Assignment:
        """Return an assignment; `pause` is the latest one of its creator."""
        if is_over(row, self._today):
            return _shown(row, "ended", ended_at=row.ended_at or self._end_of(row.end_date))
        if pause is None:
            return _shown(row, "active")
        resumes = pauses.resume_day(pause, self._version, self._zone)
        if resumes is None:
            return _shown(row, "paused", paused_at=pause.paused_at)
        if resumes <= self._today:
            return _shown(row, "active")
        resumes_at = start_of(resumes, self._zone)
        return _shown(row, "paused", paused_at=pause.paused_at, resumes_at=resumes_at)

    def _end_of(self, last_day: date | None) -> datetime | None:
        return None if last_day is None else start_of(last_day + ONE_DAY, self._zone)


def _shown(
    row: PayoutAssignment,
    status: Status,
    *,
    paused_at: datetime | None = None,
    resumes_at: datetime | None = None,
    ended_at: datetime | None = None,
) -> schemas.Assignment:
    return schemas.Assignment(
        id=row.id,
        structure_id=row.structure_id,
        creator_id=row.creator_id,
        start_date=row.start_date,
        end_date=row.end_date,
        status=status,
        paused_at=paused_at,
        resumes_at=resumes_at,
        created_at=row.created_at,
        ended_at=ended_at,
    )
