"""Accounts that a request wants to track: their handles, and what stands against them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from scrapers import urls
from serving_api.errors import (
    AlreadyTracked,
    Conflict,
    CreatorBanned,
    DuplicateAccount,
    InvalidAccount,
)
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.accounts import repository
from serving_api.resources.tracking.accounts.repository import PlatformHandle
from serving_api.resources.tracking.accounts.schemas import NewAccount
from warehouse.operational.models import Account
from warehouse.platforms import PLATFORM_NAMES


@dataclass(frozen=True, slots=True)
class AccountRequest:
    """A requested account with its handle validated and normalized.

    `field` is its prefix in the body, such as `accounts.0.`, or empty if it is the whole body.
    """

    body: NewAccount
    handle: str
    field: str = ""

    @property
    def platform_handle(self) -> PlatformHandle:
        """Return what identifies an account in a project."""
        return self.body.platform, self.handle


def checked_handle(platform: str, text: str, links: urls.ShortLinks) -> str:
    """Return the normalized handle. Raises InvalidAccount with the contract's reason."""
    try:
        return urls.normalize_handle(platform, text, links)
    except urls.InvalidAccount as error:
        raise InvalidAccount(
            f"{text!r} is not an account on {platform}: {error}",
            reason=error.reason,
            author=error.author,
            platform=platform,
            handle=text,
        ) from error


def checked(bodies: Sequence[NewAccount], links: urls.ShortLinks) -> list[AccountRequest]:
    """Validate the accounts of a new creator, without database access.

    Raises InvalidAccount, and DuplicateAccount if two are the same.
    """
    requests = [
        AccountRequest(
            body, checked_handle(body.platform, body.handle, links), f"accounts.{platform_handle}."
        )
        for platform_handle, body in enumerate(bodies)
    ]
    seen: set[PlatformHandle] = set()
    for account in requests:
        if account.platform_handle in seen:
            raise DuplicateAccount(platform=account.body.platform, handle=account.handle)
        seen.add(account.platform_handle)
    return requests


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Handles that cannot be tracked in a project: already tracked or banned."""

    tracked: dict[PlatformHandle, Account]
    banned: Collection[PlatformHandle]

    def hold(self, requests: Sequence[AccountRequest]) -> None:
        """Raise AlreadyTracked or CreatorBanned if one of the accounts cannot be tracked."""
        for account in requests:
            if there := self.tracked.get(account.platform_handle):
                raise already_tracked(there)
        for platform, handle in (account.platform_handle for account in requests):
            if (platform, handle) in self.banned:
                raise CreatorBanned(
                    f"{PLATFORM_NAMES[platform]} has banned {handle}",
                    platform=platform,
                    handle=handle,
                )


def unavailable_among(
    context: RequestContext, project_id: UUID, requests: Sequence[AccountRequest]
) -> Unavailable:
    """Return the accounts that cannot be tracked in a project, by two queries."""
    session, organization_id = context.session, context.organization_id
    platform_handles = [account.platform_handle for account in requests]
    there = repository.tracked_in_project(session, organization_id, project_id, platform_handles)
    tracked = {(account.platform, account.handle): account for account in there}
    return Unavailable(tracked, repository.banned_among(session, organization_id, platform_handles))


def already_tracked(account: Account) -> Conflict:
    platform = PLATFORM_NAMES[account.platform]
    return AlreadyTracked(
        f"{account.handle} on {platform} is already tracked in this project",
        platform=account.platform,
        handle=account.handle,
        account_id=str(account.id),
        creator_id=str(account.creator_id),
    )
