"""Adds accounts to track: checks the plan, writes rows and queues scrapes.

Used for accounts of new creators and for accounts added to existing ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from serving_api.errors import InvalidBody, LimitReached
from serving_api.kit.request_context import WriteContext
from serving_api.resources.organization import organizations
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.tracking.accounts import owned_videos, repository
from serving_api.resources.tracking.accounts.requests import AccountRequest
from serving_api.resources.tracking.deactivations import intervals
from serving_api.resources.tracking.videos.tracking import hold_limit
from warehouse.ids import uuid7
from warehouse.operational.audit_many import Move, change_each, insert_many
from warehouse.operational.base import business_now
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.inserting import Row
from warehouse.operational.models import Account, Creator, Video
from warehouse.operational.session import WriteSession
from warehouse.scrape_jobs.queue import enqueue_all

FIRST_FETCHES = ("creator_profiles", "discover_videos")


@dataclass(slots=True)
class Room:
    """Number of accounts that count towards the plan's limit, and the limit."""

    current: int
    maximum: int

    def reserve(self, adding: int) -> None:
        """Count further accounts. Raises LimitReached."""
        if self.current + adding > self.maximum:
            raise LimitReached("max_accounts_per_org", current=self.current, maximum=self.maximum)
        self.current += adding


def room_for_accounts(context: WriteContext) -> Room:
    """Lock the organization and return how many accounts the plan still allows."""
    organizations.lock(context.session, context.organization_id)
    current = repository.count_towards_limit(context)
    return Room(current, context.caller.plan.max_accounts_per_org)


def track(context: WriteContext, creator: Creator, account: Account) -> None:
    """Add an account to a creator, and queue a profile and a discovery scrape.

    The creator's paused payouts resume. For a deactivated creator the account is deactivated
    instead, and neither happens.
    """
    rest = intervals.inherited(creator)
    context.session.add(account)
    context.session.flush()
    if rest is None:
        queue_first_fetches(context.session, [account])
    else:
        intervals.begin(context.session, account, rest)
    _transfer_videos(context.session, [account])
    if rest is None:
        assignments.restart(context.session, creator, context.caller.user_id)


def track_new(session: WriteSession, accounts: Sequence[Account]) -> None:
    """Insert the accounts of new creators of one project, and queue their first scrapes.

    Uses the same number of statements for any number of accounts, and adds no object to the
    session. Raises LimitReached for videos that are transferred.
    """
    insert_many(session, Account, [_values_of(account) for account in accounts])
    queue_first_fetches(session, accounts)
    _transfer_videos(session, accounts)


def _values_of(account: Account) -> Row:
    return {name: value for name, value in vars(account).items() if not name.startswith("_")}


def queue_first_fetches(session: WriteSession, accounts: Sequence[Account]) -> None:
    """Queue the first scrapes: the profile of each account, then its posts."""
    enqueue_all(
        session, [(job_type, account) for account in accounts for job_type in FIRST_FETCHES]
    )


def _transfer_videos(session: WriteSession, accounts: Sequence[Account]) -> None:
    """Transfer the project's unowned videos with these accounts' handles to the accounts.

    Frozen and stopped videos are tracked again, unless the account is deactivated with its
    creator: then the creator's choice applies. At the plan's limit the oldest videos are paused.
    Raises LimitReached if exempt videos alone exceed it.
    """
    if not transfer_owners(session, accounts):
        return
    organization_id, ids = accounts[0].organization_id, [account.id for account in accounts]
    intervals.resume(session, organization_id, ids)
    if choice := accounts[0].deactivation_video_choice:  # of its creator, and it is alone then
        intervals.hold(session, organization_id, ids, choice)
    hold_limit(session, organization_id, ids)


def transfer_owners(session: WriteSession, accounts: Sequence[Account]) -> bool:
    """Give the accounts the project's unowned videos with their handles; whether there were any."""
    transferred = owned_videos.videos_to_transfer(session, accounts)
    if not transferred:
        return False
    organization_id = accounts[0].organization_id
    owned = [
        Owned(video.id, organization_id, video.to_account, video.to_creator)
        for video in transferred
    ]
    date_owners(session, owned, business_now(session))
    for column, moves in (
        (
            "account_id",
            [Move(video.id, video.account_id, video.to_account) for video in transferred],
        ),
        (
            "creator_id",
            [Move(video.id, video.creator_id, video.to_creator) for video in transferred],
        ),
    ):
        change_each(session, Video, moves, organization_id=organization_id, column=column)
    return True


def new_account(
    context: WriteContext, creator: Creator, account_request: AccountRequest
) -> Account:
    """Return an account's unsaved row. Raises InvalidBody."""
    body = account_request.body
    today = context.today
    start = body.tracking_start_date or today
    if body.tracking_end_date is not None and body.tracking_end_date < start:
        raise InvalidBody.at(
            f"{account_request.field}tracking_end_date", f"must not be before {start}"
        )
    return Account(
        id=uuid7(),
        organization_id=context.organization_id,
        project_id=creator.project_id,
        creator_id=creator.id,
        platform=body.platform,
        handle=account_request.handle,
        tracking_mode=body.tracking_mode,
        tracking_hashtags=body.tracking_hashtags,
        hashtag_inbox_non_matching=body.hashtag_inbox_non_matching,
        tracking_start_date=start,
        tracking_end_date=body.tracking_end_date,
    )
