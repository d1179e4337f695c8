"""Which server counts the requests of a minute, where Redis does not do it for all."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from serving_api.rate_limit.lease import holder_of
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is


def check_serving(installation: Installation) -> Iterator[Finding]:
    """Find who serves from this database, and with whom a second server would count."""
    settings = installation.settings
    if not settings.api_rate_limits:
        way_out = "Leave TRACKER_API_RATE_LIMITS out for anything but benchmarks."
        yield warn("serving", "nobody counts requests: all limits are lifted", way_out)
        return
    if settings.redis_url:
        yield ok("serving", "any number of servers count requests together in Redis")
        return
    try:
        with store_as_it_is(settings) as store:
            if store is None:
                yield ok("serving", "no server is at work on this database")
                return
            with store.statements() as connection:
                holder = holder_of(connection)
    except OperationalStoreError:
        yield warn("serving", "not checked: PostgreSQL cannot be used", "See postgresql above.")
        return
    yield ok("serving", _told(holder))


def _told(holder: str | None) -> str:
    if holder is None:
        return "no server is at work on this database"
    return f"{holder} serves and counts requests alone; a second server needs TRACKER_REDIS_URL"
