"""A route that needs a key: the order in which all that endpoints share happens to a request.

Gate (key, allowances, query names, scope and role), then the body, then the Idempotency-Key, then
the endpoint. A router for such routes is made by `keyed_router`.
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, wraps
from inspect import iscoroutinefunction
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError, ResponseValidationError
from fastapi.routing import APIRoute

from serving_api.auth.access import Access, access_of
from serving_api.errors import ApiError, InvalidBody, InvalidIdempotencyKey, NamesFields
from serving_api.files.dependency import files
from serving_api.http.bodies import read_body, size_taken_by
from serving_api.http.error_handlers import BY_PLACE, refusal_of, validation_refusal, wrong_method
from serving_api.http.gate import admit
from serving_api.http.judged_bodies import judge, with_judged
from serving_api.idempotency.attempt import Attempt, Replayed
from serving_api.idempotency.declaration import HEADER, MAX_LENGTH, Idempotent, declared_by
from serving_api.idempotency.fingerprint import fingerprint
from serving_api.kit.envelope import Accepted
from serving_api.kit.json_text import SMALL_BYTES
from serving_api.kit.routers import QuickRouter
from serving_api.kit.sessions import used_by
from serving_api.kit.threads import in_few_threads, one_by_one
from serving_api.services import services_of

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Endpoint = Callable[..., Any]
JSON = "application/json"


class KeyedRoute(APIRoute):
    """A route whose endpoint says in its signature who may call it (see auth.dependencies)."""

    refused_by_place: Mapping[str, type[NamesFields]] = BY_PLACE

    def __init__(self, path: str, endpoint: Endpoint, **declared: Any) -> None:
        at_once = endpoint if iscoroutinefunction(endpoint) else self._at_once(endpoint)
        super().__init__(path, at_once, **declared)

    @property
    def access(self) -> Access:
        """Who may call."""
        return access_of(self.dependant)

    @property
    def idempotent(self) -> Idempotent | None:
        """How the route takes an Idempotency-Key, None where it takes none."""
        return declared_by(self.endpoint)

    def get_route_handler(self) -> Handler:
        """Return the endpoint's handler behind all that comes before it."""
        handle, access = self._refusing(self._judging(super().get_route_handler())), self.access
        declared, most = self.idempotent, size_taken_by(self.endpoint)
        takes_body = self.body_field is not None or declared is not None

        async def let_in(request: Request) -> Response:
            await in_few_threads(admit, request, access)
            body = await read_body(request, most) if takes_body else b""
            key = request.headers.get(HEADER)
            if declared is None or key is None:
                return await handle(request)
            in_a_thread = run_in_threadpool if len(body) <= SMALL_BYTES else one_by_one
            attempt = await in_a_thread(_attempt, request, key, body, declared)
            return await _once(request, handle, attempt)

        return let_in

    @cached_property
    def waits_for_others(self) -> bool:
        """Whether an answer may take as long as somebody else does: a lock's holder, a bucket."""
        asks_bucket = any(used.call is files for used in self.dependant.dependencies)
        return asks_bucket or self.methods != {"GET"}

    def _at_once(self, endpoint: Endpoint) -> Endpoint:
        """Return the endpoint with what else blocks: its session's end, and writing JSON.

        All of that is one turn of a worker thread.
        """

        def work(arguments: Mapping[str, Any]) -> Response:
            with used_by(arguments.values()) as attempt:
                answer = endpoint(**arguments)
                response = answer if isinstance(answer, Response) else self._response(answer)
                if attempt is not None:
                    attempt.response = response
                return response

        @wraps(endpoint)
        async def run(**arguments: Any) -> Response:
            in_a_thread = run_in_threadpool if self.waits_for_others else in_few_threads
            return await in_a_thread(work, arguments)

        return run

    def _response(self, answer: Any) -> Response:
        status = answer.status if isinstance(answer, Accepted) else self.status_code or 200
        field = self.response_fields.get(status, self.response_field)
        if field is None:
            raise TypeError(f"{self.endpoint.__name__} does not say what it returns")
        checked, errors = field.validate(answer, {}, loc=("response",))
        if errors:
            raise ResponseValidationError(errors=errors, body=answer)
        return Response(field.serialize_json(checked), status, media_type=JSON)

    def _judging(self, handle: Handler) -> Handler:
        """Return the handler, the body judged before it."""
        field = self.body_field
        if field is None:
            return handle

        async def judge_and_handle(request: Request) -> Response:
            wrong = await judge(request, field)
            try:
                return await handle(request)
            except RequestValidationError as error:
                raise with_judged(error, wrong) from error

        return judge_and_handle

    def _refusing(self, handle: Handler) -> Handler:
        """Return the handler, its validation errors told as this route tells them."""

        async def handle_or_refuse(request: Request) -> Response:
            try:
                return await handle(request)
            except (RequestValidationError, InvalidBody) as error:
                if refusal := wrong_method(request):
                    raise refusal from error
                if isinstance(error, InvalidBody):
                    raise
                raise validation_refusal(error, self.refused_by_place) from error

        return handle_or_refuse


def keyed_router(tag: str, route_class: type[KeyedRoute] = KeyedRoute) -> APIRouter:
    """Return a router whose routes need a key; `tag` is their noun in the OpenAPI document."""
    return QuickRouter(tags=[tag], route_class=route_class)


def _attempt(request: Request, key: str, body: bytes, declared: Idempotent) -> Attempt:
    if not 0 < len(key) <= MAX_LENGTH:
        raise InvalidIdempotencyKey

    def refusal(error: Exception) -> ApiError | None:
        return refusal_of(request, error)

    return Attempt(
        organization_id=request.state.caller.organization_id,
        key=key,
        endpoint=f"{request.method} {request.url.path}",
        request_hash=fingerprint(body, request.query_params.multi_items()),
        secrets=declared.secrets,
        refusal_of=refusal,
    )


async def _once(request: Request, handle: Handler, attempt: Attempt) -> Response:
    """Answer a request with an Idempotency-Key; the write session does what has to be done."""
    request.state.attempt = attempt
    try:
        return await _first(request, handle, attempt)
    except Replayed as replayed:
        return replayed.response


async def _first(request: Request, handle: Handler, attempt: Attempt) -> Response:
    try:
        return await handle(request)
    except Exception as error:
        if not attempt.has_begun:
            await run_in_threadpool(_refuse_unread, request, attempt, error)
        raise


def _refuse_unread(request: Request, attempt: Attempt, error: Exception) -> None:
    """Keep the refusal of a request that came to no session: its body or values are no good."""
    with services_of(request).store.write_session() as session, attempt.within(session):
        raise error
