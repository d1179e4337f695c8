"""Metadata documents: protected resource (RFC 9728) and authorization server (RFC 8414)."""

from typing import Any

from fastapi import Request

from serving_api.kit.services import services_of

RESOURCE_PATH = "/api/mcp"
MEANINGS = {
    "read": "Read the organization's data",
    "write": (
        "Add, change and remove data; if you are an admin, also change pay rules,"
        " approve amounts and record payments"
    ),
    "admin": (
        "Manage members, API keys, webhooks, projects and the organization,"
        " delete permanently, and read PINs"
    ),
}
"""What each scope allows an app, as the endpoints require them (tests/serving_api/oauth)."""
PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"
AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"
AUTHORIZE = "/oauth/authorize"
DESK_AUTHORIZE = "/desk/authorize"
"""The same where browsers send the desk's cookie."""
TOKEN = "/oauth/token"  # noqa: S105 - a path
REGISTER = "/oauth/register"
REVOKE = "/oauth/revoke"

SCOPES = tuple(MEANINGS)


def issuer_of(request: Request) -> str:
    """Return the issuer: the public origin."""
    return services_of(request).settings.base_url


def resource_of(request: Request) -> str:
    """Return the only resource that tokens are issued for."""
    return issuer_of(request) + RESOURCE_PATH


def challenge_of(request: Request) -> str:
    """Return the WWW-Authenticate header of a 401 (RFC 9728 section 5.1)."""
    url = f"{issuer_of(request)}{PROTECTED_RESOURCE}{RESOURCE_PATH}"
    return f'Bearer resource_metadata="{url}"'


def protected_resource(request: Request) -> dict[str, Any]:
    return {
        "resource": resource_of(request),
        "resource_name": "Creator Tracking Service",
        "authorization_servers": [issuer_of(request)],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
    }


def authorization_server(request: Request) -> dict[str, Any]:
    issuer = issuer_of(request)
    return {
        "issuer": issuer,
        "authorization_endpoint": issuer + DESK_AUTHORIZE,
        "token_endpoint": issuer + TOKEN,
        "registration_endpoint": issuer + REGISTER,
        "revocation_endpoint": issuer + REVOKE,
        "scopes_supported": SCOPES,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }
