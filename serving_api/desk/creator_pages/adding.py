"""`/desk/projects/{project_id}/creators/new`, and adding accounts to a creator."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response

from scrapers import urls
from scrapers.urls import ShortLinks
from serving_api.auth.dependencies import reads
from serving_api.desk.choices import creator_in, name_of
from serving_api.desk.creator_pages.routes import CREATORS
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, day_in, text_of
from serving_api.desk.once import Reader, idempotent_request_of, writes
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.errors import ApiError, InvalidAccount, InvalidBody
from serving_api.http.short_links import followed
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import WriteContext
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.accounts.schemas import Account, NewAccount, TrackingMode
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import NewCreatorInProject
from warehouse.platforms import PLATFORM_NAMES

NEW = f"{CREATORS}/new"
ACCOUNTS = f"{CREATORS}/{{creator_id}}/accounts"
NAMES = (
    *(f"handle.{platform}" for platform in PLATFORM_NAMES),
    "display_name",
    "accounts",
    "tracking_mode",
    "tracking_hashtags",
    "tracking_start_date",
    "tracking_end_date",
)

MODES: Mapping[TrackingMode, str] = {
    "auto": "All new posts",
    "selective": "Posts approved in the inbox",
    "hashtag": "Posts with one of the hashtags",
}

_MAY_WRITE = Entry("write")
Writer = Annotated[WriteContext, writes(_MAY_WRITE)]


async def _links(
    request: Request, caller: Annotated[Principal, Depends(_MAY_WRITE)], fields: OwnFields
) -> ShortLinks:
    handles = [fields.get(f"handle.{platform}", "") for platform in PLATFORM_NAMES]
    return await followed(request, handles, idempotent_request_of(request, caller, fields))


Links = Annotated[ShortLinks, Depends(_links)]

router = desk_router()


@router.get(NEW, dependencies=[views, reads(Entry("read"))])
def show_new_creator(request: Request) -> Response:
    return _page(request, NOTHING)


@router.post(NEW, dependencies=[views])
def make_creator(
    request: Request, links: Links, context: Writer, project_id: UUID, fields: OwnFields
) -> Response:
    """Create a creator with the accounts to track."""
    show_again(request, fields, NAMES, partial(_page, request))
    body = body_of(
        NewCreatorInProject,
        display_name=text_of(fields.get("display_name", "")),
        accounts=_accounts(fields),
    )
    with _refusal_at_field():
        made = creators.create(context, links, project_id=project_id, body=body)
    return redirect(_address(project_id, made.id), f"Creator added: {_named(made.accounts)}.")


@router.get(ACCOUNTS, dependencies=[views])
def show_new_accounts(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID
) -> Response:
    return _page(request, NOTHING, name_of(creator_in(context, project_id, creator_id)))


@router.post(ACCOUNTS, dependencies=[views])
def add_accounts(
    *,
    request: Request,
    links: Links,
    context: Writer,
    project_id: UUID,
    creator_id: UUID,
    fields: OwnFields,
) -> Response:
    """Track more accounts of a creator, all or none."""
    creator = name_of(creator_in(context, project_id, creator_id))
    show_again(request, fields, NAMES, partial(_page, request, creator=creator))
    with _refusal_at_field():
        added = [
            accounts.add_account(context, links, creator_id=creator_id, body=account)
            for account in _accounts(fields)
        ]
    return redirect(_address(project_id, creator_id), f"Account added: {_named(added)}.")


def _named(added: Iterable[Account]) -> str:
    """Return the platforms and handles as stored."""
    return ", ".join(f"{PLATFORM_NAMES[each.platform]} @{each.handle}" for each in added)


def _accounts(fields: Mapping[str, str]) -> list[NewAccount]:
    """Return the entered accounts, at most one per platform. Raises InvalidBody."""
    accounts = list(_written(fields))
    if not accounts:
        raise InvalidBody.at("accounts", "Enter at least one account")
    return accounts


def _written(fields: Mapping[str, str]) -> Iterator[NewAccount]:
    tags = text_of(fields.get("tracking_hashtags", ""))
    for platform in PLATFORM_NAMES:
        if handle := text_of(fields.get(f"handle.{platform}", "")):
            yield body_of(
                NewAccount,
                platform=platform,
                handle=handle,
                tracking_mode=fields.get("tracking_mode", "auto"),
                tracking_hashtags=[tags] if tags else [],
                tracking_start_date=day_in(fields, "tracking_start_date"),
                tracking_end_date=day_in(fields, "tracking_end_date"),
            )


@contextmanager
def _refusal_at_field() -> Iterator[None]:
    """Report an InvalidAccount at its platform's field, as InvalidBody."""
    try:
        yield
    except InvalidAccount as error:
        name = f"handle.{error.meta['platform']}"
        raise InvalidBody.at(name, why_no_account(error)) from error


def why_no_account(error: ApiError) -> str:
    cause = error.__cause__
    return cause.way_out if isinstance(cause, urls.InvalidAccount) else error.message


def _address(project_id: UUID, creator_id: UUID) -> str:
    return f"{CREATORS.format(project_id=project_id)}/{creator_id}"


def _page(request: Request, entered: Entered, creator: str | None = None) -> Response:
    return project_page(
        request,
        "desk_creator_new.html",
        "Creators",
        creator=creator,
        entered=entered,
        platforms=PLATFORM_NAMES,
        modes=MODES,
    )
