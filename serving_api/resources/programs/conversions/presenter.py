"""From rows to answers: a conversion with the key, name and currency of its event."""

from collections.abc import Sequence

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from serving_api.resources.programs.conversions import repository, schemas
from warehouse.operational.models import Conversion, ConversionEvent, Project

_MANY = TypeAdapter(list[schemas.Conversion])


def present(
    session: Session, project: Project, rows: Sequence[Conversion]
) -> list[schemas.Conversion]:
    """Return conversions of the project as they are answered, in their order."""
    events = repository.events_of(session, project, rows)
    # In one call: there may be hundreds.
    return _MANY.validate_python([_shown(row, events[row.conversion_event_id]) for row in rows])


def _shown(row: Conversion, event: ConversionEvent) -> dict[str, object]:
    return {
        "id": row.id,
        "conversion_event_id": row.conversion_event_id,
        "conversion_event_key": event.key,
        "conversion_event_name": event.name,
        "project_id": row.project_id,
        "target_type": row.target_type,
        "creator_id": row.creator_id,
        "account_id": row.account_id,
        "video_id": row.video_id,
        "value_cents": row.value_cents,
        "quantity": row.quantity,
        "total_value_cents": row.total_value_cents,
        "currency": event.currency,
        "external_id": row.external_id,
        "source": row.source,
        "label": row.label,
        "note": row.note,
        "metadata": row.details,
        "status": "recorded" if row.voided_at is None else "voided",
        "voided_at": row.voided_at,
        "voided_reason": row.voided_reason,
        "occurred_at": row.occurred_at,
        "created_at": row.created_at,
    }
