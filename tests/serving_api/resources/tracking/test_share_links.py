"""Share links over HTTP: their settings, their states, and who may see a PIN."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from tests.fixtures.api import Api, Tenant
from warehouse.operational.models import AuditEntry, ChangeEntry, ShareLink


def url(creator: Any) -> str:
    return f"/creators/{creator['id']}/share-link"


def share(tenant: Tenant, creator: Any, **body: Any) -> Any:
    return tenant.client.data("POST", url(creator), json=body)


def link_of(tenant: Tenant, creator: Any, **query: Any) -> Any:
    return tenant.client.data("GET", url(creator), params=query)


def pin_of(tenant: Tenant, creator: Any) -> str:
    return str(link_of(tenant, creator, include_pin=True)["pin"])


def stored(tenant: Tenant, creator: Any) -> ShareLink | None:
    with tenant.api.store.read_session() as session:
        return session.get(ShareLink, UUID(creator["id"]))


class TestMake:
    def test_the_defaults_of_a_link(self, tenant: Tenant, creator: Any) -> None:
        made = share(tenant, creator)
        pin, created_at = made.pop("pin"), made.pop("created_at")
        assert made == {
            "url": f"{tenant.api.settings.base_url}/share/creator/{creator['id']}",
            "enabled": True,
            "sections": ["analytics"],
        }
        assert pin.isdecimal()
        assert len(pin) == 4
        assert created_at == "2026-05-20T12:00:00Z"

    def test_random_pins_differ(self, tenant: Tenant) -> None:
        pins = {share(tenant, tenant.creator(f"creator{n}"))["pin"] for n in range(8)}
        assert len(pins) > 1

    def test_no_body_means_all_defaults(self, tenant: Tenant, creator: Any) -> None:
        made = tenant.client.data("POST", url(creator))
        assert made["sections"] == ["analytics"]

    @pytest.mark.parametrize(
        ("body", "sections"),
        [
            ({"show_payouts": True}, ["analytics", "payouts"]),
            ({"show_analytics": False, "show_payouts": True}, ["payouts"]),
            ({"pin": None}, ["analytics"]),
        ],
    )
    def test_sections_are_the_requested_ones(
        self, tenant: Tenant, creator: Any, body: dict[str, Any], sections: list[str]
    ) -> None:
        assert share(tenant, creator, **body)["sections"] == sections

    def test_a_chosen_pin_keeps_its_leading_zeros(self, tenant: Tenant, creator: Any) -> None:
        assert share(tenant, creator, pin="0007")["pin"] == "0007"
        assert pin_of(tenant, creator) == "0007"

    def test_making_it_again_replaces_it(self, tenant: Tenant, creator: Any) -> None:
        first = share(tenant, creator, pin="1111", show_payouts=True)
        again = share(tenant, creator, pin="2222")
        assert again == first | {"pin": "2222", "sections": ["analytics"]}

    @pytest.mark.parametrize(
        "pin", ["", "123", "12345", "12a4", "-123", "12.4", " 1234", "1234\n", "١٢٣٤", 1234, [], {}]
    )
    @pytest.mark.parametrize("method", ["POST", "PATCH", "BULK"])
    def test_pins_have_4_digits(self, tenant: Tenant, creator: Any, method: str, pin: Any) -> None:
        share(tenant, creator)
        path, body = url(creator), {"pin": pin}
        if method == "BULK":
            path, method = "/share-links/bulk", "POST"
            body |= {"creator_ids": [creator["id"]], "pin_mode": "shared"}
        tenant.client.refusal(method, path, "invalid_pin", json=body)

    def test_a_page_shows_something(self, tenant: Tenant, creator: Any) -> None:
        nothing = {"show_analytics": False}
        tenant.client.refusal("POST", url(creator), "no_sections", json=nothing)
        assert link_of(tenant, creator) is None
        share(tenant, creator)
        tenant.client.refusal("PATCH", url(creator), "no_sections", json=nothing)
        assert link_of(tenant, creator)["sections"] == ["analytics"]
        bulk = {"creator_ids": [creator["id"]], **nothing}
        tenant.client.refusal("POST", "/share-links/bulk", "no_sections", json=bulk)

    def test_one_of_concurrent_pins_applies(self, tenant: Tenant, creator: Any) -> None:
        with ThreadPoolExecutor(6) as pool:
            pins = list(pool.map(lambda _: share(tenant, creator)["pin"], range(6)))
        assert pin_of(tenant, creator) in pins


class TestChange:
    @pytest.fixture(autouse=True)
    def shared(self, tenant: Tenant, creator: Any) -> Any:
        return share(tenant, creator, pin="1111")

    def patch(self, tenant: Tenant, creator: Any, **body: Any) -> Any:
        return tenant.client.data("PATCH", url(creator), json=body)

    def test_fields_not_sent_are_unchanged(self, tenant: Tenant, creator: Any, shared: Any) -> None:
        changed = self.patch(tenant, creator, show_payouts=True)
        unchanged = {name: value for name, value in shared.items() if name != "pin"}
        assert changed == unchanged | {"sections": ["analytics", "payouts"]}
        assert pin_of(tenant, creator) == "1111"

    def test_sections_are_swapped_in_one_request(self, tenant: Tenant, creator: Any) -> None:
        changed = self.patch(tenant, creator, show_analytics=False, show_payouts=True)
        assert changed["sections"] == ["payouts"]

    def test_a_new_pin_is_returned(self, tenant: Tenant, creator: Any) -> None:
        assert self.patch(tenant, creator, pin="2222")["pin"] == "2222"
        regenerated = self.patch(tenant, creator, regenerate_pin=True)["pin"]
        assert regenerated == pin_of(tenant, creator)
        assert "pin" not in self.patch(tenant, creator, regenerate_pin=False)

    def test_a_disabled_link_stays_so(self, tenant: Tenant, creator: Any) -> None:
        self.patch(tenant, creator, enabled=False)
        assert self.patch(tenant, creator, pin="2222")["enabled"] is False


class TestStates:
    """The rows of 'States and transitions' about share links."""

    DOES = {  # noqa: RUF012
        "POST": ("POST", {"pin": "2222"}, 201),
        "PATCH enabled false": ("PATCH", {"enabled": False}, 200),
        "PATCH enabled true": ("PATCH", {"enabled": True}, 200),
        "PATCH pin": ("PATCH", {"pin": "2222"}, 200),
        "PATCH regenerate_pin": ("PATCH", {"regenerate_pin": True}, 200),
        "DELETE": ("DELETE", None, 200),
    }

    @pytest.mark.parametrize(
        "row",
        [
            ("none", "POST", "enabled", True),
            ("enabled", "POST", "enabled", True),
            ("disabled", "POST", "enabled", True),
            ("enabled", "PATCH enabled false", "disabled", False),
            ("disabled", "PATCH enabled false", "disabled", False),
            ("disabled", "PATCH enabled true", "enabled", False),
            ("enabled", "PATCH pin", "enabled", True),
            ("disabled", "PATCH pin", "disabled", True),
            ("enabled", "PATCH regenerate_pin", "enabled", True),
            ("disabled", "PATCH regenerate_pin", "disabled", True),
            ("enabled", "DELETE", "none", False),
            ("disabled", "DELETE", "none", False),
            ("none", "DELETE", "none", False),
        ],
    )
    def test_each_trigger_leads_to_the_contracts_state(
        self, tenant: Tenant, creator: Any, row: tuple[str, str, str, bool]
    ) -> None:
        """A row is: from, trigger, to, and whether all unlock sessions end."""
        start, trigger, end, new_pin = row
        self.bring_to(tenant, creator, start)
        before = stored(tenant, creator)
        method, body, status = self.DOES[trigger]
        answer = tenant.client.data(method, url(creator), json=body, status=status)
        assert self.state(tenant, creator) == end
        after = stored(tenant, creator)
        if before and after:
            assert (before.pin_id != after.pin_id) == new_pin
        assert ("pin" in answer) == new_pin

    @pytest.mark.parametrize("body", [{"enabled": True}, {"pin": "2222"}])
    def test_missing_ones_stay_missing(
        self, tenant: Tenant, creator: Any, body: dict[str, Any]
    ) -> None:
        tenant.client.refusal("PATCH", url(creator), "not_found", json=body)

    def bring_to(self, tenant: Tenant, creator: Any, state: str) -> None:
        if state != "none":
            share(tenant, creator, pin="1111")
        if state == "disabled":
            tenant.client.data("PATCH", url(creator), json={"enabled": False})

    def state(self, tenant: Tenant, creator: Any) -> str:
        link = link_of(tenant, creator)
        if link is None:
            return "none"
        return "enabled" if link["enabled"] else "disabled"


class TestRemovedCreators:
    def test_a_removed_creator_has_no_share_link(self, tenant: Tenant, creator: Any) -> None:
        share(tenant, creator)
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        for method, body in (("GET", None), ("POST", {}), ("PATCH", {"enabled": True})):
            tenant.client.refusal(method, url(creator), "not_found", json=body)
        assert tenant.client.data("GET", f"/creators/{creator['id']}")["share_link"] is None


class TestPins:
    """By default no read returns a PIN."""

    @pytest.fixture(autouse=True)
    def shared(self, tenant: Tenant, creator: Any) -> Any:
        return share(tenant, creator, pin="1111")

    def test_reads_hide_the_pin(self, tenant: Tenant, creator: Any, shared: Any) -> None:
        public_link = {name: value for name, value in shared.items() if name != "pin"}
        path = f"/creators/{creator['id']}"
        assert link_of(tenant, creator) == public_link
        assert tenant.client.data("GET", path)["share_link"] == public_link
        assert [creator["share_link"] for creator in tenant.client.data("GET", "/creators")] == [
            public_link
        ]
        renamed = tenant.client.data("PATCH", path, json={"display_name": "Ada"})
        assert renamed["share_link"] == public_link

    def test_reads_return_it_on_request(self, tenant: Tenant, creator: Any, shared: Any) -> None:
        params = {"include_pin": "true"}
        path = f"/creators/{creator['id']}"
        assert link_of(tenant, creator, **params) == shared
        assert tenant.client.data("GET", path, params=params)["share_link"] == shared
        (listed,) = tenant.client.data("GET", "/creators", params=params)
        assert listed["share_link"] == shared

    @pytest.mark.parametrize(
        ("scopes", "path", "required"),
        [
            (("read",), "share-link", "write"),
            (("read", "admin"), "share-link", "write"),
            (("read", "write"), "detail", "admin"),
            (("read", "write"), "list", "admin"),
        ],
    )
    def test_asking_without_the_scope_is_refused(
        self, tenant: Tenant, creator: Any, scopes: tuple[str, ...], path: str, required: str
    ) -> None:
        paths = {
            "share-link": url(creator),
            "detail": f"/creators/{creator['id']}",
            "list": "/creators",
        }
        with tenant.client_with(*scopes) as client:
            assert client.answer("GET", paths[path], params={"include_pin": "false"})
            meta = client.refusal(
                "GET", paths[path], "insufficient_scope", params={"include_pin": "true"}
            )
        assert (meta["required"], meta["granted"]) == (required, sorted(scopes))

    def test_members_never_see_the_pin(self, tenant: Tenant, creator: Any) -> None:
        with tenant.client_with(role="member") as client:
            (listed,) = client.data("GET", "/creators")
            assert "pin" not in listed["share_link"]
            for path in ("/creators", f"/creators/{creator['id']}", url(creator)):
                query = {"include_pin": "true"}
                client.refusal("GET", path, "insufficient_role", params=query)

    def test_no_table_has_a_pin_in_clear(self, tenant: Tenant, creator: Any) -> None:
        tenant.client.data("PATCH", url(creator), json={"pin": "9731"})
        link = stored(tenant, creator)
        assert b"9731" not in link.pin_encrypted
        mine = ChangeEntry.organization_id == tenant.organization_id
        with tenant.api.store.read_session() as session:
            lines = session.scalars(
                select(ChangeEntry.changes)
                .where(mine, ChangeEntry.entity_type == "share_link")
                .order_by(ChangeEntry.id)
            ).all()
        assert "'9731'" not in str(lines)
        assert lines[-1]["pin_encrypted"] == {"from": "(not shown)", "to": "(not shown)"}

    def test_every_write_is_in_the_audit_log(self, tenant: Tenant, creator: Any) -> None:
        tenant.client.data("DELETE", url(creator))
        mine = AuditEntry.organization_id == tenant.organization_id
        with tenant.api.store.read_session() as session:
            actions = session.scalars(select(AuditEntry.action).where(mine)).all()
        assert set(actions) >= {"put_share_link", "delete_share_link"}


class TestBulk:
    def bulk(self, tenant: Tenant, *creators: Any, **body: Any) -> Any:
        ids = [creator["id"] if isinstance(creator, dict) else creator for creator in creators]
        return tenant.client.answer("POST", "/share-links/bulk", json={"creator_ids": ids, **body})

    def test_each_creator_has_an_outcome(self, tenant: Tenant, other: Tenant) -> None:
        new, old, gone = (tenant.creator(name) for name in ("new", "old", "gone"))
        share(tenant, old, show_payouts=True)
        tenant.client.data("PATCH", url(old), json={"enabled": False})
        tenant.client.data("DELETE", f"/creators/{gone['id']}")
        foreign, absent = other.creator("foreign"), str(uuid4())
        answer = self.bulk(tenant, foreign, new, gone, old, absent, new)
        assert answer["meta"] == {"created": 1, "updated": 1, "skipped": 3, "pin_mode": "unique"}
        statuses = [(item["creator_id"], item["status"]) for item in answer["data"]]
        assert statuses == [
            (foreign["id"], "skipped"),
            (new["id"], "created"),
            (gone["id"], "skipped"),
            (old["id"], "updated"),
            (absent, "skipped"),
        ]
        skipped, made = answer["data"][0], answer["data"][1]
        assert skipped == {
            "creator_id": foreign["id"],
            "url": None,
            "pin": None,
            "sections": None,
            "status": "skipped",
            "error": "Creator not found",
        }
        assert made == {
            "creator_id": new["id"],
            "url": f"{tenant.api.settings.base_url}/share/creator/{new['id']}",
            "pin": pin_of(tenant, new),
            "sections": ["analytics"],
            "status": "created",
        }
        assert link_of(tenant, old) | {"created_at": ""} == {
            "url": f"{tenant.api.settings.base_url}/share/creator/{old['id']}",
            "enabled": True,
            "sections": ["analytics"],
            "created_at": "",
        }
        assert other.client.data("GET", url(foreign)) is None

    @pytest.mark.parametrize("pin", ["4821", None])
    def test_a_shared_pin_opens_every_page(self, tenant: Tenant, pin: str | None) -> None:
        creators = [tenant.creator(f"creator{n}") for n in range(3)]
        answer = self.bulk(tenant, *creators, pin_mode="shared", pin=pin)
        assert answer["meta"]["pin_mode"] == "shared"
        pins = {item["pin"] for item in answer["data"]}
        assert len(pins) == 1
        assert pin is None or pins == {pin}
        assert {pin_of(tenant, creator) for creator in creators} == pins

    def test_unique_pins_are_drawn_one_by_one(self, tenant: Tenant) -> None:
        creators = [tenant.creator(f"creator{n}") for n in range(8)]
        answer = self.bulk(tenant, *creators, show_payouts=True)
        assert len({item["pin"] for item in answer["data"]}) > 1
        assert {tuple(item["sections"]) for item in answer["data"]} == {("analytics", "payouts")}

    def test_two_hundred_are_one_request(self, api: Api, tenant: Tenant) -> None:
        creator = tenant.creator()
        strangers = [str(uuid4()) for _ in range(199)]
        meta = self.bulk(tenant, creator, *strangers)["meta"]
        assert (meta["created"], meta["skipped"]) == (1, 199)
