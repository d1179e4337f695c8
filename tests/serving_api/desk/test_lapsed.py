"""Approved amounts that have since become zero: no list has them, and the desk reports them."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.factories.accruals import earning, publish_earnings
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying, week_until
from tests.serving_api.resources.payouts.test_corrections import of_posts, of_views, publish
from tests.serving_api.resources.programs.test_goal_compliance import state_id_of
from warehouse.operational.models import PayoutAccrualDecision

LINE = "$100.00 for ada, 27 Apr 2026 to 3 May 2026: approved, no longer owed"


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def test_it_is_named_on_the_approvers_pages(paying: Paying, admin: Sitter) -> None:
    payouts, path = f"{admin.home}/payouts", f"/payouts/amounts/{paying.id_of('settled')}"
    pages = (payouts, f"{payouts}?status=approved", f"{admin.home}/creators/{paying.ada['id']}")
    paying.decide("settled", status="approved")
    assert not any("no longer owed" in read(admin.get(page)) for page in pages)
    paying.publish(settled=None)
    paying.tenant.client.refusal("GET", paying.path("settled"), "not_found")
    assert "settled" not in paying.listed()
    for page in pages:
        shown = admin.get(page)
        assert LINE in read(shown), page
        assert f'href="{admin.home}{path}"' in shown.text
    for page in (f"{payouts}?creator=bob", f"{payouts}?status=paid", admin.home + "/creators"):
        assert LINE not in read(admin.get(page))
    own = read(admin.get(f"{admin.home}{path}"))
    assert "No longer owed: $100.00 for ada" in own
    assert "its approval applies again" in own
    assert "No recorded change explains it" in own
    paying.publish()
    assert paying.accrual("settled")["status"] == "approved"
    assert not any("no longer owed" in read(admin.get(page)) for page in pages)


def test_the_first_are_named_without_reading_all(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.resources.payouts.accruals.lapsed.READ_AT_ONCE", 1)
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    paying.publish(settled=None, bobs=None)
    shown = read(admin.get(f"{admin.home}/payouts"))
    assert shown.count("approved, no longer owed") == 2
    monkeypatch.setattr("serving_api.desk.payouts.lapsed.MOST", 1)
    shown = read(admin.get(f"{admin.home}/payouts"))
    assert shown.count("approved, no longer owed") == 1
    assert "More approved amounts are no longer owed" in shown


def test_an_old_or_undone_approval_is_not_named(paying: Paying, admin: Sitter) -> None:
    for name in ("settled", "bobs"):
        paying.decide(name, status="approved")
    paying.decide("bobs", status="final")
    with paying.tenant.api.store.write_session() as session:
        row = session.get_one(PayoutAccrualDecision, paying.earnings["settled"].id)
        row.decided_at -= timedelta(days=31)
    paying.publish(settled=None, bobs=None)
    assert "no longer owed" not in read(admin.get(f"{admin.home}/payouts"))
    own = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('bobs')}"))
    assert "No longer owed: $50.00 for bob" in own
    assert "applies again" not in own
    paying.publish(last=None)
    undecided = admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('last')}")
    assert undecided.status_code == 404


def test_its_page_names_the_excluded_post(paying: Paying, admin: Sitter) -> None:
    post = paying.tenant.video(1)["id"]
    publish(paying, 1_000, of_views({post: 1_000}))
    paying.decide("disputed", status="approved")
    paying.tenant.client.data("PATCH", f"/videos/{post}", json={"tracking_status": "excluded"})
    paying.publish(disputed=None, settled=None)
    own = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('disputed')}"))
    assert "Post, which is excluded, no longer counts: 1,000 views before" in own


def test_its_page_names_the_goal_that_the_period_misses(paying: Paying, admin: Sitter) -> None:
    tenant = paying.tenant
    evidence = of_posts(*(tenant.video(number)["id"] for number in (1, 2)))
    of_goals = {"criteria_type": "goals", "evidence": evidence}
    amount = earning(tenant, paying.structure, paying.ada, week_until(3), 10_000, **of_goals)
    paying.earnings["settled"] = amount
    paying.publish()
    paying.decide("settled", status="approved")
    goal = tenant.goal(
        paying.ada, metric="posts", period="weekly", target_value=100, start_date="2026-04-27"
    )
    columns = ("creator_id", "metric", "period", "target_value", "platform_scope", "account_id")
    missed = {
        **{column: goal[column] for column in columns},
        "goal_id": goal["id"],
        "goal_state_id": str(state_id_of(tenant, goal)),
        "organization_id": str(tenant.organization_id),
        "project_id": str(tenant.project_id),
        "period_start": date(2026, 4, 27),
        "period_end": date(2026, 5, 3),
        "starts_at": datetime(2026, 4, 27, tzinfo=UTC),
        "ends_at": datetime(2026, 5, 4, tzinfo=UTC),
        "actual": 2,
        "percentage": 2.0,
        "status": "missed",
    }
    publish_earnings(
        tenant.api.settings, tenant.api.store, [], decided_up_to=0, goal_compliance=[missed]
    )
    own = read(admin.get(f"{admin.home}/payouts/amounts/{amount.id}"))
    assert "Goal missed: 2 of 100 posts each week" in own


def test_an_approved_correction_without_a_difference_says_so(paying: Paying, admin: Sitter) -> None:
    paying.pay("settled")
    paying.publish(settled=12_000)
    [correction] = paying.adjustments()
    path = f"/payout-accruals/{correction['id']}"
    paying.tenant.client.data("PATCH", path, json={"status": "approved"})
    assert "no longer owed" not in read(admin.get(f"{admin.home}/payouts"))
    paying.publish()
    assert "$20.00 for ada" in read(admin.get(f"{admin.home}/payouts"))
    own = read(admin.get(f"{admin.home}/payouts/amounts/{correction['id']}"))
    assert "Nothing is left to correct: what was paid is owed again" in own


@pytest.mark.parametrize("state", ["rejected", "corrected"])
def test_its_dispute_is_answered_on_its_page(paying: Paying, admin: Sitter, state: str) -> None:
    body = {"accrual_id": paying.id_of("last"), "reason": "Seven days, not five"}
    dispute = paying.tenant.client.data("POST", "/payout-disputes", json=body)
    paying.publish(last=None)
    page = f"{admin.home}/payouts/amounts/{paying.id_of('last')}"
    assert f'href="{page}#dispute-{dispute["id"]}"' in admin.get(f"{admin.home}/inbox").text
    own = read(admin.get(page))
    assert "No longer owed: $70.00 for ada" in own
    assert "Seven days, not five" in own
    send = f"{page}/disputes/{dispute['id']}"
    refused = admin.send(send, page=page, state=state, answer=" ")
    assert (refused.status_code, "This field is required" in refused.text) == (400, True)
    assert admin.send(send, page=page, state=state, answer="It is gone").status_code == 303
    done = paying.tenant.client.data("GET", f"/payout-disputes/{dispute['id']}")
    assert (done["state"], done["answer"]) == (state, "It is gone")
    other = f"{page}/disputes/00000000-0000-0000-0000-000000000000"
    assert admin.send(other, page=page, state=state, answer="No").status_code == 404


def test_an_amount_of_another_project_is_not_found(paying: Paying, admin: Sitter) -> None:
    paying.decide("settled", status="approved")
    paying.publish(settled=None)
    made = f"/organizations/{paying.tenant.organization_id}/projects"
    project = paying.tenant.client.data("POST", made, json={"name": "Second"})
    page = f"/desk/projects/{project['id']}/payouts/amounts/{paying.id_of('settled')}"
    assert admin.get(page).status_code == 404
    assert LINE not in read(admin.get(f"/desk/projects/{project['id']}/payouts"))
