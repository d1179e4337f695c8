"""Where people are led back to: a page of the desk, whatever a link or a browser says."""

import re
from urllib.parse import urlsplit

from fastapi import Request

from serving_api.desk.cookies import PATH

_OWN = re.compile(rf"{PATH}(/[a-z0-9-]+)*(\?[\w=&%.~+-]*)?", re.ASCII)


def own(to: str) -> str:
    """Return an address of the desk: nobody is led elsewhere by a link to the form of sign-in."""
    return to if _OWN.fullmatch(to) else PATH


def address_of(request: Request) -> str:
    """Return what a request asks for, as a page links it."""
    return f"{request.url.path}?{request.url.query}".rstrip("?")


def came_from(request: Request) -> str:
    """Return the page whose form or link was used, as far as the browser tells."""
    page = urlsplit(request.headers.get("Referer", ""))
    is_own = page.netloc == request.headers.get("Host")
    return own(f"{page.path}?{page.query}".rstrip("?")) if is_own else PATH
