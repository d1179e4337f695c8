"""Settings of a program at the desk: conversions, goals, share links and webhooks."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from html import unescape
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from serving_api.kit.request_context import WriteContext
from serving_api.resources.programs.goals import service as goals_service
from serving_api.resources.programs.goals.schemas import NewGoal
from tests.factories.payouts import rule
from tests.factories.tracking import change
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter, beside
from tests.fixtures.locks import wait_until_waiting
from warehouse.operational.models import Goal, ShareLink, WebhookEndpoint

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
TOLD = "https://hooks.example.com/told"


@pytest.fixture
def creator(tenant: Tenant) -> Any:
    return tenant.creator("ada", display_name=HOSTILE)


def field_in(page: str, name: str) -> str:
    """The value of a form's hidden field."""
    [value] = re.findall(rf'name="{name}" value="([^"]+)"', page)
    return unescape(str(value))


class TestConversions:
    @pytest.mark.slow
    def test_a_member_defines_conversion_events(self, tenant: Tenant) -> None:
        member = Sitter(tenant, role="member")
        address = f"{member.home}/settings/conversion-events"
        sent = {"name": HOSTILE, "description": "", "default_value_cents": "12.50"}
        refused = member.send(address, page=address, key="Order", **sent)
        assert refused.status_code == 400
        assert "lower case" in beside(refused.text, "key")
        assert 'value="12.50"' in refused.text
        keyless = member.send(address, page=address, key=" ", **sent)
        assert beside(keyless.text, "key") == "This field is required"
        assert member.send(address, page=address, key="order", **sent).status_code == 303
        of_project = f"/projects/{tenant.project_id}/conversion-events?include_inactive=true"
        [event] = tenant.client.data("GET", of_project)
        assert (event["key"], event["default_value_cents"]) == ("order", 1_250)
        page = member.get(address)
        assert f"{HOSTILE} order $12.50" in read(page)
        assert HOSTILE not in page.text
        again = member.send(address, page=address, key="order", **sent)
        assert (again.status_code, 'role="alert"' in again.text) == (409, True)

        event_path = f"{address}/{event['id']}"
        assert 'value="12.50"' in member.get(event_path).text
        changed = {"name": "Order", "description": "Paid", "default_value_cents": ""}
        assert member.send(event_path, page=event_path, **changed).status_code == 303
        member.send(address, page=address, stop=event["id"])
        [event] = tenant.client.data("GET", of_project)
        assert {name: event[name] for name in changed} == {**changed, "default_value_cents": 0}
        assert not event["is_active"]
        assert "Order order; no longer recorded; Paid $0.00" in read(member.get(address))
        member.send(address, page=address, resume=event["id"])
        assert tenant.client.data("GET", of_project)[0]["is_active"]

    def test_a_stale_form_keeps_another_users_value(self, tenant: Tenant) -> None:
        event = tenant.conversion_event("order", default_value_cents=500)
        member = Sitter(tenant, role="member")
        event_path = f"{member.home}/settings/conversion-events/{event['id']}"
        seen = field_in(member.get(event_path).text, "seen")
        path = f"/projects/{tenant.project_id}/conversion-events/{event['id']}"
        tenant.client.data("PATCH", path, json={"default_value_cents": 900})
        stale = {"name": "Order", "description": "Paid", "default_value_cents": "5.00"}
        sent = {**stale, "seen": seen}
        assert member.send(event_path, page=event_path, **sent).is_redirect
        stored = tenant.client.data("GET", path)
        assert (stored["description"], stored["default_value_cents"]) == ("Paid", 900)
        seen = field_in(member.get(event_path).text, "seen")
        untouched = {**stale, "default_value_cents": "9.00", "seen": seen}
        assert member.send(event_path, page=event_path, **untouched).is_redirect

    def test_an_event_with_another_currency_keeps_it(self, tenant: Tenant) -> None:
        event = tenant.conversion_event("order", currency="EUR", default_value_cents=1_250)
        member = Sitter(tenant, role="member")
        event_path = f"{member.home}/settings/conversion-events/{event['id']}"
        form = member.get(event_path)
        assert "worth 1,250 cents of EUR" in read(form)
        assert "default_value_cents" not in form.text
        assert member.send(event_path, page=event_path, name="Order").status_code == 303
        [stored_event] = tenant.client.data(
            "GET", f"/projects/{tenant.project_id}/conversion-events"
        )
        assert (stored_event["name"], stored_event["default_value_cents"]) == ("Order", 1_250)


class TestGoals:
    @pytest.mark.slow
    def test_a_member_sets_pauses_and_deletes_one(self, tenant: Tenant, creator: Any) -> None:
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        assert HOSTILE in read(member.get(f"{goals}?search=ADA"))
        assert "No creators match." in read(member.get(f"{goals}?search=nobody"))
        page = f"{goals}/{creator['id']}"
        sent = {"metric": "views", "period": "monthly", "target_value": "10,000"}
        assert member.send(page, page=page, **sent).status_code == 303
        of_creator = f"/creators/{creator['id']}/goals"
        [goal] = tenant.client.data("GET", of_creator)
        assert (goal["metric"], goal["target_value"]) == ("views", 10_000)
        assert "10,000 views each month First result with the next numbers" in " ".join(
            read(member.get(goals)).replace("\u2013 not known", "").split()
        )
        [account] = tenant.client.data("GET", f"/creators/{creator['id']}")["accounts"]
        only = {"metric": "posts", "period": "weekly", "target_value": "2"}
        of_one = {**only, "platform_scope": account["id"]}
        assert member.send(page, page=page, **of_one).status_code == 303
        listed = tenant.client.data("GET", of_creator)
        assert listed[0]["account_id"] == account["id"]
        assert "2 posts each week, only @ada on TikTok" in read(member.get(page))
        member.send(page, page=page, delete=listed[0]["id"])
        member.send(page, page=page, pause=goal["id"])
        assert not tenant.client.data("GET", of_creator)[0]["is_active"]
        member.send(page, page=page, delete=goal["id"])
        assert tenant.client.data("GET", of_creator) == []

    def test_one_is_set_for_ticked_creators_all_or_none(self, tenant: Tenant, creator: Any) -> None:
        member, both = Sitter(tenant, role="member"), [creator, tenant.creator("bo")]
        goals = f"{member.home}/settings/goals"
        sent = {"metric": "posts", "period": "weekly", "target_value": "3", "set": "selected"}
        ticked = {f"selected.{each['id']}": "yes" for each in both}
        assert "Select at least one item first" in member.send(goals, page=goals, **sent).text
        wrong = member.send(goals, page=goals, **{**sent, "target_value": ""}, **ticked)
        assert wrong.status_code == 400
        assert wrong.text.count(" checked") == 2
        gone = tenant.creator("eve")
        tenant.client.data("DELETE", f"/creators/{gone['id']}")
        removed = {f"selected.{gone['id']}": "yes"}
        assert member.send(goals, page=goals, **sent, **ticked, **removed).status_code == 409
        paths = [f"/creators/{each['id']}/goals" for each in both]
        assert [tenant.client.data("GET", path) for path in paths] == [[], []]
        answer = member.send(goals, page=goals, **sent, **ticked)
        assert "Goal set for 2 creators." in read(member.get(answer.headers["Location"]))
        for path in paths:
            [goal] = tenant.client.data("GET", path)
            assert (goal["metric"], goal["target_value"], goal["period"]) == ("posts", 3, "weekly")

    def test_creators_with_the_same_current_goal_are_skipped_and_named(
        self, tenant: Tenant
    ) -> None:
        ann, kim, bo = (tenant.creator(name, display_name=name) for name in ("Ann", "Kim", "Bo"))
        same = {"metric": "posts", "period": "weekly", "target_value": 5}
        tenant.goal(kim, **same)
        tenant.goal(bo, **same, end_date="2026-04-30")
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        ticked = {f"selected.{each['id']}": "yes" for each in (ann, kim, bo)}
        sent = {**same, "target_value": "5", "start_date": "2026-05-18", "set": "selected"}
        hiding = f"{goals}?search=&status=at_risk"
        done = member.send(hiding, page=hiding, **sent, **ticked)
        assert done.headers["Location"] == f"{goals}?search=", "a status filter would hide them"
        words = "Goal set for 2 creators. Already had this goal: Kim."
        assert words in read(member.get(done.headers["Location"]))
        again = {"metric": "posts", "period": "weekly", "target_value": "5"}
        own = f"{goals}/{kim['id']}"
        for page, form in ((goals, {**sent, **ticked}), (own, again)):
            refused = member.send(page, page=page, **form)
            assert refused.status_code == 409
            assert "Kim. No goal was set" in refused.text
        paths = [f"/creators/{each['id']}/goals" for each in (ann, kim, bo)]
        assert [len(tenant.client.data("GET", path)) for path in paths] == [1, 1, 2]

    def test_two_members_at_once_set_a_goal_once(self, tenant: Tenant, creator: Any) -> None:
        member, store = Sitter(tenant, role="member"), tenant.api.store
        page = f"{member.home}/settings/goals/{creator['id']}"
        goal = {"metric": "posts", "target_value": "3", "period": "weekly"}
        forms = [{"form": member.hidden(page), **goal} for _ in range(2)]
        lock = text("select 1 from creators where id = :id for no key update")
        with ThreadPoolExecutor(2) as pool, store.engine.connect() as locking:
            locking.execute(lock, {"id": creator["id"]})
            sent = [pool.submit(member.post, page, data=form) for form in forms]
            wait_until_waiting(store.dsn, 2)
            locking.rollback()
        assert sorted(each.result().status_code for each in sent) == [303, 409]
        assert len(tenant.client.data("GET", f"/creators/{creator['id']}/goals")) == 1

    def test_goals_just_set_are_undone(self, tenant: Tenant, creator: Any) -> None:
        member, both = Sitter(tenant, role="member"), [creator, tenant.creator("bo")]
        goals, sent = f"{member.home}/settings/goals", {"metric": "posts", "target_value": "3"}
        earlier = tenant.goal(creator, metric="views", period="weekly", target_value=9)["id"]
        ticked = {f"selected.{each['id']}": "yes" for each in both}
        own = f"{goals}/{creator['id']}"
        for page, form in ((goals, {**ticked, "set": "selected"}), (own, {})):
            done = member.send(page, page=page, **sent, **form, period="weekly")
            toast = member.get(done.headers["Location"]).text
            [(name, ids)] = re.findall(r'name="(\w+)" value="([^"]+)"[^>]*data-undo', toast)
            member.send(page, page=page, **{name: ids})
            stored = [tenant.client.data("GET", f"/creators/{each['id']}/goals") for each in both]
            assert [[goal["id"] for goal in each] for each in stored] == [[earlier], []], page

    def test_undo_leaves_goals_that_were_changed_or_deleted_since(
        self, tenant: Tenant, creator: Any
    ) -> None:
        member, path = Sitter(tenant, role="member"), f"/creators/{creator['id']}/goals"
        goals = f"{member.home}/settings/goals"
        made = [
            tenant.goal(creator, metric=metric, period="weekly", target_value=5)["id"]
            for metric in ("posts", "views")
        ]
        with tenant.api.store.write_session() as session:
            session.info["clock"] = lambda: datetime(2026, 5, 21, tzinfo=UTC)
            session.get_one(Goal, UUID(made[0])).target_value = 50
        for said in ("1 goal deleted.", "0 goals deleted."):
            done = member.send(goals, page=goals, unset=",".join(made))
            assert said in read(member.get(done.headers["Location"]))
            assert [goal["id"] for goal in tenant.client.data("GET", path)] == made[:1]

    def test_undo_on_a_creators_page_leaves_a_goal_that_was_changed_since(
        self, tenant: Tenant, creator: Any
    ) -> None:
        member, path = Sitter(tenant, role="member"), f"/creators/{creator['id']}/goals"
        page = f"{member.home}/settings/goals/{creator['id']}"
        sent = {"metric": "posts", "period": "weekly", "target_value": "3"}
        done = member.send(page, page=page, **sent)
        toast = member.get(done.headers["Location"]).text
        [(name, ids)] = re.findall(r'name="(\w+)" value="([^"]+)"[^>]*data-undo', toast)
        with tenant.api.store.write_session() as session:
            session.info["clock"] = lambda: datetime(2026, 5, 21, tzinfo=UTC)
            session.get_one(Goal, UUID(ids)).target_value = 50
        undone = member.send(page, page=page, **{name: ids})
        assert "0 goals deleted." in read(member.get(undone.headers["Location"]))
        assert [goal["id"] for goal in tenant.client.data("GET", path)] == [ids]

    def test_a_form_names_the_rules_that_another_goal_changes(
        self, tenant: Tenant, creator: Any
    ) -> None:
        other = tenant.creator("bo")
        structure = tenant.payout_structure({**rule("goals"), "name": "Bonus of goals"})
        for number in range(100):  # more than a page of the API
            tenant.payout_structure({**rule("recurring"), "name": f"Fee {number}"})
        tenant.payout_assignment(structure, creator)
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        said = "These rules pay for goals of their period: Bonus of goals. One more goal changes"
        assert said in read(member.get(goals))
        assert said in read(member.get(f"{goals}/{creator['id']}"))
        assert "Bonus of goals" not in read(member.get(f"{goals}/{other['id']}"))

    @pytest.mark.parametrize("action", ["pause", "delete"])
    def test_one_that_was_changed_meanwhile_is_neither_paused_nor_deleted(
        self, tenant: Tenant, creator: Any, action: str
    ) -> None:
        member = Sitter(tenant, role="member")
        of_creator = f"/creators/{creator['id']}/goals"
        body = {"metric": "views", "period": "monthly", "target_value": 10_000}
        goal = tenant.client.data("POST", of_creator, json=body)
        page = f"{member.home}/settings/goals/{creator['id']}"
        field = f"expected_version.{goal['id']}"
        match = re.search(f'name="{field}" value="([^"]+)"', member.get(page).text)
        tenant.client.data("PATCH", f"{of_creator}/{goal['id']}", json={"target_value": 9})
        pressed = {field: match[1], action: goal["id"]}
        refused = member.send(page, page=page, **pressed)
        assert refused.status_code == 409
        assert "This changed in the meantime" in refused.text
        [stored_goal] = tenant.client.data("GET", of_creator)
        assert (stored_goal["target_value"], stored_goal["is_active"]) == (9, True)
        assert member.send(
            page, page=page, **{**pressed, field: stored_goal["version"]}
        ).is_redirect

    def test_a_member_changes_and_ends_one(self, tenant: Tenant, creator: Any) -> None:
        member = Sitter(tenant, role="member")
        body = {"metric": "views", "period": "monthly", "target_value": 10_000}
        of_creator = f"/creators/{creator['id']}/goals"
        tiktok = {**body, "platform_scope": "platform", "platform": "tiktok"}
        goal = tenant.client.data("POST", of_creator, json=tiktok)
        page = f"{member.home}/settings/goals/{creator['id']}/{goal['id']}"
        form = member.get(page).text
        assert 'value="10,000"' in form
        assert '<option value="monthly" selected>' in form
        sent = {"metric": "posts", "period": "weekly", "target_value": "3"}
        days = {"start_date": "2026-05-04", "end_date": "2026-05-03"}
        refused = member.send(page, page=page, **sent, **days)
        assert refused.status_code == 400
        assert "on or after the start date" in beside(refused.text, "end_date")
        assert 'value="2026-05-04"' in refused.text
        ended = {"start_date": "", "end_date": "2026-05-31"}
        assert member.send(page, page=page, **sent, **ended).status_code == 303
        [changed] = tenant.client.data("GET", of_creator)
        assert (changed["metric"], changed["target_value"]) == ("posts", 3)
        assert (changed["start_date"], changed["end_date"]) == (None, "2026-05-31")
        assert changed["platform"] == "tiktok"

    def test_one_is_set_for_all_that_match_on_all_pages(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("serving_api.desk.settings.goals.MANY", 1)
        kims = [tenant.creator(f"kim{number}") for number in range(3)]
        other = tenant.creator("bo")
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals?search=kim"
        assert "Set for all 3 that match" in read(member.get(goals))
        sent = {"metric": "posts", "period": "weekly", "target_value": "3", "set": "all"}
        sent["start_date"] = "2026-05-26"
        sent["all"] = field_in(member.get(goals).text, "all")
        monkeypatch.setattr("serving_api.desk.settings.goals.MOST_AT_ONCE", 2)
        refused = member.send(goals, page=goals, **sent).text
        assert "at most 2 creators at once: search by name, or tick some" in refused
        assert "Set for all" not in refused
        monkeypatch.setattr("serving_api.desk.settings.goals.MOST_AT_ONCE", 3)
        answer = member.send(goals, page=goals, **sent)
        done = "Goal set for 3 creators. Its first period begins on 1 Jun 2026."
        assert done in read(member.get(answer.headers["Location"]))
        numbers = [
            len(tenant.client.data("GET", f"/creators/{each['id']}/goals"))
            for each in [*kims, other]
        ]
        assert numbers == [1, 1, 1, 0]
        assert "Starts 1 Jun 2026 until 7 Jun 2026" in read(member.get(goals)), "a complete week"

    def test_one_for_all_is_refused_when_others_match_than_were_shown(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("serving_api.desk.settings.goals.MANY", 1)
        creators = [tenant.creator(f"kim{number}") for number in range(2)]
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        shown = field_in(member.get(goals).text, "all")
        tenant.client.data("DELETE", f"/creators/{creators.pop()['id']}")
        creators.append(tenant.creator("bo"))
        sent = {"metric": "posts", "period": "weekly", "target_value": "3", "set": "all"}
        refused = member.send(goals, page=goals, all=shown, **sent)
        assert refused.status_code == 409
        assert "The creators that match have changed: check the number" in refused.text
        paths = [f"/creators/{each['id']}/goals" for each in creators]
        assert [tenant.client.data("GET", path) for path in paths] == [[], []]
        shown = field_in(refused.text, "all")
        assert member.send(goals, page=goals, all=shown, **sent).is_redirect

    def test_all_creators_are_locked_in_the_order_of_payments(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("serving_api.desk.settings.goals.MANY", 1)
        ids = [tenant.creator(f"kim{number}")["id"] for number in range(3)]
        # PostgreSQL then stores the first row last.
        tenant.client.data("PATCH", f"/creators/{ids[0]}", json={"display_name": "Kim"})
        locked: list[str] = []
        create = goals_service.create

        def recorded(context: WriteContext, creator_id: UUID, body: NewGoal) -> Any:
            locked.append(str(creator_id))
            return create(context, creator_id, body)

        monkeypatch.setattr(goals_service, "create", recorded)
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        sent = {"metric": "posts", "period": "weekly", "target_value": "3", "set": "all"}
        shown = field_in(member.get(goals).text, "all")
        assert member.send(goals, page=goals, all=shown, **sent).is_redirect
        assert locked == sorted(ids)

    def test_a_creator_with_no_room_for_one_is_named(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(goals_service, "MOST_GOALS", 1)
        creators = [tenant.creator(name, display_name=name) for name in ("Kim", "Bo")]
        full, free = (f"/creators/{each['id']}/goals" for each in creators)
        body = {"metric": "views", "period": "monthly", "target_value": 10_000}
        tenant.client.data("POST", full, json=body)
        member = Sitter(tenant, role="member")
        goals = f"{member.home}/settings/goals"
        ticked = {f"selected.{each['id']}": "yes" for each in creators}
        sent = {"metric": "posts", "period": "weekly", "target_value": "3", "set": "selected"}
        refused = member.send(goals, page=goals, **sent, **ticked).text
        assert "Kim: A creator can have at most 1 goals. Delete one first. No goal was" in refused
        assert tenant.client.data("GET", free) == []

    def test_one_that_the_list_no_longer_shows_is_opened(
        self, tenant: Tenant, creator: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("serving_api.desk.settings.goals.MOST_LISTED", 1)
        body = {"metric": "views", "period": "monthly", "target_value": 10_000}
        path = f"/creators/{creator['id']}/goals"
        first, _ = (tenant.client.data("POST", path, json=body) for _ in range(2))
        member = Sitter(tenant, role="member")
        page = f"{member.home}/settings/goals/{creator['id']}/{first['id']}"
        assert member.get(page).status_code == 200
        assert member.get(page.replace(first["id"], str(uuid4()))).status_code == 404

    def test_errors_are_shown_beside_their_fields(self, tenant: Tenant, creator: Any) -> None:
        member = Sitter(tenant, role="member")
        page = f"{member.home}/settings/goals/{creator['id']}"
        sent = {"metric": "views", "period": "weekly", "target_value": "10,5", "end_date": ""}
        answer = member.send(page, page=page, **sent)
        assert answer.status_code == 400
        assert beside(answer.text, "target_value") == "Enter a whole number (1000 or 1,000)"
        none = member.send(page, page=page, **{**sent, "target_value": "0"})
        assert beside(none.text, "target_value") == "Enter a number above 0"
        days = {"start_date": "2026-05-10", "end_date": "2026-05-04"}
        back = member.send(page, page=page, **{**sent, "target_value": "3", **days})
        assert beside(back.text, "end_date") == "Enter a date on or after the start date"
        assert HOSTILE not in answer.text


class TestShareLinks:
    def test_a_page_is_made_closed_and_given_another_pin(
        self, tenant: Tenant, admin: Sitter, creator: Any
    ) -> None:
        links = f"{admin.home}/settings/share-links"
        page = f"{links}/{creator['id']}"
        member, own = Sitter(tenant, role="member"), f"{admin.home}/creators/{creator['id']}"
        linked = [f'href="{page}">Share page</a>' in who.get(own).text for who in (admin, member)]
        assert linked == [True, False]
        sent = {"show_payouts": "yes", "pin": "4821", "keep": "yes"}
        assert admin.send(page, page=page, **sent).status_code == 303
        assert "PIN 4821 Status Open" in read(admin.get(page))
        listed = admin.get(links)
        assert "open: payouts" in read(listed)
        assert not re.search(r"(?<![\w-])4821(?![\w-])", listed.text), "nor in a field"
        admin.send(page, page=page, enabled="no")
        assert "PIN 4821 Status Closed" in read(admin.get(page))
        admin.send(page, page=page, show_analytics="yes", pin="", keep="yes")
        path = f"/creators/{creator['id']}/share-link"
        assert tenant.client.data("GET", path)["sections"] == ["analytics"]
        admin.send(page, page=page, regenerate="yes")
        assert "Status Closed" in read(admin.get(page))
        admin.send(page, page=page, delete="yes")
        assert tenant.client.data("GET", path) is None

    def test_a_stale_form_shows_no_earnings_that_another_user_hid(
        self, tenant: Tenant, admin: Sitter, creator: Any
    ) -> None:
        page = f"{admin.home}/settings/share-links/{creator['id']}"
        path = f"/creators/{creator['id']}/share-link"
        tenant.client.data("POST", path, json={"show_payouts": True})
        stale = {"show_analytics": "yes", "show_payouts": "yes"}
        sent = {**stale, "pin": "", "seen": field_in(admin.get(page).text, "seen")}
        tenant.client.data("PATCH", path, json={"show_payouts": False})
        for pin in ("4321", ""):
            assert admin.send(page, page=page, **{**sent, "pin": pin}).is_redirect
            assert tenant.client.data("GET", path)["sections"] == ["analytics"]
        address = tenant.client.data("GET", path)["url"]
        tenant.client.data("DELETE", path)
        assert tenant.client.data("POST", path, json={})["url"] == address
        assert "until a new page is created" in read(admin.get(page))

    def test_a_pin_that_cannot_be_read_is_set_again(
        self, tenant: Tenant, admin: Sitter, creator: Any
    ) -> None:
        """The installation's secret key has changed."""
        path = f"/creators/{creator['id']}/share-link"
        visitors = tenant.client.data("POST", path, json={"pin": "4821"})["url"]
        with tenant.api.store.write_session() as session:
            link = session.get_one(ShareLink, UUID(creator["id"]))
            link.pin_encrypted = b"made with another key"
        for url in (path, f"/creators/{creator['id']}", "/creators"):
            tenant.client.answer("GET", url, params={"include_pin": "true"})
        page = f"{admin.home}/settings/share-links/{creator['id']}"
        public = visitors.removeprefix(tenant.api.settings.base_url)
        assert admin.post(public, data={"pin": "4821"}).status_code == 403
        assert "PIN Cannot be read. Set another. Status Open" in read(admin.get(page))
        admin.send(page, page=page, show_analytics="yes", pin="1248", keep="yes")
        assert "PIN 1248 Status Open" in read(admin.get(page))
        assert admin.post(public, data={"pin": "1248"}).status_code == 303

    def test_errors_are_shown_beside_their_fields(self, admin: Sitter, creator: Any) -> None:
        page = f"{admin.home}/settings/share-links/{creator['id']}"
        answer = admin.send(page, page=page, show_analytics="yes", pin="12", keep="yes")
        assert answer.status_code == 400
        assert beside(answer.text, "pin") == "A PIN has exactly 4 digits"
        empty = admin.send(page, page=page, pin="", keep="yes")
        assert "section" in beside(empty.text, "sections")


class TestWebhooks:
    def test_an_address_is_added_tested_stopped_and_deleted(
        self, tenant: Tenant, admin: Sitter
    ) -> None:
        webhooks = f"{admin.home}/settings/webhooks"
        sent = {"url": TOLD, "description": HOSTILE, "event_types.budget.reached": "yes"}
        made = admin.send(f"{webhooks}/new", page=webhooks, **sent)
        [secret] = re.findall(r'value="(whsec_[^"]+)"', made.text)
        [endpoint] = tenant.client.data("GET", "/webhook-endpoints")
        assert (endpoint["url"], endpoint["event_types"]) == (TOLD, ["budget.reached"])
        listed = admin.get(webhooks)
        assert secret not in listed.text
        assert HOSTILE not in listed.text
        tested = admin.send(webhooks, page=webhooks, test=endpoint["id"])
        deliveries = read(admin.get(tested.headers["Location"]))
        assert "webhook.test" in deliveries
        assert "Pending" in deliveries
        admin.send(webhooks, page=webhooks, disable=endpoint["id"])
        again = admin.send(webhooks, page=webhooks, disable=endpoint["id"])
        late = read(admin.get(again.headers["Location"]))
        assert ("already disabled" in late, "Undo" in late) == (True, False)
        assert not tenant.client.data("GET", "/webhook-endpoints")[0]["is_enabled"]
        refused = admin.send(webhooks, page=webhooks, test=endpoint["id"])
        assert refused.status_code == 409
        admin.send(webhooks, page=webhooks, delete=endpoint["id"])
        assert tenant.client.data("GET", "/webhook-endpoints") == []

    @pytest.mark.parametrize(
        ("state", "shown"),
        [
            ({}, (False, True)),
            ({"failures": 3, "paused_until": datetime(2026, 5, 1, tzinfo=UTC)}, (True, False)),
            ({"is_enabled": False}, (False, False)),
        ],
    )
    def test_deliveries_say_that_they_wait_for_a_paused_endpoint(
        self, tenant: Tenant, admin: Sitter, state: dict[str, Any], shown: tuple[bool, bool]
    ) -> None:
        """Their next attempts are past, and come after the pause."""
        made = tenant.client.data("POST", "/webhook-endpoints", json={"url": TOLD})
        tenant.client.data("POST", f"/webhook-endpoints/{made['id']}/test")
        change(tenant.api.store, WebhookEndpoint, made["id"], **state)
        page = read(admin.get(f"{admin.home}/settings/webhooks/{made['id']}"))
        assert ("Paused" in page, "next attempt" in page) == shown
        tenant.client.request("DELETE", f"/webhook-endpoints/{made['id']}")

    def test_errors_are_shown_beside_their_fields(self, admin: Sitter) -> None:
        form = f"{admin.home}/settings/webhooks/new"
        answer = admin.send(form, page=form, url="http://example.com", description="")
        assert answer.status_code == 400
        assert beside(answer.text, "url") == "Enter an https URL"
