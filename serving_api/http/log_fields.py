"""Log fields and audit events of requests, without secrets and private data.

Storing changes is in `warehouse.operational.audit`.
"""

import re
from ipaddress import ip_address
from typing import Any
from uuid import UUID

from fastapi import Request
from starlette.types import Scope

from serving_api.kit.principals import Principal
from warehouse.operational.audit import AuditEvent

LONGEST_PATH = 200
REDACTED = "(not shown)"

_WORD = re.compile(r"v[0-9]|[a-z][a-z-]{0,29}", re.ASCII)
"""A literal part of a path. Keys, tokens and PINs contain digits."""


def request_fields(scope: Scope) -> dict[str, Any]:
    """Return the log fields: endpoint with ids or unknown path, client, and caller."""
    fields = {
        "request_id": scope["state"]["request_id"],
        "method": scope["method"],
        "client": _client(scope),
        **_endpoint_fields(scope),
    }
    caller: Principal | None = scope["state"].get("caller")
    if caller is not None:
        fields |= {**_credential(caller), "organization_id": str(caller.organization_id)}
    return fields


def _client(scope: Scope) -> str | None:
    """Return the client's address. A proxy may pass on any text as one."""
    address, *_ = scope.get("client") or [""]
    try:
        return str(ip_address(address.partition("%")[0]))
    except ValueError:
        return None


def _credential(caller: Principal) -> dict[str, str]:
    if caller.key_id:
        return {"key_id": str(caller.key_id)}
    if caller.grant_id:
        return {"grant_id": str(caller.grant_id)}
    return {"user_id": str(caller.user_id)}


def ids_in_path(parameters: dict[str, Any]) -> dict[str, str]:
    """Return the path parameters that are UUIDs; others may be tokens."""
    return {name: str(value) for name, value in parameters.items() if _is_id(str(value))}


def _endpoint_fields(scope: Scope) -> dict[str, Any]:
    if endpoint := scope.get("endpoint"):
        return {"endpoint": endpoint.__name__, **ids_in_path(scope.get("path_params", {}))}
    return {"path": redacted_path(scope["path"])} if scope["path"].startswith("/api/") else {}


def redacted_path(path: str) -> str:
    """Return a path with everything but words and ids replaced."""
    parts = path[:LONGEST_PATH].split("/")
    return "/".join(part if _is_harmless(part) else REDACTED for part in parts)


def _is_harmless(part: str) -> bool:
    return not part or _WORD.fullmatch(part) is not None or _is_id(part)


def _is_id(text: str) -> bool:
    """Return whether a text is an id as answers write it: other services' tokens are plain hex."""
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def audit_event_of(request: Request) -> AuditEvent:
    """Return the audit event of a request. Of its path, only ids are stored."""
    caller: Principal = request.state.caller
    return AuditEvent(
        channel=caller.channel,
        action=request.scope["endpoint"].__name__,
        organization_id=caller.organization_id,
        user_id=caller.user_id,
        api_key_id=caller.key_id,
        request_id=request.state.request_id,
        ids=ids_in_path(request.path_params),
    )
