"""`/creators` and `/projects/{project_id}/creators`."""

from typing import Annotated
from uuid import UUID

from fastapi import Body, Response

from scrapers.urls import ShortLinks
from serving_api.auth.dependencies import AdminWriter, Reader, Writer
from serving_api.errors import (
    AlreadyTracked,
    ApiError,
    CreatorBanned,
    DuplicateAccount,
    InsufficientRole,
    InvalidAccount,
    InvalidRequest,
    LimitReached,
    NotesTooLong,
    NotFound,
)
from serving_api.http.bodies import BATCH_BYTES, takes_up_to
from serving_api.http.error_handlers import respond
from serving_api.http.keyed_route import keyed_router
from serving_api.http.short_links import links_in
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.tracking.accounts.schemas import AccountScrape, ScrapeRequest
from serving_api.resources.tracking.creators import batch, schemas, service

router = keyed_router("creators")

Links = Annotated[ShortLinks, links_in("accounts.handle", "creators.accounts.handle")]

CREATE_ERRORS = (
    AlreadyTracked,
    CreatorBanned,
    DuplicateAccount,
    InvalidAccount,
    LimitReached,
    NotFound,
)


@router.get("/creators", responses=answers(InsufficientRole))
def list_creators(*, context: Reader, query: Params[schemas.CreatorQuery]) -> Page[schemas.Creator]:
    """List creators, without removed ones. The newest comes first.

    For `updated_since`, changes of an account count, and those of tags and share links do not.
    """
    return service.list_creators(context, query)


@router.post("/creators", status_code=201, responses=answers(*CREATE_ERRORS))
@idempotent()
def create_creator(
    *, links: Links, context: Writer, body: schemas.NewCreator
) -> Envelope[schemas.Creator]:
    """Create a creator with its accounts. Each account is scraped soon after."""
    creator = service.create(context, links, project_id=body.project_id, body=body)
    return Envelope(data=creator)


@router.post(
    "/projects/{project_id}/creators",
    status_code=201,
    response_model=schemas.CreatedCreators,
    responses=answers(*CREATE_ERRORS),
)
@idempotent()
@takes_up_to(BATCH_BYTES)
def create_project_creators(
    *, links: Links, context: Writer, project_id: UUID, body: schemas.OneOrMany
) -> schemas.CreatedCreators | Response:
    """Create one creator, or up to 50 in order. If one fails, those before it are kept."""
    if isinstance(body, schemas.CreatorBatch):
        made = batch.create_many(context, links, project_id=project_id, bodies=body.creators)
        return respond(made) if isinstance(made, ApiError) else schemas.CreatedCreators(data=made)
    creator = service.create(context, links, project_id=project_id, body=body)
    return schemas.CreatedCreators(data=creator)


@router.get("/creators/{creator_id}", responses=answers(InsufficientRole))
def get_creator(
    *, context: Reader, creator_id: UUID, query: Params[schemas.CreatorDetailQuery]
) -> Envelope[schemas.CreatorDetail]:
    """Return one creator, including a removed one."""
    detail = service.read_creator(context, creator_id, include_pin=query.include_pin)
    return Envelope(data=detail)


@router.patch("/creators/{creator_id}", responses=answers(InsufficientRole, NotesTooLong))
def change_creator(
    *, context: Writer, creator_id: UUID, changes: schemas.CreatorChanges
) -> Envelope[schemas.Creator]:
    """Change a creator. Changing `is_active` requires an org admin."""
    return Envelope(data=service.change(context, creator_id, changes))


@router.delete("/creators/{creator_id}")
def remove_creator(*, context: AdminWriter, creator_id: UUID) -> Envelope[Deleted]:
    """Remove a creator with its accounts. History is kept."""
    service.remove(context, creator_id)
    return Envelope(data=Deleted())


@router.post("/creators/{creator_id}/scrape", responses=answers(InvalidRequest))
@idempotent()
def scrape_creator(
    *,
    context: AdminWriter,
    creator_id: UUID,
    account_id: UUID | None = None,
    request: Annotated[ScrapeRequest | None, Body()] = None,
) -> Envelope[AccountScrape]:
    """Queue a scrape of a creator's primary account, or of the given one."""
    body = request or ScrapeRequest()
    return Envelope(data=service.scrape(context, creator_id, account_id, body))
