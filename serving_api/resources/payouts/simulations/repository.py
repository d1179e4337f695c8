"""SQL of whom a simulation is about. Every statement names the organization."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.operational.campaign_reach import has_creator
from warehouse.operational.models import Creator


def in_project(
    session: Session, organization_id: UUID, project_id: UUID, creators: Sequence[UUID]
) -> frozenset[UUID]:
    """Return which of the creators are the project's; removed ones too."""
    statement = select(Creator.id).where(
        Creator.organization_id == organization_id,
        Creator.project_id == project_id,
        Creator.id.in_(creators),
    )
    return frozenset(session.scalars(statement))


def of_campaign(
    session: Session, organization_id: UUID, campaign_id: UUID, most: int
) -> Sequence[UUID]:
    """Return the creators of a campaign, `most` of them at most, in the order of their ids."""
    statement = select(Creator.id).where(
        Creator.organization_id == organization_id, has_creator(organization_id, campaign_id)
    )
    return session.scalars(statement.order_by(Creator.id).limit(most)).all()
