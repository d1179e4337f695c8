"""Insights that Meta refuses: for a post without insights, one metric, or a retired metric."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from scrapers.outcomes import Outcome
from scrapers.snapshots import PostTarget
from tests.scrapers.connected.test_allowances import QUIET, SUBJECTS, login_provider

pytestmark = pytest.mark.usefixtures("without_backoff")

POST = PostTarget(platform="instagram", platform_video_id="3981064899117325116", handle=QUIET)
MEDIA = {
    "id": "18000000000000001",
    "media_type": "IMAGE",
    "media_product_type": "FEED",
    "permalink": "https://www.instagram.com/p/Dc_lW7jqhs8/",
    "timestamp": "2026-09-07T16:53:20+0000",
    "comments_count": 17,
    "username": QUIET,
}
BEFORE_CONVERSION = "Invalid parameter"
NOT_OF_THIS_KIND = (
    "(#100) The Media Insights API does not support the {} metric for this media product type."
)
RETIRED = "(#100) metric[{}] must be one of the following values: reach, saved, total_interactions"


class Api:
    """Refuses insights for each metric in `refused`."""

    def __init__(self, refused: dict[str, str]) -> None:
        self.refused = refused
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/me"):
            profile = {"user_id": SUBJECTS[QUIET], "username": QUIET, "followers_count": 7}
            return httpx.Response(200, json=profile)
        if request.url.path.endswith("/media"):
            return httpx.Response(200, json={"data": [MEDIA]})
        metrics = request.url.params["metric"]
        self.asked.append(metrics)
        for name in metrics.split(","):
            if message := self.refused.get(name):
                error = {"code": 100, "message": message.format(name), "type": "OAuthException"}
                return httpx.Response(400, json={"error": error})
        data = [{"name": name, "values": [{"value": 5}]} for name in metrics.split(",")]
        return httpx.Response(200, json={"data": data})


@pytest.mark.parametrize(
    ("refused", "outcome", "counts", "requests"),
    [
        ({}, Outcome.OK, (5, 5), 1),
        ({"views": BEFORE_CONVERSION}, Outcome.OK, (None, None), 1),
        ({"shares": NOT_OF_THIS_KIND}, Outcome.OK, (5, None), 2),
        ({"views": NOT_OF_THIS_KIND}, Outcome.OK, (None, None), 2),
        ({"shares": RETIRED}, Outcome.OK, (5, None), 2),
        ({"views": RETIRED}, Outcome.SCHEMA_CHANGED, None, 2),
    ],
)
async def test_views_are_read_separately_and_a_retired_metric_is_reported(  # noqa: PLR0917  fixtures and the case
    fake_time: Any,
    closing: Callable[[Any], Any],
    refused: dict[str, str],
    outcome: Outcome,
    counts: tuple[int | None, int | None] | None,
    requests: int,
) -> None:
    api = Api(refused)
    provider = closing(login_provider(api, fake_time))
    report = await provider.post(POST)
    read = [(video.view_count, video.share_count) for video in report.videos]
    assert (report.outcome, read) == (outcome, [counts] if counts else [])
    assert len(api.asked) == requests
