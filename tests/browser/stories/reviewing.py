"""A week of the inbox: posts wait for review, and rejected ones are never counted."""

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.stories.desk import Desk, morning
from tests.scenarios.campaign import Wait


def story(desk: Desk) -> Iterator[Wait]:
    ines = desk.handles()[2]
    desk.sign_in()
    desk.add_creator("Ines", mode="selective", TikTok=ines)
    yield morning(1)

    post_count = len(desk.views_seen(ines, morning(1)))
    assert post_count > 1
    desk.open("Overview", f"{post_count} posts to review in the inbox")
    desk.reads(f"{post_count} posts to review.")
    desk.picture("inbox")
    rejected = desk.page.locator(".posts li").first.get_by_role("link").first.inner_text()
    desk.press(f"Reject {rejected}")
    if post_count > 2:
        desk.page.locator("summary", has_text=f"Approve all {post_count - 1}").click()
        desk.press(f"Yes, approve all {post_count - 1}")
    else:
        desk.page.get_by_role("button", name="Approve").first.click()
    desk.reads("No posts to review.")
    yield morning(8)

    # Newer posts wait for review; rejected ones stay rejected.
    later = len(desk.views_seen(ines, morning(8))) - post_count
    desk.open("Creators")
    assert desk.row("Ines")[3] == f"{post_count - 1}", desk.row("Ines")
    desk.open("Inbox")
    if later:
        desk.reads(f"{later} post")
    expect(desk.page.get_by_role("link", name=rejected, exact=True)).to_have_count(0)
    desk.open("Posts")
    expect(desk.page.get_by_role("link", name=rejected, exact=True)).to_have_count(0)
