"""Usage headers decide when and for how long to pause."""

import json
from typing import Any

import pytest

from scrapers.instagram_graph.client import requested_pause

USUAL = 300.0
APP = {"call_count": 28, "total_cputime": 25, "total_time": 25}
BUSINESS = {**APP, "type": "instagram", "estimated_time_to_regain_access": 0}


def of_app(**changes: Any) -> dict[str, str]:
    return {"x-app-usage": json.dumps(APP | changes)}


def of_business(*accounts: dict[str, Any]) -> dict[str, str]:
    meters = {
        str(17841400000000000 + n): [BUSINESS | account] for n, account in enumerate(accounts)
    }
    return {"x-business-use-case-usage": json.dumps(meters)}


def test_with_room_left_there_is_no_pause() -> None:
    assert requested_pause({}) == 0
    assert requested_pause(of_app() | of_business({})) == 0
    assert requested_pause(of_app(call_count=94)) == 0


@pytest.mark.parametrize("meter", ["call_count", "total_cputime", "total_time"])
def test_near_the_limit_of_any_meter_it_pauses(meter: str) -> None:
    assert requested_pause(of_app(**{meter: 95})) == USUAL
    assert requested_pause(of_business({}, {meter: 100})) == USUAL


def test_the_apis_own_duration_counts() -> None:
    spent = of_business({"call_count": 100, "estimated_time_to_regain_access": 19})
    assert requested_pause(spent) == 19 * 60


def test_the_longest_pause_counts() -> None:
    spent = of_business({"estimated_time_to_regain_access": 10})
    assert requested_pause(of_app(call_count=99) | spent) == 600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "95",
        "{",
        "[" * 100_000,
        '{"call_count": "95"}',
        '{"call_count": true}',
        '{"call_count": NaN}',
        '{"call_count": null}',
    ],
)
def test_unreadable_headers_request_no_pause(text: str) -> None:
    assert requested_pause({"x-app-usage": text, "x-business-use-case-usage": text}) == 0
