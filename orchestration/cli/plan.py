"""`tracker plan`: forecasts the requests and spend of the fetch schedule."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson
from warehouse.fetch_schedule.forecast import BANDS, LONGEST
from warehouse.fetch_schedule.freshness import WORDS
from warehouse.platforms import PLATFORMS
from warehouse.provider_settings import requests_per_day

if TYPE_CHECKING:
    from serving_api.resources.organization.fetch_forecasts import (
        FreshnessForecast,
        LookForecast,
        PlatformForecast,
    )


def plan(
    days: Annotated[int, typer.Option(min=1, max=LONGEST, help="Days to forecast.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Forecast the requests and spend of coming fetches, and how fresh the numbers will be.

    Sends no request and changes nothing. The schedule is advanced on a copy (a sample, if there
    are many posts). It assumes how posts grow, that accounts publish as often as recently, and
    that each request succeeds. Below the tables is what each freshness in use costs, and the
    expected error of a day, a paid week and a threshold.

    Examples: `tracker plan` or `tracker plan --days 30 --json`
    """
    # The API is not loaded for --help.
    from serving_api.resources.organization.fetch_forecasts import look_forecast  # noqa: PLC0415

    settings = settings_of_environment()
    providers_by_platform = {
        str(platform): settings.providers_of(platform) for platform in PLATFORMS
    }
    budgets = {str(platform): requests_per_day(settings, platform) for platform in PLATFORMS}
    with current_store(settings) as store:
        forecast = look_forecast(store, providers_by_platform, budgets, days)
    if as_json:
        print_json(forecast.model_dump(mode="json"))
    else:
        _show(forecast, days)


def _show(forecast: "LookForecast", days: int) -> None:
    requests = Table(title=f"Requests in {days} days, and per day", title_justify="left")
    for heading in ("platform", "provider", "profiles", "lists", "posts", "a day", "most", "spend"):
        requests.add_column(
            heading, justify="left" if heading in {"platform", "provider"} else "right"
        )
    for platform in forecast.platforms:
        requests.add_row(*_requests(platform))
    fresh = Table(
        title="Share of time in which a post's latest reading is at most this old",
        title_justify="left",
    )
    for heading in ("freshness", "posts", *(f"{hours} h" for hours in BANDS), "late"):
        fresh.add_column(heading, justify="left" if heading == "freshness" else "right")
    for bands in forecast.freshness:
        fresh.add_row(*_ages(bands))
    OUT.print(requests)
    OUT.print(fresh)
    for name in sorted({bands.freshness for bands in forecast.freshness}):
        OUT.print(f"{name}: {WORDS[name]}", soft_wrap=True)
    if forecast.is_sampled:
        OUT.print("Estimated from a sample of accounts and posts.")


def _requests(of: "PlatformForecast") -> tuple[str, ...]:
    routes = of.by_route
    most = max((day.requests for day in of.days), default=0)
    counts = (routes.profile, routes.posts, routes.post, of.requests_per_day, most)
    return (
        of.platform,
        of.provider,
        *(f"{count:,}" for count in counts),
        f"${of.spend_cents / 100:,.2f}",
    )


def _ages(of: "FreshnessForecast") -> tuple[str, ...]:
    shares = (
        "" if reading.percent is None else f"{reading.percent:.0f}%" for reading in of.readings
    )
    return (of.freshness, f"{of.post_count:,}", *shares, f"{of.late_post_count:,}")
