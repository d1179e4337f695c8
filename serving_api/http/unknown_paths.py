"""Errors of paths that no endpoint has: removed ones, else with a path that may have been meant.

Removed paths answer every method alike and need no key (contract, Versioning).
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from fastapi import Request
from fastapi.routing import iter_route_contexts

from serving_api.errors import ApiError, ApiVersionRemoved, Gone, RouteNotFound

_FIRST_VERSION = re.compile(r"/api/v1(/.*)?", re.DOTALL)
_REMOVED_ENDPOINT = re.compile(r"/api/v2/(creators|campaigns)/[^/]+/stats", re.DOTALL)
_LONGEST_PATH = 300
_PREFIX = "/api/v2"
_PARAMETER = re.compile(r"{\w+}")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ALIKE = 0.75
"""Comparing with every route takes time quadratic in the length, and ten times as long at a low
cutoff."""


def unknown_path(request: Request) -> ApiError:
    """Return RouteNotFound with the most similar path, or the error of a removed one."""
    path = request.url.path
    if removal := _removal_of(path):
        return removal
    routes = {context.path or "" for context in iter_route_contexts(request.app.routes)} - {path}
    paths = {_PARAMETER.sub("{}", route.removeprefix(_PREFIX)): route for route in sorted(routes)}
    requested = _ID.sub("{}", path[:_LONGEST_PATH].removeprefix(_PREFIX))
    nearest = get_close_matches(requested, paths, n=1, cutoff=_ALIKE) or _paths_with(
        requested, paths
    )
    hint = paths[nearest[0]] if nearest else None
    return RouteNotFound(method=request.method, path=path, hint=hint)


def _removal_of(path: str) -> ApiError | None:
    """Return the error for a removed path, or None."""
    if _FIRST_VERSION.fullmatch(path):
        return ApiVersionRemoved()
    if match := _REMOVED_ENDPOINT.fullmatch(path):
        entity = match[1].removesuffix("s")
        return Gone(f"This endpoint was removed. Use /api/v2/analytics with entity={entity}")
    return None


def _paths_with(requested: str, paths: Iterable[str]) -> list[str]:
    """Return the paths with the last word of an unknown path, the shortest first."""
    word = requested.rstrip("/").rpartition("/")[2]
    return sorted((path for path in paths if word and word in re.split("[/-]", path)), key=len)
