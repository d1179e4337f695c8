"""What the log may say of a request: who asked for what, and nothing that is secret or private."""

from typing import Any
from uuid import UUID

from starlette.types import Scope

from serving_api.auth.principals import Principal

LONGEST_PATH = 200


def told_of(scope: Scope) -> dict[str, Any]:
    """Return the fields: endpoint and ids of its path (an unknown path as it is), and caller."""
    fields = {
        "request_id": scope["state"]["request_id"],
        "method": scope["method"],
        "client": scope["client"][0] if scope.get("client") else None,
        **_asked(scope),
    }
    caller: Principal | None = scope["state"].get("caller")
    if caller is not None:
        kind = "key_id" if caller.key_id else "grant_id"
        fields |= {kind: str(caller.credential_id), "organization_id": str(caller.organization_id)}
    return fields


def ids_in_path(parameters: dict[str, Any]) -> dict[str, str]:
    """Return the path parameters that are ids; others may be tokens."""
    return {name: str(value) for name, value in parameters.items() if _is_id(str(value))}


def _asked(scope: Scope) -> dict[str, Any]:
    if endpoint := scope.get("endpoint"):
        return {"endpoint": endpoint.__name__, **ids_in_path(scope.get("path_params", {}))}
    return {"path": scope["path"][:LONGEST_PATH]} if scope["path"].startswith("/api/") else {}


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
