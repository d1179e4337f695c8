"""What seals secrets that are kept to be read again, as an endpoint asks for it."""

from typing import Annotated

from fastapi import Depends, Request

from serving_api.services import services_of
from warehouse.encryption import Encryption


async def encryption(request: Request) -> Encryption:
    """Return the encryption that the application was made with."""
    return services_of(request).encryption


Encrypting = Annotated[Encryption, Depends(encryption)]
