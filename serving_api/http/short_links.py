"""Resolve short links of a request before it has a session, within the contract's bounds.

Platforms may be slow, and a waiting transaction would hold a connection and locks. FastAPI
resolves dependencies in order, so endpoints declare links before their context.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import Depends, Request

from scrapers.urls import ShortLinks
from serving_api.idempotency.dependency import MaybeIdempotent
from serving_api.idempotency.idempotent_request import IdempotentRequest
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_wait_threads


def links_in(*paths: str) -> Any:
    """Return the dependency that resolves short links in a JSON body.

    Paths are dotted and descend into lists: `accounts.handle`.
    """

    async def follow(request: Request, idempotent_request: MaybeIdempotent) -> ShortLinks:
        texts = [text for path in paths for text in texts_at(request, path)]
        return await followed(request, texts, idempotent_request)

    return Depends(follow)


async def followed(
    request: Request, texts: Iterable[str], idempotent_request: IdempotentRequest | None
) -> ShortLinks:
    """Return the request's resolver, with the short links in the texts resolved.

    A request with a stored response resolves none.
    """
    services = services_of(request)
    links, customer = services.short_links(), request.state.caller.organization_id
    addresses = links.among(texts)
    is_answered = False
    if addresses and idempotent_request:
        is_answered = await in_wait_threads(idempotent_request.is_answered, services.store)
    if addresses and not is_answered:
        async with services.shares.outgoing.slot_aside(customer):
            await in_wait_threads(links.follow, addresses)
    return links


def texts_at(request: Request, path: str) -> Iterator[str]:
    """Yield the texts at a path of the JSON body, before validation."""
    return _at(getattr(request.state, "json", None), path.split("."))  # set by `validate_body`


def _at(value: Any, path: list[str]) -> Iterator[str]:
    """Yield the texts at a path of a value; validated parts are models."""
    if isinstance(value, list):
        for element in value:
            yield from _at(element, path)
    elif path:
        inner = value.get(path[0]) if isinstance(value, dict) else getattr(value, path[0], None)
        yield from _at(inner, path[1:])
    elif isinstance(value, str):
        yield value
