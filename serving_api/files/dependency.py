"""Storage and signed URLs in the signature of an endpoint."""

from typing import Annotated

from fastapi import Depends, Request

from serving_api.files.signed_urls import SignedUrls
from warehouse.storage.storage import Storage


async def files(request: Request) -> Storage:
    """Return the storage that the application was made with."""
    storage: Storage = request.app.state.files
    return storage


async def signed_urls(request: Request) -> SignedUrls:
    """Return the signed URLs that the application was made with."""
    urls: SignedUrls = request.app.state.signed_urls
    return urls


Files = Annotated[Storage, Depends(files)]
Urls = Annotated[SignedUrls, Depends(signed_urls)]
