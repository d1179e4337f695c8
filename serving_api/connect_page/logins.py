"""The logins of the platforms with which this installation is registered."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Request

from scrapers.consent.login import Login
from serving_api.services import services_of

LoginsByPlatform = Mapping[str, Login]


async def logins(request: Request) -> LoginsByPlatform:
    """Return the logins that the application was made with."""
    return services_of(request).logins


Logins = Annotated[LoginsByPlatform, Depends(logins)]
