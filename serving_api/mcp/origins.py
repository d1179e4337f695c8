"""Which pages' messages are taken: this service's own, and those of TRACKER_CORS_ORIGINS.

A browser says whose page sends a message (`Origin`), agents say nothing. Without this a page could
send messages whose answers it may not read (MCP, Transports, Security).
"""

from collections.abc import Container, Iterable
from urllib.parse import urlsplit

from fastapi import Request

from serving_api.errors import Forbidden

ANY = "*"
_PORTS = {"http": 80, "https": 443}


def origins_taken(base_url: str, cors_origins: Iterable[str]) -> frozenset[str]:
    """Return the origins, as browsers write them."""
    return frozenset({_origin_of(base_url), *cors_origins})


def require_origin(request: Request, taken: Container[str]) -> None:
    """Raise Forbidden for a message that another page sent."""
    said = request.headers.getlist("Origin")
    if ANY not in taken and any(origin not in taken for origin in said):
        raise Forbidden("Pages of this origin may not call, unless TRACKER_CORS_ORIGINS names it")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"
