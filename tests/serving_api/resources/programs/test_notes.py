"""Notes documents over HTTP (contract, Notes documents)."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from serving_api.http.sessions import BOUNDS
from serving_api.resources.programs.notes.documents import DOCUMENTS
from serving_api.resources.programs.notes.repository import lock
from tests.doses import dose
from tests.factories.payouts import add_payment, rule
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from warehouse.operational.models import ApiKey

PAYOUT_TYPES = ["payout_method", "payout_structure", "payout_payment"]
TYPES = ["organization", "project", "campaign", "creator", "video", *PAYOUT_TYPES, "member"]


def version_of(readme: str | None) -> str:
    return sha256((readme or "").encode()).hexdigest()[:16]


@pytest.fixture
def ids(tenant: Tenant) -> dict[str, str]:
    """The id of one entity of each type."""
    creator_id = tenant.creator()["id"]
    method_id = tenant.client.data("GET", "/payout-methods")[0]["id"]
    return {
        "organization": str(tenant.organization_id),
        "project": str(tenant.project_id),
        "campaign": tenant.campaign()["id"],
        "creator": creator_id,
        "video": tenant.video()["id"],
        "payout_method": method_id,
        "payout_structure": tenant.payout_structure(rule("recurring")),
        "payout_payment": str(add_payment(tenant, creator_id, UUID(method_id)).id),
        "member": "me",
    }


def append(client: Client, entity_type: str, entity_id: str, content: str) -> Any:
    body = {"mode": "append", "content": content}
    return client.data("POST", f"/notes/{entity_type}/{entity_id}", json=body)


def replace(client: Client, path: str, content: str, version: str | None = None) -> Any:
    current = version or client.data("GET", path)["readme_version"]
    body = {"mode": "replace", "content": content, "expected_readme_version": current}
    return client.data("POST", path, json=body)


class TestRead:
    @pytest.mark.parametrize("entity_type", TYPES)
    def test_every_entity_has_a_document_empty_at_first(
        self, tenant: Tenant, ids: dict[str, str], entity_type: str
    ) -> None:
        read = tenant.client.data("GET", f"/notes/{entity_type}/{ids[entity_type]}")
        assert (read["readme"], read["readme_version"]) == (None, version_of(None))
        assert read["can_edit"] is True

    def test_edit_rules_and_paths_are_shown(self, tenant: Tenant, ids: dict[str, str]) -> None:
        with tenant.client_with(role="member") as member:
            read = {name: member.data("GET", f"/notes/{name}/{ids[name]}") for name in TYPES}
        project = f"/projects/{tenant.project_id}"
        me = read["member"]["id"]
        assert {name: (note["edit_rule"], note["can_edit"]) for name, note in read.items()} == {
            "organization": ("org_admin", False),
            "project": ("org_admin", False),
            "campaign": ("write_scope", True),
            "creator": ("write_scope", True),
            "video": ("write_scope", True),
            **dict.fromkeys(PAYOUT_TYPES, ("org_admin", False)),
            "member": ("own_document", True),
        }
        assert {name: note["app_path"] for name, note in read.items()} == {
            "organization": "/organization",
            "project": project,
            "campaign": f"{project}/campaigns/{ids['campaign']}",
            "creator": f"{project}/creators/{ids['creator']}",
            "video": f"{project}/videos/{ids['video']}",
            "payout_method": f"/payout-methods/{ids['payout_method']}",
            "payout_structure": f"{project}/payout-structures/{ids['payout_structure']}",
            "payout_payment": f"{project}/payout-payments/{ids['payout_payment']}",
            "member": f"/members/{me}",
        }

    def test_an_unknown_type_and_an_unknown_entity_differ(self, tenant: Tenant) -> None:
        client, nobody = tenant.client, uuid4()
        code = "invalid_entity_type"
        client.refusal("GET", f"/notes/account/{nobody}", code)
        client.refusal("GET", "/notes?entity_type=account", code)
        for name in TYPES:
            client.refusal("GET", f"/notes/{name}/{nobody}", "not_found")
        client.refusal("GET", "/notes/creator/me", "not_found")

    def test_another_organizations_documents_are_not_found(
        self, tenant: Tenant, other: Tenant, ids: dict[str, str]
    ) -> None:
        ids["member"] = str(tenant.made.user_id)
        for name in TYPES:
            path = f"/notes/{name}/{ids[name]}"
            other.client.refusal("GET", path, "not_found")
            body = {"mode": "append", "content": "mine"}
            other.client.refusal("POST", path, "not_found", json=body)


class TestAppend:
    def test_a_section_lands_at_the_end_signed_by_key_channel_and_local_day(self, api: Api) -> None:
        # 12:00 UTC on 20 May 2026 is the 21st on Kiritimati (UTC+14).
        with new_tenant(api, tz="Pacific/Kiritimati") as tenant:
            creator = tenant.creator()["id"]
            append(tenant.client, "creator", creator, "  Likes tea.\n")
            written = append(tenant.client, "creator", creator, "# More\n\nAlso coffee.")
        assert written["readme"] == (
            "Likes tea.\n\n— First key (api), 2026-05-21\n\n"
            "# More\n\nAlso coffee.\n\n— First key (api), 2026-05-21"
        )
        assert written["mode"] == "append"
        assert written["changed"] is True
        assert written["readme_version"] == version_of(written["readme"])

    def test_the_name_of_a_key_stays_one_line_of_text(self, tenant: Tenant) -> None:
        with tenant.api.store.write_session() as session:
            own = select(ApiKey).where(ApiKey.organization_id == tenant.organization_id)
            key = session.scalars(own).one()
            key.name = "**bold**\n# [x](javascript:1) <b>"
        written = append(tenant.client, "creator", tenant.creator()["id"], "Text")
        assert written["readme"].splitlines()[-1] == (
            r"— \*\*bold\*\* \# \[x\]\(javascript:1\) \<b\> (api), 2026-05-20"
        )

    def test_an_open_code_block_is_closed(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        replace(tenant.client, path, "~~~\nopen")
        written = append(tenant.client, "project", str(tenant.project_id), "```python\nopen too")
        assert written["readme"] == (
            "~~~\nopen\n~~~\n\n```python\nopen too\n```\n\n— First key (api), 2026-05-20"
        )

    def test_the_shortcuts_of_creators_and_videos_do_the_same(self, tenant: Tenant) -> None:
        for noun, entity in (("creator", tenant.creator()), ("video", tenant.video())):
            body = {"mode": "append", "content": "Short"}
            written = tenant.client.data("POST", f"/{noun}s/{entity['id']}/notes", json=body)
            assert (written["id"], written["entity_type"]) == (entity["id"], noun)
            read = tenant.client.data("GET", f"/notes/{noun}/{entity['id']}")
            assert read["readme"] == written["readme"]

    def test_concurrent_appends_are_all_stored(self, tenant: Tenant) -> None:
        creator = tenant.creator()["id"]
        sections = [f"Section {number}." for number in range(12)]
        with ThreadPoolExecutor(6) as pool:
            list(
                pool.map(
                    lambda section: append(tenant.client, "creator", creator, section), sections
                )
            )
        readme = tenant.client.data("GET", f"/notes/creator/{creator}")["readme"]
        assert sorted(readme.split("\n\n")[::2]) == sorted(sections)

    def test_notes_end_at_50000_characters(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        replace(tenant.client, path, "x" * 49_990)
        body = {"mode": "append", "content": "y" * 20}
        tenant.client.refusal("POST", path, "notes_too_long", json=body)
        assert tenant.client.data("GET", path)["readme"] == "x" * 49_990


class TestReplace:
    def test_the_version_that_was_read_is_replaced(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        first = replace(tenant.client, path, "One")
        second = replace(tenant.client, path, "Two", first["readme_version"])
        assert (second["readme"], second["previous_readme_version"]) == (
            "Two",
            first["readme_version"],
        )
        again = replace(tenant.client, path, "Two")
        assert again["changed"] is False

    def test_a_version_that_is_past_overwrites_nothing(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        stale = tenant.client.data("GET", path)["readme_version"]
        replace(tenant.client, path, "Newer")
        body = {"mode": "replace", "content": "Mine", "expected_readme_version": stale}
        meta = tenant.client.refusal("POST", path, "notes_conflict", json=body)
        assert meta["current_readme_version"] == version_of("Newer")
        assert tenant.client.data("GET", path)["readme"] == "Newer"

    def test_of_many_that_replace_one_version_one_wins(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"

        def write(number: int) -> int:
            body = {
                "mode": "replace",
                "content": f"Text {number}",
                "expected_readme_version": version_of(None),
            }
            return tenant.client.post(path, json=body).status_code

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(write, range(6))) == [200, 409, 409, 409, 409, 409]

    def test_an_empty_text_clears(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        replace(tenant.client, path, "Text")
        assert replace(tenant.client, path, "")["readme"] is None

    def test_the_version_is_required(self, tenant: Tenant) -> None:
        path = f"/notes/project/{tenant.project_id}"
        body = {"mode": "replace", "content": "Text"}
        meta = tenant.client.refusal("POST", path, "invalid_body", json=body)
        assert meta["issues"][0]["path"] == "expected_readme_version"


class TestWho:
    @pytest.mark.parametrize("entity_type", ["organization", "project", *PAYOUT_TYPES])
    def test_organization_and_projects_need_an_org_admin(
        self, tenant: Tenant, ids: dict[str, str], entity_type: str
    ) -> None:
        path = f"/notes/{entity_type}/{ids[entity_type]}"
        body = {"mode": "append", "content": "Mine"}
        with tenant.client_with(role="member") as member:
            meta = member.refusal("POST", path, "insufficient_role", json=body)
        assert meta["required"] == "org_admin"

    @pytest.mark.parametrize("entity_type", ["campaign", "creator", "video"])
    def test_campaigns_creators_and_videos_need_the_scope_alone(
        self, tenant: Tenant, ids: dict[str, str], entity_type: str
    ) -> None:
        with tenant.client_with("write", role="member") as member:
            append(member, entity_type, ids[entity_type], "Mine")

    def test_a_members_document_is_its_own(self, tenant: Tenant) -> None:
        theirs = tenant.add_member("member")
        body = {"mode": "append", "content": "Mine"}
        path = f"/notes/member/{theirs}"
        code = "not_your_document"
        tenant.client.refusal("POST", path, code, json=body)
        written = append(tenant.client, "member", "me", "Mine")
        assert written["id"] == str(tenant.made.user_id)


class TestBusy:
    def test_locked_notes_are_busy_until_a_retry(self, tenant: Tenant) -> None:
        """The Idempotency-Key does not store the refusal: the same request may succeed."""
        creator, headers = tenant.creator()["id"], {"Idempotency-Key": uuid4().hex}
        path, body = f"/creators/{creator}/notes", {"mode": "append", "content": "Once"}
        with tenant.api.store.engine.begin() as holding:
            holding.execute(
                text("select 1 from creators where id = :id for update"), {"id": creator}
            )
            tenant.client.refusal("POST", path, "notes_busy", json=body, headers=headers)
        assert tenant.client.data("POST", path, json=body, headers=headers)["changed"] is True

    def test_what_follows_waits_no_longer_than_any_write(self, tenant: Tenant) -> None:
        creator = UUID(tenant.creator()["id"])
        with dataclasses.replace(tenant.api.store, bounds=BOUNDS).write_session() as session:
            lock(session, DOCUMENTS["creator"], tenant.made.organization_id, creator)
            assert session.scalar(text("show lock_timeout")) == "5s"


class TestMe:
    def test_own_notes_are_guarded_by_their_version(self, tenant: Tenant) -> None:
        me = tenant.client.data("PATCH", "/me", json={"readme": "Hello"})
        assert (me["readme"], me["readme_length"]) == ("Hello", 5)
        assert me == tenant.client.data("GET", "/me")
        stale = {"readme": "x", "expected_readme_version": version_of(None)}
        meta = tenant.client.refusal("PATCH", "/me", "notes_conflict", json=stale)
        assert meta["current_readme_version"] == me["readme_version"]
        cleared = {"readme": None, "expected_readme_version": me["readme_version"]}
        assert tenant.client.data("PATCH", "/me", json=cleared)["readme"] is None


class TestEveryReadmeField:
    def test_a_patch_writes_the_same_document(self, tenant: Tenant, ids: dict[str, str]) -> None:
        organization = f"/organizations/{tenant.organization_id}"
        paths = {
            "organization": organization,
            "project": f"{organization}/projects/{tenant.project_id}",
            "campaign": f"/campaigns/{ids['campaign']}",
            "creator": f"/creators/{ids['creator']}",
            "video": f"/videos/{ids['video']}",
        }
        for name, path in paths.items():
            tenant.client.data("PATCH", path, json={"readme": f"Of {name}"})
            assert tenant.client.data("GET", f"/notes/{name}/{ids[name]}")["readme"] == f"Of {name}"
            too_long = {"readme": "x" * 50_001}
            tenant.client.refusal("PATCH", path, "notes_too_long", json=too_long)
        for name in ("organization", "project", "campaign"):
            stale = {"readme": "x", "expected_readme_version": version_of(None)}
            tenant.client.refusal("PATCH", paths[name], "notes_conflict", json=stale)
            lonely = {"expected_readme_version": version_of(None)}
            tenant.client.refusal("PATCH", paths[name], "invalid_body", json=lonely)
        for path in paths.values():
            assert tenant.client.data("PATCH", path, json={"readme": None})["readme"] is None


class TestList:
    def listed(self, tenant: Tenant, **query: Any) -> tuple[list[tuple[str, str]], Any]:
        answer = tenant.client.answer("GET", "/notes", params=query)
        return [(note["entity_type"], note["readme_preview"]) for note in answer["data"]], answer[
            "meta"
        ]

    def test_documents_come_by_type(self, tenant: Tenant, ids: dict[str, str]) -> None:
        assert self.listed(tenant) == ([], {"totals": {}, "has_more": [], "limit": 20, "offset": 0})
        for name in reversed(TYPES):
            tenant.client.data(
                "POST",
                f"/notes/{name}/{ids[name]}",
                json={
                    "mode": "replace",
                    "content": f"Of {name}",
                    "expected_readme_version": version_of(None),
                },
            )
        items, meta = self.listed(tenant)
        assert items == [(name, f"Of {name}") for name in TYPES]
        assert meta["totals"] == dict.fromkeys(TYPES, 1)

    def test_an_item_describes_its_text(self, tenant: Tenant) -> None:
        creator = tenant.creator("ada", display_name="Ada")
        readme = "x" * 300
        tenant.client.data("PATCH", f"/creators/{creator['id']}", json={"readme": readme})
        (item,) = tenant.client.data("GET", "/notes")
        assert item == {
            "entity_type": "creator",
            "id": creator["id"],
            "name": "Ada",
            "project_id": str(tenant.project_id),
            "readme_preview": "x" * 200,
            "readme_length": 300,
            "readme_version": version_of(readme),
        }

    def test_each_type_is_cut_at_the_limit_and_paged_alone(self, tenant: Tenant) -> None:
        for number in range(5):
            campaign = tenant.campaign(f"Campaign {number}")["id"]
            tenant.client.data("PATCH", f"/campaigns/{campaign}", json={"readme": f"{number}"})
        tenant.client.data("PATCH", "/me", json={"readme": "me"})
        items, meta = self.listed(tenant, limit=2)
        assert items == [("campaign", "4"), ("campaign", "3"), ("member", "me")]
        assert (meta["totals"], meta["has_more"]) == ({"campaign": 5, "member": 1}, ["campaign"])
        items, meta = self.listed(tenant, limit=2, entity_type="campaign", offset=4)
        assert (items, meta["has_more"]) == ([("campaign", "0")], [])
        items, meta = self.listed(tenant, entity_type="campaign", offset=9)
        assert (items, meta["totals"]) == ([], {"campaign": 5})

    def test_a_project_has_its_own_and_its_contents(self, tenant: Tenant) -> None:
        path = f"/organizations/{tenant.organization_id}/projects"
        second = tenant.client.data("POST", path, json={"name": "B", "readme": "B"})
        tenant.client.data(
            "PATCH", f"/creators/{tenant.creator()['id']}", json={"readme": "Creator"}
        )
        tenant.client.data("PATCH", "/me", json={"readme": "me"})
        assert self.listed(tenant, project_id=str(tenant.project_id))[0] == [("creator", "Creator")]
        assert self.listed(tenant, project_id=second["id"])[0] == [("project", "B")]
        assert self.listed(tenant, project_id=second["id"], entity_type="member")[0] == []
        assert self.listed(tenant, project_id=str(uuid4()))[0] == []

    def test_q_finds_literal_text_and_names_in_any_case(self, tenant: Tenant) -> None:
        for name, readme in (("Spring", "100% Cotton"), ("Summer", "100 cottons")):
            campaign = tenant.campaign(name)["id"]
            tenant.client.data("PATCH", f"/campaigns/{campaign}", json={"readme": readme})
        assert self.listed(tenant, q="0% cotton")[0] == [("campaign", "100% Cotton")]
        assert self.listed(tenant, q="SUMMER")[0] == [("campaign", "100 cottons")]

    def test_what_lists_leave_out_is_left_out(self, tenant: Tenant, ids: dict[str, str]) -> None:
        for name in ("creator", "video"):
            tenant.client.data("PATCH", f"/{name}s/{ids[name]}", json={"readme": "Gone"})
            tenant.client.data("DELETE", f"/{name}s/{ids[name]}")
            assert tenant.client.data("GET", f"/notes/{name}/{ids[name]}")["readme"] == "Gone"
        assert self.listed(tenant)[0] == []


fuzz = settings(
    max_examples=dose(10, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@fuzz
@given(content=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_markdown_is_stored_as_written(tenant: Tenant, content: str) -> None:
    path = f"/notes/project/{tenant.project_id}"
    body = {
        "mode": "replace",
        "content": content,
        "expected_readme_version": tenant.client.data("GET", path)["readme_version"],
    }
    response = tenant.client.post(path, json=body)
    if "\x00" in content:
        assert response.status_code == 400
    else:
        assert response.json()["data"]["readme"] == content
