"""Request ids, and the last resort for exceptions: a logged 500 with the id."""

from uuid import uuid4

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.errors import InternalError
from serving_api.http.error_handlers import answer_of
from serving_api.http.log_fields import request_fields
from serving_api.process.traces import note_on_span

HEADER = "X-Request-Id"

_log = structlog.get_logger(__name__)


class RequestIds:
    """Outermost ASGI middleware: everything inside may fail and still gets a response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        request_id = state.setdefault(
            "request_id", uuid4().hex
        )  # forwarded requests already have one
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message)[HEADER] = request_id
                note_on_span(scope)
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            _log.exception("request failed", **request_fields(scope))
            if started:
                raise
            answer = answer_of(Request(scope), InternalError(request_id=request_id))
            await answer(scope, receive, send_with_id)
