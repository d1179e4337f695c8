"""Payout structures at the desk: forms of the common kinds, in dollars."""

import re
from html import unescape
from typing import Any

import pytest

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter, beside

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
TIERS, THRESHOLDS = "criteria_params.tiers", "criteria_params.thresholds"
RATES = "criteria_params.rates"
RECURRING = {
    "kind": "recurring",
    "name": HOSTILE,
    "amount_cents": "$1,250.50",
    "period": "monthly",
    "proration_mode": "prorate",
}
VIEWS = {
    "kind": "cpm",
    "name": "Views",
    "period": "weekly",
    f"{TIERS}.0.up_to_impressions": "10,000",
    f"{TIERS}.0.cents_per_thousand": "1",
    f"{TIERS}.1.cents_per_thousand": "0.805",
    "criteria_params.max_payout_cents": "500",
    "criteria_params.min_impressions": "",
}
BONUS = {
    "kind": "view_threshold",
    "name": "Bonus",
    f"{THRESHOLDS}.0.view_count": "100000",
    f"{THRESHOLDS}.0.amount_cents": "50",
    f"{THRESHOLDS}.1.view_count": "1000000",
    f"{THRESHOLDS}.1.amount_cents": "99.99",
}
GOALS = {
    "kind": "goals",
    "name": "Goals",
    "amount_cents": "300",
    "period": "weekly",
    "proration_mode": "skip",
    "criteria_params.mode": "all",
    "criteria_params.partial_allowed": "yes",
    "criteria_params.min_completion_pct": "25%",
    "criteria_params.partial_multiplier": "12.5",
    "platform_scope": "tiktok",
    "hold_anomalies": "yes",
}


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("cpm", {}, "Earlier days are not paid. The first period ends on 24 May 2026."),
        (
            "cpm",
            {"period": "monthly"},
            "Earlier days are not paid. The first period ends on 31 May 2026.",
        ),
        ("view_threshold", {}, "Earlier days are not paid."),
        ("view_threshold", {"backfill_on_assignment": True}, ""),
    ],
)
def test_an_assignment_shows_when_pay_begins(
    tenant: Tenant, kind: str, changes: dict[str, Any], words: str
) -> None:
    """The list of amounts, still empty, says it as well."""
    admin, ada = Sitter(tenant), tenant.creator("ada")
    structure = tenant.payout_structure({**rule(kind), "name": "Views", **changes})
    page = f"{admin.home}/settings/structures/{structure}/creators"
    answer = admin.send(page, page=page, add=ada["id"])
    pay = f"Pay begins on 20 May 2026. {words}".strip()
    assert f"1 creator assigned. {pay}" in read(admin.get(answer.headers["Location"]))
    for status, is_said in {"final": True, "open": True, "paid": False}.items():
        amounts = read(admin.get(f"{admin.home}/payouts?status={status}"))
        assert (f"Views: {pay}" in amounts) is is_said


def test_an_earlier_assignment_is_listed_and_its_days_are_not_called_unpaid(tenant: Tenant) -> None:
    admin, ada, bob = Sitter(tenant), tenant.creator("ada"), tenant.creator("bob")
    structure = tenant.payout_structure({**rule("cpm"), "name": "Views"})
    tenant.payout_assignment(structure, ada, start_date="2026-01-01")
    page = f"{admin.home}/settings/structures/{structure}/creators"
    assert "ada Assigned 1 Jan 2026 and later" in read(admin.get(page))
    admin.send(page, page=page, remove=ada["id"], day="2026-02-01")
    text = read(admin.get(admin.send(page, page=page, add=ada["id"]).headers["Location"]))
    assert "1 creator assigned. Pay begins on 20 May 2026. The first period ends" in text
    assert "Earlier days are not paid" not in read(admin.get(f"{admin.home}/payouts?status=open"))
    assert "1 Jan 2026 to 1 Feb 2026 20 May 2026 and later" in text
    text = read(admin.get(admin.send(page, page=page, add=bob["id"]).headers["Location"]))
    assert "Earlier days are not paid" in text


def test_a_rule_lists_its_creators_and_offers_platforms_alone(tenant: Tenant) -> None:
    admin, ada, bob = Sitter(tenant), tenant.creator("ada"), tenant.creator("bob")
    structure = tenant.payout_structure({**rule("cpm"), "name": "Views"})
    tenant.payout_assignment(structure, ada, start_date="2026-01-01")
    page = admin.get(f"{admin.home}/settings/structures/{structure}")
    assert f'<a href="{admin.home}/creators/{ada["id"]}"><bdi>ada</bdi></a>' in page.text
    assert "ada 1 Jan 2026 No end" in read(page)
    assert bob["id"] not in page.text
    [scopes] = re.findall(r'<select id="platform_scope".*?</select>', page.text, re.DOTALL)
    offered = re.findall(r"<option[^>]*>([^<]+)", scopes)
    assert offered == ["All accounts", "Only TikTok", "Only Instagram"]


@pytest.mark.slow
def test_a_second_rule_on_the_same_views_needs_confirmation_once(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, ada, bob = Sitter(tenant), tenant.creator("ada"), tenant.creator("bob")
    first = tenant.payout_structure({**rule("cpm"), "name": "Base"})
    tenant.payout_assignment(first, ada, start_date="2026-01-01")
    second = tenant.payout_structure({**rule("cpm"), "name": "Bonus"})
    page = f"{admin.home}/settings/structures/{second}/creators"
    assert read(admin.get(page)).count("Also paid for views by Base") == 1
    both = f"{ada['id']},{bob['id']}"
    asked = admin.send(page, page=page, add=both, day="2026-05-19")
    # The selection is in the address, so the browser's Back button restores it.
    told = admin.get(asked.headers["Location"])
    assert re.findall(r'name="selected\.([^"]+)"[^>]* checked', told.text) == [bob["id"], ada["id"]]
    assert 'value="2026-05-19"' in told.text
    assert "Done." not in read(told)
    assert "These creators are also paid for the same views: ada (Base)." in read(told)
    assert "autofocus>These creators" in told.text
    assert "Assign anyway</button>" in told.text
    path = f"/payout-structures/{second}/assignments"
    assert tenant.client.data("GET", path) == []
    [sentence] = re.findall(r'name="sentence" value="([^"]+)"', told.text)
    sent = {"add": both, "sentence": unescape(sentence), "day": "2026-05-19"}
    done = admin.send(asked.headers["Location"], page=page, **sent)
    assert "2 creators assigned." in read(admin.get(done.headers["Location"]))
    assert len(tenant.client.data("GET", path)) == 2
    creator = f"{admin.home}/creators/{ada['id']}"
    link = f'href="{creator}#rules">ada: paid twice by Base and Bonus</a>'
    assert link in admin.get(admin.home).text
    rules = admin.get(creator).text.partition('<h2 id="rules">')[2].partition("</section>")[0]
    assert "Paid twice for the same views, by <a" in rules
    assert rules.count(f'/structures/{first}/creators"') == 1
    assert rules.count(">Paid twice<") == 2
    assert "Paid twice" not in admin.get(f"{admin.home}/creators/{bob['id']}").text
    monkeypatch.setattr("serving_api.desk.overview.MOST_NAMED", 0)
    assert "More creators are paid twice for the same views" in read(admin.get(admin.home))


@pytest.mark.slow
def test_creators_ticked_in_the_list_stay_ticked_in_the_confirmation(tenant: Tenant) -> None:
    admin, ada, bob = Sitter(tenant), tenant.creator("ada"), tenant.creator("bob")
    first, second = (tenant.payout_structure({**rule("cpm"), "name": n}) for n in ("Base", "More"))
    tenant.payout_assignment(first, ada)
    creators = f"{admin.home}/creators?search=a"
    sent = {f"selected.{ada['id']}": "yes", "rule": "selected", "rule_id": second}
    asked = admin.send(creators, page=creators, **sent).headers["Location"]
    told = admin.get(asked)
    assert "These creators are also paid for the same views: ada (Base)." in read(told)
    assert re.findall(r'name="selected\.([^"]+)"[^>]* checked', told.text) == [ada["id"]]
    assert bob["id"] not in told.text
    [sentence] = re.findall(r'name="sentence" value="([^"]+)"', told.text)
    done = admin.send(asked, page=creators, sentence=unescape(sentence), **sent)
    assert done.headers["Location"] == creators
    assert "1 creator assigned to More." in read(admin.get(creators))
    member = Sitter(tenant, role="member")
    assert "also paid" not in read(member.get(asked))


@pytest.mark.slow
def test_widening_a_rule_to_the_same_views_needs_confirmation(tenant: Tenant) -> None:
    admin, ada = Sitter(tenant), tenant.creator("ada")
    scopes = [{"platform_scope": "platform", "platform": name} for name in ("tiktok", "instagram")]
    first, second = (
        tenant.payout_structure({**rule("cpm"), **scope, "name": name})
        for name, scope in zip(("Base", "Bonus"), scopes, strict=True)
    )
    for structure in (first, second):
        tenant.payout_assignment(structure, ada)
    page = f"{admin.home}/settings/structures/{second}"
    changed = {key: value for key, value in VIEWS.items() if key != "name"}
    narrow = saved(admin, page, {**changed, "platform_scope": "instagram"})
    assert "also paid" not in narrow
    wide = saved(admin, page, {**changed, "platform_scope": "all"})
    assert wide.endswith("These creators are also paid for the same views: ada (Base).")


def test_a_retainer_or_another_platform_needs_no_confirmation(tenant: Tenant) -> None:
    admin, ada = Sitter(tenant), tenant.creator("ada")
    tiktok = {**rule("cpm"), "platform_scope": "platform", "platform": "tiktok"}
    for body in (tiktok, rule("recurring", amount_cents=100)):
        tenant.payout_assignment(tenant.payout_structure(body), ada)
    other = tenant.payout_structure({**tiktok, "platform": "instagram"})
    page = f"{admin.home}/settings/structures/{other}/creators"
    assert "Also paid" not in read(admin.get(page))
    assert admin.send(page, page=page, add=ada["id"]).status_code == 303
    assert "paid twice" not in read(admin.get(admin.home))


def conversions(event: Any) -> dict[str, str]:
    return {
        "kind": "conversion",
        "name": "Sales",
        "criteria_params.cadence": "weekly",
        "period_anchor": "7",
        "backfill_on_assignment": "yes",
        f"{RATES}.0.conversion_event_id": event["id"],
        f"{RATES}.0.percent_bps": "10.5",
    }


def saved(admin: Sitter, page: str, sent: dict[str, str]) -> str:
    """Save a rule after its preview, and return the preview's text."""
    [escaped_sentence] = re.findall(
        r'name="sentence" value="([^"]+)"', admin.send(page, page=page, **sent).text
    )
    sentence = unescape(str(escaped_sentence))
    answer = admin.send(page, page=page, **sent, sentence=sentence)
    assert answer.status_code == 303, answer.text
    return sentence


def made_by(admin: Sitter, sent: dict[str, str]) -> Any:
    saved(admin, f"{admin.home}/settings/structures/new", sent)
    return admin.tenant.client.data("GET", "/payout-structures")[0]


@pytest.mark.slow
def test_the_common_kinds_are_made(admin: Sitter) -> None:
    fee = made_by(admin, RECURRING)
    assert (fee["amount_cents"], fee["period"], fee["name"]) == (125_050, "monthly", HOSTILE)
    views = made_by(admin, VIEWS)["criteria_params"]
    assert views["tiers"] == [
        {"up_to_impressions": 10_000, "cents_per_thousand": 100},
        {"up_to_impressions": None, "cents_per_thousand": 80.5},
    ]
    assert views["max_payout_cents"] == 50_000
    bonuses = made_by(admin, BONUS)["criteria_params"]["thresholds"]
    assert [(bonuse["view_count"], bonuse["amount_cents"]) for bonuse in bonuses] == [
        (100_000, 5_000),
        (1_000_000, 9_999),
    ]
    page = admin.get(f"{admin.home}/settings/structures")
    listed = read(page)
    assert "$1,250.50 each month" in listed
    assert (
        "$1.00 per 1,000 views up to 10,000, then $0.805 per 1,000 views,"
        " counted each week, at most $500.00"
    ) in listed
    assert "Once per post: $50.00 at 100,000 views, $99.99 at 1,000,000 views" in listed
    assert HOSTILE not in page.text


def test_creators_of_a_tried_rule_are_paid_by_it_from_a_day_on(
    tenant: Tenant, admin: Sitter
) -> None:
    """The rule lab passes them on: those still selected when the rule is saved are assigned."""
    ada = tenant.creator("ada", display_name=HOSTILE)
    form = f"{admin.home}/settings/structures/new?kind=cpm"
    named = {**VIEWS, f"creator.{ada['id']}": "yes", "start_date": "2026-05-04"}
    preview = admin.send(form, page=form, **named)
    assert HOSTILE in read(preview)
    assert HOSTILE not in preview.text
    assert 'value="2026-05-04"' in preview.text
    assert tenant.client.data("GET", "/payout-structures") == []

    saved(admin, form, named)
    [made] = tenant.client.data("GET", "/payout-structures")
    [assignment] = tenant.client.data("GET", f"/payout-structures/{made['id']}/assignments")
    assert (assignment["creator_id"], assignment["start_date"]) == (ada["id"], "2026-05-04")

    wrong = admin.send(form, page=form, **named | {"start_date": "tomorrow"})
    assert (wrong.status_code, beside(wrong.text, "start_date")[:12]) == (400, "Enter a date")
    nobody = {**VIEWS, "creator.x": "yes"}
    assert admin.send(form, page=form, **nobody).status_code == 400


def test_a_rule_is_filled_in_as_it_is_and_replaced(admin: Sitter) -> None:
    structure = made_by(admin, VIEWS)
    page = f"{admin.home}/settings/structures/{structure['id']}"
    field_values = dict(re.findall(r'name="([^"]+)"[^>]* value="([^"]*)"', admin.get(page).text))
    assert field_values[f"{TIERS}.1.cents_per_thousand"] == "0.805"
    assert field_values["criteria_params.max_payout_cents"] == "500.00"
    rule_sent = {name: value for name, value in VIEWS.items() if name != "name"}
    saved(admin, page, {**rule_sent, f"{TIERS}.1.cents_per_thousand": "0.5"})
    admin.send(page, page=page, name="By views")
    changed = admin.tenant.client.data("GET", f"/payout-structures/{structure['id']}")
    assert changed["criteria_params"]["tiers"][1]["cents_per_thousand"] == 50
    assert (changed["name"], changed["current_version"]["version_number"]) == ("By views", 2)
    admin.send(page, page=page, archive="yes")
    path = f"/payout-structures/{structure['id']}"
    assert not admin.tenant.client.data("GET", path)["is_active"]


def test_a_new_rule_leads_to_its_creators_and_is_counted(admin: Sitter, tenant: Tenant) -> None:
    ada = tenant.creator("ada", display_name="Ada")
    rules = f"{admin.home}/settings/structures"
    assert f'href="{rules}">Pay rules</a>' in admin.get(admin.home).text
    assert "Example: $1.50 per 1,000 views: 40,000 views pay $60.00." in read(admin.get(rules))
    preview = admin.send(f"{rules}/new", page=f"{rules}/new", **VIEWS)
    assert "Example: 100,000 views pay $82.45." in read(preview)
    [sentence] = re.findall(r'name="sentence" value="([^"]+)"', preview.text)
    sent = {**VIEWS, "sentence": unescape(sentence)}
    answer = admin.send(f"{rules}/new", page=f"{rules}/new", **sent)
    page = admin.get(answer.headers["Location"])
    assert "Rule created. Assign creators." in read(page)
    assigning = answer.headers["Location"]
    creator = f"{admin.home}/creators/{ada['id']}"
    offered = read(admin.get(creator))
    assert "No rule pays this creator yet. Assign a rule" in offered
    admin.send(assigning, page=assigning, add=ada["id"], day="2026-05-04")
    assert f"1 creator of {VIEWS['name']}" in read(admin.get(rules))
    shown = read(admin.get(creator))
    assert f"{VIEWS['name']} 4 May 2026 No end Active" in shown
    assert "Assign a rule" not in shown


def test_a_rule_lists_its_creators_by_name(admin: Sitter, tenant: Tenant) -> None:
    structure = tenant.payout_structure({**rule("recurring"), "name": "Fee"})
    for name in ("bob", "Cyd", "Ada"):
        tenant.payout_assignment(structure, tenant.creator(name, display_name=name))
    page = admin.get(f"{admin.home}/settings/structures/{structure}").text
    assert re.findall(r"/creators/[^\"]+\"><bdi>(\w+)<", page) == ["Ada", "bob", "Cyd"]


def test_an_assignment_ended_on_its_first_day_is_over_everywhere(
    admin: Sitter, tenant: Tenant
) -> None:
    """That day is still paid (money.md M5)."""
    ada = tenant.creator("ada", display_name="Ada")
    structure = tenant.payout_structure({**rule("recurring"), "name": "Fee"})
    page = f"{admin.home}/settings/structures/{structure}/creators"
    admin.send(page, page=page, add=ada["id"])
    assert "Fee" in read(admin.get(f"{admin.home}/creators")).partition("Add selected to")[0]
    admin.send(page, page=page, remove=ada["id"])
    assert "20 May 2026 to 20 May 2026" in read(admin.get(page))
    creator = read(admin.get(f"{admin.home}/creators/{ada['id']}"))
    assert "Fee 20 May 2026 20 May 2026 Ended" in creator
    listed = read(admin.get(f"{admin.home}/creators")).partition("Add selected to")[0]
    assert "$" in listed
    assert "Fee" not in listed


def test_a_rule_lists_its_creators_though_newer_assignments_have_ended(
    admin: Sitter, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.desk.settings.structures.ON_A_PAGE", 1)
    creators = [tenant.creator(handle, display_name=handle.title()) for handle in ("ada", "kim")]
    structure = tenant.payout_structure(rule("recurring"))
    page = f"{admin.home}/settings/structures/{structure}"
    assert "This rule pays no creators yet." in read(admin.get(page))
    for creator in creators:
        tenant.payout_assignment(structure, creator)
    assert "2 assignments. Only the latest are listed." in read(admin.get(page))
    assigned = f"{page}/creators"
    admin.send(assigned, page=assigned, remove=creators[1]["id"])
    text = read(admin.get(page))
    assert "Ada 20 May 2026 No end 1 assignment." in text
    assert "Only the latest" not in text


def test_a_new_rule_holds_anomalies_unless_unticked(admin: Sitter) -> None:
    new = f"{admin.home}/settings/structures/new"
    for kind in ("recurring", "goals", "cpm", "view_threshold", "conversion"):
        form = admin.get(f"{new}?kind={kind}").text
        assert re.search(r'name="hold_anomalies" value="yes" checked', form), kind
    made = made_by(admin, {**RECURRING, "hold_anomalies": "yes"})
    assert made["hold_anomalies"] is True
    assert made_by(admin, {**RECURRING, "name": "Other"})["hold_anomalies"] is False


def test_a_rule_is_read_before_it_is_saved(admin: Sitter) -> None:
    form = f"{admin.home}/settings/structures/new"
    params = {"criteria_params.min_impressions": "1,000", "criteria_params.view_lifetime_days": "1"}
    preview = admin.send(form, page=form, **VIEWS | params)
    sentence = (
        "$1.00 per 1,000 views up to 10,000, then $0.805 per 1,000 views, counted each week,"
        " at most $500.00; below the minimum of 1,000 views, all carry over;"
        " only views up to 1 day after posting"
    )
    assert preview.status_code == 200
    assert sentence in read(preview)
    assert admin.tenant.client.data("GET", "/payout-structures") == []
    assert shown_in(preview.text)[f"{TIERS}.0.up_to_impressions"] == "10,000"
    made = admin.audit_events()
    other = {**VIEWS, **params, f"{TIERS}.0.cents_per_thousand": "100", "sentence": sentence}
    again = admin.send(form, page=form, **other)
    assert "$100.00 per 1,000 views up to 10,000" in read(again)
    assert admin.tenant.client.data("GET", "/payout-structures") == []
    assert admin.audit_events() == made
    assert saved(admin, form, VIEWS | params) == sentence
    [structure] = admin.tenant.client.data("GET", "/payout-structures")
    page = f"{admin.home}/settings/structures/{structure['id']}"
    changed = {name: value for name, value in (VIEWS | params).items() if name != "name"}
    changed["criteria_params.view_lifetime_days"] = "30"
    assert "only views up to 30 days after posting" in read(admin.send(page, page=page, **changed))
    [structure] = admin.tenant.client.data("GET", "/payout-structures")
    assert structure["criteria_params"]["view_lifetime_days"] == 1


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({**RECURRING, "amount_cents": "1,50"}, "amount_cents", "a point as decimal separator"),
        ({**RECURRING, "amount_cents": "1" * 300}, "amount_cents", "Enter dollars"),
        ({**RECURRING, "name": " "}, "name", "This field is required"),
        ({**VIEWS, f"{TIERS}.1.up_to_impressions": "5"}, TIERS, "last tier empty"),
        (
            {**VIEWS, "criteria_params.min_impressions": "few"},
            "criteria_params.min_impressions",
            "whole",
        ),
        ({**BONUS, f"{THRESHOLDS}.2.view_count": "7"}, f"{THRESHOLDS}.2.amount_cents", "required"),
        ({**BONUS, f"{THRESHOLDS}.1.view_count": "100000"}, THRESHOLDS, "Enter each one once"),
        (
            {**VIEWS, f"{TIERS}.1.cents_per_thousand": "999999999999"},
            f"{TIERS}.1.cents_per_thousand",
            "This amount is too large",
        ),
        (
            {**GOALS, "criteria_params.partial_multiplier": "101"},
            "criteria_params.partial_multiplier",
            "This percentage is too large",
        ),
        (
            {**GOALS, "criteria_params.mode": "any"},
            "criteria_params.mode",
            "Choose all goals to pay in proportion",
        ),
    ],
)
def test_errors_are_shown_beside_their_fields(
    admin: Sitter, sent: dict[str, str], field: str, message: str
) -> None:
    form = f"{admin.home}/settings/structures/new"
    answer = admin.send(form, page=form, **sent)
    assert answer.status_code == 400
    assert message in beside(answer.text, field)
    assert HOSTILE not in answer.text
    assert admin.tenant.client.data("GET", "/payout-structures") == []


def test_all_wrong_rows_are_reported_at_once(admin: Sitter) -> None:
    form = f"{admin.home}/settings/structures/new"
    prices = [f"{TIERS}.{n}.cents_per_thousand" for n in (0, 1)]
    answer = admin.send(form, page=form, **{**VIEWS, **dict.fromkeys(prices, "x")})
    assert ["Enter dollars" in beside(answer.text, price) for price in prices] == [True, True]


def shown_in(page: str) -> dict[str, str]:
    """The values of a page's fields, with selected options and ticked boxes."""
    inputs = {
        name: value
        for name, kind, value in re.findall(
            r'<input[^>]*name="([^"]+)"(?: type="(\w+)")? value="([^"]*)"', page
        )
        if kind != "hidden"
    }
    unticked = re.findall(r'<input type="checkbox" name="([^"]+)" value="yes">', page)
    chosen = re.findall(
        r'<select id="([^"]+)"(?:(?!</select>).)*?value="([^"]*)" selected', page, re.DOTALL
    )
    ticked = re.findall(r'<input type="checkbox" name="([^"]+)" value="yes" checked', page)
    texts = {name: value for name, value in inputs.items() if name not in unticked}
    return {**texts, **dict(chosen), **dict.fromkeys(ticked, "yes")}


def test_goals_are_paid_for_partly_on_one_platform(admin: Sitter) -> None:
    made = made_by(admin, GOALS)
    assert made["criteria_params"] == {
        "mode": "all",
        "n": None,
        "partial_allowed": True,
        "partial_multiplier": 0.125,
        "min_completion_pct": 25,
    }
    assert (made["platform_scope"], made["platform"]) == ("platform", "tiktok")
    assert (made["amount_cents"], made["hold_anomalies"]) == (30_000, True)
    page = f"{admin.home}/settings/structures/{made['id']}"
    answer = admin.get(page)
    assert (
        "$300.00 each week if all goals are met; in proportion if partly met, times 12.5%,"
        " from 25%; only TikTok"
    ) in read(answer)
    filled = shown_in(answer.text)
    assert filled["criteria_params.partial_multiplier"] == "12.5"
    assert filled["hold_anomalies"] == filled["criteria_params.partial_allowed"] == "yes"
    assert filled["platform_scope"] == "tiktok"
    sent = {name: GOALS[name] for name in GOALS.keys() - {"name", "hold_anomalies"}}
    some = {**sent, "criteria_params.mode": "n_of_m", "criteria_params.n": "2"}
    refused = admin.send(page, page=page, **some)
    assert refused.status_code == 400
    assert "Choose all goals" in beside(refused.text, "criteria_params.mode")
    assert shown_in(refused.text)["criteria_params.n"] == "2"
    for name in ("partial_allowed", "min_completion_pct", "partial_multiplier"):
        del some[f"criteria_params.{name}"]
    everywhere = {**some, "platform_scope": "all"}
    assert saved(admin, page, everywhere) == "$300.00 each week if 2 goals are met"
    changed = admin.tenant.client.data("GET", f"/payout-structures/{made['id']}")
    assert (changed["criteria_params"]["mode"], changed["criteria_params"]["n"]) == ("n_of_m", 2)
    assert (changed["platform_scope"], changed["hold_anomalies"]) == ("all", False)


def test_a_rule_whose_kind_changed_in_the_meantime_is_shown(admin: Sitter) -> None:
    structure = made_by(admin, VIEWS)
    fee = {**rule("recurring"), "kind": "rule"}
    admin.tenant.client.data("PATCH", f"/payout-structures/{structure['id']}", json=fee)
    page = f"{admin.home}/settings/structures/{structure['id']}"
    stale = {name: value for name, value in VIEWS.items() if name != "name"}
    refused = admin.send(page, page=page, **stale, expected_version="1")
    assert refused.status_code == 409
    assert "<p>Kind: CPM: pay per 1,000 views → Retainer: fixed pay</p>" in refused.text
    assert '<input type="hidden" name="kind" value="recurring">' in refused.text


def test_conversions_are_paid_for_by_event(tenant: Tenant, admin: Sitter) -> None:
    event = tenant.conversion_event("sale")
    made = made_by(admin, conversions(event))
    assert made["criteria_params"]["rates"] == [
        {"conversion_event_id": event["id"], "rate_type": "percent", "percent_bps": 1_050}
    ]
    assert (made["period"], made["period_anchor"]) == ("weekly", 7)
    assert made["backfill_on_assignment"]
    page = f"{admin.home}/settings/structures/{made['id']}"
    answer = admin.get(page)
    assert "For conversions 10.5%, each week" in read(answer)
    filled = shown_in(answer.text)
    assert filled[f"{RATES}.0.percent_bps"] == "10.50"
    assert filled[f"{RATES}.0.conversion_event_id"] == event["id"]
    one_by_one = {
        "kind": "conversion",
        "criteria_params.cadence": "every_conversion",
        f"{RATES}.0.conversion_event_id": event["id"],
        f"{RATES}.0.amount_cents": "5",
    }
    assert saved(admin, page, one_by_one) == "For conversions $5.00, one by one"
    changed = tenant.client.data("GET", f"/payout-structures/{made['id']}")
    assert changed["period"] is None
    assert changed["criteria_params"]["rates"][0]["amount_cents"] == 500


def test_a_rule_of_many_steps_has_room_for_more(tenant: Tenant, admin: Sitter) -> None:
    tiers = [{"up_to_impressions": 1_000 * n or None, "cents_per_thousand": n} for n in range(50)]
    params = {"tiers": [*tiers[1:], tiers[0]]}
    structure = tenant.payout_structure(rule("cpm", criteria_params=params), name="Many")
    page = f"{admin.home}/settings/structures/{structure}"
    answer = admin.get(page)
    filled = {name: value for name, value in shown_in(answer.text).items() if name != "name"}
    assert filled[f"{TIERS}.48.up_to_impressions"] == "49,000"
    words = read(answer)
    assert "up to 1,000, then $0.02 per 1,000 views from 1,001 to 2,000, then" in words
    assert "after 10,000, a limit of 50,000 pays the next 40,000" in words
    saved(admin, page, filled | {"kind": "cpm"})
    changed = tenant.client.data("GET", f"/payout-structures/{structure}")
    assert changed["current_version"]["version_number"] == 2
    assert changed["criteria_params"]["tiers"] == params["tiers"]


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"criteria_params.cadence": "yearly"}, "criteria_params.cadence", "Choose an option"),
        ({f"{RATES}.0.percent_bps": "0.001"}, f"{RATES}.0.percent_bps", "a percentage"),
        ({f"{RATES}.0.percent_bps": "9999"}, f"{RATES}.0.percent_bps", "percentage is too large"),
        ({f"{RATES}.0.amount_cents": "5"}, f"{RATES}.0.percent_bps", "either"),
        ({f"{RATES}.0.conversion_event_id": ""}, f"{RATES}.0.conversion_event_id", "Choose"),
        (
            {f"{RATES}.0.conversion_event_id": "00000000-0000-0000-0000-000000000000"},
            f"{RATES}.0.conversion_event_id",
            "of the project",
        ),
        ({"criteria_params.cadence": "daily"}, "period_anchor", "weekly conversion structure"),
    ],
)
def test_errors_of_a_rate_are_shown_beside_it(
    tenant: Tenant, admin: Sitter, sent: dict[str, str], field: str, message: str
) -> None:
    form = f"{admin.home}/settings/structures/new"
    answer = admin.send(form, page=form, **conversions(tenant.conversion_event("sale")) | sent)
    assert answer.status_code == 400
    assert message in beside(answer.text, field)
    assert 'name="name" type="text" value="Sales"' in answer.text
