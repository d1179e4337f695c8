"""Checks connected accounts: whether creators can connect, and which connections are in trouble."""

from collections import Counter
from collections.abc import Iterator

from sqlalchemy.orm import Session

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from scrapers.consent.registry import logins_of
from scrapers.registry import CONNECTED
from warehouse.connections import rows
from warehouse.settings import Settings

SUBJECT = "connections"
STATES = ("healthy", "refused", "broken")
MOST = 5
"""Accounts in trouble that are named."""


def check_connections(installation: Installation) -> Iterator[Finding]:
    """Report connected accounts, and refused and broken ones, for each platform with an OAuth app.

    It sends no request to platforms: a wrong app shows when the first creator connects.
    """
    settings = installation.settings
    logins = logins_of(dict(settings))
    if not logins:
        return
    if not settings.base_url.startswith("https:"):
        yield warn(
            SUBJECT,
            f"platforms redirect creators to {settings.base_url}, but require https",
            "Set TRACKER_BASE_URL to your public https origin.",
        )
    with installation.session() as session:
        for platform in logins:
            yield from _of_platform(settings, session, platform)


def _of_platform(settings: Settings, session: Session, platform: str) -> Iterator[Finding]:
    counted = Counter(rows.connection_counts(session))
    troubled = rows.names_in_trouble(session, platform, MOST)
    healthy, refused, broken = (counted[platform, state] for state in STATES)
    message = (
        f"{platform}: {healthy} accounts connected, {refused} refused, {broken} need to reconnect"
    )
    if troubled:
        names = (
            f"@{handle} {'broken' if is_broken else 'refused'} since {since:%Y-%m-%d}"
            for handle, since, is_broken in troubled
        )
        more = ", …" if refused + broken > len(troubled) else ""
        yield warn(
            SUBJECT,
            f"{message} ({', '.join(names)}{more})",
            "Refused ones are tried again for a week. Send the creators of broken ones new links"
            " (POST /creators/{id}/connect-links). Program health lists the accounts.",
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
