"""Looking ahead, for platform admins: what coming fetches take, in requests and money, and give."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from serving_api.auth.dependencies import ReadingPlatformAdmin
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.schemas import Platform
from warehouse.fetch_schedule.forecast import LONGEST, Ages, FetchesOfDay, Lists, forecast
from warehouse.fetch_schedule.freshness import Freshness
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.provider_budgets import requests_per_day

if TYPE_CHECKING:
    from scrapers.footprints import Footprint


class ForecastQuery(BaseModel):
    """For how long to look ahead."""

    days: int = Field(default=7, ge=1, le=LONGEST, description="Days from now")


class RequestsByRoute(BaseModel):
    """Requests by what they ask for."""

    profile: int = Field(description="Profiles of accounts")
    posts: int = Field(description="Pages of the lists of an account's posts")
    post: int = Field(description="Single posts, which no list shows or only far down")


class ForecastDay(BaseModel):
    """24 hours of it: day 1 begins now."""

    day: int
    requests: int
    spend_cents: int = Field(description="US cents, rounded up")


class PlatformForecast(BaseModel):
    """What will be asked of a platform.

    As if its first provider that reads every account answered all of it.
    """

    platform: Platform
    provider: str = Field(description="As the settings name it")
    requests: int = Field(description="In all days together")
    requests_per_day: int = Field(description="On average, rounded up")
    by_route: RequestsByRoute
    spend_cents: int = Field(
        description="US cents in all days, rounded up, by the provider's list price; 0 for those "
        "that cost nothing"
    )
    days: list[ForecastDay]


class ReadingsWithin(BaseModel):
    """How much of the time the newest reading is no older than so many hours."""

    hours: int
    percent: float | None = Field(description="0 to 100, over all posts; null without any")


class FreshnessForecast(BaseModel):
    """How fresh the posts of the organizations with one choice of freshness will be."""

    freshness: Freshness
    post_count: int
    late_post_count: int = Field(
        description="Those that go without a reading for longer than 28 hours"
    )
    readings: list[ReadingsWithin]


class LookForecast(BaseModel):
    """Requests, spend and freshness to expect, before anybody pays.

    The fetch schedule is gone through on a copy, by its own rule. Guessed is that posts grow by the
    logarithm of their age, that accounts publish as they did in as many days before, and that all
    that is asked is answered.
    """

    begins_at: datetime
    is_sampled: bool = Field(description="Whether figures are those of a part, multiplied")
    platforms: list[PlatformForecast]
    freshness: list[FreshnessForecast]


def look_forecast(
    store: OperationalStore,
    providers_by_platform: Mapping[str, Sequence[str]],
    budgets: Mapping[str, int | None],
    days: int,
) -> LookForecast:
    """Return a forecast of so many days, where these providers read each platform.

    A platform's budget is the most requests that a day may have.
    """
    # All providers: not for a process that is never asked to look ahead.
    from scrapers.footprints import footprint_of  # noqa: PLC0415

    footprints = {
        platform: footprint_of(platform, names) for platform, names in providers_by_platform.items()
    }
    outlook = forecast(
        store,
        days,
        {
            name: Lists(footprint.posts_a_page, footprint.most_pages)
            for name, footprint in footprints.items()
        },
        {name: most for name, most in budgets.items() if most is not None},
    )
    return LookForecast(
        begins_at=outlook.begins,
        is_sampled=outlook.sampled,
        platforms=[
            _platform(
                name,
                footprint,
                [fetches for fetches in outlook.fetches if fetches.platform == name],
                days,
            )
            for name, footprint in footprints.items()
        ],
        freshness=[_freshness(ages) for ages in outlook.ages],
    )


def _platform(
    name: str, footprint: "Footprint", fetches: Sequence[FetchesOfDay], days: int
) -> PlatformForecast:
    by_route = [_requests(footprint, day) for day in fetches]
    total = {
        route: sum(requests_of_day[route] for requests_of_day in by_route)
        for route in ("profile", "posts", "post")
    }
    requests = sum(total.values())
    return PlatformForecast(
        platform=name,
        provider=footprint.provider,
        requests=requests,
        requests_per_day=-(-requests // days),
        by_route=RequestsByRoute(**total),
        spend_cents=_cents(sum((_usd(footprint, day) for day in fetches), Decimal(0))),
        days=[
            ForecastDay(
                day=day.day,
                requests=sum(by_kind.values()),
                spend_cents=_cents(_usd(footprint, day)),
            )
            for day, by_kind in zip(fetches, by_route, strict=True)
        ],
    )


def _requests(footprint: "Footprint", fetches: FetchesOfDay) -> Mapping[str, int]:
    return footprint.requests(
        profiles=fetches.profiles, lists=fetches.lists, pages=fetches.pages, posts=fetches.posts
    )


def _usd(footprint: "Footprint", fetches: FetchesOfDay) -> Decimal:
    return footprint.price(profiles=fetches.profiles, pages=fetches.pages, posts=fetches.posts)


def _cents(usd: Decimal) -> int:
    return int((100 * usd).to_integral_value(ROUND_CEILING))


def _freshness(ages: Ages) -> FreshnessForecast:
    return FreshnessForecast(
        freshness=ages.freshness,
        post_count=ages.posts,
        late_post_count=ages.late,
        readings=[
            ReadingsWithin(hours=hours, percent=None if share is None else round(100 * share, 1))
            for hours, share in ages.within.items()
        ],
    )


router = keyed_router("platform admin")


@router.get("/admin/look-forecast")
def forecast_looks(
    *, context: ReadingPlatformAdmin, query: Annotated[ForecastQuery, Query()]
) -> Envelope[LookForecast]:
    """Forecast what coming fetches of platforms will ask for and cost, of all organizations.

    And how fresh their numbers will be. It is worked out anew for each request, which takes seconds
    where there are thousands of posts, the longer the more days; nothing is changed.
    """
    services = context.services
    providers_by_platform = {str(name): services.settings.providers_of(name) for name in PLATFORMS}
    budgets = {str(name): requests_per_day(services.settings, name) for name in PLATFORMS}
    return Envelope(data=look_forecast(services.store, providers_by_platform, budgets, query.days))
