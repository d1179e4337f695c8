"""Authentication and authorization of every endpoint with a key, and its rate limit.

What belongs here: the order in which that is decided. None of it looks at the body.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from fastapi import Request
from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.auth.key_rows import KeyRow, KnownKeys
from serving_api.auth.keys import authenticate, is_key, principal_of
from serving_api.errors import InvalidApiKey
from serving_api.kit.filters import refuse_unknown_query
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
    """Return the caller, who is `request.state.caller` from now on.

    First the key, then its allowances and the names of query parameters. Costs two statements, each
    a transaction of its own, and a third once a minute. Raises Unauthorized, Forbidden,
    RateLimitExceeded, InvalidQuery.
    """
    now = system_clock()
    _require_credentials(request, _channel_of(request))
    with services_of(request).store.statements() as connection:
        known = _look_up(connection, request, _channel_of(request), now, own_notes=own_notes)
        caller = request.state.caller = known.caller
        if caller.channel != "mcp":  # the message that became this request was counted
            services_of(request)[Allowances].consume_for_key(connection, caller, now)
        if known.key:
            request.state.version = known.key.version
            _note_use(connection, known.key, now)
    refuse_unknown_query(request, services_of(request).known_queries)
    return caller


def identify(request: Request) -> None:
    """Let a caller in whose requests follow within: only the key or access token is looked at.

    Raises Unauthorized and Forbidden.
    """
    _require_credentials(request, "mcp")
    with services_of(request).store.statements() as connection:
        known = _look_up(connection, request, "mcp", system_clock())
    request.state.caller = known.caller


def count(request: Request) -> None:
    """Count a request of a caller who was identified. Raises RateLimitExceeded."""
    services, caller = services_of(request), request.state.caller
    with services.store.statements() as connection:
        services[Allowances].consume_for_key(connection, caller, system_clock())


def _require_credentials(request: Request, channel: Channel) -> None:
    """Refuse, before anything is asked of the database, what cannot be in it."""
    presented = _presented(request)
    if not presented or (channel == "api" and not is_key(presented)):
        raise InvalidApiKey


class _Known(NamedTuple):
    """Who calls, and the key, unless it was an access token."""

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
    """Return who calls. Access tokens are good for agents only (RFC 8707: another resource's)."""
    presented = _presented(request)
    if channel == "mcp" and presented and not presented.startswith(KEY_PREFIX):
        resource = resource_of(request)
        caller = principal_of_access_token(
            connection, presented, resource=resource, now=now, own_notes=own_notes
        )
        return _Known(caller, None)
    known = services_of(request)[KnownKeys]
    key = authenticate(connection, known, presented, now=now, own_notes=own_notes)
    return _Known(principal_of(key, channel), key)


def _channel_of(request: Request) -> Channel:
    """Return the door by which a request came; one from within says so in its scope."""
    channel: Channel = getattr(request.state, "channel", "api")
    return channel


def _presented(request: Request) -> str | None:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    return credentials if scheme.lower() == "bearer" else None


def _note_use(connection: Connection[TupleRow], key: KeyRow, now: datetime) -> None:
    last = key.last_used_at
    if last is None or last <= now - USE_NOTED_EVERY:
        connection.execute(NOTE_USE, {"key_id": key.id, "now": now})
        key.last_used_at = now
