"""Paths the API once had, told apart from paths that never were (contract, Versioning).

Such a path answers every method alike, and asks for no key: there is nothing behind it.
"""

import re

from serving_api.errors import ApiError, ApiVersionRemoved, Gone

_FIRST_VERSION = re.compile(r"/api/v1(/.*)?", re.DOTALL)
_REMOVED_ENDPOINT = re.compile(r"/api/v2/(creators|campaigns)/[^/]+/stats", re.DOTALL)


def removal_of(path: str) -> ApiError | None:
    """Return the error for a path that was removed, None for any other."""
    if _FIRST_VERSION.fullmatch(path):
        return ApiVersionRemoved()
    if match := _REMOVED_ENDPOINT.fullmatch(path):
        entity = match[1].removesuffix("s")
        return Gone(f"This endpoint was removed; use /api/v2/analytics with entity={entity}")
    return None
