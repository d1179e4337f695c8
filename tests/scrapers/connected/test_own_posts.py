"""A connected account's posts are its own, whatever their links say."""

from dataclasses import replace

from scrapers.tiktok_display.parse import read_videos
from tests.orchestration.own_provider import NOON, PROFILE


def test_a_link_with_an_older_handle_does_not_refuse_the_page() -> None:
    account = replace(PROFILE, observed_handle="some.body", platform_user_id="7")
    post_id = "7642266160544730389"
    link = f"https://www.tiktok.com/@old.name/video/{post_id}"
    item = {"id": post_id, "create_time": 1779352104, "share_url": link, "view_count": 100}
    [video] = read_videos({"videos": [item]}, account, NOON, source="display")
    assert (video.platform_video_id, video.handle, video.view_count) == (post_id, "some.body", 100)
