"""Checks whether posts are fetched in time, and the day's requests."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, ok, warn
from warehouse.fetch_schedule.waiting import late_posts
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
