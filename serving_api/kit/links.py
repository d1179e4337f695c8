"""Short links of one request: what follows them, with the bound that the contract sets."""

from typing import Annotated

from fastapi import Depends, Request

from scrapers.urls import ShortLinks
from serving_api.services import services_of


async def short_links(request: Request) -> ShortLinks:
    """Return a resolver for this request alone; its limit counts from zero."""
    return services_of(request).short_links()


Links = Annotated[ShortLinks, Depends(short_links)]
