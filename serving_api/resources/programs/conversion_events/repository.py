"""SQL of conversion events. Every statement names the organization and the project."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import Conversion, ConversionEvent, Project
from warehouse.operational.session import WriteSession


def of_project(project: Project) -> Select[ConversionEvent]:
    """Select every conversion event of a project, deactivated ones too."""
    return select(ConversionEvent).where(
        ConversionEvent.organization_id == project.organization_id,
        ConversionEvent.project_id == project.id,
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
    """Return the event; None if the project has none of this id."""
    return session.scalar(of_project(project).where(ConversionEvent.id == event_id))


def find_by_key(session: Session, project: Project, key: str) -> ConversionEvent | None:
    """Return the event that has the key, in any case; None if it is free."""
    return session.scalar(of_project(project).where(ConversionEvent.key == key.lower()))


def lock(
    session: WriteSession, project: Project, event_id: UUID, *, to_delete: bool = False
) -> ConversionEvent | None:
    """Return the event for writing; None if the project has none of this id.

    To delete it, nobody may be recording conversions of it: that is waited for.
    """
    statement = of_project(project).where(ConversionEvent.id == event_id)
    return session.scalar(statement.with_for_update(key_share=not to_delete))


def count_active(session: Session, project: Project) -> int:
    """Return how many events the plan counts: deactivated ones free their slot."""
    active = of_project(project).where(ConversionEvent.is_active).subquery()
    return session.scalars(select(func.count()).select_from(active)).one()


def count_conversions(session: Session, event: ConversionEvent) -> int:
    """Return how many conversions the event has, voided ones too."""
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
    """Delete a locked event and every conversion under it."""
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
