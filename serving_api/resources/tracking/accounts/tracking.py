"""Starting to track accounts: from what a person wrote to rows, room in the plan and jobs.

Used by the two ways to add accounts: with a new creator, and to one that is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from scrapers import urls
from serving_api.errors import (
    AlreadyTracked,
    CreatorBanned,
    DuplicateAccount,
    InvalidAccount,
    InvalidBody,
    LimitReached,
)
from serving_api.kit.days import today_in
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.assignments import pauses
from serving_api.resources.tracking.accounts import owned_videos, repository
from serving_api.resources.tracking.accounts.schemas import NewAccount
from serving_api.resources.tracking.deactivations import stretches, videos
from serving_api.resources.tracking.videos.tracking import hold_limit
from warehouse.operational.base import business_now
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import Account, Creator
from warehouse.operational.session import WriteSession
from warehouse.scrape_jobs.queue import enqueue


def take_over_videos(session: WriteSession, account: Account) -> None:
    """Give an account the videos of the project that are its handle's, as far as nobody has them.

    Frozen and stopped ones are tracked again, as far as an account that is deactivated with its
    creator does not hold them as was chosen for the creator's. At the plan's limit the oldest are
    paused. Raises LimitReached where exempt ones alone are too many.
    """
    taken = owned_videos.videos_to_take_over(session, account)
    if not taken:
        return
    organization_id, ids = account.organization_id, [account.id]
    owned = [Owned(one.id, organization_id, account.id, account.creator_id) for one in taken]
    date_owners(session, owned, business_now(session))
    videos.set_column(session, organization_id, "account_id", taken, account.id)
    videos.set_column(session, organization_id, "creator_id", taken, account.creator_id)
    videos.resume(session, organization_id, ids)
    if account.deactivation_video_choice is not None:
        videos.hold(session, organization_id, ids, account.deactivation_video_choice)
    hold_limit(session, organization_id, ids)


FIRST_LOOKS = ("creator_profiles", "discover_videos")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An account that a request asks for, its handle checked and normalized.

    `field` is where it stands in the body: `accounts.0.`, or nothing where it is the body.
    """

    body: NewAccount
    handle: str
    field: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Platform and handle: what an account is known by in a project."""
        return self.body.platform, self.handle


def checked_handle(platform: str, text: str, links: urls.ShortLinks) -> str:
    """Return the handle in its normal form. Raises InvalidAccount with the contract's reason."""
    try:
        return urls.normalize_handle(platform, text, links)
    except urls.InvalidAccount as error:
        raise InvalidAccount(
            f"{text!r} is not an account on {platform}: {error.reason}",
            reason=error.reason,
            platform=platform,
            handle=text,
        ) from error


def checked(bodies: Sequence[NewAccount], links: urls.ShortLinks) -> list[Wanted]:
    """Return the accounts of a new creator. Makes no statement.

    Raises InvalidAccount, and DuplicateAccount where two of them are the same.
    """
    wanted = [
        Wanted(body, checked_handle(body.platform, body.handle, links), f"accounts.{place}.")
        for place, body in enumerate(bodies)
    ]
    seen: set[tuple[str, str]] = set()
    for account in wanted:
        if account.place in seen:
            raise DuplicateAccount(platform=account.body.platform, handle=account.handle)
        seen.add(account.place)
    return wanted


def require_free(errand: Errand, project_id: UUID, wanted: Sequence[Wanted]) -> None:
    """Hold that accounts can be tracked in a project. Raises AlreadyTracked and CreatorBanned."""
    places = [account.place for account in wanted]
    for there in repository.tracked_in_project(
        errand.session, errand.organization_id, project_id, places
    ):
        raise already_tracked(there)
    for platform, handle in places:
        if repository.is_banned(errand.session, errand.organization_id, platform, handle):
            raise CreatorBanned(f"{platform} has banned {handle}", platform=platform, handle=handle)


def require_room(errand: WriteErrand, adding: int) -> None:
    """Hold the plan's limit of accounts still until the transaction ends. Raises LimitReached."""
    organizations.lock(errand.session, errand.organization_id)
    current = repository.count_towards_limit(errand.session, errand.organization_id)
    maximum = errand.caller.plan.max_accounts_per_org
    if current + adding > maximum:
        raise LimitReached("max_accounts_per_org", current=current, maximum=maximum)


def already_tracked(account: Account) -> AlreadyTracked:
    """Return the error that names the account which has the handle."""
    return AlreadyTracked(
        f"{account.handle} on {account.platform} is already tracked in this project",
        platform=account.platform,
        handle=account.handle,
        account_id=str(account.id),
        creator_id=str(account.creator_id),
    )


def track(errand: WriteErrand, creator: Creator, wanted: Sequence[Wanted]) -> list[Account]:
    """Add accounts to a creator and queue a profile and a discovery scrape for each.

    Paused payouts of the creator go on. A deactivated creator's new accounts are deactivated with
    it, and nothing of that happens.
    """
    accounts = [_row(errand, creator, account) for account in wanted]
    errand.session.add_all(accounts)
    errand.session.flush()
    rest = stretches.inherited(creator)
    for account in accounts:
        if rest is None:
            queue_first_looks(errand.session, account)
        else:
            stretches.begin(errand.session, account, rest)
        take_over_videos(errand.session, account)
    if rest is None:
        pauses.restart(errand.session, creator, errand.caller.user_id)
    return accounts


def queue_first_looks(session: WriteSession, account: Account) -> None:
    """Queue what shows an account for the first time: its profile, then its posts."""
    for job_type in FIRST_LOOKS:
        enqueue(session, job_type=job_type, account=account)


def _row(errand: WriteErrand, creator: Creator, wanted: Wanted) -> Account:
    body = wanted.body
    today = today_in(errand.caller.analytics_tz, business_now(errand.session))
    start = body.tracking_start_date or today
    if body.tracking_end_date is not None and body.tracking_end_date < start:
        raise InvalidBody.at(f"{wanted.field}tracking_end_date", f"must not be before {start}")
    return Account(
        organization_id=errand.organization_id,
        project_id=creator.project_id,
        creator_id=creator.id,
        platform=body.platform,
        handle=wanted.handle,
        tracking_mode=body.tracking_mode,
        tracking_hashtags=body.tracking_hashtags,
        hashtag_inbox_non_matching=body.hashtag_inbox_non_matching,
        tracking_start_date=start,
        tracking_end_date=body.tracking_end_date,
    )
