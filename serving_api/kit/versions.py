"""Versions of rows that cost money: a change names the one it was made of."""

import json
from collections.abc import Sequence
from hashlib import sha256

from pydantic import BaseModel, JsonValue

from serving_api.errors import VersionConflict


def values_of(answer: BaseModel, names: Sequence[str]) -> dict[str, JsonValue]:
    """Return what a PATCH may change of a row, as it is answered."""
    return answer.model_dump(mode="json", include=set(names))


def version_of(values: dict[str, JsonValue]) -> str:
    """Return a hash of these values, so that equal ones have equal versions."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def require_version(expected: str | None, values: dict[str, JsonValue]) -> None:
    """Raise VersionConflict if a version is expected that is not the present one."""
    current = version_of(values)
    if expected not in {None, current}:
        raise VersionConflict(str(expected), current, values)
