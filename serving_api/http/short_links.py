"""Short links of a request: followed before it has a session, with the contract's bound.

A platform may not answer for a long time, and a transaction that waits for it would keep a
connection and locks. So an endpoint names its links before its context: FastAPI resolves
dependencies in that order.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import Depends, Request

from scrapers.urls import ShortLinks
from serving_api.idempotency.dependency import MaybeIdempotent
from serving_api.idempotency.idempotent_request import IdempotentRequest
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_many_threads


def links_in(*paths: str) -> Any:
    """Return the dependency that follows the short links of a JSON body.

    A path has dots, and enters lists on the way: `accounts.handle`.
    """

    async def follow(request: Request, idempotent_request: MaybeIdempotent) -> ShortLinks:
        texts = [text for path in paths for text in texts_at(request, path)]
        return await followed(request, texts, idempotent_request)

    return Depends(follow)


async def followed(
    request: Request, texts: Iterable[str], idempotent_request: IdempotentRequest | None
) -> ShortLinks:
    """Return the request's resolver, which knows where short links among the texts lead.

    Nothing is asked for a request that was answered before.
    """
    services = services_of(request)
    links, customer = services.short_links(), request.state.caller.organization_id
    addresses = links.among(texts)
    is_answered = False
    if addresses and idempotent_request:
        is_answered = await in_many_threads(idempotent_request.is_answered, services.store)
    if addresses and not is_answered:
        async with services.shares.outgoing.slot_aside(customer):
            await in_many_threads(links.follow, addresses)
    return links


def texts_at(request: Request, path: str) -> Iterator[str]:
    """Yield the texts at a path of a request's JSON body, before it is known to be valid."""
    return _at(getattr(request, "_json", None), path.split("."))  # where `validate_body` leaves it


def _at(value: Any, path: list[str]) -> Iterator[str]:
    """Yield the texts at a path of a body, which is a model where it was validated before."""
    if isinstance(value, list):
        for element in value:
            yield from _at(element, path)
    elif path:
        inner = value.get(path[0]) if isinstance(value, dict) else getattr(value, path[0], None)
        yield from _at(inner, path[1:])
    elif isinstance(value, str):
        yield value
