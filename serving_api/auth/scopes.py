"""Scopes: what a key may do at most (contract, Authentication 4 and 5)."""

from collections.abc import Iterable
from typing import Literal

Scope = Literal["read", "write", "admin"]


def effective_scopes(granted: Iterable[str], *, is_org_admin: bool) -> frozenset[str]:
    """Return what is left of a key's scopes: `admin` is dropped unless the member is org admin."""
    scopes = frozenset(granted)
    return scopes if is_org_admin else scopes - {"admin"}
