"""Removed API paths, distinguished from unknown ones (contract, Versioning).

They answer every method alike and need no key.
"""

import re

from serving_api.errors import ApiError, ApiVersionRemoved, Gone

_FIRST_VERSION = re.compile(r"/api/v1(/.*)?", re.DOTALL)
_REMOVED_ENDPOINT = re.compile(r"/api/v2/(creators|campaigns)/[^/]+/stats", re.DOTALL)


def removal_of(path: str) -> ApiError | None:
    """Return the error for a removed path, or None."""
    if _FIRST_VERSION.fullmatch(path):
        return ApiVersionRemoved()
    if match := _REMOVED_ENDPOINT.fullmatch(path):
        entity = match[1].removesuffix("s")
        return Gone(f"This endpoint was removed. Use /api/v2/analytics with entity={entity}")
    return None
