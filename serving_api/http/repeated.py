"""Conditional requests and cached responses: `ETag`, 304, and a cache.

Endpoints opt in with `@repeatable()` (see `kit.repeatable`).

An ETag is `"STATE.CONTENT"`: a digest of all inputs, and one of the bytes. A tag with the current
state gets 304 whatever its content: equal queries may differ in `meta.cached`, and strong tags of
different bytes must differ.

A response is never labelled newer than it is: the version is read with the key, before the rows.
If the rows belong to another version, the response has no tag and is not cached.
"""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from fastapi import Request, Response

from serving_api.auth.dependencies import Access
from serving_api.http.encoding import GZIP, LARGE, accepts_gzip, gzipped
from serving_api.http.forwarding import answered_by_worker
from serving_api.http.sessions import REQUEST
from serving_api.kit.cache import Cache
from serving_api.kit.repeatable import Repeatable
from serving_api.kit.request_context import RequestContext
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_entry_threads, one_by_one
from warehouse.operational.versions import version_of

MOST_BYTES = 64 * 2**20
"""Limit of a process's cache."""
SECONDS = 900
"""15 minutes: days begin at such times in every time zone, so that each quarter is another state.
"""
RELEASE = version("creator-tracker")
SHARED_WITH = {"Cache-Control": "private, no-cache", "Vary": "Accept-Encoding, Authorization"}

_TAG = re.compile(r'(?:W/)?"([^"]*)"')

Handle = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A cached response with its tag."""

    body: bytes
    headers: dict[str, str]

    @property
    def weight(self) -> int:
        """Approximate bytes."""
        return len(self.body) + 1000


class AnswersByState(Cache[Answer]):
    """Cached responses by state."""


def repeating(access: Access, handle: Handle, declared: Repeatable) -> Handle:
    """Return a handler that authorizes the caller, then answers from cache or handler."""

    async def answer(request: Request) -> Response:
        ready = await in_entry_threads(_enter, request, access)
        if ready is not None:
            return ready
        response = await answered_by_worker(request)
        if response is not None:
            return response
        response = await handle(request)
        state: str | None = request.state.answer_state
        if state is None or response.status_code != 200:  # noqa: PLR2004
            return response
        if len(getattr(response, "body", b"")) < LARGE:
            return _first(request, state, response, declared)
        return await one_by_one(_first, request, state, response, declared)

    return answer


def note_state(context: RequestContext) -> None:
    """Clear the request's state if its rows or publication changed since it was computed."""
    session = context.session
    state = session.info[REQUEST].state
    if state.answer_state is None:
        return
    is_of_version = not session.in_transaction() or (
        version_of(session, context.organization_id) == state.version
    )
    if not is_of_version or context.marts.publications() != state.publications:
        state.answer_state = None


def _enter(request: Request, access: Access) -> Response | None:
    """Authorize the caller; return 304 or a cached response if there is one. Raises ApiError."""
    access.enter(request)
    state = request.state.answer_state = _state_of(request)
    if state is None:
        return None
    named = request.headers.get("If-None-Match")
    for tag in _TAG.finditer(named or ""):
        if tag[1].partition(".")[0] == state:
            return Response(status_code=304, headers={"ETag": f'"{tag[1]}"', **SHARED_WITH})
    cached = services_of(request)[AnswersByState].get(state)
    return None if cached is None else _response(cached, named)


def _state_of(request: Request) -> str | None:
    """Return the digest of all inputs, or None without a publication."""
    caller, services = request.state.caller, services_of(request)
    own_version: int | None = getattr(request.state, "version", None)
    if own_version is None or caller.channel != "api":
        return None
    publications = services.published.of(caller.organization_id).publications()
    if not publications:
        return None
    request.state.publications = publications
    scope, quarter = request.scope, int(services.store.clock().timestamp() // SECONDS)
    parts = (
        *(RELEASE, caller.organization_id.hex, own_version, quarter, caller.role),
        *(
            scope["path"],
            scope["query_string"],
            *(publication_id.hex for publication_id in publications),
        ),
    )
    encoding = "-gzip" if accepts_gzip(scope) else ""
    return sha256(repr(parts).encode()).hexdigest()[:32] + encoding


def _first(request: Request, state: str, response: Response, declared: Repeatable) -> Response:
    """Return a new response, and cache its restated form for later requests."""
    body = getattr(response, "body", None)
    if not isinstance(body, bytes):
        return response
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    is_zipped, restated = state.endswith("-gzip"), declared.restate(body)
    made = _answer(state, body, headers, is_zipped=is_zipped)
    next_one = made if restated == body else _answer(state, restated, headers, is_zipped=is_zipped)
    cache = services_of(request)[AnswersByState]
    cache.put(state, next_one, weight=next_one.weight, seconds=SECONDS)
    return _response(made, request.headers.get("If-None-Match"))


def _answer(state: str, body: bytes, headers: dict[str, str], *, is_zipped: bool) -> Answer:
    sent = gzipped(body) if is_zipped else body
    tag = f'"{state}.{sha256(sent).hexdigest()[:16]}"'
    encoding: dict[str, Any] = GZIP if is_zipped else {}
    return Answer(sent, {**headers, **encoding, "ETag": tag, **SHARED_WITH})


def _response(answer: Answer, named: str | None) -> Response:
    if named is not None and named.strip() == "*":
        return Response(status_code=304, headers={"ETag": answer.headers["ETag"], **SHARED_WITH})
    return Response(answer.body, headers=answer.headers)
