"""Projects over HTTP, with the plan's limit."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.fixtures.api import Api, Tenant, new_tenant


def url(tenant: Tenant) -> str:
    return f"/organizations/{tenant.organization_id}/projects"


def create(tenant: Tenant, name: str = "Second", **body: Any) -> Any:
    return tenant.client.data("POST", url(tenant), json={"name": name, **body})


def test_a_project_is_made_listed_and_read(tenant: Tenant) -> None:
    made = create(tenant, readme="# Notes")
    assert (made["name"], made["readme"], made["is_archived"]) == ("Second", "# Notes", False)
    assert made["org_id"] == str(tenant.organization_id)
    listed = tenant.client.data("GET", "/projects")
    assert [project["name"] for project in listed] == ["Second", "Launch"]
    read = tenant.client.data("GET", f"/projects/{made['id']}")
    assert read == made | {"readme_version": read["readme_version"]}


def test_a_project_changes(tenant: Tenant) -> None:
    path = f"{url(tenant)}/{tenant.project_id}"
    changed = tenant.client.data("PATCH", path, json={"name": "Renamed", "is_archived": True})
    assert (changed["name"], changed["is_archived"]) == ("Renamed", True)
    stale = {"readme": "x", "expected_readme_version": "stale"}
    meta = tenant.client.refusal("PATCH", path, "notes_conflict", json=stale)
    assert meta["current_readme_version"] == changed["readme_version"]


def test_an_archived_project_frees_its_slot_until_it_comes_back(api: Api) -> None:
    with new_tenant(api, plan="free") as tenant:
        meta = tenant.client.refusal("POST", url(tenant), "limit_reached", json={"name": "Second"})
        assert (meta["limitKey"], meta["current"], meta["max"]) == ("max_projects_per_org", 1, 1)
        path = f"{url(tenant)}/{tenant.project_id}"
        tenant.client.data("PATCH", path, json={"is_archived": True})
        create(tenant)
        tenant.client.refusal("PATCH", path, "limit_reached", json={"is_archived": False})
        tenant.client.data("PATCH", path, json={"is_archived": True})


def test_simultaneous_requests_never_pass_the_plans_limit(api: Api) -> None:
    with new_tenant(api, plan="starter") as tenant:

        def create_one(_number: int) -> int:
            return tenant.client.post(url(tenant), json={"name": "More"}).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(create_one, range(8)))
        assert sorted(statuses) == [201] * 4 + [402] * 4


def test_notes_of_a_new_project_are_capped(tenant: Tenant) -> None:
    too_long = {"name": "Second", "readme": "x" * 50_001}
    tenant.client.refusal("POST", url(tenant), "notes_too_long", json=too_long)


def test_archived_projects_that_come_back_at_once_never_pass_the_limit(api: Api) -> None:
    with new_tenant(api, plan="starter") as tenant:
        archived = [f"{url(tenant)}/{create(tenant, f'P{number}')['id']}" for number in range(4)]
        for path in archived:
            tenant.client.data("PATCH", path, json={"is_archived": True})
        for _ in range(2):
            create(tenant)

        def restore(path: str) -> int:
            return tenant.client.patch(path, json={"is_archived": False}).status_code

        with ThreadPoolExecutor(4) as pool:
            assert sorted(pool.map(restore, archived)) == [200, 200, 402, 402]
