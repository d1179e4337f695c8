"""The history of an amount and of a payment, at the bottom of their pages."""

import re

import httpx
import pytest
from sqlalchemy import update

from tests.fixtures.api import NOW
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying
from tests.fixtures.statements import statements_sent
from warehouse.operational.models import AuditEntry, Organization, User

AT = "20 May 2026, 12:00"


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def named(sitter: Sitter, name: str) -> Sitter:
    """Rename the member."""
    with sitter.tenant.api.store.write_session() as session:
        session.get_one(User, sitter.user_id).display_name = name
    return sitter


def steps(page: httpx.Response) -> list[str]:
    """The lines of the history."""
    listed = page.text.partition('<h2 id="history">')[2].partition("</ul>")[0]
    return [read_line(line) for line in re.findall(r"(?s)<li>(.*?)</li>", listed)]


def read_line(line: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", line).split())


def test_an_amount_lists_decisions_holds_and_payments(paying: Paying, admin: Sitter) -> None:
    maya, page = named(admin, "Maya"), f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    assert steps(maya.get(page)) == []
    seen = {f"cents-{paying.id_of('settled')}": "10000", "shown_status": "final"}
    maya.send(page, page=page, note="Asked Ada", status="approved", **seen)
    ben = named(Sitter(paying.tenant), "Ben <i>")
    seen["shown_status"] = "approved"
    ben.send(page, page=page, note="Asked Ada", status="final", **seen)
    ben.send(f"{page}/hold", page=page, reason="Not signed")
    shown = re.search(r'name="shown" value="([^"]+)"', maya.get(page).text)
    maya.send(f"{page}/release", page=page, reason="Signed", shown=shown[1])
    payment = paying.pay("settled")
    voiding = f"{admin.home}/payouts/payments/{payment['id']}"
    maya.send(voiding, page=voiding, reason="The bank returned it.")
    *by_hand, paid, void = steps(maya.get(page))
    assert by_hand == [
        f"Approved, $100.00 {AT} by Maya: Asked Ada",
        f"Approval undone {AT} by Ben &lt;i&gt;",
        f"Put on hold {AT} by Ben &lt;i&gt;: Not signed",
        f"Released {AT} by Maya: Signed",
    ]
    assert paid.startswith(f"Added to a payment {AT} by ")
    assert void == f"Payment marked as void {AT} by Maya: The bank returned it."
    assert maya.get(page).text.count(f'href="{voiding}">Added to a payment</a>') == 1


def test_a_payment_lists_its_states(paying: Paying, admin: Sitter) -> None:
    payment = paying.pay("settled", status="pending")
    paying.change(payment, status="paid")
    page = f"{admin.home}/payouts/payments/{payment['id']}"
    named(admin, "Maya").send(page, page=page, reason="Bank wrote Void: twice")
    recorded, marked, void = steps(admin.get(page))
    assert recorded.startswith(f"Recorded as pending {AT} by ")
    assert marked.startswith(f"Marked as paid {AT} by ")
    assert void == f"Marked as void {AT} by Maya: Bank wrote Void: twice"


def test_an_approval_of_another_amount_says_so(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    paying.decide("settled", status="approved")
    paying.publish(settled=9_000)
    paying.decide("settled", status="approved", note="Less is right")
    texts = [line.partition(f" {AT}")[0] for line in steps(admin.get(page))]
    assert texts == ["Approved, $100.00", "Approved again, $90.00"]
    paying.decide("settled", status="void", note=None)
    assert steps(admin.get(page))[-1].startswith("Set to not be paid, $90.00")


NONE_GIVEN = ": \u2013 no reason given"


def test_a_void_amount_without_a_reason_says_so(paying: Paying, admin: Sitter) -> None:
    """A note that the amount already has is the reason."""
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    for end in (NONE_GIVEN, ": Not signed"):
        paying.decide("settled", status="void")
        assert steps(admin.get(page))[-1].endswith(end)
        paying.decide("settled", status="final", note="Not signed")
        assert not steps(admin.get(page))[-1].endswith(NONE_GIVEN)
    for readme in (None, "The run of May"):
        payment = paying.pay("settled", readme=readme)
        paying.change(payment, status="void")
        shown = steps(admin.get(f"{admin.home}/payouts/payments/{payment['id']}"))[-1]
        assert shown.endswith(NONE_GIVEN) is (readme is None)
        assert steps(admin.get(page))[-1].endswith(NONE_GIVEN) is (readme is None)


def test_times_are_of_the_organization_and_names_of_its_members(
    paying: Paying, admin: Sitter
) -> None:
    paying.decide("settled", status="approved")
    with paying.tenant.api.store.write_session() as session:
        organization = session.get_one(Organization, paying.tenant.organization_id)
        organization.analytics_tz = "Asia/Tokyo"
        # As if by an operator, whose entries have no organization.
        acted = AuditEntry.organization_id == paying.tenant.organization_id
        session.execute(update(AuditEntry).where(acted).values(organization_id=None))
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"
    assert NOW.hour == 12
    assert steps(admin.get(page)) == ["Approved, $100.00 20 May 2026, 21:00"]


def test_the_history_needs_as_many_statements_as_decisions(paying: Paying, admin: Sitter) -> None:
    page = f"{admin.home}/payouts/amounts/{paying.id_of('settled')}"

    def statements() -> int:
        with statements_sent() as sent:
            admin.get(page)
        return len(sent)

    paying.decide("settled", status="approved")
    statements()
    few = statements()
    for _ in range(5):
        paying.decide("settled", status="void")
        paying.decide("settled", status="approved")
    statements()
    assert len(steps(admin.get(page))) == 11
    assert statements() == few
