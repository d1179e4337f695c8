"""After an organization changes its zone, numbers use the old one until the next publication.

The program is that of tests.fixtures.launched, published in days of UTC. Business time is 20 May,
12:00 UTC, which is 21 May, 02:00 in Kiritimati.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import serving_api
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from tests.serving_api.report_page.test_reports import opened, share, visitor

__all__ = ["visitor"]

PROJECT = "/projects/{project_id}"
BOARDS = "/analytics/aggregate"
OF_PROJECT = {"project_id": "{project_id}"}
OF_CAMPAIGN = {"campaign_id": "{campaign_id}"}
NUMBERS = {
    "videos": (f"{BOARDS}/video-leaderboard", OF_PROJECT),
    "creators": (f"{BOARDS}/creator-leaderboard", OF_CAMPAIGN),
    "goals": (f"{BOARDS}/goal-compliance", OF_PROJECT),
    "goals by creator": (f"{PROJECT}/goal-compliance", {}),
    "views by day": (f"{PROJECT}/views-by-day", {}),
    "costs": ("/campaigns/{campaign_id}/costs", {}),
    "export of costs": ("/exports/campaign-costs", OF_CAMPAIGN),
    "export of a leaderboard": ("/exports/campaign-leaderboard", OF_PROJECT),
    "forecast": ("/analytics/forecast", {"entity": "project", "entity_id": "{project_id}"}),
    "health": (f"{PROJECT}/program-health", {}),
    "comment signals": (f"{PROJECT}/comment-signals", {}),
    "comment flags": (f"{PROJECT}/comment-flags", {}),
    "comments": (f"{PROJECT}/comments", {}),
    "budgets": ("/budgets", {}),
}
"""Reads of daily numbers: paths and parameters."""
DESK = (
    "",
    "/creators",
    "/creators/{creator_id}",
    "/campaigns",
    "/campaigns/{campaign_id}",
    "/campaigns/{campaign_id}/costs",
    "/posts",
    "/comments",
    "/health",
)
PEOPLE = ("/campaigns", "/campaigns/{campaign_id}")
"""Pages with times of users' actions, which are in the organization's zone."""


@contextmanager
def moved(launched: Launched) -> Iterator[None]:
    path = f"/organizations/{launched.tenant.organization_id}"
    for zone in ("Pacific/Kiritimati", "UTC"):
        launched.tenant.client.data("PATCH", path, json={"analytics_tz": zone})
        if zone != "UTC":
            yield


def ids_of(launched: Launched) -> dict[str, str]:
    return {
        "project_id": str(launched.tenant.project_id),
        "campaign_id": launched.campaign,
        "creator_id": launched.ada["id"],
    }


def answer(launched: Launched, name: str) -> str:
    path, params = NUMBERS[name]
    ids = ids_of(launched)
    sent = {name: value.format(**ids) for name, value in params.items()}
    response = launched.tenant.client.request("GET", path.format(**ids), params=sent)
    assert response.status_code == 200
    return response.text


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_stay_in_the_days_of_the_publication(launched: Launched, name: str) -> None:
    before = answer(launched, name)
    with moved(launched):
        assert answer(launched, name) == before


@pytest.mark.slow
def test_pages_stay_in_the_days_of_the_publication(launched: Launched, visitor: Any) -> None:
    report = share(launched.tenant)
    admin, ids = Sitter(launched.tenant), ids_of(launched)

    def pages() -> dict[str, str]:
        paths = [f"{admin.home}{path}".format(**ids) for path in DESK]
        return {path: read(admin.get(path)) for path in paths} | {
            "report": read(opened(visitor, report))
        }

    before = pages()
    assert "(UTC)" in before["report"]
    assert "Numbers as of 20 May 2026, 12:00." in before[admin.home]
    with moved(launched):
        changed = pages()
    said = " (UTC until the next numbers)"
    assert {path for path, text in changed.items() if said in text} == {
        admin.home,
        f"{admin.home}/health",
    }
    for path in PEOPLE:
        address = f"{admin.home}{path}".format(**ids)
        assert "21 May 2026" in changed[address]
        changed[address] = changed[address].replace("21 May 2026", "20 May 2026")
    assert {path: text.replace(said, "") for path, text in changed.items()} == before


EXACT_IN_ANY_ZONE = {
    "desk/creator_pages/listing.py": "rules in force, by today alone",
    "desk/creator_pages/missing_numbers.py": "checks at instants; dates, by today alone",
    "desk/payouts/answering.py": "the day by which a dispute is answered",
    "kit/request_context.py": "where nothing is published yet",
    "resources/analytics/annotations/service.py": "annotations between two instants",
    "resources/analytics/exports/endpoints.py": "the zone of a file, which is the series' own",
    "resources/analytics/exports/anomalies.py": "readings between two instants",
    "resources/analytics/series/service.py": "works days of any zone out from readings",
    "resources/payouts/payments/service.py": "payments between two instants",
    "resources/programs/anomalies.py": "readings between two instants",
    "resources/tracking/accounts/endpoints.py": "readings between two instants",
}


def test_code_that_reads_numbers_uses_their_zone() -> None:
    package = Path(serving_api.__file__).parent
    texts = {
        str(path.relative_to(package)): path.read_text(encoding="utf-8")
        for path in package.rglob("*.py")
    }
    of_both = {
        name
        for name, text in texts.items()
        if re.search(r"\.(marts|numbers)\b", text)
        and re.search(r"(caller|scope)\.analytics_tz|context\.today\b", text)
    }
    assert of_both == EXACT_IN_ANY_ZONE.keys()
