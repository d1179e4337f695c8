"""Declares that a route supports Idempotency-Key: `@idempotent()` below its method and path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

HEADER = "Idempotency-Key"
MAX_LENGTH = 255
REPLAY_HEADER = "Idempotency-Replay"

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_ATTRIBUTE = "__idempotent__"


@dataclass(frozen=True, slots=True)
class Idempotent:
    """A route's declaration. `secrets` are response fields that are null in a replay.

    A secret is a dotted path below `data`; lists are descended into: `pin` is the field of an
    object, or of each object in a list.
    """

    secrets: tuple[str, ...] = ()


def idempotent(*, secrets: tuple[str, ...] = ()) -> Callable[[Endpoint], Endpoint]:
    """Return the decorator of an endpoint that writes with a WriteDb session."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, Idempotent(secrets))
        return endpoint

    return declare


def declared_by(endpoint: Callable[..., Any]) -> Idempotent | None:
    declared: Idempotent | None = getattr(endpoint, _ATTRIBUTE, None)
    return declared
