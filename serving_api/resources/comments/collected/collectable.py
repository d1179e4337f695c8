"""On which platforms comments cannot be collected, because of how they are read here."""

from collections.abc import Collection
from typing import Annotated

from fastapi import Depends, Request

from serving_api.services import services_of
from warehouse.settings import Settings


def platforms_without_comments(settings: Settings) -> frozenset[str]:
    """Return the platforms none of whose providers shows comments: Instagram's official API."""
    is_graph_alone = settings.providers_of("instagram") == ("graph",)
    return frozenset({"instagram"}) if is_graph_alone else frozenset()


async def _uncollected(request: Request) -> Collection[str]:
    # A coroutine: FastAPI would send a function to a worker thread and wait for it.
    return services_of(request).platforms_without_comments


Uncollected = Annotated[Collection[str], Depends(_uncollected)]
