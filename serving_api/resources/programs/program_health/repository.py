"""SQL of a project's creators, accounts and campaigns. Every statement names the organization."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from serving_api.kit.pagination import among
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.program_health.schemas import CreatorRef
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators.repository import primary
from serving_api.resources.tracking.videos.presenter import title_of
from warehouse.operational.campaign_reach import campaigns_of, has_creator
from warehouse.operational.models import Account, Campaign, Creator, Video

MOST = 25

AccountRow = Row[*tuple[Any, ...]]
CampaignRow = Row[UUID, str, int | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Scope:
    """A project of an organization, or a campaign of that project."""

    organization_id: UUID
    project_id: UUID
    campaign_id: UUID | None


class Counted(NamedTuple):
    """Number of accounts, how many await their first scrape, and how many are overdue."""

    accounts: int
    awaiting: int
    unread: int
    unsearched: int


def count_accounts(
    session: Session, scope: Scope, read_after: datetime, searched_after: datetime
) -> Counted:
    """Count the active accounts. One that was never scraped is overdue by when it was added."""
    counted = _accounts_of(scope).with_only_columns(
        func.count(),
        func.count().filter(Account.last_scraped_at.is_(None), Account.created_at >= read_after),
        func.count().filter(is_before(Account.last_scraped_at, read_after)),
        func.count().filter(is_before(Account.last_discovered_at, searched_after)),
    )
    return Counted(*session.execute(counted).one())


def unread_longest(
    session: Session, scope: Scope, after: datetime, *only: ColumnElement[bool]
) -> Sequence[AccountRow]:
    """Return up to 25 accounts not scraped since an instant, longest overdue first (`last_at`).

    `total` counts all of them that match the conditions `only`.
    """
    return _waiting_longest(session, scope, Account.last_scraped_at, after, only)


def unsearched_longest(
    session: Session, scope: Scope, after: datetime, *only: ColumnElement[bool]
) -> Sequence[AccountRow]:
    """Return up to 25 accounts not searched for posts since an instant, likewise."""
    return _waiting_longest(session, scope, Account.last_discovered_at, after, only)


def private_accounts(session: Session, scope: Scope) -> Sequence[AccountRow]:
    """Return up to 25 private accounts."""
    private = (
        _accounts_of(scope).where(Account.is_private.is_(True)).order_by(Account.id).limit(MOST)
    )
    return session.execute(private).all()


def accounts_among(
    session: Session, scope: Scope, ids: Collection[UUID]
) -> Mapping[UUID, AccountRow]:
    if not ids:
        return {}
    statement = _accounts_of(scope).where(among(Account.id, ids))
    return {row.id: row for row in session.execute(statement)}


def _waiting_longest(
    session: Session,
    scope: Scope,
    last: InstrumentedAttribute[datetime | None],
    after: datetime,
    only: Sequence[ColumnElement[bool]],
) -> Sequence[AccountRow]:
    waiting = (
        _accounts_of(scope)
        .add_columns(last.label("last_at"), func.count().over().label("total"))
        .where(is_before(last, after), *only)
        .order_by(last.nulls_first(), Account.id)
        .limit(MOST)
    )
    return session.execute(waiting).all()


def is_before(last: InstrumentedAttribute[datetime | None], after: datetime) -> ColumnElement[bool]:
    """Match accounts whose last fetch, or else their addition, is before an instant."""
    return func.coalesce(last, Account.created_at) < after


def _accounts_of(scope: Scope) -> Select[*tuple[Any, ...]]:
    """Select the accounts in scope that are neither removed nor deactivated."""
    return (
        select(
            Account.id,
            Account.creator_id,
            Account.platform,
            Account.handle,
            Account.tracking_start_date,
            Account.tracking_end_date,
        )
        .join(Creator, Creator.id == Account.creator_id)
        .where(
            Account.organization_id == scope.organization_id,
            Account.project_id == scope.project_id,
            Account.is_active,
            Account.deactivated_at.is_(None),
            *of_campaign(scope),
        )
    )


def churn(session: Session, scope: Scope, start: datetime) -> tuple[int, int]:
    """Return how many creators were added and removed since `start`."""
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


def present_creators(session: Session, scope: Scope, ids: Collection[UUID]) -> set[UUID]:
    """Return the creators in scope among these ids, without removed ones."""
    if not ids:
        return set()
    statement = creators_of(scope).where(Creator.is_active, among(Creator.id, ids))
    return set(session.scalars(statement.with_only_columns(Creator.id)))


def creator_refs(
    session: Session, organization_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, CreatorRef]:
    """Return names and handles by creator id, by two queries."""
    named = select(Creator.id, Creator.display_name).where(
        Creator.organization_id == organization_id, Creator.id.in_(ids)
    )
    owned: dict[UUID, list[Account]] = {creator_id: [] for creator_id in ids}
    for owned_account in accounts.present_of_creators(session, organization_id, list(ids)):
        owned[owned_account.creator_id].append(owned_account)
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
    """Return the videos' titles, or else their URLs, by id."""
    statement = rows_of(Video, organization_id).where(Video.id.in_(ids))
    return {video.id: title_of(video, video.url) for video in session.scalars(statement)}


def campaigns_in(session: Session, scope: Scope) -> Mapping[UUID, CampaignRow]:
    """Return the campaigns in scope: the project's, or the campaign with those nested in it."""
    statement = select(Campaign.id, Campaign.name, Campaign.target_views, Campaign.target_at).where(
        Campaign.organization_id == scope.organization_id, Campaign.project_id == scope.project_id
    )
    if scope.campaign_id is not None:
        within = campaigns_of(scope.organization_id, scope.campaign_id)
        statement = statement.where(Campaign.id.in_(within))
    return {row.id: row for row in session.execute(statement)}


def creators_of(scope: Scope) -> Select[Creator]:
    """Select the creators in scope, including removed ones."""
    return rows_of(Creator, scope.organization_id).where(
        Creator.project_id == scope.project_id, *of_campaign(scope)
    )


def of_campaign(scope: Scope) -> Sequence[ColumnElement[bool]]:
    """Return the conditions for a creator to be in scope, except the project."""
    if scope.campaign_id is None:
        return ()
    return (has_creator(scope.organization_id, scope.campaign_id),)
