"""Safe redirect targets: only desk pages, whatever a link or a header says."""

import re
from urllib.parse import urlsplit

from fastapi import Request

from serving_api.desk.cookies import PATH

_OWN = re.compile(rf"{PATH}(/[a-z0-9-]+)*(\?[\w=&%.~+-]*)?", re.ASCII)


def own(to: str) -> str:
    """Return `to` if it is a desk address, otherwise the desk's start page."""
    return to if _OWN.fullmatch(to) else PATH


def address_of(request: Request) -> str:
    """Return the request's path and query."""
    return f"{request.url.path}?{request.url.query}".rstrip("?")


def came_from(request: Request) -> str:
    """Return the desk page that referred to this request, from the Referer header."""
    page = urlsplit(request.headers.get("Referer", ""))
    is_own = page.netloc == request.headers.get("Host")
    return own(f"{page.path}?{page.query}".rstrip("?")) if is_own else PATH
