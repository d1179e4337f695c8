"""A platform refuses requests: pages show which, since when and what helps, until it recovers."""

from collections.abc import Iterator

from tests.browser.stories.desk import Desk, morning
from tests.scenarios.campaign import Wait


def story(desk: Desk) -> Iterator[Wait]:
    desk.sign_in()
    desk.add_creator("Vera", TikTok=desk.handles()[5], Instagram=desk.handles("instagram")[5])
    yield morning(1)

    desk.open("Health")
    desk.reads("TikTok: responding normally", "Instagram: responding normally")
    yield morning(9)

    # That morning TikTok answered all requests with a challenge.
    desk.open("Overview")
    desk.page.get_by_role("link", name="TikTok refuses").click()
    desk.reads(
        "TikTok refuses",
        "since 9 Sep 2026",
        "The platform refuses requests without sign-in.",
        "Ask creators to connect their accounts",
        "Instagram: responding",
    )
    desk.picture("health")
    yield morning(10)

    desk.open("Overview")
    desk.reads_not("refuses")
    desk.open("Health")
    desk.reads("TikTok: responding", "Pipeline runs are on time.")
