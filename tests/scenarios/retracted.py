"""A count with two digits too many is paid, retracted, and imported again (money.md M19)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from typing import Any

from orchestration.scraping.spelling import PlatformSpelling
from tests.factories.landing import post
from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, at, computed
from warehouse.imports.layouts import VIDEO_SNAPSHOTS
from warehouse.imports.snapshots import import_snapshots
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter

POST = "7616000000000000000"
"""Posted on 11 March."""


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, client = campaign.creator(), campaign.tenant.client
    campaign.pays(creator, "2026-03-09", rule("cpm"))
    yield computed(3, 11)
    read(campaign, 12, 4_000)
    read(campaign, 15, 5_990)
    yield computed(3, 16)
    loaded(campaign, 599_800)
    yield computed(3, 18)
    # 10,000 at $1.00 and 589,800 at $0.80 a thousand.
    assert campaign.amounts(creator)[0] == ("2026-03-09", 48_184, "final")
    assert campaign.pay(creator)["amount_cents"] == 48_184

    imports = f"/projects/{campaign.tenant.project_id}/imports"
    [wrong] = client.data("GET", imports)
    assert (wrong["file"], wrong["row_count"], wrong["retracted_at"]) == ("week.csv", 1, None)
    reason = {"reason": "Two digits too many"}
    retracted = client.data("POST", f"{imports}/{wrong['id']}/retract", json=reason)
    assert retracted["retraction_reason"] == "Two digits too many"
    client.refusal("POST", f"{imports}/{wrong['id']}/retract", "conflict", json=reason)
    loaded(campaign, 5_998)
    yield computed(3, 20)
    # 5,998 at $1.00 a thousand are 600 cents: what was paid is corrected.
    corrected = [("earning", 48_184), ("adjustment", 600 - 48_184)]
    assert week(campaign, creator) == corrected

    read(campaign, 20, 6_000)
    yield computed(3, 23)
    assert week(campaign, creator) == corrected


def read(campaign: Campaign, day: int, views: int) -> None:
    posted = {"posted_at": at(3, 11), "view_count": views, "captured_at": at(3, day)}
    reading = post(POST, campaign.handle, **posted)
    LandingWriter(open_landing(campaign.tenant.api.settings)).land(posts=[reading])


def loaded(campaign: Campaign, views: int) -> None:
    """Import a count of views of Saturday night."""
    api = campaign.tenant.api
    store = replace(api.store, clock=lambda: campaign.today().astimezone(UTC))
    path = api.settings.home_path / "week.csv"
    header = "platform,platform_video_id,captured_at,view_count,like_count,comment_count"
    row = f"tiktok,{POST},{at(3, 14, 23).isoformat()},{views},,,,"
    path.write_text(f"{header},share_count,save_count\n{row}\n")
    report = import_snapshots(
        store,
        api.settings,
        path,
        kind=VIDEO_SNAPSHOTS,
        project_id=campaign.tenant.project_id,
        spelling=PlatformSpelling(),
        skip_bad=False,
        on_rows=lambda _rows: None,
        on_wait=lambda _message: None,
    )
    assert report.loaded == 1, report.problems


def week(campaign: Campaign, creator: Any) -> list[tuple[str, int]]:
    """Return kind and cents of the first week's amount and its correction."""
    rows = campaign.accruals(creator)
    first = [
        row for row in rows if row["period_start"] == "2026-03-09" or row["kind"] == "adjustment"
    ]
    return [(row["kind"], row["amount_cents"]) for row in first]
