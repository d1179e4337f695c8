"""Half a year of posts that grow alike, and what was foreseen of a week (docs/rules/forecasts.md).

By the ends of its first days a post has 1,000 views, 1,000, 1,500, 2,000, 2,500, 3,000, 3,000 and
4,000, and no more after that: four times what it has on its first day. Posts are made on Sundays
from 28 September on, and forecasts look on from the end of a Sunday.

Who posted in the last fourteen days goes on as often, on any day alike: on each of the next seven a
fourteenth of a post comes for each of those. At their end the first of these is in its seventh day,
the last in its first: (3,000 + 3,000 + 2,500 + 2,000 + 1,500 + 1,000 + 1,000) / 14 = 1,000 views.

There are tests from the 28th day on: from Sunday 26 October.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from tests.factories.landing import post
from tests.scenarios.campaign import NEW_YORK, Campaign, Wait, at, computed
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.publication.current import CurrentPublication

BEGIN = datetime(2025, 9, 28, 9, tzinfo=NEW_YORK)
GROWN = (1_000, 1_000, 1_500, 2_000, 2_500, 3_000, 3_000, 4_000)
WEEK, DAY = timedelta(weeks=1), timedelta(days=1)

TESTS = """
    select
        cast(cut_day as varchar),
        expected,
        low,
        high,
        baseline,
        actual
    from marts.forecast_backtest
    where entity_id = ? and metric = 'views' and days = 7
"""
Line = tuple[int, int | None, int | None, int, int]
"""Of a test: views expected, the ends of the interval, the baseline, and what came."""


def every_other_sunday(campaign: Campaign) -> Iterator[Wait]:
    creator = with_history(campaign)
    read(campaign, 2 * WEEK, until=at(3, 9))
    yield computed(3, 9)
    # The Sundays from 26 October to 1 March, whose weeks are over, are 19; 20 say enough.
    # The post of 1 March gained 3,000 in its first week: the baseline.
    told = forecast(campaign, creator, "2026-03-15")
    assert shown(told) == ("too_few_tests", None, None, None, 3_000)
    assert told["accuracy"]["tests"] == 19

    read(campaign, 2 * WEEK, since=at(3, 9), until=at(3, 16))
    yield computed(3, 16)
    # On a Sunday with a post 3,000 are to come of it and 1,000 of another: 4,000. 3,000 come, for
    # there is none the next Sunday. As in the last week it would be 1,000, those of its first day.
    # On other Sundays 0 and 1,000 are to come, and 1,000 come; as in the last week 3,000 would.
    # Ten of each: errors of a third and of none, mean 1/6, against 2/3 and 2, mean 4/3.
    told = forecast(campaign, creator, "2026-03-22")
    assert did(told) == (20, 0.1667, 1.3333, None)
    # What came was 3/4 of what was expected ten times, and all of it ten times.
    assert shown(told) == (None, 4_000, 3_000, 4_000, 1_000)
    # 16 days ahead tests of 28 days speak, of which 17 have ended.
    assert shown(forecast(campaign, creator, "2026-03-31"))[0] == "too_few_tests"

    read(campaign, 2 * WEEK, since=at(3, 16), until=at(3, 23))
    yield computed(3, 23)
    # What was told on the 16th, and what came: the interval held it.
    assert tested(campaign, creator)["2026-03-15"] == (4_000, 3_000, 4_000, 1_000, 3_000)
    # (11 x 1/3) / 21 and (11 x 2/3 + 10 x 2) / 21.
    told = forecast(campaign, creator, "2026-03-29")
    assert did(told) == (21, 0.1746, 1.3016, 1.0)
    assert shown(told) == (None, 1_000, 750, 1_000, 3_000)

    # The post of the 29th has 1,600 views on its first day.
    seen(campaign, [(at(3, 29, 9), at(3, 29, 21), 1_600)])
    yield computed(4, 1)
    assert tested(campaign, creator)["2026-03-22"] == (1_000, 750, 1_000, 3_000, 1_600)
    # 600 of 1,600 and 1,400 of 1,600: (11 x 1/3 + 0.375) / 22 and (11 x 2/3 + 20 + 0.875) / 22.
    # One of two intervals held.
    assert did(forecast(campaign, creator, "2026-04-07")) == (22, 0.1837, 1.2822, 0.5)


def every_sunday(campaign: Campaign) -> Iterator[Wait]:
    creator = with_history(campaign)
    read(campaign, WEEK, until=at(3, 16))
    yield computed(3, 16)
    # 3,000 of this Sunday's post, and twice 1,000, as fourteen days brought two: 5,000. 3,000 and
    # the 1,000 of the next Sunday's come: 4,000, as in each week. On as before is never wrong.
    assert set(tested(campaign, creator).values()) == {(5_000, None, None, 4_000, 4_000)}
    told = forecast(campaign, creator, "2026-03-22")
    assert did(told) == (20, 0.25, 0.0, None)
    assert shown(told) == ("no_better_than_baseline", None, None, None, 4_000)


def with_history(campaign: Campaign) -> Any:
    """Track an account with the posts that it made before."""
    account = {"platform": "tiktok", "handle": campaign.handle}
    account["tracking_start_date"] = str(BEGIN.date())
    return campaign.tenant.creator(accounts=[account])


def read(
    campaign: Campaign, between: timedelta, *, since: datetime = BEGIN, until: datetime
) -> None:
    """Land what was read in a stretch of time, at nine in the evenings of first eight days."""
    readings: list[tuple[datetime, datetime, int]] = []
    posted_at = BEGIN
    while posted_at < until:
        days = (posted_at.replace(hour=21) + age * DAY for age in range(len(GROWN)))
        of_post = zip(days, GROWN, strict=True)
        readings += [(posted_at, day, views) for day, views in of_post if since <= day < until]
        posted_at += between
    seen(campaign, readings)


def seen(campaign: Campaign, readings: Sequence[tuple[datetime, datetime, int]]) -> None:
    """Land a batch of readings: when the post was made, when it was read, and its views."""
    posts = [
        post(
            f"{campaign.handle}-{posted_at.date()}",
            campaign.handle,
            captured_at=captured_at,
            posted_at=posted_at,
            view_count=views,
        )
        for posted_at, captured_at, views in readings
    ]
    LandingWriter(open_landing(campaign.tenant.api.settings)).land(posts=posts)


def forecast(campaign: Campaign, creator: Any, to: str) -> Any:
    params = {"entity": "creator", "entity_id": creator["id"], "to": to}
    return campaign.tenant.client.data("GET", "/analytics/forecast", params=params)


def shown(told: Any) -> tuple[Any, ...]:
    """Why nothing is shown, what is expected with its interval, and the baseline."""
    figures = ("views", "low_views", "high_views", "baseline_views")
    return told["hidden_because"], *(told[name] for name in figures)


def did(told: Any) -> tuple[Any, ...]:
    """How forecasts as far ahead did: tests, both errors, and how many intervals held."""
    return tuple(told["accuracy"][name] for name in ("tests", "mape", "baseline_mape", "coverage"))


def tested(campaign: Campaign, creator: Any) -> dict[str, Line]:
    """The tests of seven days of the mart, by the day of the forecast."""
    publications = campaign.tenant.api.settings.publications_path
    with closing(CurrentPublication(publications)) as current, current.cursor() as cursor:
        rows = cursor.execute(TESTS, [creator["id"]]).fetchall()
    return {row[0]: row[1:] for row in rows}
