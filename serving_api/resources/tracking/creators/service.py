"""What may happen to a creator. Making many at once is `batch`'s."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from scrapers.urls import ShortLinks
from serving_api.auth.principals import Principal
from serving_api.connect_page.letting_go import let_go_after
from serving_api.errors import InvalidBody, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.published import Published
from serving_api.kit.readme import replace_readme
from serving_api.resources.organization.projects import repository as projects
from serving_api.resources.payouts.assignments import ending
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.accounts import tracking
from serving_api.resources.tracking.accounts.schemas import AccountScrape, ScrapeRequest
from serving_api.resources.tracking.accounts.tracking import Wanted
from serving_api.resources.tracking.creators import presenter, repository, schemas
from warehouse.encryption import Encryption
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.session import WriteSession


def list_creators(
    caller: Principal,
    session: Session,
    numbers: Published,
    encryption: Encryption,
    query: schemas.CreatorQuery,
) -> Page[schemas.Creator]:
    """Return a page of the organization's creators, newest first.

    PINs need the scope `admin`: raises InsufficientScope.
    """
    pins = _pins(caller, encryption, include_pin=query.include_pin)
    statement = repository.filtered(session, caller.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(caller.organization_id)
    found = read_slice(session, statement, keyset, query)
    return found.page(
        lambda rows: presenter.present(session, numbers, caller.organization_id, rows, pins)
    )


def read_creator(
    caller: Principal,
    session: Session,
    numbers: Published,
    encryption: Encryption,
    creator_id: UUID,
    *,
    include_pin: bool,
) -> schemas.CreatorDetail:
    """Return one creator, removed or not. Raises NotFound, and as a list does of PINs."""
    pins = _pins(caller, encryption, include_pin=include_pin)
    creator = repository.find(session, caller.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    return presenter.present_detail(session, numbers, caller.organization_id, creator, pins)


def create(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    links: ShortLinks,
    *,
    project_id: UUID,
    body: schemas.NewCreatorInProject,
) -> schemas.Creator:
    """Make a creator with its accounts, or nothing at all (contract, Creators).

    Raises InvalidAccount, DuplicateAccount, NotFound, LimitReached and AlreadyTracked.
    """
    require_same_project(project_id, body)
    wanted = tracking.checked(body.accounts, links)
    creator = store(caller, session, project_id, body, wanted)
    return _presented(caller, session, numbers, creator)


def require_same_project(project_id: UUID, body: schemas.NewCreatorInProject) -> None:
    """Raise InvalidBody where the body names another project than the path."""
    if body.project_id not in (None, project_id):
        raise InvalidBody.at("project_id", "must be the project of the path, or be left out")


def store(
    caller: Principal,
    session: WriteSession,
    project_id: UUID,
    body: schemas.NewCreatorInProject,
    wanted: Sequence[Wanted],
) -> models.Creator:
    """Write a creator whose accounts were checked. Raises NotFound and what lacks room."""
    projects.require(session, caller.organization_id, project_id)
    tracking.require_room(session, caller, len(wanted))
    tracking.require_free(session, caller, project_id, wanted)
    creator = models.Creator(
        organization_id=caller.organization_id,
        project_id=project_id,
        display_name=body.display_name or wanted[0].handle,
        details=body.metadata,
    )
    session.add(creator)
    session.flush()
    tracking.track(session, caller, creator, wanted)
    return creator


def change(
    caller: Principal,
    session: WriteSession,
    numbers: Published,
    creator_id: UUID,
    changes: schemas.CreatorChanges,
) -> schemas.Creator:
    """Change a creator; `is_active` false removes it, true never brings a removed one back.

    Raises NotFound, NotesTooLong, and InsufficientRole where `is_active` is to change.
    """
    creator = _locked(caller, session, creator_id)
    if changes.sends("is_active") and changes.is_active != creator.is_active:
        caller.require_org_admin()
        if not changes.is_active:
            _remove(caller, session, creator)
    if changes.sends("display_name"):
        creator.display_name = changes.display_name
    if changes.sends("metadata"):
        creator.details = changes.metadata
    if changes.sends("readme"):
        replace_readme(session, creator, changes.readme)
    session.flush()
    return _presented(caller, session, numbers, creator)


def remove(caller: Principal, session: WriteSession, creator_id: UUID) -> None:
    """Remove a creator and its accounts; history stays, a removed one stays so."""
    creator = _locked(caller, session, creator_id)
    if creator.is_active:
        _remove(caller, session, creator)


def scrape(
    caller: Principal,
    session: WriteSession,
    creator_id: UUID,
    account_id: UUID | None,
    request: ScrapeRequest,
) -> AccountScrape:
    """Queue a look at one of the creator's accounts, the primary one unless named.

    Raises NotFound, RateLimitExceeded, and InvalidRequest where there is no active account.
    """
    if repository.find(session, caller.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    kept = account_rows.kept_by_creators(session, caller.organization_id, [creator_id])
    if account_id is None:
        target = presenter.primary([one for one in kept if one.deactivated_at is None])
        if target is None:
            raise InvalidRequest("The creator has no active account")
        account_id = target.id
    if account_id not in {one.id for one in kept}:
        raise NotFound.named("Account")
    return accounts.scrape_account(caller, session, account_id, request)


def _pins(caller: Principal, encryption: Encryption, *, include_pin: bool) -> Encryption | None:
    """Return what reads PINs where they are asked for. Raises InsufficientScope."""
    if not include_pin:
        return None
    caller.require_scope("admin")
    return encryption


def _remove(caller: Principal, session: WriteSession, creator: models.Creator) -> None:
    now = business_now(session)
    ending.end_of_creator(session, creator, caller.analytics_tz)
    creator.is_active = False
    creator.removed_at = now
    account_rows.remove_of_creator(session, creator.organization_id, creator.id, now)
    let_go_after(session)


def _locked(caller: Principal, session: WriteSession, creator_id: UUID) -> models.Creator:
    creator = repository.lock(session, caller.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    return creator


def _presented(
    caller: Principal, session: WriteSession, numbers: Published, creator: models.Creator
) -> schemas.Creator:
    return presenter.present(session, numbers, caller.organization_id, [creator])[0]
