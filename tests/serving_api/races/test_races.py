"""Two changes at once, of everything that pay depends on: each response, and the resulting data.

A new operation is raced, or is listed with the reason why it needs no race.
"""

from typing import Literal

import pytest

from tests.contract.cases import CASES
from tests.fixtures.api import Tenant
from tests.fixtures.payouts import Paying
from tests.serving_api.races import agreements, facts, payments
from tests.serving_api.races.apart import APART
from tests.serving_api.races.harness import Paid, Race, Stage, run

OTHERS = [*agreements.RACES, *facts.RACES]
ALL = [*OTHERS, *payments.RACES]
First = Literal["one", "other"]
whoever_is_first = pytest.mark.parametrize("first", ["one", "other"])


@whoever_is_first
@pytest.mark.parametrize("race", OTHERS, ids=str)
def test_other_changes(tenant: Tenant, race: Race, first: First) -> None:
    run(race, Stage(tenant), first)


@whoever_is_first
@pytest.mark.parametrize("race", payments.RACES, ids=str)
def test_payments(paying: Paying, race: Race, first: First) -> None:
    run(race, Paid(paying.tenant, paying=paying), first)


def test_every_change_is_raced_or_has_a_reason() -> None:
    raced = {action.operation for race in ALL for action in (race.first_action, race.other)}
    apart = [name for names in APART.values() for name in names]
    changes = {name for name in CASES if not name.startswith("GET ")}
    assert sorted([*raced, *apart]) == sorted(changes)
