"""Deactivating and reactivating creators and accounts (contract, Accounts; decisions.md)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from tests.serving_api.contract_model.organization import Organization
from tests.serving_api.contract_model.posts import file_missed
from tests.serving_api.contract_model.room import has_room, hold_limit
from tests.serving_api.contract_model.things import (
    Account,
    Creator,
    Deactivation,
    Interval,
    Video,
    refuse,
)

Result = dict[str, Any]
"""What an answer's `result` says, ids left out."""


class Choice(NamedTuple):
    """What a reactivation says of posts published meanwhile, and of videos that stand still."""

    missed_posts: str
    existing_videos: str | None


def deactivate_account(
    organization: Organization, account: Account, deactivation: Deactivation
) -> Result:
    refuse(not_found=not account.is_active)
    refuse(already_deactivated=account.deactivation is not None)
    return rest(organization, account, deactivation) | {"payouts": None}


def deactivate_creator(
    organization: Organization, creator: Creator, deactivation: Deactivation
) -> Result:
    """Deactivate what is active of it; what was deactivated alone stays so."""
    refuse(not_found=not creator.is_active)
    refuse(already_deactivated=creator.deactivation is not None)
    active = [
        account for account in organization.accounts_of(creator) if account.deactivation is None
    ]
    held = [rest(organization, account, deactivation) for account in active]
    creator.deactivation = deactivation
    return {
        "accounts_deactivated": len(active),
        "videos_frozen": sum(counts["videos_frozen"] for counts in held),
        "videos_stopped": sum(counts["videos_stopped"] for counts in held),
        "payouts": None,
    }


def reactivate_account(
    organization: Organization, account: Account, choice: Choice, now: datetime
) -> Result:
    refuse(not_found=not account.is_active)
    refuse(not_deactivated=account.deactivation is None)
    refuse(conflict=account.creator.deactivation is not None)
    return _wake(organization, [account], choice, now)


def reactivate_creator(
    organization: Organization, creator: Creator, choice: Choice, now: datetime
) -> Result:
    """Bring a creator back with the accounts that were deactivated because of it."""
    refuse(not_found=not creator.is_active)
    refuse(not_deactivated=creator.deactivation is None)
    returning = [
        account
        for account in organization.accounts_of(creator)
        if account.deactivation is not None and account.deactivation.via_creator
    ]
    result = _wake(organization, returning, choice, now)
    creator.deactivation = None
    return result | {"accounts_reactivated": len(returning)}


def rest(organization: Organization, account: Account, deactivation: Deactivation) -> Result:
    """Deactivate an account; what is chosen for its videos leaves excluded ones alone."""
    account.deactivation = deactivation
    before = [video.still for video in _videos_of(organization, account)]
    for video in _videos_of(organization, account):
        if deactivation.choice == "stop_tracking" or (
            deactivation.choice == "freeze" and video.still is None
        ):
            video.still = deactivation.choice
    after = [video.still for video in _videos_of(organization, account)]
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    return {
        "videos_frozen": changed.count("freeze"),
        "videos_stopped": changed.count("stop_tracking"),
    }


def _wake(
    organization: Organization, accounts: Sequence[Account], choice: Choice, now: datetime
) -> Result:
    still = [
        video
        for account in accounts
        for video in _videos_of(organization, account)
        if video.still is not None
    ]
    refuse(
        existing_videos_required=bool(still) and choice.existing_videos is None,
        limit_reached=not has_room(organization, len(accounts)),
    )
    changed = _move(still, choice.existing_videos)
    filed = sum(_end(organization, account, choice.missed_posts, now) for account in accounts)
    hold_limit(organization)
    return {
        "videos_resumed": changed if choice.existing_videos == "resume" else 0,
        "videos_stopped": changed if choice.existing_videos == "stop" else 0,
        "missed_posts_updated": filed,
    }


def _move(still: Sequence[Video], existing_videos: str | None) -> int:
    changed = 0
    for video in still:
        before = video.still
        if existing_videos == "resume":
            video.still = None
        elif existing_videos == "stop":
            video.still = "stop_tracking"
        changed += video.still != before
    return changed


def _end(organization: Organization, account: Account, missed_posts: str, now: datetime) -> int:
    assert account.deactivation is not None
    stretch = Interval(account.deactivation.at, now, missed_posts)
    account.stretches.append(stretch)
    account.deactivation = None
    return file_missed(organization, account, stretch)


def _videos_of(organization: Organization, account: Account) -> list[Video]:
    return [
        video
        for video in organization.videos
        if video.account is account and video.status != "excluded"
    ]
