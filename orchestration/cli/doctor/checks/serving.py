"""Checks serving: which server counts requests, and whether the API's port is free."""

import errno
from collections.abc import Iterator
from time import monotonic

import httpx
import psutil  # type: ignore[import-untyped]  # untyped
from redis import Redis
from redis.exceptions import RedisError

from orchestration.cli.doctor.finding import Finding, Installation, answered, bad, ok, warn
from orchestration.cli.ports import origin_of, why_not
from serving_api.rate_limit.lease import holder_of
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is


def check_serving(installation: Installation) -> Iterator[Finding]:
    """Report which server uses this database, and where requests are counted."""
    settings = installation.settings
    if not settings.api_rate_limits:
        way_out = "Remove TRACKER_API_RATE_LIMITS except for benchmarks."
        yield warn("serving", "rate limits are off", way_out)
        return
    if settings.redis_url:
        yield _redis(settings.redis_url.get_secret_value())
        return
    try:
        with store_as_it_is(settings) as store:
            if store is None:
                yield ok("serving", "no server uses this database")
                return
            with store.statements() as connection:
                holder = holder_of(connection)
    except OperationalStoreError:
        yield warn("serving", "not checked: PostgreSQL cannot be used", "See postgresql above.")
        return
    yield ok("serving", _describe_holder(holder))


def _redis(url: str) -> Finding:
    began = monotonic()
    try:
        with Redis.from_url(url, socket_connect_timeout=3, socket_timeout=3) as redis:
            redis.ping()
    except (RedisError, ValueError) as away:
        return bad(
            "redis",
            f"TRACKER_REDIS_URL does not answer: {away}",
            "Start it, or correct TRACKER_REDIS_URL. Until then each server counts requests alone.",
        )
    timing = answered(began)
    return ok("redis", f"{timing}: all servers share their request counts")


def _describe_holder(holder: str | None) -> str:
    if holder is None:
        return "no server uses this database"
    return f"{holder} serves and counts requests alone; a second server needs TRACKER_REDIS_URL"


PATIENCE_SECONDS = 2.0
STATUS = "status"
PARTS = ("postgresql", "publication")
"""Parts that `/readyz` reports, beside the publication's id."""


def check_port(installation: Installation) -> Iterator[Finding]:
    """Report whether the API's port is free, used by the API, or used by another program."""
    host, port = installation.host, installation.port
    error = why_not(host, port)
    if error is None:
        yield ok("port", f"{port} is free for the API")
    elif error.errno == errno.EADDRINUSE:
        yield _used_port(host, port)
    else:
        way_out = "Choose another --host or --port."
        yield bad("port", f"cannot listen on {host}:{port} ({error.strerror})", way_out)


def _used_port(host: str, port: int) -> Finding:
    owner = _owner(port)
    ready = _readiness(origin_of(host, port))
    if ready is None:
        message = f"{port} is in use by {owner}, which does not answer as the API"
        way_out = (
            "If it is the API and starts, run `tracker doctor` again in a minute."
            " Else stop it, or choose another --port."
        )
        return bad("port", message, way_out)
    if not ready:
        return ok("port", f"the API answers on {port} ({owner})")
    wrong = ", ".join(f"{part} {state}" for part, state in sorted(ready.items()))
    return warn(
        "port",
        f"the API on {port} ({owner}) is not ready: {wrong}",
        "See the findings on these parts.",
    )


def _owner(port: int) -> str:
    """Return the processes that listen on the port, as far as this user may see them."""
    try:
        listening = [
            connection.pid
            for connection in psutil.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
        ]
        known = [f"process {pid} ({psutil.Process(pid).name()})" for pid in listening if pid]
    except psutil.Error:
        known = []
    return ", ".join(known) or "another user's process"


def _readiness(origin: str) -> dict[str, str] | None:
    """Return the parts of our API that are not ready, or None if another program answers."""
    try:
        with httpx.Client(trust_env=False, verify=False, timeout=PATIENCE_SECONDS) as client:  # noqa: S501  plain HTTP to this machine
            health = client.get(f"{origin}/healthz").json()
            if not (isinstance(health, dict) and health.get(STATUS) == "ok"):
                return None
            parts = client.get(f"{origin}/readyz").json()
    except (httpx.HTTPError, ValueError):
        return None
    return {part: parts[part] for part in PARTS if parts.get(part) != "ok"}
