"""Month end: due amounts are approved and paid, then a day count turns out to be wrong.

At the end the rule lab simulates half of the fee, which changes nothing.

$620.00 a month; August has 31 days, $20.00 each.
"""

from collections.abc import Iterator

from tests.browser.stories.desk import Desk, morning
from tests.scenarios.campaign import Wait


def story(desk: Desk) -> Iterator[Wait]:
    desk.sign_in()
    desk.add_creator("Jonas", TikTok=desk.handles()[3])
    desk.make_monthly_fee("620")
    desk.pay_by("Monthly fee", "Jonas", "2026-08-01")
    desk.pay_by("Monthly fee", "Jonas", "2026-08-20", action="End")
    yield morning(8)

    # 1 to 20 August: 20 of 31 days.
    desk.open("Overview", "$400.00 to approve")
    desk.reads("Jonas", "Partial period")
    desk.picture("payouts")
    desk.open_amount("Monthly fee")
    desk.reads("20 of 31 days")
    desk.pay_all_of("Jonas", "$400.00")
    desk.reads("Total, without void and failed payments: $400.00.")
    desk.open("Overview")
    desk.reads_not("to approve")

    # The contract did not end: the other 11 days were excluded by mistake.
    desk.pay_by("Monthly fee", "Jonas", "2026-08-21")
    yield morning(9)

    desk.open("Overview", "$220.00 to approve")
    desk.reads("Jonas", "Correction")
    desk.open_amount("Monthly fee")
    desk.reads("$620.00", "$400.00", "$220.00")
    desk.picture("correction")
    desk.pay_all_of("Jonas", "$220.00")
    desk.reads("Total, without void and failed payments: $620.00.")
    desk.open("Creators", "Jonas")
    desk.reads("Paid $620.00")

    # Simulate half of it.
    desk.open("Rule lab", "Monthly fee")
    desk.fill(Amount_in_dollars="310", From="2026-08-01", To="2026-08-31")
    desk.press("Simulate")
    desk.reads("What it would have paid")
    assert desk.row("Jonas")[1:] == ["$620.00", "$310.00", "\u2212$310.00 loses"]
    desk.open("Pay rules")
    desk.reads("$620.00")
