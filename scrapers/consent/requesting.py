"""One request to a platform's login, and the object in its response. Secrets stay out of logs."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import httpx
from pydantic import SecretStr

from scrapers import payload
from scrapers.consent.tokens import ConsentUnavailableError
from scrapers.identity import USER_AGENT
from scrapers.outcomes import ScrapeError
from scrapers.paid.client import hushed
from scrapers.payload import Json
from scrapers.provider import require_sendable
from scrapers.transport.answer import BAD_LOCATION, is_compressed_twice

SECONDS = 15.0
"""Time limit of a response: a person may be waiting."""
LARGEST_BODY = 1024 * 1024
LONGEST_SECONDS = 10 * 365 * 86_400

Answer = tuple[int, dict[str, Json]]
"""HTTP status and object."""


def ask(
    method: str,
    url: str,
    *,
    secrets: Collection[str] = (),
    **parts: Any,
) -> Answer:
    """Send a request once, without following redirects. Raises ConsentUnavailableError.

    `secrets` are those in the URL, which httpx would log.
    """
    with ExitStack() as hushing:
        for secret in secrets:
            hushing.enter_context(hushed(secret))
        try:
            status, body = _send(method, url, parts)
        except (httpx.HTTPError, *BAD_LOCATION) as error:
            raise ConsentUnavailableError(f"no response ({type(error).__name__})") from None
    return status, _object(status, body)


def _send(method: str, url: str, parts: Mapping[str, Any]) -> tuple[int, bytes]:
    deadline = time.monotonic() + SECONDS
    body = bytearray()
    headers = {"User-Agent": USER_AGENT, "Accept": "application/json", **parts.get("headers", {})}
    with (
        httpx.Client(timeout=SECONDS, follow_redirects=False) as client,
        client.stream(method, url, **{**parts, "headers": headers}) as response,
    ):
        if is_compressed_twice(response):
            raise ConsentUnavailableError("the response is compressed more than once")
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > LARGEST_BODY or time.monotonic() > deadline:
                raise ConsentUnavailableError("the response is too large or too slow")
        return response.status_code, bytes(body)


def _object(status: int, body: bytes) -> dict[str, Json]:
    try:
        tree = payload.parse_json(body.decode("utf-8", errors="replace"))
    except ScrapeError:
        tree = None
    if not isinstance(tree, dict):
        raise ConsentUnavailableError(f"the response is cut off or not JSON (HTTP {status})")
    return tree


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Read a response in the block. Raises ConsentUnavailableError if `what` is missing.

    The error does not repeat the response: it has tokens.
    """
    try:
        yield
    except ScrapeError:
        raise ConsentUnavailableError(f"the response lacks {what}") from None


def secret_at(tree: Json, path: str) -> SecretStr:
    """Return the token at a path. Raises ScrapeError if no header can carry it."""
    try:
        secret = SecretStr(payload.text_at(tree, path) or "")
        require_sendable(secret, path)
    except ValueError as error:
        raise payload.schema_changed(str(error)) from None
    return secret


def lasting(tree: Json, path: str) -> timedelta:
    """Return a token's lifetime. Raises ScrapeError if it is missing or out of range."""
    seconds = payload.count_at(tree, path)
    if not seconds or seconds > LONGEST_SECONDS:
        raise payload.schema_changed(f"{path} is missing or out of range")
    return timedelta(seconds=seconds)


def bearer(token: SecretStr) -> dict[str, str]:
    return {"Authorization": f"Bearer {token.get_secret_value()}"}
