"""Routes that require a key: processing before and around FastAPI's own.

Shared behaviour is in dependencies (caller, session, idempotent request) and works on any router.
Three things cannot be dependencies:

- Authentication and the body limit come before the body is read, but FastAPI reads bodies before
  the first dependency.
- Endpoints run in suitable thread pools (see `kit.threads`), and large bodies and lists are handled
  outside the event loop, but FastAPI has one pool.
- `request.state.answer` holds the response for the idempotent request, but dependencies cannot see
  responses.
"""

import re
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial, wraps
from inspect import iscoroutinefunction
from time import monotonic
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.routing import Match
from starlette.types import Scope

from serving_api.auth.dependencies import Access, access_of
from serving_api.errors import InvalidBody, NamesFields
from serving_api.http import bodies
from serving_api.http.bodies import body_limit_of, read_body, validate_body
from serving_api.http.error_handlers import BY_LOCATION, validation_refusal, wrong_method
from serving_api.http.sessions import read_sessions, sessions_beside_bucket
from serving_api.idempotency.declaration import Idempotent, declared_by
from serving_api.kit.envelope import encoded_in_pieces, is_long
from serving_api.kit.threads import in_entry_threads, in_read_threads, in_wait_threads

_NAME = re.compile(r"\?P<\w+>")


class QuickRouter(APIRouter):
    """A router that rejects foreign paths with one regular expression.

    Starlette tries all routes of all routers in turn, which for the last of a hundred routes took
    longer than the lookup of the caller.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if self._endings.search(scope["path"]) is None:
            return Match.NONE, {}
        return super().matches(scope)

    @cached_property
    def _endings(self) -> re.Pattern[str]:
        """The endings of all route paths; a prefix is added where the router is included."""
        patterns = (context.path_regex.pattern for context in iter_route_contexts(self.routes))
        return re.compile("|".join(_NAME.sub("?:", each.removeprefix("^")) for each in patterns))


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Endpoint = Callable[..., Any]
JSON = "application/json"


class KeyedRoute(APIRoute):
    """A route whose endpoint's signature declares the required access (see auth.dependencies)."""

    refused_by_location: Mapping[str, type[NamesFields]] = BY_LOCATION

    def __init__(self, path: str, endpoint: Endpoint, **declared: Any) -> None:
        at_work = endpoint if iscoroutinefunction(endpoint) else self._in_its_threads(endpoint)
        super().__init__(path, at_work, **declared)

    @property
    def access(self) -> Access:
        return access_of(self.dependant)

    @property
    def idempotent(self) -> Idempotent | None:
        """The endpoint's idempotency, or None without Idempotency-Key support."""
        return declared_by(self.endpoint)

    def get_route_handler(self) -> Handler:
        """Return FastAPI's handler with authentication and body handling before it."""
        handle, access = self._refusing(self._validating(super().get_route_handler())), self.access
        most = body_limit_of(self.endpoint)
        takes_body = self.body_field is not None or self.idempotent is not None

        async def authorize(request: Request) -> Response:
            await access.authorize(request)
            if takes_body:
                began = monotonic()
                request = await read_body(request, most)
                if monotonic() - began >= bodies.SLOW_SECONDS:
                    await in_entry_threads(access.reauthenticate, request)
            answer = request.state.answer = await handle(request)
            return answer

        return authorize

    def _in_its_threads(self, endpoint: Endpoint) -> Endpoint:
        def work(arguments: dict[str, Any]) -> Any:
            return self._encoded(endpoint(**arguments))

        @wraps(endpoint)
        async def run(**arguments: Any) -> Any:
            return await self._in_a_thread(partial(work, arguments))

        return run

    def _encoded(self, answer: Any) -> Any:
        """Return a long list as an encoded response, outside the event loop."""
        if not is_long(answer):
            return answer
        return Response(encoded_in_pieces(answer), self.status_code or 200, media_type=JSON)

    @cached_property
    def _in_a_thread(self) -> Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]]:
        """The thread pool of the endpoint.

        Writes may wait for locks and others for a bucket, so that the small pool is only for
        endpoints with a read slot.
        """
        if self.methods != {"GET"}:
            return in_wait_threads
        elsewhere = {read_sessions, sessions_beside_bucket}
        is_elsewhere = any(used.call in elsewhere for used in self.dependant.dependencies)
        return run_in_threadpool if is_elsewhere else in_read_threads

    def _validating(self, handle: Handler) -> Handler:
        """Return the handler with body validation before it."""
        field = self.body_field
        if field is None:
            return handle

        async def validate_and_handle(request: Request) -> Response:
            body_errors = await validate_body(request, field.validate)
            try:
                return await handle(request)
            except RequestValidationError as error:
                raise body_errors.refusal(error) from error

        return validate_and_handle

    def _refusing(self, handle: Handler) -> Handler:
        """Return the handler with this route's validation errors."""

        async def handle_or_refuse(request: Request) -> Response:
            try:
                return await handle(request)
            except (RequestValidationError, InvalidBody) as error:
                if refusal := wrong_method(request):
                    raise refusal from error
                if isinstance(error, InvalidBody):
                    raise
                body = self.body_field.field_info.annotation if self.body_field else None
                raise validation_refusal(error, self.refused_by_location, body) from error

        return handle_or_refuse


def keyed_router(tag: str, route_class: type[KeyedRoute] = KeyedRoute) -> APIRouter:
    """Return a router whose routes require a key; `tag` groups them in the OpenAPI document."""
    return QuickRouter(tags=[tag], route_class=route_class)
