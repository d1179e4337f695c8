"""Making many creators in one request: those before the failing one are kept."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import JsonValue

from scrapers.urls import ShortLinks
from serving_api.errors import ApiError
from serving_api.kit.errand import WriteErrand
from serving_api.resources.tracking.accounts import tracking
from serving_api.resources.tracking.accounts.tracking import Wanted
from serving_api.resources.tracking.creators import presenter, service
from serving_api.resources.tracking.creators.schemas import Creator, NewCreatorInProject
from warehouse.operational import models


def create_many(
    errand: WriteErrand,
    links: ShortLinks,
    *,
    project_id: UUID,
    bodies: Sequence[NewCreatorInProject],
) -> list[Creator] | ApiError:
    """Make creators in turn; at the first that fails, return why, with the ones that were made.

    The error is returned and not raised, because the transaction goes through: `meta.index` is
    the failing one's place in the request, `meta.created` the creators kept.
    """
    checked, failure = _checked(project_id, bodies, links)
    made: list[models.Creator] = []
    for body, accounts in zip(bodies, checked, strict=False):
        try:
            made.append(_create(errand, project_id, body, accounts))
        except ApiError as error:
            failure = error
            break
    created = presenter.present(errand.session, errand.numbers, errand.organization_id, made)
    return created if failure is None else _kept(failure, created)


def _checked(
    project_id: UUID, bodies: Sequence[NewCreatorInProject], links: ShortLinks
) -> tuple[list[Sequence[Wanted]], ApiError | None]:
    """Return the accounts of each creator up to the first that fails, and why it fails."""
    checked: list[Sequence[Wanted]] = []
    for body in bodies:
        try:
            service.require_same_project(project_id, body)
            checked.append(tracking.checked(body.accounts, links))
        except ApiError as error:
            return checked, error
    return checked, None


def _create(
    errand: WriteErrand,
    project_id: UUID,
    body: NewCreatorInProject,
    accounts: Sequence[Wanted],
) -> models.Creator:
    with errand.session.begin_nested():
        return service.store(errand, project_id, body, accounts)


def _kept(failure: ApiError, created: Sequence[Creator]) -> ApiError:
    kept: list[JsonValue] = [creator.model_dump(mode="json") for creator in created]
    failure.meta |= {"index": len(kept), "created": kept}
    return failure
