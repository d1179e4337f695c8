"""Checks requested pauses, late posts, and the day's requests."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from orchestration.resources.providers import base_url_of
from scrapers.transport.client import name_of_host
from warehouse.fetch_schedule.waiting import late_posts
from warehouse.operational.spending import Spent, spent_on
from warehouse.platforms import PLATFORMS
from warehouse.provider_settings import requests_per_day
from warehouse.scrape_jobs.open_jobs import unfinished_jobs
from warehouse.scrape_jobs.pauses import paused_hosts
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


def check_pauses(installation: Installation) -> Iterator[Finding]:
    """Report hosts that asked for a pause which has not ended, as soon as a worker was told so."""
    settings = installation.settings
    with installation.session() as session:
        paused = paused_hosts(session)
        for platform in PLATFORMS if paused else ():
            jobs = unfinished_jobs(session, platform)
            for name in settings.providers_of(platform):
                host = name_of_host(base_url_of(settings, platform, name))
                if until := paused.get(host):
                    yield warn(
                        "platforms",
                        f"{platform}: {host} asked for a pause until {until:%Y-%m-%d %H:%M:%S} UTC;"
                        f" open jobs: {jobs}",
                        "Fetches go on by themselves then. If this repeats, lower "
                        "TRACKER_SCRAPE_REQUESTS_PER_SECOND.",
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
