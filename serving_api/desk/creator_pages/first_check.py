"""How far the first check of a new creator is: queued, found posts, numbers published."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.creators.schemas import CreatorDetail
from warehouse.operational.base import business_now

NEW_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class FirstCheck:
    """The state: `posts` is None before the first check, `numbers_at` before numbers."""

    posts: int | None
    numbers_at: datetime | None

    @property
    def waits(self) -> bool:
        """Whether numbers are still to come."""
        return self.numbers_at is None


def first_check_of(context: RequestContext, creator: CreatorDetail) -> FirstCheck | None:
    """Return how far a new creator's first check is; None for others and without an account."""
    accounts = [account for account in creator.accounts if account.deactivated_at is None]
    is_new = business_now(context.session) - creator.created_at < NEW_FOR
    if not accounts or not is_new:
        return None
    if not any(account.last_scraped_at for account in accounts):
        return FirstCheck(None, None)
    posts = creator.tracked_post_count + creator.pending_review_count
    read_at = [
        at for account in accounts for at in account.counters_as_of.model_dump().values() if at
    ]
    return FirstCheck(posts, max(read_at, default=None))
