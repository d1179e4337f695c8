"""SQL of conversion events. Every statement names the organization and the project."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from serving_api.kit.rows import rows_of
from warehouse.operational.models import Conversion, ConversionEvent, Project
from warehouse.operational.session import WriteSession


def of_project(project: Project) -> Select[ConversionEvent]:
    """Select all conversion events of a project, including inactive ones."""
    return rows_of(ConversionEvent, project.organization_id).where(
        ConversionEvent.project_id == project.id
    )


def listed(
    session: Session, project: Project, *, include_inactive: bool
) -> Sequence[ConversionEvent]:
    """Return the project's events, newest first."""
    statement = of_project(project).order_by(
        ConversionEvent.created_at.desc(), ConversionEvent.id.desc()
    )
    if not include_inactive:
        statement = statement.where(ConversionEvent.is_active)
    return session.scalars(statement).all()


def find(session: Session, project: Project, event_id: UUID) -> ConversionEvent | None:
    return session.scalar(of_project(project).where(ConversionEvent.id == event_id))


def find_by_key(session: Session, project: Project, key: str) -> ConversionEvent | None:
    """Return the event with this key in any case, or None."""
    return session.scalar(of_project(project).where(ConversionEvent.key == key.lower()))


def lock(
    session: WriteSession, project: Project, event_id: UUID, *, to_delete: bool = False
) -> ConversionEvent | None:
    """Return the event locked for update, or None if the project does not have it.

    `to_delete` waits for transactions that record conversions of it.
    """
    statement = of_project(project).where(ConversionEvent.id == event_id)
    return session.scalar(statement.with_for_update(key_share=not to_delete))


def count_active(session: Session, project: Project) -> int:
    """Return how many events count towards the plan's limit; inactive ones do not."""
    active = of_project(project).where(ConversionEvent.is_active).subquery()
    return session.scalars(select(func.count()).select_from(active)).one()


def count_conversions(session: Session, event: ConversionEvent) -> int:
    """Return how many conversions the event has, including voided ones."""
    counted = (
        select(func.count())
        .select_from(Conversion)
        .where(
            Conversion.organization_id == event.organization_id,
            Conversion.conversion_event_id == event.id,
        )
    )
    return session.scalars(counted).one()


def delete_with_conversions(session: WriteSession, event: ConversionEvent) -> None:
    """Delete a locked event and all its conversions."""
    session.execute(
        delete(Conversion)
        .where(
            Conversion.organization_id == event.organization_id,
            Conversion.conversion_event_id == event.id,
        )
        .execution_options(synchronize_session=False)
    )
    session.delete(event)
    session.flush()
