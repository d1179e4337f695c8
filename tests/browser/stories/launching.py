"""A new campaign to its first numbers: from an empty project to views and their pay."""

from collections.abc import Iterator

from tests.browser.stories.desk import Desk, morning
from tests.scenarios.campaign import Wait


def story(desk: Desk) -> Iterator[Wait]:
    mila, noor = desk.handles()[:2]
    desk.sign_in()
    desk.reads("No numbers yet", "Add a creator to start")

    desk.open("Pay rules", "CPM: pay per 1,000 views")
    desk.fill(Name="Autumn views")
    desk.page.get_by_label("Dollars per 1,000").first.fill("1")
    # These amounts settle for two days, until anomalies in their readings are known.
    desk.page.get_by_label("Hold amounts with anomalies for review").uncheck()
    desk.press("Preview")
    desk.reads("$1.00 per 1,000 views, counted each week")
    desk.press("Save rule")
    desk.add_creator("Mila", TikTok=mila)
    desk.add_creator("Noor", TikTok=f"https://www.tiktok.com/@{noor}")
    desk.open("Campaigns", "New campaign")
    desk.fill(Name="Autumn launch")
    desk.press("Create campaign")
    desk.press("Add Mila")
    desk.press("Add Noor")
    assert desk.row("Noor")[-2:] == ["Noor Added", "Remove Noor"]
    for creator in ("Mila", "Noor"):
        desk.pay_by("Autumn views", creator, "2026-08-25")
    yield morning(1)

    # The first fetch finds posts since 25 August, with their current views.
    views = {
        name: sum(desk.views_seen(handle, morning(1)))
        for name, handle in (("Mila", mila), ("Noor", noor))
    }
    assert all(views.values())
    desk.open("Overview")
    desk.reads("Numbers as of 1 Sep 2026")
    for creator, number in views.items():
        assert desk.row(creator)[-1] == f"0 and {number:,} from before tracking"
    desk.open("Campaigns", "Autumn launch")
    desk.reads("0 views gained", f"{sum(views.values()):,} more views are from before tracking")
    desk.open("Creators", "Mila")
    desk.reads("Latest posts")
    yield morning(8)

    # A week later the days until Sunday the 6th are final, at $1.00 per thousand views.
    grown = sum(sum(desk.views_seen(creator, morning(8))) for creator in (mila, noor))
    assert grown > sum(views.values())
    desk.open("Overview")
    sunday = [sum(desk.views_seen(creator, morning(6))) for creator in (mila, noor)]
    cents = sum((views + 5) // 10 for views in sunday)
    desk.reads(f"${cents / 100:,.2f} to approve")
    desk.picture("overview")
    desk.open("Campaigns", "Autumn launch")
    desk.reads(f"{grown - sum(views.values()):,} views gained")
    desk.picture("campaign")
    desk.open("Creators", "Mila")
    desk.picture("creator")
