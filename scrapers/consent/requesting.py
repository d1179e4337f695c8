"""One request to a platform's login and the object in its answer. Secrets stay out of logs."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from scrapers import payload
from scrapers.consent.grant import ConsentUnavailableError
from scrapers.identity import USER_AGENT
from scrapers.outcomes import ScrapeError
from scrapers.paid.hushing import hushed
from scrapers.payload import Json
from scrapers.provider import require_sendable

SECONDS = 15.0
"""For a whole answer: a person may be waiting."""
LARGEST_BODY = 1024 * 1024
LONGEST_SECONDS = 10 * 365 * 86_400

Answer = tuple[int, dict[str, Json]]
"""The status and the object."""


def ask(
    method: str,
    url: str,
    *,
    secrets: Collection[str] = (),
    now: Callable[[], float] = time.monotonic,
    **parts: Any,
) -> Answer:
    """Send a request once; redirects are not followed. Raises ConsentUnavailableError.

    `secrets` are those in the address, which httpx would log.
    """
    with ExitStack() as hushing:
        for secret in {
            form
            for secret_in_url in secrets
            for form in (secret_in_url, quote(secret_in_url, safe=""))
        }:
            hushing.enter_context(hushed(secret))
        try:
            status, body = _send(method, url, now() + SECONDS, now, parts)
        except httpx.HTTPError as error:
            raise ConsentUnavailableError(f"no answer ({type(error).__name__})") from None
    return status, _object(status, body)


def _send(
    method: str, url: str, deadline: float, now: Callable[[], float], parts: Mapping[str, Any]
) -> tuple[int, bytes]:
    body = bytearray()
    headers = {"User-Agent": USER_AGENT, "Accept": "application/json", **parts.get("headers", {})}
    with (
        httpx.Client(timeout=SECONDS, follow_redirects=False) as client,
        client.stream(method, url, **{**parts, "headers": headers}) as response,
    ):
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > LARGEST_BODY or now() > deadline:
                raise ConsentUnavailableError("an answer without an end")
        return response.status_code, bytes(body)


def _object(status: int, body: bytes) -> dict[str, Json]:
    try:
        tree = payload.parse_json(body.decode("utf-8", errors="replace"))
    except ScrapeError:
        tree = None
    if not isinstance(tree, dict):
        raise ConsentUnavailableError(f"an answer that is cut off or no JSON (HTTP {status})")
    return tree


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Let the block read an answer. Raises ConsentUnavailableError where it lacks what it is for.

    The answer itself is not repeated: it holds tokens.
    """
    try:
        yield
    except ScrapeError:
        raise ConsentUnavailableError(f"an answer without {what}") from None


def secret_at(tree: Json, path: str) -> SecretStr:
    """Return the token under a path. Raises ScrapeError for what no header can carry."""
    try:
        secret = SecretStr(payload.text_at(tree, path) or "")
        require_sendable(secret, path)
    except ValueError as error:
        raise payload.schema_changed(str(error)) from None
    return secret


def lasting(tree: Json, path: str) -> timedelta:
    """Return for how long something is good. Raises ScrapeError where it does not say."""
    seconds = payload.count_at(tree, path)
    if not seconds or seconds > LONGEST_SECONDS:
        raise payload.schema_changed(f"{path} says nothing")
    return timedelta(seconds=seconds)


def bearer(token: SecretStr) -> dict[str, str]:
    """Return the header that a token travels in."""
    return {"Authorization": f"Bearer {token.get_secret_value()}"}
