"""SQL of what people decided about a project, and of its accounts. All names the organization."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Session

from serving_api.resources.programs.program_health.schemas import CreatorRef
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators.presenter import primary
from serving_api.resources.tracking.videos.presenter import title_of
from warehouse.operational.campaign_reach import campaigns_of, has_creator
from warehouse.operational.models import Account, Campaign, Creator, Video

MOST = 25

AccountRow = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Scope:
    """A project of an organization, or a campaign of that project."""

    organization_id: UUID
    project_id: UUID
    campaign_id: UUID | None


def active_accounts(session: Session, scope: Scope) -> Sequence[AccountRow]:
    """Return the accounts that are neither removed nor deactivated."""
    statement = (
        select(
            Account.id,
            Account.creator_id,
            Account.platform,
            Account.handle,
            Account.is_private,
            Account.last_scraped_at,
            Account.last_discovered_at,
            Account.tracking_start_date,
            Account.tracking_end_date,
        )
        .join(Creator, Creator.id == Account.creator_id)
        .where(
            Account.organization_id == scope.organization_id,
            Account.project_id == scope.project_id,
            Account.is_active,
            Account.deactivated_at.is_(None),
            *_of_campaign(scope),
        )
        .order_by(Account.id)
    )
    return session.execute(statement).all()


def churn(session: Session, scope: Scope, start: datetime) -> tuple[int, int]:
    """Return how many creators were added, and how many removed, since `start`."""
    counted = creators_of(scope).with_only_columns(
        func.count().filter(Creator.created_at >= start),
        func.count().filter(Creator.removed_at >= start),
    )
    added, removed = session.execute(counted).one()
    return added, removed


def disabled_creators(session: Session, scope: Scope) -> Sequence[Creator]:
    """Return up to 25 deactivated creators, the latest first."""
    statement = (
        creators_of(scope)
        .where(Creator.is_active, Creator.deactivated_at.is_not(None))
        .order_by(Creator.deactivated_at.desc(), Creator.id)
        .limit(MOST)
    )
    return session.scalars(statement).all()


def present_creators(session: Session, scope: Scope) -> set[UUID]:
    """Return the creators that were not removed."""
    statement = creators_of(scope).where(Creator.is_active).with_only_columns(Creator.id)
    return set(session.scalars(statement))


def creator_refs(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, CreatorRef]:
    """Return how the creators among `ids` are named: two queries."""
    named = select(Creator.id, Creator.display_name).where(
        Creator.organization_id == organization_id, Creator.id.in_(ids)
    )
    owned: dict[UUID, list[Account]] = {creator_id: [] for creator_id in ids}
    for kept in accounts.kept_by_creators(session, organization_id, list(ids)):
        owned[kept.creator_id].append(kept)
    named_by = {creator_id: primary(own) for creator_id, own in owned.items()}
    return {
        row.id: CreatorRef(
            creator_id=row.id,
            display_name=row.display_name,
            handle=account.handle if (account := named_by[row.id]) else None,
        )
        for row in session.execute(named)
    }


def video_labels(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, str]:
    """Return the titles of the videos among `ids`, else their URLs."""
    found = select(Video).where(Video.organization_id == organization_id, Video.id.in_(ids))
    return {video.id: title_of(video) or video.url for video in session.scalars(found)}


def campaigns_in(session: Session, scope: Scope) -> Mapping[UUID, Campaign]:
    """Return the campaigns in scope: the project's, or the campaign with those below it."""
    statement = select(Campaign).where(
        Campaign.organization_id == scope.organization_id,
        Campaign.project_id == scope.project_id,
    )
    if scope.campaign_id is not None:
        within = campaigns_of(scope.organization_id, scope.campaign_id)
        statement = statement.where(Campaign.id.in_(within))
    return {campaign.id: campaign for campaign in session.scalars(statement)}


def creators_of(scope: Scope) -> Select[Creator]:
    """Select the creators in scope, removed ones too."""
    return select(Creator).where(
        Creator.organization_id == scope.organization_id,
        Creator.project_id == scope.project_id,
        *_of_campaign(scope),
    )


def _of_campaign(scope: Scope) -> Sequence[Any]:
    if scope.campaign_id is None:
        return ()
    return (has_creator(scope.organization_id, scope.campaign_id),)
