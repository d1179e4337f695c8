"""Checks connected accounts: whether creators can connect, and which connections broke."""

from collections import Counter
from collections.abc import Iterator

from sqlalchemy.exc import ProgrammingError

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from scrapers.consent.registry import logins_of
from scrapers.registry import CONNECTED
from warehouse.connections import rows
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is
from warehouse.settings import Settings

SUBJECT = "connections"


def check_connections(installation: Installation) -> Iterator[Finding]:
    """Report connected accounts and broken connections for each platform with an OAuth app.

    It sends no request to platforms: a wrong app shows when the first creator connects.
    """
    settings = installation.settings
    logins = logins_of(dict(settings))
    if not logins:
        return
    counted = _counted(settings)
    for platform in logins:
        yield from _of_platform(settings, platform, counted)
    if not settings.base_url.startswith("https:"):
        yield warn(
            SUBJECT,
            f"platforms redirect creators to {settings.base_url}, but require https",
            "Set TRACKER_BASE_URL to your public https origin.",
        )


def _of_platform(
    settings: Settings, platform: str, counted: Counter[tuple[str, bool]]
) -> Iterator[Finding]:
    healthy, broken = counted[platform, False], counted[platform, True]
    message = f"{platform}: {healthy} accounts connected, {broken} need to reconnect"
    if broken:
        yield warn(
            SUBJECT,
            message,
            "Send their creators new links (POST /creators/{id}/connect-links). Program health"
            " lists the accounts.",
        )
    else:
        yield ok(SUBJECT, message)
    [name] = [provider.name for provider in CONNECTED.values() if provider.platform == platform]
    if name not in settings.providers_of(platform):
        yield warn(
            SUBJECT,
            f"{platform}: connections are not used to fetch connected accounts",
            f"Put {name} first in TRACKER_{platform.upper()}_PROVIDERS.",
        )


def _counted(settings: Settings) -> Counter[tuple[str, bool]]:
    """Return the number of connections by platform and by whether they broke."""
    try:
        with store_as_it_is(settings) as store:
            if store is None:
                return Counter()
            with store.read_session() as session:
                return Counter(rows.connection_counts(session))
    except (OperationalStoreError, ProgrammingError):
        return Counter()  # check_postgresql and check_schema report it
