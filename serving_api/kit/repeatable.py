"""How a GET says that its answer may be given again: `@repeatable()` below its path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_ATTRIBUTE = "__repeatable__"


def _as_it_is(body: bytes) -> bytes:
    return body


@dataclass(frozen=True, slots=True)
class Repeatable:
    """What a route declares. `restate` makes of an answer the one that is given again."""

    restate: Callable[[bytes], bytes] = _as_it_is


def repeatable(restate: Callable[[bytes], bytes] = _as_it_is) -> Callable[[Endpoint], Endpoint]:
    """Return the decorator of an endpoint that takes a Reader context and no other.

    Its answer depends on the publication, on rows that the organization's version counts (see
    `warehouse.operational.versions`), on the question, on the caller's role, and of the clock on
    days alone: not on an instant, who calls, a signed URL, or when something was fetched.
    """

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, Repeatable(restate))
        return endpoint

    return declare


def repeatable_by(endpoint: Callable[..., Any]) -> Repeatable | None:
    """Return what an endpoint declared, None where each answer is made anew."""
    declared: Repeatable | None = getattr(endpoint, _ATTRIBUTE, None)
    return declared
