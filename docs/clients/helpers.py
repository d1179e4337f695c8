"""Connect with an API key, send requests again where that is safe, read all pages of a list."""

import asyncio
import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from uuid import uuid4

import httpx

from .client import AuthenticatedClient
from .models import ErrorEnvelope

ATTEMPTS = 4
LONGEST_WAIT_SECONDS = 60
TIMEOUT_SECONDS = 60
Outcome = httpx.Response | httpx.TransportError


class ApiError(Exception):
    """The service refused a request for the reason `code`; `meta` is a dictionary."""

    def __init__(self, answer: ErrorEnvelope):
        self.meta = answer.meta.to_dict()
        self.code = self.meta["code"]
        super().__init__(f"{self.code}: {answer.error}")


class UnexpectedAnswerError(Exception):
    """The answer is not from the service but, for example, from a proxy."""

    def __init__(self, response: httpx.Response):
        text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", response.text)
        words = " ".join(text.split())[:200] or "(no text)"
        super().__init__(f"{response.status_code} {response.reason_phrase}: {words}")


class Patient(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Sends a request again, three times at most, where that is safe.

    Each POST has an `Idempotency-Key`, so that it is done once. GET and POST are sent again after
    a broken connection and when the service asks to wait; other methods only after 429, which
    does nothing.
    """

    def __init__(self):
        self.blocking = httpx.HTTPTransport()
        self.concurrent = httpx.AsyncHTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the first final answer."""
        for attempt in range(ATTEMPTS):
            try:
                outcome = self.blocking.handle_request(_with_key(request))
                outcome.read()
            except httpx.TransportError as broken:
                outcome = broken
            seconds = _pause(request, outcome, attempt)
            if seconds is None:
                break
            time.sleep(seconds)
        return _checked(outcome)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the first final answer."""
        for attempt in range(ATTEMPTS):
            try:
                outcome = await self.concurrent.handle_async_request(_with_key(request))
                await outcome.aread()
            except httpx.TransportError as broken:
                outcome = broken
            seconds = _pause(request, outcome, attempt)
            if seconds is None:
                break
            await asyncio.sleep(seconds)
        return _checked(outcome)

    def close(self) -> None:
        self.blocking.close()

    async def aclose(self) -> None:
        await self.concurrent.aclose()


def _with_key(request: httpx.Request) -> httpx.Request:
    if request.method == "POST":
        request.headers.setdefault("Idempotency-Key", str(uuid4()))
    return request


def _pause(request: httpx.Request, outcome: Outcome, attempt: int) -> float | None:
    """Return the seconds until the next attempt, None if the outcome is final."""
    is_repeatable = request.method in {"GET", "POST"}
    if isinstance(outcome, httpx.Response):
        wait = outcome.headers.get("Retry-After")
        # 409: the first request with this key is still in progress.
        passing = {429, 502, 503, 504, *([409] if wait else [])} if is_repeatable else {429}
        seconds = 2.0**attempt if wait is None else _seconds(wait)
        is_final = outcome.status_code not in passing or seconds > LONGEST_WAIT_SECONDS
    else:
        seconds, is_final = 2.0**attempt, not is_repeatable
    return None if is_final or attempt == ATTEMPTS - 1 else seconds


def _seconds(wait: str) -> float:
    """Return what `Retry-After` says, in seconds or as a date."""
    try:
        if wait.isdigit():
            return float(wait)
        return max(0.0, (parsedate_to_datetime(wait) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # a date without a zone, or no date
        return 1.0


def _checked(outcome: Outcome) -> httpx.Response:
    """Return an answer of the service, else raise."""
    if not isinstance(outcome, httpx.Response):
        raise outcome
    try:
        is_from_service = (
            "text/html" not in outcome.headers.get("Content-Type", "")
            if outcome.is_success
            else bool(outcome.json()["meta"]["code"])
        )
    except (LookupError, TypeError, ValueError):
        is_from_service = False
    if not is_from_service:
        raise UnexpectedAnswerError(outcome)
    return outcome


def connect(url: str, key: str) -> AuthenticatedClient:
    """Return a client of the service at this address, for blocking and `asyncio` functions."""
    return AuthenticatedClient(
        url,
        key,
        timeout=httpx.Timeout(TIMEOUT_SECONDS),
        raise_on_unexpected_status=True,
        httpx_args={"transport": Patient()},
    )


def every(operation, client: AuthenticatedClient, **query):
    """Yield the items of all pages of a list, whose module is `operation`; raise ApiError."""
    while True:
        page = operation.sync(client=client, **query)
        if isinstance(page, ErrorEnvelope):
            raise ApiError(page)
        yield from page.data
        if not page.meta.has_more:
            return
        query["cursor"] = page.meta.next_cursor
