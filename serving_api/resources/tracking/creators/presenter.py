"""Creators as answers, with the accounts, posts and counters of a whole page at once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar
from uuid import UUID

from serving_api.kit.counters import sum_of_known
from serving_api.kit.readme import readme_version
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import from_row
from serving_api.resources.programs.tags.labels import labels_of
from serving_api.resources.programs.tags.schemas import TagLabel
from serving_api.resources.tracking.accounts import presenter as accounts
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.accounts.schemas import Account
from serving_api.resources.tracking.creators import repository
from serving_api.resources.tracking.creators.repository import PostCounts
from serving_api.resources.tracking.creators.schemas import Creator, CreatorDetail
from serving_api.resources.tracking.share_links import presenter as share_links
from serving_api.resources.tracking.share_links.schemas import AnyShareLink
from warehouse.encryption import Encryption
from warehouse.operational import models

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
    posts = repository.post_counts(session, organization_id, ids)
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
