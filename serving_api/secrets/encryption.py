"""What encrypts and decrypts, as an endpoint's parameter."""

from typing import Annotated

from fastapi import Depends, Request

from warehouse.encryption import Encryption


async def encryption(request: Request) -> Encryption:
    """Return the encryption that the application was made with."""
    made: Encryption = request.app.state.encryption
    return made


Encrypting = Annotated[Encryption, Depends(encryption)]
