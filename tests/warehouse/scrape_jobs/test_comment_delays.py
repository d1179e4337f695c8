"""Why no comments are collected yet: `due` is exactly what the next run crawls."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest

from tests.warehouse.scrape_jobs.test_comment_targets import DAY, NOW, Desk, desk
from warehouse.operational.models import Video
from warehouse.reading.videos import latest_counts
from warehouse.scrape_jobs.comment_targets import delays_of

__all__ = ["desk"]

SECOND = timedelta(seconds=1)
CASES: dict[str, tuple[str, Callable[[Desk], UUID]]] = {
    "three days old, five comments": ("due", lambda desk: desk.video("1", age=3 * DAY, comments=5)),
    "a second younger": ("too_young", lambda desk: desk.video("1", age=3 * DAY - SECOND)),
    "four comments": ("too_few", lambda desk: desk.video("1", comments=4)),
    "no count": ("not_published", lambda desk: desk.video("1", comments=None)),
    "excluded": ("not_tracked", lambda desk: desk.video("1", tracking_status="excluded")),
    "disabled": ("not_tracked", lambda desk: desk.video("1", tracking_disabled=True)),
    "in the inbox": ("not_tracked", lambda desk: desk.video("1", tracking_status="pending_review")),
    "refused": ("refused", lambda desk: crawled_video(desk, failures=1)),
    "crawled, not yet published": ("not_published", lambda desk: crawled_video(desk, failures=0)),
}


def crawled_video(desk: Desk, *, failures: int) -> UUID:
    video = desk.video("1")
    desk.crawled(video, timedelta(minutes=5), failures=failures)
    return video


@pytest.mark.parametrize("case", CASES)
def test_the_reason_for_the_delay(desk: Desk, case: str) -> None:
    delay, arrange = CASES[case]
    video_id = arrange(desk)
    organization_id = desk.organization.organization_id
    counts = latest_counts(desk.publication, organization_id, [video_id])
    with desk.store.read_session() as session:
        delays = delays_of(
            session,
            Video.id == video_id,
            visible_counts=lambda _ids: {video_id: counts[video_id].comment_count},
            at_least=5,
            now=NOW,
        )
        assert list(delays) == [(video_id, delay)]
    assert (delay == "due") == (desk.due() == ["1"])
