"""Rows of users' annotations. Every statement names the organization; timelines are `sources`'."""

from uuid import UUID

from sqlalchemy import Select, select

from serving_api.resources.analytics.annotations.schemas import Scope
from warehouse.operational.models import Annotation
from warehouse.operational.session import WriteSession


def lock(session: WriteSession, organization_id: UUID, annotation_id: UUID) -> Annotation | None:
    """Return the annotation for writing; None if absent or another organization's."""
    return session.scalar(
        _of_organization(organization_id).where(Annotation.id == annotation_id).with_for_update()
    )


def clear(session: WriteSession, organization_id: UUID, scope: Scope, entity_id: UUID) -> None:
    """Delete what annotates an entity that is being deleted."""
    on_entity = _of_organization(organization_id).where(
        Annotation.scope == scope, Annotation.entity_id == entity_id
    )
    for annotation in session.scalars(on_entity):
        session.delete(annotation)
    session.flush()


def _of_organization(organization_id: UUID) -> Select[Annotation]:
    return select(Annotation).where(Annotation.organization_id == organization_id)
