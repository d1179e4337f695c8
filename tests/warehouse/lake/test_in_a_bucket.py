"""The lake in a bucket: analysts read it with the printed statements."""

from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from tests.fixtures.buckets import Bucket
from tests.warehouse.lake.world import World
from warehouse.settings import Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)


def test_it_is_below_its_prefix_and_errors_have_no_secret(world: World, bucket: Bucket) -> None:
    place = {"lake_url": f"s3://{bucket.name}/analysts"}
    world.settings = bucket.settings(world.settings).model_copy(update=place)
    last = world.live(JULY, {JULY: {"view": 700}})
    assert set(world.differences(last).values()) == {0}
    [file] = world.files("video_deltas")
    assert file.startswith(f"s3://{bucket.name}/analysts/lake/main/video_deltas/")
    world.settings.s3_endpoint_url = "http://127.0.0.1:9"
    with capture_logs() as logs:
        world.live(JULY, {JULY: {"view": 701}})
    [warning] = [log for log in logs if "the lake stays" in log["event"]]
    assert "secret" not in warning["error"]


def test_a_bucket_without_a_key_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="set TRACKER_S3_ACCESS_KEY_ID"):
        Settings(_env_file=None, lake_url="s3://tracker/analysts")
