"""A creator disputes an amount on a phone and reads the answer there."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.browser.stories.desk import Desk, morning
from tests.scenarios.campaign import Wait

PIN = "4821"
PHONE = {"viewport": {"width": 390, "height": 760}, "is_mobile": True, "has_touch": True}
WHY = "I was to begin in August,\nnot in the middle of it."
ANSWER = "You are right: it was to be the whole month."


def story(desk: Desk) -> Iterator[Wait]:
    desk.sign_in()
    desk.add_creator("Tarik", TikTok=desk.handles()[4])
    desk.make_monthly_fee("310")
    # 16 days of 31: $160.00.
    desk.pay_by("Monthly fee", "Tarik", "2026-08-16")
    desk.open("Settings", "Share links", "Tarik")
    desk.page.get_by_label("Earnings and payments").check()
    desk.fill(Custom_PIN=PIN)
    desk.press("Create page")
    link = desk.page.get_by_role("link", name="/share/creator/").inner_text()
    yield morning(8)

    browser = desk.page.context.browser
    assert browser
    phone = desk.elsewhere(browser, **PHONE)
    phone.page.goto(urlsplit(link).path)
    phone.fill(PIN=PIN)
    phone.press("Open")
    phone.reads("$160.00", "16 of 31 days")
    # Below September's current amount.
    phone.page.get_by_role("link", name="Dispute this amount").last.click()
    phone.reads("1 Aug 2026 to 31 Aug 2026")
    phone.page.get_by_label("Why is this amount wrong?").fill(WHY)
    phone.press("Send dispute")
    phone.reads("disputed, not answered yet")

    desk.open("Overview", "1 disputed amount")
    desk.reads("Open dispute", "I was to begin in August")
    desk.page.get_by_label("Answer", exact=True).fill(ANSWER)
    desk.page.get_by_text("Accept with a correction").click()
    desk.page.get_by_label("Correct amount in dollars").fill("310")
    desk.picture("dispute")
    desk.press("Accept and correct")
    desk.reads(ANSWER, "A bonus of $310.00 replaces this amount")
    desk.open("Inbox")
    desk.reads_not("Disputed amounts")

    phone.page.reload()
    phone.reads("disputed, corrected by $150.00", ANSWER)
    phone.picture("share-page")
    phone.page.context.close()
