"""Errors of paths that no endpoint has: removed ones, else with a path that may have been meant.

Removed paths answer every method alike and need no key (contract, Versioning).
"""

import re
from difflib import get_close_matches

from fastapi import Request
from fastapi.routing import iter_route_contexts

from serving_api.errors import ApiError, ApiVersionRemoved, Gone, RouteNotFound

_FIRST_VERSION = re.compile(r"/api/v1(/.*)?", re.DOTALL)
_REMOVED_ENDPOINT = re.compile(r"/api/v2/(creators|campaigns)/[^/]+/stats", re.DOTALL)
_LONGEST_PATH = 300
_OF_PROGRAMS = ("/api/", "/docs")
_PREFIX = re.compile(r"(/api|/v[0-9]+)+(?=/)")
_PARAMETER = re.compile(r"{\w+}")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9]+\b")
_LAST_WORD = re.compile(r"([A-Za-z]?[a-z]+?)((?<![su])s)?\W*$")
_ALIKE = 0.75
"""Comparing with every route takes time quadratic in the length, and ten times as long at a low
cutoff."""

_SYNONYMS = {
    "account": "channel handle instagram profile tiktok",
    "accrual": "amount commission earning invoice",
    "analytic": "chart insight metric stat statistic timeserie view",
    "campaign": "brief launch promotion",
    "changelog": "news release version",
    "creator": "ambassador influencer search talent",
    "endpoint": "callback hook webhook",
    "export": "csv download",
    "health": "alert dashboard overview status",
    "inbox": "moderation queue review",
    "invitation": "invite",
    "job": "refresh sync",
    "key": "credential token",
    "leaderboard": "best ranking top",
    "me": "login session whoami",
    "member": "people team user",
    "organization": "company org organisation",
    "payment": "payout transaction transfer",
    "project": "brand client program workspace",
    "signal": "mood sentiment",
    "structure": "contract deal rate rule",
    "video": "clip content media post reel",
}
"""What other services call the last word of our paths, in the singular."""
_OURS = {word: ours for ours, words in _SYNONYMS.items() for word in words.split()}


def unknown_path(request: Request) -> ApiError:
    """Return RouteNotFound with the path that may be meant, or the error of a removed one."""
    path = request.url.path
    if removal := _removal_of(path):
        return removal
    reads: dict[str, str] = {}
    others: dict[str, str] = {}
    for context in iter_route_contexts(request.app.routes):
        route = context.path or ""
        if route.startswith(_OF_PROGRAMS) and "/admin/" not in route and route != path:
            known = reads if "GET" in (context.methods or ()) else others
            known[_PARAMETER.sub("{}", _PREFIX.sub("", route))] = route
    requested = _ID.sub("{}", _PREFIX.sub("", path[:_LONGEST_PATH].rstrip("/")))
    routes = others | reads
    return RouteNotFound(
        method=request.method, path=path, hint=routes.get(_nearest(requested, reads, others))
    )


def _nearest(requested: str, *known: dict[str, str]) -> str:
    """Return the known path with the same last word, else the most similar one, or ""."""
    word = _last_word(requested)
    for paths in known:
        same = [path for path in paths if word and _last_word(path) == _OURS.get(word, word)]
        alike = [path for path in same if path.endswith("}") == requested.endswith("}")] or same
        if alike:
            return get_close_matches(requested, alike, n=1, cutoff=0)[0]
    every = [path for paths in known for path in paths]
    return next(iter(get_close_matches(requested, every, n=1, cutoff=_ALIKE)), "")


def _last_word(path: str) -> str:
    """Return the last word outside of parameters, in the singular."""
    match = _LAST_WORD.search(path)
    return match[1].lower() if match else ""


def _removal_of(path: str) -> ApiError | None:
    """Return the error for a removed path, or None."""
    if _FIRST_VERSION.fullmatch(path):
        return ApiVersionRemoved()
    if match := _REMOVED_ENDPOINT.fullmatch(path):
        entity = match[1].removesuffix("s")
        return Gone(f"This endpoint was removed. Use /api/v2/analytics with entity={entity}")
    return None
