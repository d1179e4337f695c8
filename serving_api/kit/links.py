"""Short links of one request: what follows them, with the bound that the contract sets."""

from typing import Annotated

from fastapi import Depends, Request

from scrapers.urls import ShortLinks


async def short_links(request: Request) -> ShortLinks:
    """Return a resolver for this request alone; its limit counts from zero."""
    made: ShortLinks = request.app.state.short_links()
    return made


Links = Annotated[ShortLinks, Depends(short_links)]
