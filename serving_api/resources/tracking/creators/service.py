"""Read, create, change and remove creators; `batch` creates many at once."""

from collections.abc import Sequence
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.connect_page.service import disconnect_after
from serving_api.errors import ApiError, InvalidBody, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.principals import Principal
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import lock_own, require_own
from serving_api.resources.organization import projects
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.accounts import requests, tracking
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.accounts.requests import AccountRequest
from serving_api.resources.tracking.accounts.schemas import AccountScrape, ScrapeRequest
from serving_api.resources.tracking.creators import repository, schemas
from warehouse.encryption import Encryption
from warehouse.ids import uuid7
from warehouse.operational import models


def list_creators(context: RequestContext, query: schemas.CreatorQuery) -> Page[schemas.Creator]:
    """Return a page of the organization's creators, newest first.

    PINs require the scope `admin`: raises InsufficientScope.
    """
    pins = _pins(context.caller, context.services.encryption, include_pin=query.include_pin)
    statement = repository.filtered(context.session, context.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(lambda rows: repository.present(context, rows, pins))


def read_creator(
    context: RequestContext, creator_id: UUID, *, include_pin: bool
) -> schemas.CreatorDetail:
    """Return one creator, removed or not. Raises NotFound, and InsufficientScope for the PIN."""
    pins = _pins(context.caller, context.services.encryption, include_pin=include_pin)
    creator = require_own(context, models.Creator, creator_id, "Creator")
    return repository.present_detail(context, creator, pins)


def create(
    context: WriteContext, links: ShortLinks, *, project_id: UUID, body: schemas.NewCreatorInProject
) -> schemas.Creator:
    """Create a creator with all its accounts, or nothing (contract, Creators).

    Raises InvalidAccount, DuplicateAccount, NotFound, LimitReached and AlreadyTracked.
    """
    require_same_project(project_id, body)
    account_requests = requests.checked(body.accounts, links)
    made, refusal = store(context, project_id, [(body, account_requests)])
    if refusal is not None:
        raise refusal
    return repository.present(context, made)[0]


def require_same_project(project_id: UUID, body: schemas.NewCreatorInProject) -> None:
    """Raise InvalidBody if the body names another project than the path."""
    if body.project_id not in (None, project_id):
        raise InvalidBody.at("project_id", "must be the project of the path, or left out")


New = tuple[schemas.NewCreatorInProject, Sequence[AccountRequest]]
"""A creator to create, with its accounts validated."""


def store(
    context: WriteContext, project_id: UUID, new: Sequence[New]
) -> tuple[list[models.Creator], ApiError | None]:
    """Write creators up to the first that fails; return them and its error.

    Uses the same number of statements for any number. Raises NotFound for the project, and
    LimitReached for videos that are transferred.
    """
    projects.require(context.session, context.organization_id, project_id)
    room = tracking.room_for_accounts(context)
    unavailable = requests.unavailable_among(
        context,
        project_id,
        [account_request for _, of_one in new for account_request in of_one],
    )
    creators: list[models.Creator] = []
    accounts: list[models.Account] = []
    refusal: ApiError | None = None
    for body, account_requests in new:
        creator = models.Creator(
            id=uuid7(),
            organization_id=context.organization_id,
            project_id=project_id,
            display_name=body.display_name or account_requests[0].handle,
            details=body.metadata,
        )
        try:
            room.reserve(len(account_requests))
            unavailable.hold(account_requests)
            owned = [
                tracking.new_account(context, creator, account_request)
                for account_request in account_requests
            ]
        except ApiError as error:
            refusal = error
            break
        unavailable.tracked.update(
            {(account.platform, account.handle): account for account in owned}
        )
        creators.append(creator)
        accounts += owned
    context.session.add_all(creators)
    context.session.flush()
    if accounts:
        tracking.track_new(context.session, accounts)
    return creators, refusal


def change(
    context: WriteContext, creator_id: UUID, changes: schemas.CreatorChanges
) -> schemas.Creator:
    """Change a creator; `is_active` false removes it, true cannot restore a removed one.

    Raises NotFound, NotesTooLong, and InsufficientRole for a change of `is_active`.
    """
    creator = lock_own(context, models.Creator, creator_id, "Creator")
    if changes.sends("is_active") and changes.is_active != creator.is_active:
        context.caller.require_org_admin()
        if not changes.is_active:
            _remove(context, creator)
    changes.apply_to(creator, "display_name", "metadata")
    if changes.sends("readme"):
        replace_readme(context.session, creator, changes.readme)
    context.session.flush()
    return repository.present(context, [creator])[0]


def remove(context: WriteContext, creator_id: UUID) -> None:
    """Remove a creator and its accounts; history stays. Can be repeated. Raises NotFound."""
    creator = lock_own(context, models.Creator, creator_id, "Creator")
    if creator.is_active:
        _remove(context, creator)


def scrape(
    context: WriteContext, creator_id: UUID, account_id: UUID | None, request: ScrapeRequest
) -> AccountScrape:
    """Queue a scrape of the creator's primary account, or of `account_id`.

    Raises NotFound, RateLimitExceeded, and InvalidRequest without an active account.
    """
    require_own(context, models.Creator, creator_id, "Creator")
    owned_accounts = account_rows.present_of_creators(
        context.session, context.organization_id, [creator_id]
    )
    if account_id is None:
        target = repository.primary(
            [account for account in owned_accounts if account.deactivated_at is None]
        )
        if target is None:
            raise InvalidRequest("The creator has no active account")
        account_id = target.id
    if account_id not in {account.id for account in owned_accounts}:
        raise NotFound.named("Account")
    return accounts.scrape_account(context, account_id, request)


def _pins(caller: Principal, encryption: Encryption, *, include_pin: bool) -> Encryption | None:
    """Return the encryption that decrypts PINs if requested. Raises InsufficientScope."""
    if not include_pin:
        return None
    caller.require_scope("admin")
    return encryption


def _remove(context: WriteContext, creator: models.Creator) -> None:
    now = context.now
    assignments.end_of_creator(context.session, creator, context.caller.analytics_tz)
    creator.is_active = False
    creator.removed_at = now
    account_rows.remove_of_creator(context.session, creator.organization_id, creator.id, now)
    disconnect_after(context.session)
