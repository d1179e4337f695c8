"""Checks whether posts are fetched in time, the day's requests, and leases of silent workers."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from warehouse.fetch_schedule.holders import leased_by
from warehouse.fetch_schedule.waiting import late_posts
from warehouse.operational.clock import clock_of_database
from warehouse.operational.pipeline_signs import SILENT_AFTER, scraper_signs
from warehouse.operational.spending import Spent, spent_on
from warehouse.provider_settings import requests_per_day
from warehouse.settings import Settings

SUBJECT = "fetches"


def check_fetches(installation: Installation) -> Iterator[Finding]:
    """Report posts that were not fetched for 28 hours, and today's requests with their limit."""
    settings = installation.settings
    now = settings.clock()
    with installation.session() as session:
        late_counts, spent = late_posts(session, now), spent_on(session, now.date())
    for platform, posts, late in late_counts:
        yield _finding(settings, platform, posts, late, spent.get(platform, Spent()).requests)


def check_leases(installation: Installation) -> Iterator[Finding]:
    """Report fetches that are leased by workers without signs of life."""
    with installation.session() as session:
        now, leased = clock_of_database(session), leased_by(session)
        seen = scraper_signs(session)
    silent = {name for name, at in seen.items() if now - at > SILENT_AFTER}
    for worker in sorted(silent & leased.keys()):
        fetches, until = leased[worker]
        yield warn(
            SUBJECT,
            f"{fetches} are leased until {until:%H:%M} UTC by worker '{worker}', whose last sign of"
            f" life was at {seen[worker]:%H:%M:%S}",
            "Restart it there, which ends its leases; until then no worker makes these fetches.",
        )


def _finding(settings: Settings, platform: str, posts: int, late: int, spent: int) -> Finding:
    most = requests_per_day(settings, platform)
    of = "" if most is None else f" of {most}"
    message = f"{platform}: {late} of {posts} posts were not fetched for 28 hours"
    message += f"; {spent}{of} requests today (UTC)"
    if not late:
        return ok(SUBJECT, message)
    if most is None:
        return warn(
            SUBJECT, message, "Make sure a worker runs: `tracker up` or `tracker scrape --stay`."
        )
    name = f"TRACKER_{platform.upper()}_REQUESTS_PER_DAY"
    return warn(
        SUBJECT,
        message,
        f"Raise {name} (the guide of the fetch schedule says by how much), or start a worker.",
    )
