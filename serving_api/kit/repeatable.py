"""Declares that a GET's response may be cached: `@repeatable()` below its path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_ATTRIBUTE = "__repeatable__"


def _as_it_is(body: bytes) -> bytes:
    return body


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A route's declaration. `restate` converts a first response to its cached form."""

    restate: Callable[[bytes], bytes] = _as_it_is


def repeatable(restate: Callable[[bytes], bytes] = _as_it_is) -> Callable[[Endpoint], Endpoint]:
    """Return the decorator of an endpoint with a Reader context only.

    Its response may depend on the publication, on rows that change the organization's version (see
    `warehouse.operational.versions`), the query, the caller's role, and the date. It must not
    depend on the instant, the caller, signed URLs, or fetch times.
    """

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, Repeatable(restate))
        return endpoint

    return declare


def repeatable_by(endpoint: Callable[..., Any]) -> Repeatable | None:
    """Return an endpoint's declaration, or None."""
    declared: Repeatable | None = getattr(endpoint, _ATTRIBUTE, None)
    return declared
