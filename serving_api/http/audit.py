"""Audit events of requests. Storing changes is in `warehouse.operational.audit`."""

from fastapi import Request

from serving_api.http.log_fields import ids_in_path
from serving_api.kit.principals import Principal
from warehouse.operational.audit import AuditEvent


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
