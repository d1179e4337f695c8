"""Storage and signed URLs as endpoint dependencies."""

from typing import Annotated

from serving_api.files.signed_urls import SignedUrls
from serving_api.kit.services import from_services
from warehouse.storage.storage import Storage

Files = Annotated[Storage, from_services(lambda services: services.files)]
Urls = Annotated[SignedUrls, from_services(lambda services: services[SignedUrls])]
