"""Versions of money-related rows: a change names the version it is based on."""

import json
from collections.abc import Sequence
from hashlib import sha256

from pydantic import BaseModel, JsonValue

from serving_api.errors import VersionConflict


def values_of(answer: BaseModel, names: Sequence[str]) -> dict[str, JsonValue]:
    """Return the fields of a response that a PATCH may change."""
    return answer.model_dump(mode="json", include=set(names))


def version_of(values: dict[str, JsonValue]) -> str:
    """Return a hash of the values: equal values have equal versions."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def require_version(expected: str | None, values: dict[str, JsonValue]) -> None:
    """Raise VersionConflict unless `expected` is None or the current version."""
    current = version_of(values)
    if expected not in {None, current}:
        raise VersionConflict(str(expected), current, values)
