"""Adding, changing and removing creators and accounts (contract, Creators and Accounts)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tests.serving_api.contract_model.deactivations import rest
from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.room import has_room, hold_limit
from tests.serving_api.contract_model.things import Account, Creator, Tracking, refuse

MAX_NAME = 100


class Wanted(NamedTuple):
    """An account to add, its handle in normal form; None where what was written names none."""

    platform: str
    handle: str | None
    tracking: Tracking


def create_creator(
    organization: Organization, display_name: str | None, new_accounts: Sequence[Wanted]
) -> Creator:
    places = [(new_account.platform, new_account.handle) for new_account in new_accounts]
    refuse(
        invalid_body=any(not _is_whole(new_account.tracking) for new_account in new_accounts),
        invalid_account=any(new_account.handle is None for new_account in new_accounts),
        duplicate_account=len(set(places)) < len(places),
        already_tracked=any(organization.tracked_by(*place) for place in places),
        limit_reached=not has_room(organization, len(new_accounts)),
    )
    creator = Creator(display_name or str(new_accounts[0].handle))
    organization.creators.append(creator)
    for new_account in new_accounts:
        _track(organization, creator, new_account)
    return creator


def add_account(organization: Organization, creator: Creator, new_account: Wanted) -> Account:
    """Add one; a deactivated creator's needs no room, for it is deactivated with it."""
    is_counted = creator.deactivation is None
    refuse(
        invalid_body=not _is_whole(new_account.tracking),
        invalid_account=new_account.handle is None,
        creator_inactive=not creator.is_active,
        already_tracked=organization.tracked_by(new_account.platform, new_account.handle)
        is not None,
        limit_reached=is_counted and not has_room(organization, 1),
    )
    return _track(organization, creator, new_account)


def change_account(
    organization: Organization, account: Account, handle: str | None, tracking: Tracking
) -> None:
    """Take another handle, unless None or its own, and be tracked as is said."""
    refuse(not_found=not account.is_active)
    place = (account.platform, handle)
    others = [
        (other.platform, other.handle) for other in organization.accounts if other is not account
    ]
    is_taken = handle != account.handle and place in others
    refuse(invalid_body=not _is_whole(tracking), handle_taken=is_taken)
    account.handle = handle or account.handle
    account.tracking = tracking


def remove_account(account: Account) -> None:
    refuse(not_found=not account.is_active)
    account.is_active = False


def rename_creator(creator: Creator, display_name: str) -> None:
    refuse(invalid_body=len(display_name) > MAX_NAME)
    creator.display_name = display_name


def remove_creator(organization: Organization, creator: Creator) -> None:
    """Remove a creator with its accounts, for good. Repeating it succeeds."""
    creator.is_active = False
    for account in organization.accounts_of(creator):
        account.is_active = False


def _is_whole(tracking: Tracking) -> bool:
    is_window = not tracking.start or not tracking.end or tracking.start <= tracking.end
    return is_window and (tracking.mode != "hashtag" or tracking.hashtag is not None)


def _track(organization: Organization, creator: Creator, new_account: Wanted) -> Account:
    account = Account(creator, new_account.platform, str(new_account.handle), new_account.tracking)
    organization.accounts.append(account)
    _take_over(organization, account)
    if creator.deactivation is not None:
        rest(organization, account, replace(creator.deactivation, via_creator=True))
    hold_limit(organization)
    return account


def _take_over(organization: Organization, account: Account) -> None:
    """Give an account the posts of its handle: of nobody, or of a removed account."""
    for video in organization.videos:
        before = video.account
        if before is None:
            is_its = (video.post.platform, video.post.author) == (account.platform, account.handle)
        else:
            is_its = not before.is_active and (before.platform, before.handle) == (
                account.platform,
                account.handle,
            )
        if is_its:
            video.account, video.still = account, None
