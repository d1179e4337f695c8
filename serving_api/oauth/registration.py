"""Client registration (RFC 7591). Anyone may register, so input is hostile and little is stored.

Clients get no secret: apps on users' machines cannot keep one, and PKCE binds a code to its
requester.
"""

from datetime import datetime
from typing import Any

from serving_api.oauth.forgetting import forget_programs
from serving_api.oauth.redirects import is_acceptable
from serving_api.oauth.refusals import Refusal
from warehouse.operational.models import OauthClient
from warehouse.operational.session import WriteSession

MOST_REDIRECTS = 10
LONGEST_NAME = 100

_GRANTS = ("authorization_code", "refresh_token")


def register(session: WriteSession, document: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Register a client and return its registration. Raises Refusal."""
    name, redirect_uris = _name(document), _redirect_uris(document)
    _require_known(document, "grant_types", _GRANTS)
    _require_known(document, "response_types", ("code",))
    forget_programs(session, now)
    client = OauthClient(name=name, redirect_uris=redirect_uris, created_at=now)
    session.add(client)
    session.flush()
    return {
        "client_id": str(client.id),
        "client_id_issued_at": int(now.timestamp()),
        "client_name": name,
        "redirect_uris": redirect_uris,
        "grant_types": _GRANTS,
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


def _name(document: dict[str, Any]) -> str:
    name = document.get("client_name") or "Unnamed app"
    if not isinstance(name, str) or not name.isprintable() or not name.strip():
        raise Refusal("invalid_client_metadata", "client_name: use printable characters")
    if len(name) > LONGEST_NAME:
        raise Refusal("invalid_client_metadata", f"client_name: at most {LONGEST_NAME} characters")
    return name.strip()


def _redirect_uris(document: dict[str, Any]) -> list[str]:
    uris = document.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST_REDIRECTS:
        raise Refusal(
            "invalid_redirect_uri", f"redirect_uris: send a list of 1 to {MOST_REDIRECTS} URIs"
        )
    for uri in uris:
        if not isinstance(uri, str) or not is_acceptable(uri):
            raise Refusal(
                "invalid_redirect_uri",
                "redirect_uris: use https, or http on 127.0.0.1, [::1] or localhost,"
                " without a fragment",
            )
    return uris


def _require_known(document: dict[str, Any], field: str, known: tuple[str, ...]) -> None:
    values = document.get(field, [known[0]])
    if not isinstance(values, list) or known[0] not in values:
        raise Refusal("invalid_client_metadata", f"{field}: must include {known[0]}")
