"""What the audit log says of a request: who wrote, through which door, what was asked.

How changes are noted and kept is `warehouse.operational.audit`'s.
"""

from uuid import UUID

from fastapi import Request

from serving_api.auth.principals import Principal
from warehouse.operational.audit import Deed


def deed_of(request: Request) -> Deed:
    """Return the deed of a request that is being answered. Of its path, only ids are kept."""
    caller: Principal | None = getattr(request.state, "caller", None)
    return Deed(
        channel=caller.channel if caller else "page",
        action=request.scope["endpoint"].__name__,
        organization_id=caller.organization_id if caller else None,
        user_id=caller.user_id if caller else None,
        api_key_id=caller.key_id if caller else None,
        request_id=request.state.request_id,
        ids=_ids_of(request),
    )


def _ids_of(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.path_params.items() if _is_id(value)}


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
