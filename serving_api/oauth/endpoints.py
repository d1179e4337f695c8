"""OAuth endpoints for apps: metadata, registration, tokens and revocation."""

import json
from collections.abc import Callable, Mapping
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
from serving_api.oauth.authorization_request import find_client, require_resource
from serving_api.oauth.refusals import ProtocolRoute, Refusal, required
from serving_api.oauth.registration import register
from serving_api.page_forms import MAX_BYTES, MAX_FIELDS, MEDIA_TYPE
from serving_api.rate_limit.allowances import allowance_by_address
from warehouse.clock import system_clock
from warehouse.operational.session import WriteSession

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
    """Return the authorization server metadata."""
    return JSONResponse(metadata.authorization_server(request))


@router.post(metadata.REGISTER, dependencies=[registrations])
def register_program(request: Request, document: Document) -> Response:
    """Register a client."""
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
