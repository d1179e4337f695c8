"""`tracker plan` as people use it."""

import json
from pathlib import Path

from tests.factories.tracking import add_account, add_video
from tests.orchestration.commands import environment, tracker_here
from warehouse.fetch_schedule.freshness import WORDS
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore


def test_tells_what_will_be_asked_for_by_whom_and_at_what_price(
    tmp_path: Path, database_url: str, store: OperationalStore, organization: NewOrganization
) -> None:
    account = add_account(store, organization, "demo")
    for number in range(20):
        add_video(store, organization, f"70{number:02}", account=account)
    env = environment(tmp_path, database_url) | {
        "TRACKER_TIKTOK_PROVIDER": "scrapecreators",
        "TRACKER_SCRAPECREATORS_API_KEY": "key",
    }
    plan = json.loads(tracker_here("plan", "--days", "1", "--json", env=env).stdout)
    tiktok, instagram, *_ = plan["platforms"]
    assert (tiktok["provider"], instagram["requests"]) == ("scrapecreators", 0)
    # a credit a request, each $0.00188, in whole cents of it all
    assert tiktok["spend_cents"] == -(-tiktok["requests"] * 188 // 1000) > 0
    table = tracker_here("plan", "--days", "1", env=env).stdout
    assert "scrapecreators" in table
    assert f"standard: {WORDS['standard']}" in table
    assert WORDS["fast"] not in table
