"""How faults look: the response instead of the right one, or the changed right one.

Signs: platforms.md, 1.0, 2.0 and 5. `faults.py` decides which request gets which fault. Instagram's
pages without data all have status 200: one shell whose scripts name its route.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable

from starlette.responses import HTMLResponse, Response

from scrapers.simulator.answers import Document, json_answer, page, redirect, script
from scrapers.simulator.faults import Fault, FaultKind
from scrapers.simulator.records import Platform

_WELL_KNOWN_KEYS = re.compile(
    rb'"(userInfo|itemInfo|itemList|hasMorePrevious|videoData|xig_user_by_username|node'
    rb'|xig_polaris_media|user|comments|comments_connection)":'
)


def refusal(fault: Fault, platform: Platform, root: str) -> Response | None:
    """Return the response instead of the right one, or None if the right one is needed.

    `root` is the site's path prefix, for redirects within it.
    """
    make = _REFUSALS.get(fault.kind)
    return make(fault, platform, root) if make else None


def spoilt(fault: Fault, answer: Response) -> Response:
    """Return the right response, changed by the fault."""
    if fault.kind is FaultKind.CHANGED_SHAPE:
        return _with_body(answer, _WELL_KNOWN_KEYS.sub(rb'"\1_v9":', bytes(answer.body)))
    if fault.kind is FaultKind.CUT_BODY:
        return _with_body(answer, bytes(answer.body)[: len(answer.body) // 2])
    if fault.kind is FaultKind.PAGE_WITHOUT_DATA:
        return _with_body(answer, without_data(bytes(answer.body)))
    return answer


def _with_body(answer: Response, body: bytes) -> Response:
    headers = {name: text for name, text in answer.headers.items() if name != "content-length"}
    return Response(body, answer.status_code, headers=headers)


def _rate_limited(fault: Fault, _platform: Platform, _root: str) -> Response:
    answer = json_answer({"message": "Too many requests", "status": "fail"}, 429)
    if fault.retry_after_seconds is not None:
        answer.headers["retry-after"] = str(fault.retry_after_seconds)
    return answer


def _server_error(fault: Fault, _platform: Platform, _root: str) -> Response:
    return HTMLResponse("<html><body>Server error</body></html>", fault.status)


def _empty_body(_fault: Fault, _platform: Platform, _root: str) -> Response:
    return Response(headers={"tt_orcas_res": "1"}, media_type="application/json")


def _no_data(_fault: Fault, _platform: Platform, _root: str) -> Response:
    return page([], head="<title>Loading</title>")


def _challenge(_fault: Fault, platform: Platform, root: str) -> Response:
    if platform is Platform.INSTAGRAM:
        return redirect(f"{root}/challenge/?next=%2F")
    puzzle = b64encode(json.dumps({"v": {"a": "YmFzZQ==", "b": "x", "c": "ZGlnZXN0"}}).encode())
    return page(
        [
            f'<p id="cs" class="{puzzle.decode()}"></p>',
            '<p id="wci" class="_wafchallengeid"></p>',
            "<p>Please wait...</p><script>var SlardarWAF={};</script>",
        ],
        head="<title>Please wait...</title>",
    )


def _captcha(_fault: Fault, platform: Platform, _root: str) -> Response:
    if platform is Platform.TIKTOK:
        return json_answer({"code": 10000, "type": "verify", "message": "verify"})
    body = {"message": "checkpoint_required", "checkpoint_url": "/challenge/", "status": "fail"}
    return json_answer(body, 400)


def _login(_fault: Fault, platform: Platform, root: str) -> Response:
    path = "/login" if platform is Platform.TIKTOK else "/accounts/login/"
    return redirect(f"{root}{path}?next=%2F")


def _login_page(fault: Fault, platform: Platform, root: str) -> Response:
    return login_page() if platform is Platform.INSTAGRAM else _no_data(fault, platform, root)


def _page_without_data(fault: Fault, platform: Platform, root: str) -> Response | None:
    """Return TikTok's page without a script; Instagram's page keeps its route script."""
    return None if platform is Platform.INSTAGRAM else _no_data(fault, platform, root)


def execution_error() -> Response:
    """Return the response to a stale doc_id, a missing variable or an invalid cursor."""
    error = {"message": "execution error", "severity": "CRITICAL"}
    return json_answer({"data": None, "errors": [error]})


_REFUSALS: dict[FaultKind, Callable[[Fault, Platform, str], Response | None]] = {
    FaultKind.RATE_LIMITED: _rate_limited,
    FaultKind.SERVER_ERROR: _server_error,
    FaultKind.EMPTY_BODY: _empty_body,
    FaultKind.NO_DATA: _no_data,
    FaultKind.CHALLENGE: _challenge,
    FaultKind.CAPTCHA: _captcha,
    FaultKind.LOGIN_REDIRECT: _login,
    FaultKind.LOGIN_PAGE: _login_page,
    FaultKind.PAGE_WITHOUT_DATA: _page_without_data,
}


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
