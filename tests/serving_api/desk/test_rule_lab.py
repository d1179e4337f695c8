"""The rule lab at the desk: what is asked, and what is wrong with it.

What it answers is in `tests/scenarios/lab.py`, where there is something to simulate.
"""

import re
from html import unescape

import pytest

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
FEE = {"kind": "recurring", "amount_cents": "5", "period": "monthly", "proration_mode": "skip"}
ASKED = {**FEE, "from": "2026-05-01", "to": "2026-05-19", "campaign_id": ""}
TRY = {"try": "yes"}


@pytest.fixture
def trial(tenant: Tenant) -> str:
    """The path of a trial of a structure, called HOSTILE, to which a creator is assigned."""
    structure = tenant.payout_structure(rule("recurring"), name=HOSTILE)
    tenant.payout_assignment(structure, tenant.creator())
    return f"/desk/projects/{tenant.project_id}/rule-lab/{structure}"


def beside(page: str, field: str) -> str:
    [said] = re.findall(rf'id="wrong-{re.escape(field)}">([^<]+)<', page)
    return unescape(str(said))


def test_rules_that_have_a_form_are_tried(tenant: Tenant, trial: str) -> None:
    member = Sitter(tenant, role="member")
    lab = member.get(f"{member.home}/rule-lab")
    assert f"{HOSTILE} $1,000.00 each month" in read(lab)
    assert HOSTILE not in lab.text
    form = member.get(trial)
    assert 'value="1000.00"' in form.text
    answer = member.send(trial, page=trial, **ASKED, **TRY)
    assert answer.status_code == 200
    assert "There are no numbers yet." in read(answer)
    assert 'value="5"' in answer.text
    sheet = member.send(trial, page=trial, **ASKED, budget_cents="9", free="amount_cents", csv="1")
    assert sheet.headers["Content-Type"].startswith("text/csv")
    assert "creator_id" in sheet.text


@pytest.mark.parametrize(
    ("sent", "field", "said"),
    [
        ({"amount_cents": "much"}, "amount_cents", "an amount in dollars"),
        ({"from": ""}, "from", "This is needed"),
        ({"to": "2026-05-21"}, "to", "what is to come"),
        ({"from": "2026-02-01"}, "to", "at most 92 days"),
        ({"campaign_id": "nonsense"}, "campaign_id", "UUID"),
        ({"look": "yes", "budget_cents": ""}, "budget_cents", "needed"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    tenant: Tenant, trial: str, sent: dict[str, str], field: str, said: str
) -> None:
    member = Sitter(tenant, role="member")
    button = {} if "look" in sent else TRY
    answer = member.send(trial, page=trial, **{**ASKED, **button, **sent})
    assert answer.status_code == 400
    assert said in beside(answer.text, field)
    assert HOSTILE not in answer.text
