"""Rate limits (contract, Limits) and the 429 error."""

from collections.abc import Callable, MutableMapping
from datetime import datetime
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.errors import RateLimitExceeded
from serving_api.kit.days import seconds_to_midnight, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.services import services_of
from serving_api.rate_limit.windows import WINDOW_SECONDS, MemoryWindows, RedisWindows, Windows
from warehouse.settings import Settings

# One statement per request, whatever the number of processes, and restarts change nothing. It does
# not wait for the disk (see `OperationalStore.statements`): a power cut loses the last half second
# of counts.

CONSUME = """
    insert into api_request_days (organization_id, day, requests)
    values (%(organization_id)s, %(day)s, 1)
    on conflict (organization_id, day) do update
    set requests = api_request_days.requests + 1
    where api_request_days.requests < %(maximum)s
    returning requests
"""
"""Returns no row once the maximum is reached."""


def consume_day(
    connection: Connection[TupleRow],
    organization_id: UUID,
    *,
    zone: str,
    maximum: int,
    now: datetime,
) -> int | None:
    """Count a request in today's limit; return how many are left, or None if there were none.

    `now` is the real clock.
    """
    day = {"organization_id": organization_id, "day": today_in(zone, now), "maximum": maximum}
    row = connection.execute(CONSUME, day).fetchone()
    return maximum - int(row[0]) if row else None


REQUESTS_PER_MINUTE = 60
DAY_SECONDS = 86_400
BY_KEY = "apiKey"
BY_DAY = "organizationDay"
CHANGELOG = "publicChangelog"
REFUSALS = "keylessRefusals"
REFUSALS_PER_MINUTE = 600
"""The contract limits none of them: several old clients may share an address."""


class Allowances:
    """Rate limits by key, organization and address; none if they are disabled."""

    def __init__(self, windows: Windows, *, enforced: bool = True) -> None:
        self._windows = windows
        self._enforced = enforced

    def consume_for_key(
        self,
        connection: Connection[TupleRow],
        caller: Principal,
        now: datetime,
        headers: MutableMapping[str, str],
    ) -> None:
        """Count a request of a key, per minute and in its organization's day.

        A request over the minute's limit does not count in the day. Sets the headers that say what
        is left (draft-ietf-httpapi-ratelimit-headers-10). Raises RateLimitExceeded.
        """
        if not self._enforced:
            return
        key, zone = str(caller.credential_id), caller.analytics_tz
        minute, maximum = REQUESTS_PER_MINUTE, caller.plan.max_api_requests_per_day
        headers["RateLimit-Policy"] = (
            f'"{BY_KEY}";q={minute};w={WINDOW_SECONDS}, "{BY_DAY}";q={maximum};w={DAY_SECONDS}'
        )
        wait = self._windows.consume(BY_KEY, key, minute)
        left, seconds = self._windows.left(BY_KEY, key, minute)
        headers["RateLimit"] = f'"{BY_KEY}";r={left};t={seconds}'
        if wait:
            raise RateLimitExceeded(BY_KEY, retry_after=wait)
        today = consume_day(connection, caller.organization_id, zone=zone, maximum=maximum, now=now)
        midnight = seconds_to_midnight(zone, now)
        headers["RateLimit"] += f', "{BY_DAY}";r={today or 0};t={midnight}'
        if today is None:
            raise RateLimitExceeded(BY_DAY, retry_after=midnight)

    def consume_for_network(self, bucket: str, network: str, a_minute: int) -> None:
        """Count a request without a key. Raises RateLimitExceeded."""
        if self._enforced:
            self._consume(bucket, network, a_minute)

    def _consume(self, bucket: str, identity: str, a_minute: int) -> None:
        if wait := self._windows.consume(bucket, identity, a_minute):
            raise RateLimitExceeded(bucket, retry_after=wait)


def allowances_for(settings: Settings) -> Allowances:
    """Return a process's rate limits, shared through Redis if configured."""
    url = settings.redis_url
    windows = RedisWindows(url.get_secret_value()) if url else MemoryWindows()
    return Allowances(windows, enforced=settings.api_rate_limits)


def network_of(address: str) -> str:
    """Return the network of an address: an IPv6 user owns a /64, so that counts as one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or IPv6Network((parsed, 64), strict=False))


def network_behind(request: Request) -> str:
    return network_of(request.client.host if request.client else "")


def consume_by_address(request: Request, bucket: str, a_minute: int = REQUESTS_PER_MINUTE) -> None:
    """Count a request in its address's limit per minute. Raises RateLimitExceeded."""
    services_of(request)[Allowances].consume_for_network(bucket, network_behind(request), a_minute)


def consume_refusal(request: Request) -> None:
    """Count a refusal before authentication. Raises RateLimitExceeded."""
    consume_by_address(request, REFUSALS, REFUSALS_PER_MINUTE)


def allowance_by_address(
    bucket: str, a_minute: int = REQUESTS_PER_MINUTE
) -> Callable[[Request], None]:
    """Return a dependency that counts requests by address and raises RateLimitExceeded."""

    def consume(request: Request) -> None:
        consume_by_address(request, bucket, a_minute)

    return consume


ChangelogAllowance = Annotated[None, Depends(allowance_by_address(CHANGELOG))]
"""For endpoints without a key: 60 requests a minute per address."""
