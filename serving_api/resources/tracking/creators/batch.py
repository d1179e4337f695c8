"""Making many creators in one request: those before the failing one, or all that can be made."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import JsonValue

from scrapers.urls import ShortLinks
from serving_api.errors import ApiError
from serving_api.kit.request_context import WriteContext
from serving_api.resources.tracking.accounts import tracking
from serving_api.resources.tracking.creators import presenter, service
from serving_api.resources.tracking.creators.schemas import Creator, NewCreatorInProject
from serving_api.resources.tracking.creators.service import New
from warehouse.operational import models


def create_many(
    context: WriteContext,
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
    made, refusal = _stored(context, project_id, checked)
    failure = refusal or failure
    created = presenter.present(context.session, context.marts, context.organization_id, made)
    return created if failure is None else _with_created(failure, created)


def create_possible(
    context: WriteContext,
    links: ShortLinks,
    *,
    project_id: UUID,
    bodies: Sequence[NewCreatorInProject],
) -> dict[int, ApiError]:
    """Make the creators that can be made; return why the others cannot, by their place.

    Raises NotFound for the project, and LimitReached for the videos that come along.
    """
    refusals: dict[int, ApiError] = {}
    new: list[tuple[int, New]] = []
    for position, body in enumerate(bodies):
        try:
            new.append((position, (body, tracking.checked(body.accounts, links))))
        except ApiError as error:
            refusals[position] = error
    while new:
        made, refusal = service.store(context, project_id, [entry for _, entry in new])
        if refusal is not None:
            refusals[new[len(made)][0]] = refusal
        new = new[len(made) + 1 :]
    return refusals


def _checked(
    project_id: UUID, bodies: Sequence[NewCreatorInProject], links: ShortLinks
) -> tuple[list[New], ApiError | None]:
    """Return the accounts of each creator up to the first that fails, and why it fails."""
    checked: list[New] = []
    for body in bodies:
        try:
            service.require_same_project(project_id, body)
            checked.append((body, tracking.checked(body.accounts, links)))
        except ApiError as error:
            return checked, error
    return checked, None


def _stored(
    context: WriteContext, project_id: UUID, new: Sequence[New]
) -> tuple[list[models.Creator], ApiError | None]:
    """Return the creators made before the first that fails, and why it fails.

    All at once; in turn where the videos that come along have no room, to find out with whose.
    """
    if not new:
        return [], None
    try:
        with context.session.begin_nested():
            return service.store(context, project_id, new)
    except ApiError as error:
        if len(new) == 1:
            return [], error
    made: list[models.Creator] = []
    for entry in new:
        more, refusal = _stored(context, project_id, [entry])
        made += more
        if refusal is not None:
            return made, refusal
    return made, None


def _with_created(failure: ApiError, created: Sequence[Creator]) -> ApiError:
    bodies: list[JsonValue] = [creator.model_dump(mode="json") for creator in created]
    failure.meta |= {"index": len(bodies), "created": bodies}
    return failure
