"""Five weeks of posts that grow alike, and what was foreseen of a week (docs/rules/forecasts.md).

By the ends of its first days a post has 1,000 views, 1,000, 1,500, 2,000, 2,500, 3,000, 3,000 and
4,000, and no more after that: four times what it has on its first day. Posts are made on Tuesdays
from 10 February on, and forecasts look on from the end of each day.

Who posted in the last fourteen days goes on as often, on any day alike: on each of the next seven a
fourteenth of a post comes for each of those. At their end the first of these is in its seventh day,
the last in its first: (3,000 + 3,000 + 2,500 + 2,000 + 1,500 + 1,000 + 1,000) / 14 = 1,000 views.

There are tests from the seventh day on: from Monday 16 February.
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

BEGIN = datetime(2026, 2, 10, 9, tzinfo=NEW_YORK)
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


def every_other_tuesday(campaign: Campaign) -> Iterator[Wait]:
    creator = with_history(campaign)
    read(campaign, 2 * WEEK, until=at(3, 9))
    yield computed(3, 9)
    # Of the cuts from 16 February to 1 March the weeks are over: 14; 15 say enough. From 2 to 8
    # March the post of 24 February grew from 3,000 to 4,000: the baseline.
    outlook = forecast(campaign, creator, "2026-03-15")
    assert shown(outlook) == ("too_few_tests", None, None, None, 1_000)
    assert outlook["accuracy"]["tests"] == 14

    read(campaign, 2 * WEEK, since=at(3, 9), until=at(3, 16))
    yield computed(3, 16)
    # By days since the last post, from none to thirteen,
    #   expected  4000 4000 3500 3000 2500 2000 2000 1000 1000 1000 1000 1000 1000 1000
    #   come      3000 3000 2500 2000 1500 1000 1000 1000 1000 1500 2000 2500 3000 3000
    #   baseline  1000 1000 1500 2000 2500 3000 3000 3000 3000 2500 2000 1500 1000 1000
    # In the first week of cuts one post in seven to thirteen days was known, so that 14,000 / 7 to
    # 14,000 / 13 were expected of posts to come. The mean error of 21 is 52%, that of the baseline
    # (2 + 6.4 + 6.4 + 5 11/15) / 21.
    outlook = forecast(campaign, creator, "2026-03-22")
    assert did(outlook) == (21, 0.5195, 0.9778, None)
    # A tenth came to half of what was expected at most, half to all of it, nine tenths to 2.785515
    # times (3,000 for 1,077). From 16 February to 15 March are 27 days, three weeks apart: 3 / (2 x
    # 2) farther from the middle, 1 - 0.5 x 1.75 and 1 + 1.785515 x 1.75.
    assert shown(outlook) == (None, 2_000, 250, 8_249, 3_000)
    # 16 days ahead tests of 28 days speak, of which none has ended.
    assert shown(forecast(campaign, creator, "2026-03-31"))[0] == "too_few_tests"

    read(campaign, 2 * WEEK, since=at(3, 16), until=at(3, 23))
    yield computed(3, 23)
    # What was told of the 9th by 15 tests, and what came: the interval held that.
    assert tested(campaign, creator)["2026-03-09"] == (1_000, 339, 4_338, 1_000, 3_000)
    outlook = forecast(campaign, creator, "2026-03-29")
    assert did(outlook) == (28, 0.5289, 0.9143, 1.0)
    # 0.5, 0.75 and 3, and four weeks apart: 3 / (2 x 3) farther from the middle.
    assert shown(outlook) == (None, 1_000, 375, 4_125, 1_000)

    # Nothing is posted on the 24th.
    yield computed(4, 1)
    assert tested(campaign, creator)["2026-03-17"][-1] == 0
    # Of the cuts from 17 to 23 March nothing came, of which no share can be told; six days after a
    # post 1,000 for 2,000. Of 16 intervals those seven did not hold.
    assert did(forecast(campaign, creator, "2026-04-07")) == (29, 0.5452, 0.9517, 0.5625)


def every_tuesday(campaign: Campaign) -> Iterator[Wait]:
    creator = with_history(campaign)
    read(campaign, WEEK, until=at(3, 16))
    yield computed(3, 16)
    # 3,000 of this Tuesday's post, and twice 1,000, as fourteen days brought two: 5,000. 3,000 and
    # the 1,000 of the next Tuesday's come: 4,000, as in each week. On 17 February two in eight days
    # said 2 x 14,000 / 8. On as before was wrong but once, on the 16th, by a quarter.
    tests_by_day = tested(campaign, creator)
    assert tests_by_day["2026-02-24"] == (5_000, None, None, 4_000, 4_000)
    assert tests_by_day["2026-02-17"] == (6_500, None, None, 4_000, 4_000)
    assert tests_by_day["2026-02-16"] == (2_000, None, None, 3_000, 4_000)
    outlook = forecast(campaign, creator, "2026-03-22")
    assert did(outlook) == (21, 0.2318, 0.0119, None)
    assert shown(outlook) == ("no_better_than_baseline", None, None, None, 4_000)


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


def shown(outlook: Any) -> tuple[Any, ...]:
    """Why nothing is shown, what is expected with its interval, and the baseline."""
    figures = ("views", "low_views", "high_views", "baseline_views")
    return outlook["hidden_because"], *(outlook[name] for name in figures)


def did(outlook: Any) -> tuple[Any, ...]:
    """How forecasts as far ahead did: tests, both errors, and how many intervals held."""
    return tuple(
        outlook["accuracy"][name] for name in ("tests", "mape", "baseline_mape", "coverage")
    )


def tested(campaign: Campaign, creator: Any) -> dict[str, Line]:
    """The tests of seven days of the mart, by the day of the forecast."""
    publications = campaign.tenant.api.settings.publications_path
    with closing(CurrentPublication(publications)) as current, current.cursor() as cursor:
        rows = cursor.execute(TESTS, [creator["id"]]).fetchall()
    return {row[0]: row[1:] for row in rows}
