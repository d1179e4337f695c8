"""Rows of creators, and creators as answers, a whole page at once."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, or_, select, union
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.counters import sum_of_known
from serving_api.kit.pagination import Keyset, among, contains
from serving_api.kit.readme import readme_version
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row, matching, require_own, rows_of
from serving_api.resources.programs.tags.items import labels_of
from serving_api.resources.programs.tags.repository import tagged
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.accounts import presenter as accounts
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.accounts.repository import handle_matches, owners_updated
from serving_api.resources.tracking.accounts.schemas import Account
from serving_api.resources.tracking.creators.schemas import Creator, CreatorDetail, CreatorQuery
from serving_api.resources.tracking.share_links import repository as share_links
from serving_api.resources.tracking.share_links.schemas import AnyShareLink
from warehouse.encryption import Encryption
from warehouse.operational import models
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import tracked_video

NEWEST_FIRST = Keyset(models.Creator.created_at, models.Creator.id, "creators")


@dataclass(frozen=True, slots=True)
class PostCounts:
    """How many of a creator's posts are tracked, and how many await review."""

    tracked: int = 0
    pending_review: int = 0


def filtered(
    session: Session, organization_id: UUID, query: CreatorQuery
) -> Select[models.Creator]:
    """Select the matching creators of an organization, without removed ones."""
    statement = matching(models.Creator, organization_id, query, "project_id").where(
        models.Creator.is_active
    )
    owners = select(models.Account.creator_id).where(
        models.Account.organization_id == organization_id, models.Account.is_active
    )
    if query.platform is not None:
        there = owners.where(models.Account.platform == query.platform)
        statement = statement.where(models.Creator.id.in_(there))
    if query.updated_since is not None:
        own = select(models.Creator.id).where(
            models.Creator.organization_id == organization_id,
            models.Creator.updated_at >= query.updated_since,
        )
        of_accounts = owners_updated(organization_id, query.updated_since)
        statement = statement.where(models.Creator.id.in_(union(own, of_accounts)))
    if query.search is not None:
        statement = statement.where(is_named(query.search, owners))
    return tagged(session, statement, "creator", organization_id, query)


def is_named(text: str, owners: Select[UUID]) -> ColumnElement[bool]:
    """Match creators with the text in the name, or in a handle of the accounts of `owners`."""
    # One query for all matching handles instead of one search for each creator.
    named = owners.where(handle_matches(text))
    return or_(contains(models.Creator.display_name, text), models.Creator.id.in_(named))


def require_active(context: RequestContext, creator_id: UUID) -> models.Creator:
    """Return the creator. Raises NotFound, also for a removed one."""
    creator = require_own(context, models.Creator, creator_id, "Creator")
    if not creator.is_active:
        raise NotFound.named("Creator")
    return creator


def lock(
    session: WriteSession, organization_id: UUID, *creator_ids: UUID
) -> Mapping[UUID, models.Creator]:
    """Lock creators for update, in the order of their ids: no two requests wait for each other.

    Return them by id; missing ones are left out.
    """
    rows = session.scalars(
        rows_of(models.Creator, organization_id)
        .where(among(models.Creator.id, creator_ids))
        .order_by(models.Creator.id)
        .with_for_update(key_share=True)
    )
    return {row.id: row for row in rows}


def post_counts(
    session: Session, organization_id: UUID, creator_ids: Collection[UUID] | Select[UUID]
) -> Mapping[UUID, PostCounts]:
    """Return post counts by creator; creators without posts are left out.

    Posts of a deactivated account are not counted as tracked. Those still scraped count towards
    `max_tracked_videos_per_org`.
    """
    counted = (
        select(
            models.Video.creator_id,
            func.count().filter(tracked_video(), models.Account.deactivated_at.is_(None)),
            func.count().filter(models.Video.tracking_status == "pending_review"),
        )
        .join(models.Account, models.Account.id == models.Video.account_id)
        .where(
            models.Video.organization_id == organization_id,
            models.Video.creator_id.in_(creator_ids),
            models.Account.is_active,
        )
        .group_by(models.Video.creator_id)
    )
    rows = session.execute(counted)
    return {creator: PostCounts(tracked, pending) for creator, tracked, pending in rows if creator}


NO_POSTS = PostCounts()

AnyAccount = TypeVar("AnyAccount", Account, models.Account)


def present(
    context: RequestContext, rows: Sequence[models.Creator], pins: Encryption | None = None
) -> list[Creator]:
    """Return creators with their accounts, by five queries for any number.

    Share links include the PIN if `pins` can decrypt it.
    """
    session, organization_id = context.session, context.organization_id
    ids = [row.id for row in rows]
    owned: dict[UUID, list[Account]] = defaultdict(list)
    owned_accounts = account_rows.present_of_creators(session, organization_id, ids)
    counts = accounts.counts_of(context.marts, organization_id, owned_accounts)
    labels = labels_of(
        session, organization_id, [*ids, *(account.id for account in owned_accounts)]
    )
    for account in owned_accounts:
        owned[account.creator_id].append(accounts.present_one(account, counts, labels))
    posts = post_counts(session, organization_id, ids)
    shared = [row.id for row in rows if row.is_active]  # a removed creator has no page
    links = share_links.present_of_creators(session, organization_id, shared, pins)
    return [
        _creator(row, owned[row.id], posts.get(row.id, NO_POSTS), labels[row.id], links.get(row.id))
        for row in rows
    ]


def present_detail(
    context: RequestContext, row: models.Creator, pins: Encryption | None = None
) -> CreatorDetail:
    creator = present(context, [row], pins)[0]
    return CreatorDetail(**dict(creator), readme_version=readme_version(row.readme))


def primary(accounts: Iterable[AnyAccount]) -> AnyAccount | None:
    """Return a creator's primary account: the TikTok one, or else the oldest.

    `accounts` are oldest first. Deactivated ones come last.
    """
    ranked = sorted(
        accounts,
        key=lambda account: (account.deactivated_at is not None, account.platform != "tiktok"),
    )
    return ranked[0] if ranked else None


def _creator(
    row: models.Creator,
    owned: list[Account],
    posts: PostCounts,
    tags: list[TagLabel],
    share_link: AnyShareLink | None,
) -> Creator:
    named_by = primary(owned)
    return from_row(
        Creator,
        row,
        handle=named_by.handle if named_by else None,
        avatar_url=named_by.avatar_url if named_by else None,
        follower_count=sum_of_known(account.follower_count for account in owned),
        following_count=sum_of_known(account.following_count for account in owned),
        total_likes_count=sum_of_known(account.total_likes_count for account in owned),
        video_count=sum_of_known(account.video_count for account in owned),
        tracked_post_count=posts.tracked,
        pending_review_count=posts.pending_review,
        accounts=owned,
        tags=tags,
        share_link=share_link,
    )
