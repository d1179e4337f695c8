"""How a route says that it takes an Idempotency-Key: `@idempotent()` below its method and path."""

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
    """What a route declares. `secrets` are fields of the answer that are null in a replay.

    A secret is a dotted path below `data`; lists on the way are entered: `pin` is the field of one
    object, or of each object of a list.
    """

    secrets: tuple[str, ...] = ()


def idempotent(*, secrets: tuple[str, ...] = ()) -> Callable[[Endpoint], Endpoint]:
    """Return the decorator of an endpoint that writes: it takes a WriteDb session."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, Idempotent(secrets))
        return endpoint

    return declare


def declared_by(endpoint: Callable[..., Any]) -> Idempotent | None:
    """Return what an endpoint declared, None where it takes no Idempotency-Key."""
    declared: Idempotent | None = getattr(endpoint, _ATTRIBUTE, None)
    return declared
