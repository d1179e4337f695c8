"""Rate limit usage, from the headers of every response. Pure functions."""

from collections.abc import Iterable, Iterator, Mapping

from scrapers import payload
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import ScrapeError
from scrapers.payload import Json


def requested_pause(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause; 0 while requests are left.

    Unreadable headers are ignored: they only control the pace.
    """
    return _longest(headers, routes().usage.headers)


def pause_of_app(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause all accounts."""
    usage = routes().usage
    return _longest(
        headers, [header for header in usage.headers if header not in usage.account_headers]
    )


def pause_of_account(headers: Mapping[str, str]) -> float:
    """Return for how many seconds to pause the token of the request."""
    return _longest(headers, routes().usage.account_headers)


def _longest(headers: Mapping[str, str], names: Iterable[str]) -> float:
    texts = (headers.get(name) for name in names)
    return max((_pause(meter) for text in texts if text for meter in _meters(text)), default=0.0)


def _meters(text: str) -> Iterator[dict[str, Json]]:
    """Yield all usage objects: the app's is single, business ones are in lists by account."""
    try:
        tree = payload.parse_json(text)
    except ScrapeError:
        return
    yield from payload.mappings_in(tree)


def _pause(meter: dict[str, Json]) -> float:
    usage = routes().usage
    minutes = _number(meter.get(usage.minutes_to_wait))
    if minutes > 0:
        return minutes * 60
    spent = max(_number(meter.get(name)) for name in usage.percentages)
    return usage.pause_seconds if spent >= usage.pause_at_percent else 0.0


def _number(value: Json) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
