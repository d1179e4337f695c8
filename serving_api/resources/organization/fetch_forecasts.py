"""Forecast for platform admins: requests, cost and freshness of coming fetches."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import ReadingPlatformAdmin
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.kit.schemas import Params, Platform
from warehouse.fetch_schedule.forecast import LONGEST, Ages, FetchesOfDay, Lists, forecast
from warehouse.fetch_schedule.freshness import Freshness
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.provider_settings import requests_per_day

if TYPE_CHECKING:
    from scrapers.footprints import Footprint


class ForecastQuery(BaseModel):
    """The horizon of a forecast."""

    days: int = Field(default=7, ge=1, le=LONGEST, description="Days from now")


class RequestsByRoute(BaseModel):
    """Requests by route."""

    profile: int = Field(description="Profiles of accounts")
    posts: int = Field(description="Pages of an account's list of posts")
    post: int = Field(description="Single posts that no list shows, or only far down")


class ForecastDay(BaseModel):
    """24 hours of the forecast; day 1 begins now."""

    day: int
    requests: int
    spend_cents: int = Field(description="US cents, rounded up")


class PlatformForecast(BaseModel):
    """Expected requests to a platform.

    Assumes that its first provider that can read every account answers all of them.
    """

    platform: Platform
    provider: str = Field(description="Name of the provider in the settings")
    requests: int = Field(description="Total of all days")
    requests_per_day: int = Field(description="On average, rounded up")
    by_route: RequestsByRoute
    spend_cents: int = Field(
        description="Total US cents, rounded up, at the provider's list price. 0 for free providers"
    )
    days: list[ForecastDay]


class ReadingsWithin(BaseModel):
    """The share of time during which the newest reading is at most this many hours old."""

    hours: int
    percent: float | None = Field(description="0 to 100, over all posts. Null without posts")


class FreshnessForecast(BaseModel):
    """Expected freshness of posts, by the organizations' freshness setting."""

    freshness: Freshness
    post_count: int
    late_post_count: int = Field(description="Posts without a reading for longer than 28 hours")
    readings: list[ReadingsWithin]


class LookForecast(BaseModel):
    """Expected requests, spend and freshness, before anything is paid.

    Simulates the fetch schedule on a copy, by its own rules. Assumes that views grow with the
    logarithm of a post's age, that accounts publish as in as many days before, and that all
    requests succeed.
    """

    begins_at: datetime
    is_sampled: bool = Field(description="Whether figures are extrapolated from a sample")
    platforms: list[PlatformForecast]
    freshness: list[FreshnessForecast]


def look_forecast(
    store: OperationalStore,
    providers_by_platform: Mapping[str, Sequence[str]],
    budgets: Mapping[str, int | None],
    days: int,
) -> LookForecast:
    """Return a forecast of `days` days with these providers by platform.

    `budgets` limits a platform's requests of a day.
    """
    # Imported here, because it loads all providers, which most processes never need.
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
    *, context: ReadingPlatformAdmin, query: Params[ForecastQuery]
) -> Envelope[LookForecast]:
    """Forecast the requests, cost and freshness of coming fetches for all organizations.

    It is computed for each request, which takes seconds with thousands of posts, longer with more
    days. Nothing is changed.
    """
    services = context.services
    providers_by_platform = {str(name): services.settings.providers_of(name) for name in PLATFORMS}
    budgets = {str(name): requests_per_day(services.settings, name) for name in PLATFORMS}
    return Envelope(data=look_forecast(services.store, providers_by_platform, budgets, query.days))
