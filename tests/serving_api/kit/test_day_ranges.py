"""Ranges that end before they start are reported at `from`, everywhere."""

import pytest

from tests.fixtures.api import Tenant

PROJECT = "/projects/{project_id}"
LAST, FIRST = "2026-05-14", "2026-05-13"


@pytest.mark.parametrize(
    ("path", "of_project"),
    [
        ("/payout-accruals", True),
        ("/payout-payments", False),
        (f"{PROJECT}/comments", False),
        ("/exports/accruals", False),
        ("/exports/anomalies", False),
        ("/exports/creators", False),
    ],
)
def test_ranges_of_days(tenant: Tenant, path: str, *, of_project: bool) -> None:
    address = path.format(project_id=tenant.project_id)
    project = {"project_id": str(tenant.project_id)} if of_project else {}
    params = {"from": LAST, "to": FIRST, **project}
    meta = tenant.client.refusal("GET", address, "invalid_query", params=params)
    message = f"must not be after the end date ({FIRST})"
    assert meta["issues"] == [{"path": "from", "message": message}]


def test_ranges_of_times(tenant: Tenant) -> None:
    path = f"{PROJECT}/conversions".format(project_id=tenant.project_id)
    params = {"from": f"{LAST}T00:00:00Z", "to": f"{FIRST}T00:00:00Z"}
    meta = tenant.client.refusal("GET", path, "invalid_query", params=params)
    assert meta["issues"][0]["path"] == "from"
