"""Create many creators in one request: those before the first failure, or all valid ones."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import JsonValue

from scrapers.urls import ShortLinks
from serving_api.errors import ApiError
from serving_api.kit.request_context import WriteContext
from serving_api.resources.tracking.accounts import requests
from serving_api.resources.tracking.creators import repository, service
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
    """Create creators in order; on a failure return its error with the creators created before.

    The error is returned, not raised, so that the transaction commits. `meta.index` is the index
    of the failed creator, `meta.created` the created ones.
    """
    checked, failure = _checked(project_id, bodies, links)
    made, refusal = _stored(context, project_id, checked)
    failure = refusal or failure
    created = repository.present(context, made)
    return created if failure is None else _with_created(failure, created)


def create_possible(
    context: WriteContext,
    links: ShortLinks,
    *,
    project_id: UUID,
    bodies: Sequence[NewCreatorInProject],
) -> tuple[dict[int, UUID], dict[int, ApiError]]:
    """Create all valid creators; return their ids and the errors of the others, both by index.

    Raises NotFound for the project, and LimitReached for videos that are transferred.
    """
    created: dict[int, UUID] = {}
    refusals: dict[int, ApiError] = {}
    new: list[tuple[int, New]] = []
    for position, body in enumerate(bodies):
        try:
            new.append((position, (body, requests.checked(body.accounts, links))))
        except ApiError as error:
            refusals[position] = error
    while new:
        made, refusal = service.store(context, project_id, [entry for _, entry in new])
        created |= {position: row.id for (position, _), row in zip(new, made, strict=False)}
        if refusal is not None:
            refusals[new[len(made)][0]] = refusal
        new = new[len(made) + 1 :]
    return created, refusals


def _checked(
    project_id: UUID, bodies: Sequence[NewCreatorInProject], links: ShortLinks
) -> tuple[list[New], ApiError | None]:
    """Return the valid creators before the first invalid one, and its error."""
    checked: list[New] = []
    for body in bodies:
        try:
            service.require_same_project(project_id, body)
            checked.append((body, requests.checked(body.accounts, links)))
        except ApiError as error:
            return checked, error
    return checked, None


def _stored(
    context: WriteContext, project_id: UUID, new: Sequence[New]
) -> tuple[list[models.Creator], ApiError | None]:
    """Return the creators created before the first failure, and its error.

    Writes all at once. If their transferred videos exceed the limit, writes one at a time to find
    which.
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
