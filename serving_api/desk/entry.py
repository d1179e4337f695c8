"""Access to desk pages: session, project scope and permissions.

Signed-out users are redirected to sign-in and back, only to desk pages, whatever a link or a
header says. Other organizations' projects are not found.
"""

import re
from collections.abc import Callable, Coroutine
from functools import wraps
from time import monotonic
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import Access
from serving_api.desk import sessions
from serving_api.desk.project_pages import frame_of, layout_of
from serving_api.desk.project_scopes import principal_at, project_scope_of
from serving_api.desk.sessions import FORM, PATH, DeskCookies, SignedIn
from serving_api.errors import ApiError, NotFound
from serving_api.http import bodies
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_entry_threads, in_wait_threads
from serving_api.page_forms import Fields
from serving_api.pages import PageRoute, refusal_page
from warehouse.clock import system_clock

_OWN = re.compile(rf"{PATH}(/[a-z0-9-]+)*(\?[\w=&%.~+-]*)?", re.ASCII)


def desk_page(to: str) -> str:
    """Return `to` if it is a desk address, otherwise the desk's start page."""
    return to if _OWN.fullmatch(to) else PATH


def address_of(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}".rstrip("?")


def came_from(request: Request) -> str:
    """Return the desk page that referred to this request, from the Referer header."""
    page = urlsplit(request.headers.get("Referer", ""))
    is_own = page.netloc == request.headers.get("Host")
    return desk_page(f"{page.path}?{page.query}".rstrip("?")) if is_own else PATH


SIGN_IN = f"{PATH}/sign-in"
SEE_OTHER = 303


class NotSignedIn(Exception):  # noqa: N818 - not an error: the user signs in and returns
    """This browser has no session. Redirects to sign-in, so it is no error."""


class DeskRoute(PageRoute):
    """A page for signed-in users; errors are pages too.

    Forms run in the larger thread pool, since they already have a connection (see `http.sessions`).
    `request.state.answer` is the response, for storing it with an idempotent request.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        is_read = declared.get("methods") == ["GET"]
        super().__init__(path, endpoint if is_read else _in_wait_threads(endpoint), **declared)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which redirects to sign-in without a session."""
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
        """Return the error page; of a project, with its menu. Signed-in users can go back."""
        if not hasattr(request.state, "person"):
            return super().error_page(request, error)
        is_of_project = hasattr(request.state, "caller")
        values = frame_of(request, "") if is_of_project else {"layout": layout_of(request)}
        return refusal_page(error, "desk_refused.html", back=came_from(request), **values)


def _in_wait_threads(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(endpoint)
    async def run(**arguments: Any) -> Any:
        return await in_wait_threads(lambda: endpoint(**arguments))

    return run


def desk_router() -> APIRouter:
    """Return a router for desk pages, which are not part of the OpenAPI document."""
    return APIRouter(route_class=DeskRoute, include_in_schema=False)


def signed_in(request: Request) -> SignedIn:
    """Return the session's user. Raises NotSignedIn."""
    services = services_of(request)
    token = services[DeskCookies].token_of(request)
    with services.store.statements() as connection:
        person = sessions.find(connection, token, system_clock()) if token else None
    if person is None:
        raise NotSignedIn
    request.state.person = person
    return person


class Entry(Access):
    """Required access to a project page, the same as of its service's endpoint."""

    async def authorize(self, request: Request) -> None:
        """Set `request.state.caller`. Raises NotSignedIn and ApiError."""
        await in_entry_threads(_authenticate, request, self)


def _authenticate(request: Request, access: Access) -> None:
    person = signed_in(request)
    with services_of(request).store.statements() as connection:
        scope = project_scope_of(connection, person.id, _project_of(request))
    if scope is None:
        raise NotFound.named("Project")
    request.state.scope = scope
    request.state.caller = principal_at(scope, person.id, person.display_name)
    request.state.entered = access, monotonic()
    access.require_access(request.state.caller)


def _project_of(request: Request) -> UUID:
    """Return the project id in the path. Raises NotFound."""
    try:
        return UUID(request.path_params["project_id"])
    except ValueError:
        raise NotFound.named("Project") from None


def own_fields(request: Request, fields: Fields) -> dict[str, str]:
    """Return the form's fields after checking its form token, and permissions after a slow form.

    Raises NotSignedIn and ApiError.
    """
    services_of(request)[DeskCookies].require_form(request, fields.get(FORM, ""))
    if hasattr(request.state, "entered"):
        access, entered_at = request.state.entered
        if monotonic() - entered_at >= bodies.SLOW_SECONDS:
            _authenticate(request, access)
    return fields


OwnFields = Annotated[dict[str, str], Depends(own_fields)]
Myself = Annotated[SignedIn, Depends(signed_in)]
