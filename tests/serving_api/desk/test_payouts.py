"""Payouts at the desk: a month's end, from due to paid amounts, with the errors.

Due are Ada's first week ($100.00) and Bob's ($50.00); Ada's week until 17 May ($70.00) settles.
"""

import csv
import re
from datetime import date, datetime
from html import unescape
from uuid import uuid4

import httpx
import pytest

from serving_api.desk.payouts.listing import ON_A_PAGE
from serving_api.resources.payouts.accruals.summary import dollars
from tests.factories.accruals import earning
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying, week_until
from tests.fixtures.statements import statements_sent
from tests.serving_api.resources.payouts.test_corrections import of_conversions
from warehouse.operational.models import AuditEntry


def listed(sitter: Sitter, status: str) -> str:
    """The text of a list without the rest of the page."""
    page = sitter.get(f"{sitter.home}/payouts?status={status}")
    return read(page).partition("Not paid ")[2]


def values_of(page: str, name: str) -> list[str]:
    """The values of the buttons or fields of this name."""
    return re.findall(rf'name="{name}" value="([^"]*)"', page)


def decided(sitter: Sitter, paying: Paying, **sent: str) -> httpx.Response:
    """Send a button of the list along with the current amounts."""
    payouts = f"{sitter.home}/payouts"
    ids = [accrual_id for chosen in sent.values() for accrual_id in chosen.split(",")]
    listed = paying.tenant.client.data("GET", "/payout-accruals")
    cents_by_id = {accrual["id"]: accrual["amount_cents"] for accrual in listed}
    seen = {f"cents-{accrual_id}": str(cents_by_id[accrual_id]) for accrual_id in ids}
    return sitter.send(payouts, page=payouts, **sent, **seen)


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


@pytest.mark.slow
def test_from_due_to_paid(paying: Paying, admin: Sitter) -> None:
    payouts = f"{admin.home}/payouts"
    due = admin.get(payouts)
    assert "Total: $150.00" in read(due)
    *each, selected, together = values_of(due.text, "approved")
    assert selected == "selected"
    assert set(together.split(",")) == set(each) == {paying.id_of("settled"), paying.id_of("bobs")}
    assert decided(admin, paying, approved=together).status_code == 303
    assert paying.listed(status="final") == []
    assert "No amounts to approve." in listed(admin, "final")
    to_pay = listed(admin, "approved")
    assert "Total: $150.00" in to_pay

    pay = f"{payouts}/creators/{paying.ada['id']}"
    payout_method_id = paying.payment("settled")["payout_method_id"]
    account = {"payout_method_id": payout_method_id, "details": {"iban": "DE00"}}
    client = paying.tenant.client
    client.data("PUT", f"/creators/{paying.ada['id']}/payout-account", json=account)
    form = admin.get(pay)
    assert "$100.00 is approved" in read(form)
    [method] = re.findall(r'<option value="([^"]+)" selected', form.text)
    sent = {
        "accrual_ids": values_of(form.text, "accrual_ids")[0],
        "amount_cents": values_of(form.text, "amount_cents")[0],
        "payout_method_id": method,
        "reference": "Transfer 7",
    }
    assert (sent["amount_cents"], method) == ("10000", payout_method_id)
    assert admin.send(pay, page=payouts, **sent).status_code == 303
    [payment] = client.data("GET", "/payout-payments")
    assert payment["accrual_ids"] == [paying.id_of("settled")]
    assert (payment["amount_cents"], payment["reference"]) == (10_000, "Transfer 7")
    assert "Total: $100.00" in listed(admin, "paid")
    again = admin.send(pay, page=payouts, **sent)
    assert again.status_code == 409
    assert len(client.data("GET", "/payout-payments")) == 1
    detail = admin.get(f"{payouts}/amounts/{paying.id_of('settled')}")
    assert "This amount is in a payment and no longer changes." in read(detail)
    assert audit_events_of(admin) == ["sign_in", "decide_amounts", "record_payment"]


@pytest.mark.slow
def test_an_approval_is_undone_from_the_page_after_it(paying: Paying, admin: Sitter) -> None:
    answer = decided(admin, paying, approved=",".join(map(paying.id_of, ("settled", "bobs"))))
    after = admin.get(answer.headers["Location"])
    assert "2 amounts approved, $150.00." in read(after)
    again = decided(admin, paying, approved=",".join(map(paying.id_of, ("settled", "bobs"))))
    assert "Already approved." in read(admin.get(again.headers["Location"]))
    [undo] = values_of(after.text, "final")
    payouts = f"{admin.home}/payouts"
    answer = admin.send(payouts, page=payouts, final=undo, undone="approved")
    assert len(paying.listed(status="final")) == 2
    shown = read(admin.get(answer.headers["Location"]))
    assert "2 amounts to approve again." in shown
    assert "Undo" not in shown


@pytest.mark.slow
def test_undo_keeps_another_admins_approval(paying: Paying, admin: Sitter) -> None:
    """The page still showed both amounts as due."""
    paying.decide("settled", status="approved")
    answer = decided(admin, paying, approved=",".join(map(paying.id_of, ("settled", "bobs"))))
    after = admin.get(answer.headers["Location"])
    assert "1 amount approved, $50.00." in read(after)
    [undo] = values_of(after.text, "final")
    payouts = f"{admin.home}/payouts"
    admin.send(payouts, page=payouts, final=undo, undone="approved")
    statuses = [paying.accrual(name)["status"] for name in ("settled", "bobs")]
    assert statuses == ["approved", "final"]


@pytest.mark.slow
def test_another_admins_newer_decision_stays(paying: Paying, admin: Sitter) -> None:
    """Bob's amount is void; older pages show it as due or approved."""
    accrual_id, payouts = paying.id_of("bobs"), f"{admin.home}/payouts"
    page = f"{payouts}/amounts/{accrual_id}"
    seen = {f"cents-{accrual_id}": "5000"}
    due, approved = {"approved": accrual_id, **seen}, {"final": accrual_id, **seen}
    [status] = values_of(admin.get(page).text, "shown_status")
    assert decided(admin, paying, approved=accrual_id).status_code == 303
    paying.decide("bobs", status="void", note="No post")
    for to, sent in (
        (payouts, due),
        (payouts, approved | {"undone": "approved"}),
        (f"{payouts}?status=approved", approved),
        (page, {"status": "approved", "shown_status": status, "note": "", **seen}),
    ):
        answer = admin.send(to, page=page, **sent)
        assert answer.status_code == 409, to
        assert "This accrual changed in the meantime." in answer.text
        accrual = paying.accrual("bobs")
        assert (accrual["status"], accrual["note"]) == ("void", "No post")
    [status] = values_of(admin.get(page).text, "shown_status")
    admin.send(page, page=page, status="final", shown_status=status, note="No post", **seen)
    assert paying.accrual("bobs")["status"] == "final"


def audit_events_of(sitter: Sitter) -> list[str]:
    with sitter.tenant.api.store.read_session() as session:
        mine = session.query(AuditEntry).filter(AuditEntry.user_id == sitter.user_id)
        entries = mine.order_by(AuditEntry.at).all()
    assert {entry.channel for entry in entries} == {"page"}
    return [entry.action for entry in entries]


@pytest.mark.slow
def test_an_amount_is_put_on_hold_with_a_note_and_not_paid(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('bobs')}"
    admin.send(page, page=page, note="Asked Bob\r\nabout 2 May")
    assert paying.accrual("bobs")["note"] == "Asked Bob\nabout 2 May"
    assert paying.accrual("bobs")["status"] == "final"
    seen = {f"cents-{paying.id_of('bobs')}": "5000"}
    admin.send(page, page=page, note="No post", status="void", **seen)
    assert (paying.accrual("bobs")["status"], paying.accrual("bobs")["note"]) == ("void", "No post")
    assert "These amounts are not paid." in listed(admin, "void")
    admin.send(page, page=page, note="", status="final", **seen)
    assert (paying.accrual("bobs")["status"], paying.accrual("bobs")["note"]) == ("final", None)


@pytest.mark.slow
def test_a_stale_page_decides_and_keeps_another_users_note(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('bobs')}"
    for words in ("Note saved.", "Nothing was changed."):
        before = paying.accrual("bobs")["note"] or ""
        answer = admin.send(page, page=page, note="First", note_before=before)
        assert words in read(admin.get(answer.headers["Location"]))
    [shown] = re.findall(r'name="note_before" value="([^"]*)"', admin.get(page).text)
    admin.send(page, page=page, note="Asked Bob")
    seen = {f"cents-{paying.id_of('bobs')}": "5000", "note_before": shown}
    admin.send(page, page=page, note="First", status="approved", **seen)
    assert paying.accrual("bobs")["status"] == "approved"
    assert paying.accrual("bobs")["note"] == "Asked Bob"


def test_the_note_of_a_paid_amount_is_shown_whole(paying: Paying, admin: Sitter) -> None:
    note = "Asked Ada about her first post of May, which is not in the numbers until the fourth"
    paying.decide("settled", status="approved", note=note)
    paying.pay("settled")
    assert f"Note: {note}" in read(
        admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('settled')}")
    )


@pytest.mark.slow
def test_the_longest_note_of_any_script_is_replaced(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('bobs')}"
    before, after = "\u6f22" * 1_000, "\u5b57" * 1_000
    for note, note_before in ((before, ""), (after, before)):
        answer = admin.send(page, page=page, note=note, note_before=note_before)
        assert answer.status_code == 303, answer.text
        assert paying.accrual("bobs")["note"] == note


@pytest.mark.slow
def test_an_approval_that_lapsed_is_given_again_with_its_own_note(
    paying: Paying, admin: Sitter
) -> None:
    page, name = (
        f"{admin.home}/payouts/amounts/{paying.id_of('bobs')}",
        f"cents-{paying.id_of('bobs')}",
    )
    admin.send(page, page=page, note="Asked Bob", status="approved", **{name: "5000"})
    paying.publish(bobs=6_000)
    [lapsed] = re.findall(r'name="note"[^>]*>([^<]*)<', admin.get(page).text)
    assert lapsed == "approved at $50.00, recomputed to $60.00"
    response = admin.send(page, page=page, note=lapsed)
    assert response.status_code == 303
    admin.send(page, page=page, note=lapsed, status="approved", **{name: "6000"})
    accrual = paying.accrual("bobs")
    assert (accrual["status"], accrual["note"]) == ("approved", "Asked Bob")


@pytest.mark.slow
def test_an_outdated_page_is_refused(paying: Paying, admin: Sitter) -> None:
    payouts = f"{admin.home}/payouts"
    page = admin.get(payouts).text
    [together] = [value for value in values_of(page, "approved") if "," in value]
    seen = dict(re.findall(r'name="(cents-[^"]+)" value="([^"]*)"', page))
    assert sorted(seen.values()) == ["10000", "5000"]
    paying.publish(settled=9_000)
    amount_path = f"{payouts}/amounts/{paying.id_of('settled')}"
    for to, sent in (
        (payouts, {"approved": together, **seen}),
        (payouts, {"approved": together}),
        (amount_path, {"status": "approved", **seen}),
        (amount_path, {"status": "approved"}),
    ):
        assert admin.send(to, page=payouts, **sent).status_code == 400
        assert paying.listed(status="approved") == []
    refused = admin.send(amount_path, page=amount_path, note="Asked Ada", **sent, **seen).text
    assert "The amount has changed. Check it and try again" in refused
    assert "$90.00 for" in refused
    assert "Asked Ada" in refused
    assert decided(admin, paying, approved=together).status_code == 303


@pytest.mark.slow
def test_many_are_decided_by_as_many_statements_as_one(paying: Paying, admin: Sitter) -> None:
    """Except for the statement that updates each decision's row."""
    decided(admin, paying, approved=paying.id_of("settled"))
    taken, payouts = [], f"{admin.home}/payouts"
    for names in (("settled",), ("settled", "bobs")):
        ids = ",".join(map(paying.id_of, names))
        with statements_sent() as sent:
            sent_ids = {"final": ids, "undone": "approved"}
            assert admin.send(payouts, page=payouts, **sent_ids).status_code == 303
        taken.append(len(sent))
        assert decided(admin, paying, approved=ids).status_code == 303
    assert taken[1] <= taken[0] + 1


def test_approving_all_leaves_disputed_amounts_out(paying: Paying, admin: Sitter) -> None:
    body = {"accrual_id": paying.id_of("bobs"), "reason": "Too little"}
    paying.tenant.client.data("POST", "/payout-disputes", json=body)
    page = admin.get(f"{admin.home}/payouts")
    *each, selected, together = values_of(page.text, "approved")
    assert (selected, len(each), together) == ("selected", 2, paying.id_of("settled"))
    text = "Approve 1 of 2 for $100.00 Approves $100.00 on this page, without disputed amounts."
    assert text in read(page)


def test_amounts_on_hold_have_a_list_of_their_own(paying: Paying, admin: Sitter) -> None:
    """Ada's $100.00 and $70.00 are on hold; only the first would be due."""
    payouts = f"{admin.home}/payouts"
    for name, reason in (("settled", "The contract is not signed"), ("last", "A double post")):
        page = f"{payouts}/amounts/{paying.id_of(name)}"
        assert admin.send(f"{page}/hold", page=page, reason=reason).status_code == 303
    due = read(admin.get(payouts))
    assert "To approve 1 On hold 2 To pay Paid Settling In progress 1 Not paid Payments" in due
    assert "Total: $50.00 ; $170.00 more on hold, $100.00 of it to approve." in due
    assert "contract" not in due
    held = admin.get(f"{payouts}?status=on_hold")
    assert "Total: $170.00" in read(held)
    assert "put it on hold: The contract is not signed" in read(held)
    assert f'href="{payouts}/amounts/{paying.id_of("last")}#decide">Release' in held.text
    assert "Total: $100.00" in read(admin.get(f"{payouts}?status=on_hold&to=2026-05-10"))
    to_do = read(admin.get(admin.home))
    assert "2 amounts on hold, $170.00" in to_do
    assert "$50.00 to approve" in to_do
    assert f'href="{admin.home}/payouts?status=on_hold"' in admin.get(admin.home).text


def test_all_pages_are_approved_at_once_for_the_total_that_was_shown(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.desk.payouts.listing.ON_A_PAGE", 2)
    for day in (1, 2):
        days = (date(2026, 4, day),) * 2
        paying.earnings[f"day {day}"] = earning(
            paying.tenant, paying.structure, paying.ada, days, 100
        )
    paying.publish()
    payouts, body = f"{admin.home}/payouts", {"accrual_id": paying.id_of("bobs"), "reason": "Low"}
    assert "Approve all 4 for $152.00" in read(admin.get(payouts))
    [version] = values_of(admin.get(payouts).text, "all")
    paying.tenant.client.data("POST", "/payout-disputes", json=body)
    refused = admin.send(payouts, page=payouts, approved="all", all=version)
    assert (refused.status_code, paying.listed(status="approved")) == (409, [])
    text = "$102.00 Approves $102.00, also on other pages, without disputed amounts."
    assert f"Approve 3 of 4 for {text}" in read(admin.get(payouts))
    [version] = values_of(refused.text, "all")
    assert admin.send(payouts, page=payouts, approved="all", all=version).status_code == 303
    assert paying.listed(status="final") == ["bobs"]


def test_the_page_of_an_amount_on_hold_explains_and_releases(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    admin.send(f"{page}/hold", page=page, reason="The contract is not signed")
    shown = admin.get(page)
    heading, _, rest = shown.text.partition('<h2 id="decide">')[2].partition("</h2>")
    assert heading == "On hold"
    assert rest.index("The contract is not signed") < rest.index('<button type="submit">Release')
    assert 'value="void" class="plain">Do not pay' in rest
    assert "Payouts: on hold" in read(shown)
    assert 'value="approved"' not in shown.text


def test_the_next_action_for_an_amount_is_beside_its_heading(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"

    def head() -> str:
        [html] = re.findall(r'(?s)<div class="head">(.*?)</div>', admin.get(page).text)
        return " ".join(re.sub("<[^>]+>", " ", html).split())

    assert head() == "$100.00 for ada Approve $100.00"
    for status, action in (("approved", "Pay approved amounts"), ("void", "Restore $100.00")):
        paying.decide("settled", status=status)
        assert head() == f"$100.00 for ada {action}"
    paying.decide("settled", status="final")
    paying.pay("settled")
    assert head() == "$100.00 for ada"


def test_an_amount_and_a_payment_lead_to_creator_and_rule(paying: Paying, admin: Sitter) -> None:
    payment = paying.pay("settled")
    links = [
        f'href="{admin.home}/creators/{paying.ada["id"]}"><bdi>ada</bdi>',
        f'href="{admin.home}/settings/structures/{paying.structure["id"]}"><bdi>',
    ]
    member = Sitter(paying.tenant, role="member")
    for path in (f"amounts/{paying.id_of('settled')}", f"payments/{payment['id']}"):
        page = f"{admin.home}/payouts/{path}"
        assert all(link in admin.get(page).text for link in links), path
        assert [link in member.get(page).text for link in links] == [True, False], path


def test_a_full_page_can_be_decided(paying: Paying, admin: Sitter) -> None:
    others = {f"cents-{uuid4()}": "100" for _ in range(ON_A_PAGE - 1)}
    accrual_id = paying.id_of("bobs")
    answer = admin.send(
        f"{admin.home}/payouts",
        page=f"{admin.home}/payouts",
        **{**others, f"cents-{accrual_id}": "5000", "approved": accrual_id},
    )
    assert answer.status_code == 303, answer.text
    assert paying.accrual("bobs")["status"] == "approved"


@pytest.mark.slow
def test_a_later_page_is_decided_where_it_is(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.desk.payouts.listing.ON_A_PAGE", 1)
    payouts = f"{admin.home}/payouts"
    for order in ("", "?sort=-amount_cents"):
        first = admin.get(f"{payouts}{order}").text
        [later] = re.findall(r'href="([^"]+)">Next page<', first)
        page = admin.get(unescape(later)).text
        [accrual_id] = values_of(page, "approved")
        [action] = re.findall(r'method="post" action="([^"]+/payouts[^"]*)"', page)
        sent = {f"cents-{accrual_id}": values_of(page, f"cents-{accrual_id}")[0]}
        ticked = {"no_button": "yes", f"selected.{accrual_id}": "yes"}
        refused = admin.send(unescape(action), page=payouts, **ticked)
        assert values_of(refused.text, "approved") == [accrual_id]
        approved = admin.send(unescape(action), page=payouts, approved=accrual_id, **sent)
        after = admin.get(approved.headers["Location"])
        assert "1 amount approved, $" in read(after)
        assert "No amounts on this page. Show all" in read(after)
        [undone] = re.findall(r'method="post" action="([^"]+/payouts[^"]*)"', after.text)
        undo = admin.send(unescape(undone), page=payouts, final=accrual_id, undone="approved")
        assert values_of(admin.get(undo.headers["Location"]).text, "approved") == [accrual_id]


@pytest.mark.slow
def test_amounts_are_grouped_by_creator_with_sums_over_all_pages(
    paying: Paying, admin: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    payouts = f"{admin.home}/payouts"
    page = read(admin.get(payouts))
    assert re.findall(r"(ada|bob) 1 amount (\$[0-9.]+)", page) == [
        ("ada", "$100.00"),
        ("bob", "$50.00"),
    ]
    paying.decide("settled", status="approved")
    paying.decide("last", status="approved")
    monkeypatch.setattr("serving_api.desk.payouts.listing.ON_A_PAGE", 1)
    first = admin.get(f"{payouts}?status=approved")
    assert "ada 2 amounts $170.00" in read(first)
    [later] = re.findall(r'href="([^"]+)">Next page<', first.text)
    assert "ada 2 amounts $170.00" in read(admin.get(unescape(later)))


@pytest.mark.slow
def test_amounts_are_filtered_by_creator_and_rule(paying: Paying, admin: Sitter) -> None:
    payouts = f"{admin.home}/payouts"
    of_bob = admin.get(f"{payouts}?creator=bo")
    assert "Total: $50.00" in read(of_bob)
    assert "Remove filter: bo" in read(of_bob)
    assert "ada " not in read(of_bob).partition("Total")[2]
    file = admin.get(f"{payouts}?creator=bo&format=csv").text.removeprefix("\ufeff")
    [row] = csv.DictReader(file.splitlines())
    assert (row["creator"], row["rule"]) == ("bob", "Fee")
    assert "No amounts match these filters." in read(admin.get(f"{payouts}?creator=nobody"))
    of_rule = read(admin.get(f"{payouts}?rule={paying.structure['id']}&creator="))
    assert "Total: $150.00" in of_rule
    assert f"Remove filter: {paying.structure['name']}" in of_rule
    assert "No amounts match" in read(admin.get(f"{payouts}?rule={uuid4()}"))


def test_a_refused_list_keeps_its_selection(paying: Paying, admin: Sitter) -> None:
    """The Enter key on a checkbox presses a button without an action."""
    payouts, ticked = f"{admin.home}/payouts", f"selected.{paying.id_of('bobs')}"
    refused = admin.send(payouts, page=payouts, no_button="yes", **{ticked: "yes"})
    assert re.findall(r'name="(selected[^"]+)"[^>]* checked>', refused.text) == [ticked]


def test_what_came_to_something_else_meanwhile_is_not_paid(paying: Paying, admin: Sitter) -> None:
    paying.decide("settled", status="approved")
    pay = f"{admin.home}/payouts/creators/{paying.ada['id']}"
    payment = paying.payment("settled")
    paying.publish(settled=9_000)
    sent = {
        "accrual_ids": paying.id_of("settled"),
        "amount_cents": "10000",
        "payout_method_id": payment["payout_method_id"],
    }
    answer = admin.send(pay, page=admin.home, **sent)
    assert answer.status_code == 400
    assert "The amount has changed. Check it and try again" in answer.text
    assert paying.tenant.client.data("GET", "/payout-payments") == []


@pytest.mark.parametrize("sum_shown", ["", "-1", "100.00", "9" * 5000], ids=lambda text: text[:6])
def test_nothing_is_paid_without_a_sum_that_the_page_showed(
    paying: Paying, admin: Sitter, sum_shown: str
) -> None:
    paying.decide("settled", status="approved")
    pay = f"{admin.home}/payouts/creators/{paying.ada['id']}"
    sent = {
        "accrual_ids": paying.id_of("settled"),
        "amount_cents": sum_shown,
        "payout_method_id": paying.payment("settled")["payout_method_id"],
    }
    answer = admin.send(pay, page=admin.home, **sent)
    assert answer.status_code == 400
    assert "amount_cents" in answer.text
    assert paying.tenant.client.data("GET", "/payout-payments") == []


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"approved": ""},
        {"approved": "nonsense"},
        {"paid": "00000000-0000-0000-0000-000000000000"},
    ],
)
def test_a_form_without_an_action_is_refused(admin: Sitter, sent: dict[str, str]) -> None:
    payouts = f"{admin.home}/payouts"
    answer = admin.send(payouts, page=payouts, **sent)
    assert answer.status_code == 400
    assert "Choose" in answer.text


def test_a_single_payment_needs_confirmation(paying: Paying, admin: Sitter) -> None:
    paying.decide("settled", status="approved")
    page = admin.get(f"{admin.home}/payouts/creators/{paying.ada['id']}").text
    [asking] = re.findall(r'(?s)<details class="sure">.*?</details>', page)
    assert "<summary>Record $100.00 as paid</summary>" in asking
    assert ">Yes, record $100.00 as paid</button>" in asking
    [form] = re.findall(r'(?s)<form method="post" id="payment".*?</form>', page)
    shown = form.replace(asking, "")
    assert re.findall("<button[^>]*>", shown) == [
        '<button type="submit" name="no_button" value="yes">'
    ]


@pytest.mark.slow
def test_missing_fields_of_a_payment_are_named(paying: Paying, admin: Sitter) -> None:
    pay = f"{admin.home}/payouts/creators/{paying.ada['id']}"
    sent = {"accrual_ids": "", "amount_cents": "1", "reference": "x" * 300}
    answer = admin.send(pay, page=admin.home, **sent)
    assert answer.status_code == 400
    assert "Reference: Enter" in answer.text


def test_members_read_and_find_no_forms(paying: Paying) -> None:
    member = Sitter(paying.tenant, role="member")
    page = member.get(f"{member.home}/payouts")
    assert "$100.00" in page.text
    assert 'name="approved"' not in page.text
    assert "Only admins can approve and pay." in page.text
    amount_page = member.get(f"{member.home}/payouts/amounts/{paying.id_of('settled')}")
    assert amount_page.text.count("<textarea") == amount_page.text.count('name="claim"') == 1


def test_all_of_a_page_is_decided_or_nothing(paying: Paying, admin: Sitter) -> None:
    for refused in ("current", "settled"):  # in progress; in a payment
        both = sorted([paying.id_of("bobs"), paying.id_of(refused)])
        if refused == "settled":
            paying.pay("settled")
        answer = decided(admin, paying, approved=",".join(both))
        assert answer.status_code == 409
        assert paying.accrual("bobs")["status"] == "final"
    assert audit_events_of(admin) == ["sign_in"]


@pytest.mark.slow
def test_what_a_pending_payment_has_is_not_offered_again(paying: Paying, admin: Sitter) -> None:
    for name in ("settled", "last"):
        paying.decide(name, status="approved")
    paying.pay("settled", status="pending")
    form = admin.get(f"{admin.home}/payouts/creators/{paying.ada['id']}")
    assert values_of(form.text, "accrual_ids") == [paying.id_of("last")]
    assert "$70.00 is approved" in read(form)
    row = admin.get(f"{admin.home}/payouts?status=approved").text
    assert row.count("In a pending payment") == 1
    assert values_of(row, "final") == [paying.id_of("last")]
    paying.pay("last")
    gone = admin.get(f"{admin.home}/payouts/creators/{paying.ada['id']}")
    assert gone.status_code == 404


def test_an_amount_in_progress_shows_its_day_and_the_whole_previous_period(
    paying: Paying, admin: Sitter
) -> None:
    text = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('current')}"))
    assert "Day 3 of 7; at its end, if nothing changes: 7 of 7 days covered: $100.00." in text
    before = "after $70.00 for 11 May 2026 to 17 May 2026 for the whole period"
    assert f"Not comparable yet {before} In progress" in text, "no causes"
    ended = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('last')}"))
    assert "Day " not in ended
    assert "whole period" not in ended


def test_an_amount_compares_with_the_previous_one_and_corrections(
    paying: Paying, admin: Sitter
) -> None:
    paying.decide("last", status="approved")
    paying.pay("last")
    paying.publish(last=8_000)
    text = read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of('current')}"))
    words = "after $80.00 for 11 May 2026 to 17 May 2026 with its corrections for the whole period"
    assert f"Not comparable yet {words}" in text


def test_unpaid_amounts_of_the_previous_period_are_a_cause(paying: Paying, admin: Sitter) -> None:
    paying.earnings["next"] = earning(
        paying.tenant, paying.structure, paying.ada, week_until(10), 13_000
    )
    paying.publish()
    page = f"{admin.home}/payouts/amounts/{paying.id_of('next')}"
    paying.decide("settled", status="void")
    text = read(admin.get(page))
    assert "after $0.00 for 27 Apr 2026 to 3 May 2026 (not paid)" in text
    assert "Not paid in the period before: +$100.00 Other causes: +$30.00" in text
    paying.decide("settled", status="approved")
    paying.pay("settled")
    paying.publish(settled=11_000)
    [waived] = paying.adjustments()
    path = f"/payout-accruals/{waived['id']}"
    paying.tenant.client.data("PATCH", path, json={"status": "void"})
    for owed, cents, rest in ((11_000, "100", 20), (11_500, "105", 15)):
        paying.publish(settled=owed)
        text = read(admin.get(page))
        assert f"after ${cents}.00 for 27 Apr 2026 to 3 May 2026" in text
        words = "Waived corrections of the period before: +$10.00 Other causes"
        assert f"{words}: +${rest}.00" in text
        summary = f"7 of 7 days covered: {dollars(owed)}"
        assert f"Before, with its corrections: {summary}" in text


def test_a_change_with_corrections_names_the_compared_amounts(
    paying: Paying, admin: Sitter
) -> None:
    paying.earnings["next"] = earning(
        paying.tenant, paying.structure, paying.ada, week_until(10), 10_000
    )
    paying.publish()
    assert "4 May 2026 to 10 May 2026 0% $100.00" in read(admin.get(f"{admin.home}/payouts"))
    paying.pay("settled", "next")
    paying.publish(settled=12_000)
    text = read(admin.get(f"{admin.home}/payouts?status=paid"))
    words = "with corrections, $100.00 after $120.00"
    assert f"4 May 2026 to 10 May 2026 \u221217% {words} $100.00" in text


def test_a_creator_with_many_amounts_leaves_room_for_other_creators(
    paying: Paying, admin: Sitter
) -> None:
    for day in range(1, 31):
        days = (date(2026, 4, day),) * 2
        paying.earnings[f"day {day}"] = earning(
            paying.tenant, paying.structure, paying.ada, days, 200 if day == 30 else 100
        )
    paying.publish()
    due = admin.get(f"{admin.home}/payouts")
    text = read(due)
    assert "10 of 31 amounts" in text
    assert "Approve these 10, $11.00 of ada" in text
    assert "$50.00 for bob" in text
    assert text.index("Change Amount") < text.index("+100% $2.00"), "of 30 April since the 29th"
    [all_of_ada] = re.findall(r'href="([^"]+creator=ada[^"]*)"', due.text)
    assert len(values_of(admin.get(unescape(all_of_ada)).text, "approved")) >= 31


def test_a_settling_amount_shows_its_end(paying: Paying, admin: Sitter) -> None:
    settles_at = datetime.fromisoformat(paying.accrual("last")["settles_at"])
    assert f"Settles until {settles_at:%-d %b %Y, %H:%M}" in listed(admin, "settling")
    assert "Settles until" not in listed(admin, "final")


def test_sums_that_the_overview_leads_to_agree(paying: Paying, admin: Sitter) -> None:
    [spend] = re.findall(r'href="([^"]+)">Spend<', admin.get(admin.home).text)
    assert spend.endswith("/payouts?period=28")
    text = read(admin.get(spend))
    words = "Amounts whose pay period ends on these days: $220.00 in all statuses except Not paid"
    assert f"{words}, the overview's spend. “In progress” also lists those that end later." in text
    filtered = read(admin.get(f"{spend}&creator=bob"))
    assert "on these days: $50.00 in all statuses except Not paid." in filtered


def test_a_commission_names_the_conversions_that_changed_it(paying: Paying, admin: Sitter) -> None:
    tenant, events = paying.tenant, f"/projects/{paying.tenant.project_id}/conversion-events"
    event = tenant.client.data("POST", events, json={"key": "sale", "name": "Sale"})
    del paying.earnings["bobs"]
    periods = (
        ("before", 3, [4_000], 10_000),
        ("after", 10, [4_000, 2_550], 10_000),
        ("cheap", 17, [4_000, 2_550], 5_000),
    )
    for name, day, cents, bps in periods:
        sold = [
            {"id": str(uuid4()), "occurred_at": "2026-05-05T10:00:00Z", "total_value_cents": c}
            for c in cents
        ]
        evidence = of_conversions(event["id"], *sold)
        evidence["rates"][0]["percent_bps"] = bps
        days = week_until(day)
        paying.earnings[name] = earning(
            tenant,
            paying.structure,
            paying.bob,
            days,
            sum(cents) * bps // 10_000,
            evidence=evidence,
        )
    paying.publish()
    two, one = "2 conversions worth $65.50", "1 conversion worth $40.00"
    for name, change in (
        ("after", f"Sale: {two}, at 100%, not {one}, at 100%: +$25.50"),
        ("cheap", f"Sale: {two}, at 50%, not {two}, at 100%: \N{MINUS SIGN}$32.75"),
    ):
        assert change in read(admin.get(f"{admin.home}/payouts/amounts/{paying.id_of(name)}"))


def test_many_amounts_of_a_creator_are_folded_and_decided_together(
    paying: Paying, admin: Sitter
) -> None:
    for day in range(1, 6):
        days = (date(2026, 4, day),) * 2
        paying.earnings[f"day {day}"] = earning(
            paying.tenant, paying.structure, paying.ada, days, 100
        )
    paying.publish()
    due = admin.get(f"{admin.home}/payouts")
    assert "<details><summary>6 amounts</summary></details>" in due.text
    assert due.text.count("<details><summary>") == 1, "Bob has one amount"
    assert "Approve 6 of ada Approves $105.00 of this creator on this page." in read(due)
    [together] = [ids for ids in values_of(due.text, "approved") if ids.count(",") == 5]
    assert decided(admin, paying, approved=together).status_code == 303
    assert paying.listed(status="final") == ["bobs"]
    approved = read(admin.get(f"{admin.home}/payouts?status=approved"))
    assert approved.count("Pay all amounts of ada") == 1
