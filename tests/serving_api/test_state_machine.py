"""Random walks: valid and invalid calls about creators, accounts and videos, beside a model.

After each call the API must show what `contract_model` has, refuse what that refuses with a code
that the contract names, keep within the plan's limits, and show another organization nothing.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from tests.doses import dose
from tests.fixtures.api import opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from tests.serving_api.contract_model.bulk_calls import BulkCalls
from tests.serving_api.contract_model.creator_calls import CreatorCalls
from tests.serving_api.contract_model.deactivation_calls import DeactivationCalls
from tests.serving_api.contract_model.stage import OpenStage, TickingClock, stage
from tests.serving_api.contract_model.things import Tracking
from tests.serving_api.contract_model.video_calls import FOUND, VideoCalls
from tests.serving_api.contract_model.written import Written

pytestmark = pytest.mark.slow

JUNK: list[Any] = [{}, [], "text", {"surprise": 1}, {"videos": 7}, {"video_ids": []}]
WRITES = [
    ("POST", "/creators"),
    ("POST", "/projects/{project}/creators"),
    ("PATCH", "/creators/{creator}"),
    ("POST", "/creators/{creator}/accounts"),
    ("POST", "/creators/{creator}/deactivate"),
    ("POST", "/creators/{creator}/reactivate"),
    ("PATCH", "/accounts/{account}"),
    ("POST", "/accounts/{account}/deactivate"),
    ("POST", "/accounts/{account}/reactivate"),
    ("POST", "/projects/{project}/videos"),
    ("POST", "/projects/{project}/videos/bulk-tracking-disable"),
    ("POST", "/projects/{project}/videos/bulk-tracking-enable"),
    ("PATCH", "/projects/{project}/inbox"),
]
CHANGES = {
    "creators": {"display_name": "Ada"},
    "accounts": {"tracking_mode": "auto"},
    "videos": {"title": "Spring"},
}
Refused = tuple[str, str, Any, str]
SENSELESS: st.SearchStrategy[Refused] = st.one_of(
    st.builds(
        lambda call, body: (*call, body, "invalid_body"),
        st.sampled_from(WRITES),
        st.sampled_from(JUNK),
    ),
    st.builds(
        lambda thing, method: (
            method,
            f"/{thing}/{uuid4()}",
            CHANGES[thing] if method == "PATCH" else None,
            "not_found",
        ),
        st.sampled_from(sorted(CHANGES)),
        st.sampled_from(["GET", "DELETE", "PATCH"]),
    ),
)
"""Method, path, body and code: what is refused whatever there is."""


class Calls(CreatorCalls, DeactivationCalls, VideoCalls, BulkCalls):
    """All calls, from one creator on who has posts."""

    @initialize(new_posts=FOUND)
    def begin(self, new_posts: list[tuple[int, str | None]]) -> None:
        self.create_creator(None, [Written("tiktok", 0, "{handle}", Tracking())])
        self.discover(0, new_posts)

    @rule(call=SENSELESS)
    def ask_what_makes_no_sense(self, call: Refused) -> None:
        method, path, body, code = call
        ids = {
            "project": self.stage.project,
            "creator": self.model.creators[-1].id,
            "account": self.model.accounts[-1].id,
        }
        self.stage.refuse(method, path.format(**ids), body, code)


@pytest.fixture(scope="module")
def open_stage(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenStage]:
    """Opens a stage for each walk, on one API whose business time goes on with the calls."""
    clock, numbers = TickingClock(), count()
    home = tmp_path_factory.mktemp("walks")
    with (
        opened_store(databases, home) as (opened, store),
        running_api(opened, replace(store, clock=clock)) as api,
    ):
        yield lambda: stage(api, clock, next(numbers))


def test_the_api_walks_along_with_the_contract(open_stage: OpenStage) -> None:
    class Walks(Calls):
        def __init__(self) -> None:
            super().__init__(open_stage)

    run_state_machine_as_test(
        Walks,
        settings=settings(
            max_examples=dose(2, 12),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
