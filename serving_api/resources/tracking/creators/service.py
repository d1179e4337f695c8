"""What may happen to a creator. Making many at once is `batch`'s."""

from collections.abc import Sequence
from uuid import UUID

from scrapers.urls import ShortLinks
from serving_api.auth.principals import Principal
from serving_api.connect_page.letting_go import let_go_after
from serving_api.errors import ApiError, InvalidBody, InvalidRequest, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.resources.organization import projects
from serving_api.resources.payouts.assignments import ending
from serving_api.resources.tracking.accounts import repository as account_rows
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.accounts import tracking
from serving_api.resources.tracking.accounts.schemas import AccountScrape, ScrapeRequest
from serving_api.resources.tracking.accounts.tracking import Wanted
from serving_api.resources.tracking.creators import presenter, repository, schemas
from warehouse.encryption import Encryption
from warehouse.ids import uuid7
from warehouse.operational import models
from warehouse.operational.base import business_now


def list_creators(
    errand: Errand,
    query: schemas.CreatorQuery,
) -> Page[schemas.Creator]:
    """Return a page of the organization's creators, newest first.

    PINs need the scope `admin`: raises InsufficientScope.
    """
    pins = _pins(errand.caller, errand.services.encryption, include_pin=query.include_pin)
    statement = repository.filtered(errand.session, errand.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(errand.organization_id)
    found = read_slice(errand.session, statement, keyset, query)
    return found.page(
        lambda rows: presenter.present(
            errand.session, errand.numbers, errand.organization_id, rows, pins
        )
    )


def read_creator(
    errand: Errand,
    creator_id: UUID,
    *,
    include_pin: bool,
) -> schemas.CreatorDetail:
    """Return one creator, removed or not. Raises NotFound, and as a list does of PINs."""
    pins = _pins(errand.caller, errand.services.encryption, include_pin=include_pin)
    creator = repository.find(errand.session, errand.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    return presenter.present_detail(
        errand.session, errand.numbers, errand.organization_id, creator, pins
    )


def create(
    errand: WriteErrand,
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
    made, refusal = store(errand, project_id, [(body, wanted)])
    if refusal is not None:
        raise refusal
    return _presented(errand, made[0])


def require_same_project(project_id: UUID, body: schemas.NewCreatorInProject) -> None:
    """Raise InvalidBody where the body names another project than the path."""
    if body.project_id not in (None, project_id):
        raise InvalidBody.at("project_id", "must be the project of the path, or be left out")


New = tuple[schemas.NewCreatorInProject, Sequence[Wanted]]
"""A creator to be made, with its accounts checked."""


def store(
    errand: WriteErrand, project_id: UUID, new: Sequence[New]
) -> tuple[list[models.Creator], ApiError | None]:
    """Write creators up to the first that cannot be made; return them, and why that one cannot.

    As many statements for one as for fifty. Raises NotFound for the project, and LimitReached for
    the videos that come along with any of the accounts.
    """
    projects.require(errand.session, errand.organization_id, project_id)
    room = tracking.room_for_accounts(errand)
    taken = tracking.taken_among(errand, project_id, [one for _, wanted in new for one in wanted])
    creators: list[models.Creator] = []
    accounts: list[models.Account] = []
    refusal: ApiError | None = None
    for body, wanted in new:
        creator = models.Creator(
            id=uuid7(),
            organization_id=errand.organization_id,
            project_id=project_id,
            display_name=body.display_name or wanted[0].handle,
            details=body.metadata,
        )
        try:
            room.take(len(wanted))
            taken.hold(wanted)
            owned = [tracking.new_account(errand, creator, one) for one in wanted]
        except ApiError as error:
            refusal = error
            break
        taken.tracked.update({(one.platform, one.handle): one for one in owned})
        creators.append(creator)
        accounts += owned
    errand.session.add_all(creators)
    errand.session.flush()
    if accounts:
        tracking.track_active(errand.session, accounts)
    return creators, refusal


def change(
    errand: WriteErrand,
    creator_id: UUID,
    changes: schemas.CreatorChanges,
) -> schemas.Creator:
    """Change a creator; `is_active` false removes it, true never brings a removed one back.

    Raises NotFound, NotesTooLong, and InsufficientRole where `is_active` is to change.
    """
    creator = _locked(errand, creator_id)
    if changes.sends("is_active") and changes.is_active != creator.is_active:
        errand.caller.require_org_admin()
        if not changes.is_active:
            _remove(errand, creator)
    if changes.sends("display_name"):
        creator.display_name = changes.display_name
    if changes.sends("metadata"):
        creator.details = changes.metadata
    if changes.sends("readme"):
        replace_readme(errand.session, creator, changes.readme)
    errand.session.flush()
    return _presented(errand, creator)


def remove(errand: WriteErrand, creator_id: UUID) -> None:
    """Remove a creator and its accounts; history stays, a removed one stays so."""
    creator = _locked(errand, creator_id)
    if creator.is_active:
        _remove(errand, creator)


def scrape(
    errand: WriteErrand,
    creator_id: UUID,
    account_id: UUID | None,
    request: ScrapeRequest,
) -> AccountScrape:
    """Queue a look at one of the creator's accounts, the primary one unless named.

    Raises NotFound, RateLimitExceeded, and InvalidRequest where there is no active account.
    """
    if repository.find(errand.session, errand.organization_id, creator_id) is None:
        raise NotFound.named("Creator")
    kept = account_rows.kept_by_creators(errand.session, errand.organization_id, [creator_id])
    if account_id is None:
        target = presenter.primary([one for one in kept if one.deactivated_at is None])
        if target is None:
            raise InvalidRequest("The creator has no active account")
        account_id = target.id
    if account_id not in {one.id for one in kept}:
        raise NotFound.named("Account")
    return accounts.scrape_account(errand, account_id, request)


def _pins(caller: Principal, encryption: Encryption, *, include_pin: bool) -> Encryption | None:
    """Return what reads PINs where they are asked for. Raises InsufficientScope."""
    if not include_pin:
        return None
    caller.require_scope("admin")
    return encryption


def _remove(errand: WriteErrand, creator: models.Creator) -> None:
    now = business_now(errand.session)
    ending.end_of_creator(errand.session, creator, errand.caller.analytics_tz)
    creator.is_active = False
    creator.removed_at = now
    account_rows.remove_of_creator(errand.session, creator.organization_id, creator.id, now)
    let_go_after(errand.session)


def _locked(errand: WriteErrand, creator_id: UUID) -> models.Creator:
    creator = repository.lock(errand.session, errand.organization_id, creator_id)
    if creator is None:
        raise NotFound.named("Creator")
    return creator


def _presented(errand: WriteErrand, creator: models.Creator) -> schemas.Creator:
    return presenter.present(errand.session, errand.numbers, errand.organization_id, [creator])[0]
