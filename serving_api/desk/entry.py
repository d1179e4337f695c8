"""How people get to a page of the desk: who is signed in, at which project, and whether they may.

Who is not signed in is led to the form and back. A project of somebody else's is no project.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import wraps
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from serving_api.auth.access import Access
from serving_api.desk import sessions
from serving_api.desk.cookies import FORM, PATH, DeskCookies, new_token
from serving_api.desk.project_scopes import principal_at, project_scope_of
from serving_api.desk.sessions import SignedIn
from serving_api.desk.ways_back import address_of, came_from
from serving_api.errors import ApiError, NotFound
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_entry_threads, in_many_threads
from serving_api.page_forms import Fields
from serving_api.pages import PageRoute, refusal_page
from warehouse.clock import system_clock

SIGN_IN = f"{PATH}/sign-in"
SEE_OTHER = 303
ONCE = "once"
"""The field of every form that tells it from others of its kind (see `desk.once`)."""


class NotSignedIn(Exception):  # noqa: N818 - no error: the person signs in and comes back
    """Nobody is signed in in this browser."""


class DeskRoute(PageRoute):
    """A page of who is signed in; its refusals are pages.

    A form is taken in threads that are enough for all who write: it has a connection by then (see
    `http.sessions`). Its answer is left in `request.state.answer`, for who keeps it.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        is_read = declared.get("methods") == ["GET"]
        super().__init__(path, endpoint if is_read else _in_many_threads(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the endpoint's handler, which leads to the form of sign-in and back."""
        handle = super().get_route_handler()

        async def handle_or_lead(request: Request) -> Response:
            try:
                request.state.answer = await handle(request)
            except NotSignedIn:
                back = {"to": address_of(request)}
                if request.method != "GET":
                    back = {"to": came_from(request), "lost": "yes"}
                return RedirectResponse(f"{SIGN_IN}?{urlencode(back)}", SEE_OTHER)
            answer: Response = request.state.answer
            if hasattr(request.state, "scope"):
                is_done = request.method == "POST" and answer.status_code == SEE_OTHER
                services_of(request)[DeskCookies].note_done(request, answer, is_done=is_done)
            return answer

        return handle_or_lead

    def error_page(self, request: Request, error: ApiError) -> Response:
        """Return the page of a refusal, with the way back, to who is signed in."""
        if not hasattr(request.state, "person"):
            return super().error_page(request, error)
        layout, back = layout_of(request), came_from(request)
        return refusal_page(error, "desk_refused.html", layout=layout, back=back)


def _in_many_threads(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def run(**arguments: Any) -> Any:
        return await in_many_threads(lambda: endpoint(**arguments))

    return run


def desk_router() -> APIRouter:
    """Return a router of pages of the desk, which are no part of the API's document."""
    return APIRouter(route_class=DeskRoute, include_in_schema=False)


def signed_in(request: Request) -> SignedIn:
    """Return who is signed in. Raises NotSignedIn."""
    services = services_of(request)
    token = services[DeskCookies].token_of(request)
    with services.store.statements() as connection:
        person = sessions.find(connection, token, system_clock()) if token else None
    if person is None:
        raise NotSignedIn
    request.state.person = person
    return person


class Entry(Access):
    """What a page of a project asks of a member: what the endpoint of its service asks."""

    async def let_in(self, request: Request) -> None:
        """Let the member in, as `request.state.caller`. Raises NotSignedIn and ApiError."""
        await in_entry_threads(_enter, request, self)


def _enter(request: Request, access: Access) -> None:
    person = signed_in(request)
    with services_of(request).store.statements() as connection:
        scope = project_scope_of(connection, person.id, _project_of(request))
    if scope is None:
        raise NotFound.named("Project")
    request.state.scope = scope
    request.state.caller = principal_at(scope, person.id, person.display_name)
    access.authorize(request.state.caller)


def _project_of(request: Request) -> UUID:
    """Return which project a page is of. Raises NotFound."""
    try:
        return UUID(request.path_params["project_id"])
    except ValueError:
        raise NotFound.named("Project") from None


def own_fields(request: Request, fields: Fields) -> dict[str, str]:
    """Return the fields of a form that this browser was given. Raises Forbidden."""
    services_of(request)[DeskCookies].require_form(request, fields.get(FORM, ""))
    return fields


@dataclass(frozen=True, slots=True)
class Layout:
    """What surrounds every page: who is signed in, whether a form was taken, what forms carry."""

    person: SignedIn
    form: str
    is_done: bool
    once: str = field(default_factory=new_token)

    @property
    def hidden(self) -> Markup:
        """What a form has beside what people fill in."""
        field = Markup('<input type="hidden" name="{}" value="{}">')
        return Markup("\n").join([field.format(FORM, self.form), field.format(ONCE, self.once)])


def layout_of(request: Request) -> Layout:
    """Return it, for who has got in."""
    cookies = services_of(request)[DeskCookies]
    form = cookies.form(cookies.token_of(request))
    return Layout(request.state.person, form, is_done=cookies.is_done(request))


OwnFields = Annotated[dict[str, str], Depends(own_fields)]
Myself = Annotated[SignedIn, Depends(signed_in)]
