"""Storage and signed URLs in the signature of an endpoint."""

from typing import Annotated

from fastapi import Depends, Request

from serving_api.files.signed_urls import SignedUrls
from serving_api.services import services_of
from warehouse.storage.storage import Storage


async def files(request: Request) -> Storage:
    """Return the storage that the application was made with."""
    return services_of(request).files


async def signed_urls(request: Request) -> SignedUrls:
    """Return the signed URLs that the application was made with."""
    return services_of(request).signed_urls


Files = Annotated[Storage, Depends(files)]
Urls = Annotated[SignedUrls, Depends(signed_urls)]
