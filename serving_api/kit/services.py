"""What one process of the API works with, made once (`making`) and handed to every request.

An ASGI server gives each request the state that the application's lifespan yielded; `Services` is
all of that state.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from scrapers.urls import ShortLinks
from serving_api.kit.cursor import Seal
from serving_api.kit.filters import KnownQueries
from serving_api.kit.published import Published
from serving_api.kit.shares import RequestShares
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.storage.storage import Storage

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What every interface uses, and the service object of each by its class: `services[Part]`.

    Threads may share each. `shares` bounds what one organization uses at once, `short_links` makes
    a resolver for one request, and `known_queries` and `openapi_json` are what the routes declare.
    """

    settings: Settings
    store: OperationalStore
    shares: RequestShares
    published: Published
    files: Storage
    seal: Seal
    encryption: Encryption
    short_links: Callable[[], ShortLinks]
    known_queries: KnownQueries
    openapi_json: bytes
    parts: Mapping[type, Any]

    def __getitem__(self, kind: type[Part]) -> Part:
        """Return the service object of a class."""
        part: Part = self.parts[kind]
        return part


def services_of(request: HTTPConnection) -> Services:
    """Return what the application that answers a request works with."""
    return cast("Services", request.state.services)


def from_services(get: Callable[[Services], Any]) -> Any:
    """Return the dependency that gives an endpoint what `get` returns."""

    async def get_from_request(request: HTTPConnection) -> Any:
        # A coroutine: FastAPI would send a function to a worker thread and wait for it.
        return get(services_of(request))

    return Depends(get_from_request)


Encrypting = Annotated[Encryption, from_services(lambda services: services.encryption)]


async def _numbers(request: HTTPConnection) -> AsyncIterator[Published]:
    # A coroutine: FastAPI would send a function to a worker thread and wait for it.
    with services_of(request).published.pinned() as numbers:
        yield numbers


Numbers = Annotated[Published, Depends(_numbers, scope="function")]
"""What was published, as a request reads it: all of one publication until the answer is made."""
