"""Authentication, authorization and rate limits of every endpoint with a key.

Defines their order. Nothing here reads the body.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from fastapi import Request
from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.auth.keys import KeyRow, authenticate, is_key, principal_of
from serving_api.errors import InvalidApiKey
from serving_api.kit.pagination import refuse_unknown_query
from serving_api.kit.principals import Principal
from serving_api.kit.services import services_of
from serving_api.oauth.bearer import principal_of_access_token
from serving_api.oauth.metadata import resource_of
from serving_api.rate_limit.allowances import Allowances
from warehouse.clock import system_clock
from warehouse.operational.api_keys import PREFIX as KEY_PREFIX
from warehouse.operational.audit import Channel

USE_NOTED_EVERY = timedelta(minutes=1)

NOTE_USE = "update api_keys set last_used_at = %(now)s where id = %(key_id)s"


def authenticate_request(request: Request, *, own_notes: bool) -> Principal:
    """Authenticate the caller and set `request.state.caller`.

    Checks the key, then rate limits and names of query parameters. Costs two statements, each in
    its own transaction, and a third once a minute. Raises Unauthorized, Forbidden,
    RateLimitExceeded, InvalidQuery.
    """
    now = system_clock()
    _require_credentials(request, _channel_of(request))
    with services_of(request).store.statements() as connection:
        known = _look_up(connection, request, _channel_of(request), now, own_notes=own_notes)
        caller = request.state.caller = known.caller
        if caller.channel != "mcp":  # the MCP message is already counted
            _count(request, connection, caller, now)
        if known.key:
            _note_use(connection, known.key, now)
    refuse_unknown_query(request)
    return caller


def authenticate_again(request: Request, *, own_notes: bool) -> Principal:
    """Authenticate a caller that was already counted, and set `request.state.caller`.

    Raises Unauthorized and Forbidden.
    """
    channel = _channel_of(request)
    with services_of(request).store.statements() as connection:
        known = _look_up(connection, request, channel, system_clock(), own_notes=own_notes)
    request.state.caller = known.caller
    return known.caller


def identify(request: Request) -> None:
    """Authenticate a caller by key or access token only; its inner requests do the rest.

    Raises Unauthorized and Forbidden.
    """
    _require_credentials(request, "mcp")
    with services_of(request).store.statements() as connection:
        known = _look_up(connection, request, "mcp", system_clock())
    request.state.caller = known.caller


def count(request: Request) -> None:
    """Count a request of an authenticated caller. Raises RateLimitExceeded."""
    services, caller = services_of(request), request.state.caller
    with services.store.statements() as connection:
        _count(request, connection, caller, system_clock())


def _count(
    request: Request, connection: Connection[TupleRow], caller: Principal, now: datetime
) -> None:
    """Count a request; `request.state.rate_limits` are headers of its response."""
    headers = request.state.rate_limits = {}
    services_of(request)[Allowances].consume_for_key(connection, caller, now, headers)


def _require_credentials(request: Request, channel: Channel) -> None:
    """Raise InvalidApiKey for malformed credentials, before any database access."""
    presented = _presented(request)
    if not presented or (channel == "api" and not is_key(presented)):
        raise InvalidApiKey


class _Known(NamedTuple):
    """The caller, and its key unless it used an access token."""

    caller: Principal
    key: KeyRow | None


def _look_up(
    connection: Connection[TupleRow],
    request: Request,
    channel: Channel,
    now: datetime,
    *,
    own_notes: bool = False,
) -> _Known:
    """Return the caller. Access tokens are valid for MCP only (RFC 8707: for their resource)."""
    presented = _presented(request)
    if channel == "mcp" and presented and not presented.startswith(KEY_PREFIX):
        resource = resource_of(request)
        caller = principal_of_access_token(
            connection, presented, resource=resource, now=now, own_notes=own_notes
        )
        return _Known(caller, None)
    key = authenticate(connection, presented, now=now, own_notes=own_notes)
    return _Known(principal_of(key, channel), key)


def _channel_of(request: Request) -> Channel:
    """Return the request's channel; internal requests set it in their scope."""
    channel: Channel = getattr(request.state, "channel", "api")
    return channel


def _presented(request: Request) -> str | None:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    return credentials if scheme.lower() == "bearer" else None


def _note_use(connection: Connection[TupleRow], key: KeyRow, now: datetime) -> None:
    last = key.last_used_at
    if last is None or last <= now - USE_NOTED_EVERY:
        connection.execute(NOTE_USE, {"key_id": key.id, "now": now})
