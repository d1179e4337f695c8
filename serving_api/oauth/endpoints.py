"""OAuth endpoints for apps: metadata, registration (RFC 7591), tokens and revocation.

Anyone may register, so input is hostile and little is stored. Clients get no secret: apps on users'
machines cannot keep one, and PKCE binds a code to its requester.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from sqlalchemy.orm import Session

from serving_api.errors import PayloadTooLarge
from serving_api.http.bodies import read_at_most
from serving_api.kit.services import services_of
from serving_api.oauth import grants, metadata
from serving_api.oauth.authorization_request import find_client, is_acceptable, require_resource
from serving_api.oauth.forgetting import forget_programs
from serving_api.oauth.refusals import ProtocolRoute, Refusal, required
from serving_api.page_forms import MAX_BYTES, MAX_FIELDS, MEDIA_TYPE
from serving_api.rate_limit.allowances import allowance_by_address
from warehouse.clock import system_clock
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


REGISTRATIONS_A_MINUTE = 10
CREATED = 201

WAYS: Mapping[str, Callable[[WriteSession, grants.Presented], grants.Issued | Refusal]] = {
    "authorization_code": grants.exchange,
    "refresh_token": grants.refresh,
}
"""Token grants by `grant_type`."""

router = APIRouter(route_class=ProtocolRoute, include_in_schema=False)

documents = Depends(allowance_by_address("oauthDocuments"))
registrations = Depends(allowance_by_address("oauthRegistrations", REGISTRATIONS_A_MINUTE))
token_requests = Depends(allowance_by_address("oauthTokens"))


async def sent_form(request: Request) -> dict[str, str]:
    """Return the non-empty fields of a form body. Raises Refusal and PayloadTooLarge."""
    body = await read_at_most(MAX_BYTES, request, PayloadTooLarge.than(MAX_BYTES))
    if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise Refusal("invalid_request", f"Send {MEDIA_TYPE}")
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise Refusal("invalid_request", "The form cannot be parsed") from None
    if len(fields) != len(dict(fields)):
        raise Refusal("invalid_request", "A parameter is repeated")
    return {name: value for name, value in fields if value}


async def sent_document(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body. Raises Refusal and PayloadTooLarge."""
    body = await read_at_most(MAX_BYTES, request, PayloadTooLarge.than(MAX_BYTES))
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise Refusal("invalid_client_metadata", "Send a JSON object")
    return document


Form = Annotated[dict[str, str], Depends(sent_form)]
Document = Annotated[dict[str, Any], Depends(sent_document)]


@router.get(metadata.PROTECTED_RESOURCE, dependencies=[documents])
@router.get(metadata.PROTECTED_RESOURCE + metadata.RESOURCE_PATH, dependencies=[documents])
def get_protected_resource(request: Request) -> Response:
    """Return the protected resource metadata of `/api/mcp`."""
    return JSONResponse(metadata.protected_resource(request))


@router.get(metadata.AUTHORIZATION_SERVER, dependencies=[documents])
def get_authorization_server(request: Request) -> Response:
    return JSONResponse(metadata.authorization_server(request))


@router.post(metadata.REGISTER, dependencies=[registrations])
def register_program(request: Request, document: Document) -> Response:
    with services_of(request).store.write_session() as session:
        return JSONResponse(register(session, document, system_clock()), CREATED)


@router.post(metadata.TOKEN, dependencies=[token_requests])
def give_tokens(request: Request, form: Form) -> Response:
    """Issue tokens for a code or a refresh token."""
    way = WAYS.get(required(form, "grant_type"))
    if way is None:
        raise Refusal("unsupported_grant_type", f"grant_type: one of {', '.join(WAYS)}")
    resource = metadata.resource_of(request)
    require_resource(form, resource)
    with services_of(request).store.write_session() as session:
        client_id = _client_id(session, form)
        outcome = way(session, grants.Presented(client_id, resource, form, system_clock()))
    if isinstance(outcome, Refusal):
        raise outcome
    return JSONResponse(outcome)


@router.post(metadata.REVOKE, dependencies=[token_requests])
def revoke_token(request: Request, form: Form) -> Response:
    """Revoke a token and all tokens of its grant."""
    with services_of(request).store.write_session() as session:
        client_id = _client_id(session, form)
        grants.revoke(session, client_id, required(form, "token"), system_clock())
    return Response()


def _client_id(session: Session, form: dict[str, str]) -> UUID:
    client = find_client(session, form.get("client_id", ""))
    if client is None:
        raise Refusal("invalid_client", "client_id: unknown client. Register again")
    return client.id
