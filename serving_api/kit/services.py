"""The services of an API process, created once (`app`) and passed to every request.

ASGI servers give each request the lifespan's state, which only contains `Services`.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from scrapers.urls import ShortLinks
from serving_api.kit.cursor import Seal
from serving_api.kit.published import Published
from serving_api.kit.shares import RequestShares
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.storage.storage import Storage

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Shared services, and each interface's own by class: `services[Part]`.

    All are thread-safe. `shares` limits what one organization uses at once, `short_links` creates
    a resolver per request, and `openapi_json` builds the document when it is first called.
    """

    settings: Settings
    store: OperationalStore
    shares: RequestShares
    published: Published
    files: Storage
    seal: Seal
    encryption: Encryption
    short_links: Callable[[], ShortLinks]
    openapi_json: Callable[[], bytes]
    parts: Mapping[type, Any]

    def __getitem__(self, kind: type[Part]) -> Part:
        part: Part = self.parts[kind]
        return part


def services_of(request: HTTPConnection) -> Services:
    """Return the services of the application that handles a request."""
    return cast("Services", request.state.services)


def from_services(get: Callable[[Services], Any]) -> Any:
    """Return the dependency that provides the result of `get`."""

    async def get_from_request(request: HTTPConnection) -> Any:
        # A coroutine, since FastAPI would run a function in a worker thread.
        return get(services_of(request))

    return Depends(get_from_request)


Encrypting = Annotated[Encryption, from_services(lambda services: services.encryption)]


async def _numbers(request: HTTPConnection) -> AsyncIterator[Published]:
    # A coroutine, since FastAPI would run a function in a worker thread.
    with services_of(request).published.pinned() as numbers:
        yield numbers


Numbers = Annotated[Published, Depends(_numbers, scope="function")]
"""The publications of a request, pinned until the response is built."""
