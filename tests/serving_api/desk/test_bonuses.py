"""A one-off bonus at the desk: one form with a reason creates a one-day retainer."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from serving_api.desk.rules.words import WRITE_DOLLARS
from tests.factories.payouts import rule as rule_of
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter, beside
from tests.fixtures.payouts import Paying
from warehouse.operational.models import PayoutPause


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def test_a_bonus_is_a_one_day_rule_that_other_pages_do_not_offer(
    paying: Paying, admin: Sitter
) -> None:
    ada, client = paying.ada["id"], paying.tenant.client
    page = f"{admin.home}/payouts/creators/{ada}/bonus"
    assert f'href="{page}"' in admin.get(f"{admin.home}/creators/{ada}").text
    paying.decide("settled", status="approved")
    assert f'href="{page}"' in admin.get(f"{admin.home}/payouts/creators/{ada}").text
    answer = admin.send(page, page=page, amount_cents="1,050.50", reason="Best post of May")
    shown = read(admin.get(answer.headers["Location"]))
    assert "Bonus of $1,050.50 for 19 May 2026. Payouts lists it after the next run" in shown
    [made] = client.data("GET", "/payout-structures", params={"is_active": "false"})
    assert made["name"] == "Bonus for ada: Best post of May"
    rule = (made["criteria_type"], made["period"], made["amount_cents"], made["proration_mode"])
    assert rule == ("recurring", "daily", 105_050, "full")
    [assigned] = client.data("GET", f"/payout-structures/{made['id']}/assignments")
    days = (assigned["start_date"], assigned["end_date"])
    assert (assigned["creator_id"], *days) == (ada, "2026-05-19", "2026-05-19")
    shown = read(admin.get(f"{admin.home}/settings/structures/{made['id']}"))
    assert "$1,050.50 once, on 19 May 2026" in shown
    assert "each day" not in shown.partition("Change the rule")[0]
    lab = f"{admin.home}/rule-lab/{made['id']}"
    assert "Current rule: $1,050.50 once, on 19 May 2026" in read(admin.get(lab))
    paths = ("/settings/structures", "/payouts", "/payouts/run", f"/creators/{ada}", "/creators")
    admin.send(page, page=page, amount_cents="5", reason="Best post of May", day="2026-05-20")
    for path in paths:
        lists = admin.get(f"{admin.home}{path}").text
        assert "Best post of May" not in lists, path


def test_an_archived_retainer_of_more_than_a_day_or_creator_is_a_rule(
    paying: Paying, admin: Sitter
) -> None:
    """Other archived rules are listed: for two days, for two creators, and weekly."""
    client, path = paying.tenant.client, "/payout-structures"
    days = {"start_date": "2026-05-18", "end_date": "2026-05-18"}
    kinds = {
        "One day": ("daily", [paying.ada], days),
        "Two days": ("daily", [paying.ada], {**days, "end_date": "2026-05-19"}),
        "Two creators": ("daily", [paying.ada, paying.bob], days),
        "By the week": ("weekly", [paying.ada], days),
    }
    for name, (period, creators, dates) in kinds.items():
        rule = {"period": period, "amount_cents": 500, "name": name}
        structure_id = paying.tenant.payout_structure(rule_of("recurring", **rule))
        body = {"creator_ids": [each["id"] for each in creators], **dates}
        client.data("POST", f"{path}/{structure_id}/assignments", json=body, status=201)
        assert name in admin.get(f"{admin.home}/settings/structures").text
        client.data("DELETE", f"{path}/{structure_id}")
        listed = admin.get(f"{admin.home}/settings/structures").text
        assert (name in listed) is (name != "One day")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("amount_cents", "0", "Enter an amount above 0"),
        ("amount_cents", "ten", WRITE_DOLLARS),
        ("amount_cents", "-38.20", "A bonus cannot be negative, see above"),
        ("amount_cents", "$\u221238.20", "A bonus cannot be negative, see above"),
        ("reason", " ", "This field is required"),
        ("day", "2026-05-21", "Enter today or an earlier date"),
    ],
)
def test_a_bonus_without_required_fields_is_refused_at_the_field(
    paying: Paying, admin: Sitter, field: str, value: str, message: str
) -> None:
    page = f"{admin.home}/payouts/creators/{paying.ada['id']}/bonus"
    sent = {"amount_cents": "50", "reason": "Best post", "day": "", field: value}
    answer = admin.send(page, page=page, **sent)
    assert answer.status_code == 400
    assert beside(answer.text, field) == message
    assert len(paying.tenant.client.data("GET", "/payout-structures")) == 1


@pytest.mark.parametrize(
    ("pauses", "days", "refused"),
    [
        ([(10, None)], ["2026-05-10"], {"2026-05-11": "10 May 2026"}),
        ([(10, 19)], ["2026-05-10", "2026-05-20"], {"2026-05-19": "10 May 2026"}),
        ([(10, 18)], ["2026-05-19", "2026-05-05"], {"2026-05-18": "10 May 2026"}),
        ([(8, 12), (12, 19)], ["2026-05-08"], {"2026-05-12": "8 May 2026"}),
        ([(19, None)], ["2026-05-19"], {"2026-05-20": "19 May 2026"}),
    ],
)
def test_a_bonus_is_for_a_day_without_a_pause(
    paying: Paying,
    admin: Sitter,
    pauses: list[tuple[int, int | None]],
    days: list[str],
    refused: dict[str, str],
) -> None:
    ada, client = paying.ada["id"], paying.tenant.client
    with paying.tenant.api.store.write_session() as session:
        for paused, restarted in pauses:
            session.add(
                PayoutPause(
                    organization_id=paying.tenant.organization_id,
                    creator_id=UUID(ada),
                    paused_at=datetime(2026, 5, paused, 12, tzinfo=UTC),
                    restarted_at=restarted and datetime(2026, 5, restarted, 12, tzinfo=UTC),
                )
            )
    page = f"{admin.home}/payouts/creators/{ada}/bonus"
    sent = {"amount_cents": "50", "reason": "Best post"}
    for day, latest in refused.items():
        answer = admin.send(page, page=page, **sent, day=day)
        paused_day = f"Payouts were paused on this day: enter {latest} or an earlier date"
        assert (answer.status_code, beside(answer.text, "day")) == (400, paused_day)
    for entered in ("", *days[1:]):
        assert admin.send(page, page=page, **sent, day=entered).status_code == 303
    made = client.data("GET", "/payout-structures", params={"is_active": "false"})
    listed = (client.data("GET", f"/payout-structures/{each['id']}/assignments") for each in made)
    assert {each["start_date"] for [each] in listed} == set(days)


def test_a_long_name_and_reason_fit_into_the_name_of_the_rule(
    paying: Paying, admin: Sitter
) -> None:
    ada, client = paying.ada["id"], paying.tenant.client
    client.data("PATCH", f"/creators/{ada}", json={"display_name": "N" * 100})
    page = f"{admin.home}/payouts/creators/{ada}/bonus"
    answer = admin.send(page, page=page, amount_cents="50", reason="r" * 100, day="")
    assert answer.status_code == 303
    [made] = client.data("GET", "/payout-structures", params={"is_active": "false"})
    assert made["name"] == f"Bonus for {'N' * 88}: {'r' * 100}"
