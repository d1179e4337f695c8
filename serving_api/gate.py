"""The gate of every endpoint with a key: who calls, how often, and whether it may.

What belongs here: the order in which that is decided. None of it looks at the body.
"""

from datetime import datetime, timedelta

from fastapi import Request
from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.auth.access import Access
from serving_api.auth.found_key import FoundKey
from serving_api.auth.keys import authenticate, principal_of
from serving_api.kit.filters import refuse_unknown_query
from serving_api.kit.sessions import store_of
from serving_api.rate_limit.allowances import allowances_of
from warehouse.clock import system_clock
from warehouse.operational.audit import Channel

USE_NOTED_EVERY = timedelta(minutes=1)

NOTE_USE = "update api_keys set last_used_at = %(now)s where id = %(key_id)s"


def admit(request: Request, access: Access) -> None:
    """Let the caller in, as `request.state.caller`.

    First the key, then its allowances, the names of query parameters, scope and role. Costs two
    statements, each a transaction of its own, and a third once a minute. Raises Unauthorized,
    Forbidden, RateLimitExceeded, InvalidQuery.
    """
    now = system_clock()
    with store_of(request).statements() as connection:
        found = authenticate(connection, _presented(request), now=now, own_notes=access.own_notes)
        caller = request.state.caller = principal_of(found, _channel_of(request))
        if caller.channel != "mcp":  # the message that became this request was counted
            allowances_of(request).take_for_key(connection, caller, now)
        _note_use(connection, found, now)
    refuse_unknown_query(request)
    access.judge(caller)


def identify(request: Request) -> None:
    """Let a caller in whose requests follow within: only the key is looked at.

    Raises Unauthorized and Forbidden.
    """
    with store_of(request).statements() as connection:
        found = authenticate(connection, _presented(request), now=system_clock())
    request.state.caller = principal_of(found, "mcp")


def count(request: Request) -> None:
    """Count a request of a caller who was identified. Raises RateLimitExceeded."""
    with store_of(request).statements() as connection:
        allowances_of(request).take_for_key(connection, request.state.caller, system_clock())


def _channel_of(request: Request) -> Channel:
    """Return the door by which a request came; one from within says so in its scope."""
    channel: Channel = getattr(request.state, "channel", "api")
    return channel


def _presented(request: Request) -> str | None:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    return credentials if scheme.lower() == "bearer" else None


def _note_use(connection: Connection[TupleRow], found: FoundKey, now: datetime) -> None:
    last = found.last_used_at
    if last is None or last <= now - USE_NOTED_EVERY:
        connection.execute(NOTE_USE, {"key_id": found.id, "now": now})
