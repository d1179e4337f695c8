"""The rule lab at the desk: its forms and their errors.

For its answers see `tests/scenarios/lab.py`, which has data to simulate.
"""

import re

import pytest

from serving_api.resources.payouts.simulations.schemas import Asked
from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter, beside

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
FEE = {"kind": "recurring", "amount_cents": "5", "period": "monthly", "proration_mode": "skip"}
ASKED = {**FEE, "from": "2026-05-01", "to": "2026-05-19", "campaign_id": ""}
TRY = {"try": "yes"}
ANYBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def trial(tenant: Tenant) -> str:
    """The path of a trial of a structure, called HOSTILE, with an assigned creator."""
    structure = tenant.payout_structure(rule("recurring"), name=HOSTILE)
    tenant.payout_assignment(structure, tenant.creator())
    return f"/desk/projects/{tenant.project_id}/rule-lab/{structure}"


@pytest.mark.slow
def test_rules_that_have_a_form_are_tried(tenant: Tenant, trial: str) -> None:
    member = Sitter(tenant, role="member")
    lab = member.get(f"{member.home}/rule-lab")
    assert f"{HOSTILE} $1,000.00 each month" in read(lab)
    assert HOSTILE not in lab.text
    form = member.get(trial)
    assert 'value="1,000.00"' in form.text
    assert 'name="from" type="date" value="2026-04-23"' in form.text
    assert 'name="to" type="date" value="2026-05-20"' in form.text
    answer = member.send(trial, page=trial, **ASKED, **TRY)
    assert answer.status_code == 200
    assert "No numbers yet." in read(answer)
    assert 'value="5"' in answer.text
    sheet = member.send(trial, page=trial, **ASKED, budget_cents="9", free="amount_cents", csv="1")
    assert sheet.headers["Content-Type"].startswith("text/csv")
    assert "creator_id" in sheet.text


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"amount_cents": "much"}, "amount_cents", "Enter dollars"),
        ({"from": ""}, "from", "This field is required"),
        ({"to": "2026-05-21"}, "to", "cannot be simulated"),
        ({"from": "2026-02-01"}, "to", "at most 92 days"),
        ({"campaign_id": "nonsense"}, "campaign_id", "Choose an option"),
        (
            {f"creator.{ANYBODY}": "yes", "campaign_id": ANYBODY},
            "creator_ids",
            "or a campaign",
        ),
        ({"look": "yes", "budget_cents": ""}, "budget_cents", "Enter a budget"),
    ],
)
def test_errors_are_shown_beside_their_fields(
    tenant: Tenant, trial: str, sent: dict[str, str], field: str, message: str
) -> None:
    member = Sitter(tenant, role="member")
    button = {} if "look" in sent else TRY
    answer = member.send(trial, page=trial, **{**ASKED, **button, **sent})
    assert answer.status_code == 400
    assert message in beside(answer.text, field)
    assert HOSTILE not in answer.text


def test_a_trial_includes_all_assigned_creators(
    tenant: Tenant, trial: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant.payout_assignment(trial.rpartition("/")[2], tenant.creator("eve"))
    member = Sitter(tenant, role="member")
    for most, status in ((2, 200), (1, 400)):
        monkeypatch.setattr(Asked, "most_creators", most)
        answer = member.send(trial, page=trial, **ASKED, **TRY)
        assert answer.status_code == status
    assert beside(answer.text, "creator_ids").startswith("More than 1 creators")


def test_a_new_structure_is_tried_with_chosen_creators(tenant: Tenant) -> None:
    ada = tenant.creator("ada", display_name="Ada")
    tenant.creator("eve", display_name=HOSTILE)
    member = Sitter(tenant, role="member")
    lab = f"{member.home}/rule-lab"
    assert f'href="{lab}/new?kind=view_threshold"' in member.get(lab).text
    new = f"{lab}/new?kind=recurring"
    form = member.get(new)
    assert HOSTILE in read(form)
    assert HOSTILE not in form.text

    nobody = member.send(new, page=new, **ASKED, **TRY)
    assert (nobody.status_code, beside(nobody.text, "creator_ids")) == (
        400,
        "Choose creators or a campaign",
    )
    # Searching for another creator keeps the fields and the selection.
    ticked = {f"creator.{ada['id']}": "yes"}
    page = member.send(new, page=new, **ASKED, **ticked, search="eve", find="yes")
    assert page.status_code == 200
    chosen = re.findall(r'name="creator\.([^"]+)" value="yes"( checked)?', page.text)
    assert [creator_id for creator_id, is_ticked in chosen if is_ticked] == [ada["id"]]
    assert len(chosen) == 2
    assert 'value="2026-05-19"' in page.text

    tried = member.send(new, page=new, **ASKED, **ticked, **TRY)
    assert (tried.status_code, "No numbers yet." in read(tried)) == (200, True)
    assert tenant.client.data("GET", "/payout-structures") == []
    stranger = {f"creator.{ANYBODY}": "yes"}
    assert member.send(new, page=new, **ASKED, **stranger, **TRY).status_code == 404
    assert member.send(new, page=new, **ASKED, **TRY, **{"creator.x": "yes"}).status_code == 400
