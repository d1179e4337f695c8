"""How much of the API's allowance is spent, as every answer's headers tell. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from scrapers import payload
from scrapers.instagram_graph.settings import routes
from scrapers.outcomes import ScrapeError
from scrapers.payload import Json


def requested_pause(headers: Mapping[str, str]) -> float:
    """Return for how many seconds the API should be left alone; 0 while there is room.

    What cannot be read is passed over: the headers steer the pace and say nothing of the answer.
    """
    return _longest(headers, routes().usage.headers)


def pause_of_app(headers: Mapping[str, str]) -> float:
    """Return for how many seconds no account should be asked about."""
    usage = routes().usage
    return _longest(
        headers, [header for header in usage.headers if header not in usage.account_headers]
    )


def pause_of_account(headers: Mapping[str, str]) -> float:
    """Return for how many seconds nobody should ask with the token that was sent."""
    return _longest(headers, routes().usage.account_headers)


def _longest(headers: Mapping[str, str], names: Iterable[str]) -> float:
    texts = (headers.get(name) for name in names)
    return max((_pause(meter) for text in texts if text for meter in _meters(text)), default=0.0)


def _meters(text: str) -> Iterator[dict[str, Json]]:
    """Yield all objects: the app's meter stands alone, business ones in lists by account."""
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
