"""Instagram's pages without data: all have status 200 and differ by their route's name.

Every page is one shell whose scripts name its route. Query data is in further scripts, which a
throttled guest's page lacks.
"""

import re

from starlette.responses import Response

from scrapers.simulator.answers import Document, page, script

PROFILE_ROUTE = "comet.igweb.PolarisLoggedOutDesktopWWWProfileRoute"
POST_ROUTE = "comet.igweb.PolarisLoggedOutDesktopWWWPostRoute"
ERROR_ROUTE = "comet.igweb.PolarisErrorRoute"
LOGIN_ROUTE = "comet.igweb.PolarisCAAIGLoginHomepageRoute"

_ELEMENT = 'type="application/json" data-content-len="1" data-sjs'
_SCRIPT = re.compile(rb"<script [^>]*data-sjs>.*?</script>", re.DOTALL)


def route_script(route: str) -> str:
    entry = ["CometPlatformRootClient", "init", [], [{"initialRouteInfo": _route_info(route)}]]
    return handled_script([entry])


def handled_script(entries: list[object]) -> str:
    """Return a data-sjs script that passes entries to the page."""
    handled = {"__bbox": {"require": entries}}
    return script(_ELEMENT, {"require": [["ScheduledServerJS", "handle", None, [handled]]]})


def error_page() -> Response:
    """Return the page for a missing account or post."""
    return page([route_script(ERROR_ROUTE)], head="<title>Instagram</title>")


def login_page() -> Response:
    """Return the login page, which can also replace any other page."""
    return page([route_script(LOGIN_ROUTE)], head="<title>Login • Instagram</title>")


def without_data(body: bytes) -> bytes:
    """Return a page without its data scripts, as a throttled guest gets it."""
    return _SCRIPT.sub(lambda script: b"" if b"RelayPrefetched" in script[0] else script[0], body)


def _route_info(route: str) -> Document:
    return {"route": {"canonicalRouteName": route, "params": {}}}
