"""Simulations that take longer than a request: computed in slices, over one publication.

Creators have a post each, read every day of May at another pace; most tests ask about five. What is
computed is held against what `POST /payout-structures/simulate` answers at once.
"""

import csv
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from orchestration.building.manifests import earning_statements
from serving_api.resources.payouts.simulation_jobs import queue, service, worker
from serving_api.resources.payouts.simulation_jobs.worker import Worker
from serving_api.resources.payouts.simulations import presenter
from tests.factories.marts import (
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from tests.factories.payouts import rule
from tests.factories.tracking import add_account, add_video
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant, running_api
from tests.fixtures.locks import wait_until_waiting
from tests.orchestration.commands import environment, started, tracker
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.operational.models import Account as TrackedAccount
from warehouse.operational.models import PayoutSimulation, PayoutSimulationCreator
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.simulation import memory
from warehouse.simulation.proposal import Proposal

pytestmark = pytest.mark.slow

PATH = "/payout-simulations"
MAY = datetime(2026, 5, 1, tzinfo=UTC)
CREATORS = 5
SLICE = worker.AT_ONCE
DAYS = 19
DAYS_ASKED = {"from": "2026-05-01", "to": "2026-05-19"}
ABOUT = ("creator_id", "period_start", "period_end", "subject_id", "view_count")


class Lab:
    """An organization whose creators are paid 100 cents a thousand views, and its publications."""

    def __init__(self, tenant: Tenant, client: Client, settings: Settings) -> None:
        self.tenant, self.client, self.settings = tenant, client, settings
        self.store = tenant.api.store
        self.everybody = [self._creator(number) for number in range(SLICE + 2)]
        self.creators = self.everybody[:CREATORS]
        self.structure = tenant.payout_structure(rule("cpm"))
        everybody = [str(creator) for creator in self.everybody]
        path = f"/payout-structures/{self.structure}/assignments"
        body = {"creator_ids": everybody, "start_date": "2026-05-01"}
        client.data("POST", path, json=body)
        self.a_run_begins()
        self.published_pace = 0

    def _creator(self, number: int) -> UUID:
        account = named(f"job account {number}")
        add_account(self.store, self.tenant.made, f"job.{number}", id=account)
        post = f"job post {number}"
        add_video(
            self.store, self.tenant.made, post, account=account, id=named(post), posted_at=MAY
        )
        with self.store.read_session() as session:
            return session.get_one(TrackedAccount, account).creator_id

    def a_run_begins(self) -> None:
        """As a pass does, which writes to the warehouse."""
        with open_warehouse(self.settings) as connection:
            self.earning = earning_statements(begin_run(connection, as_of=NOW))

    def publish(self, pace: int = 1_000) -> None:
        """Publish a history in which each post gains so many views a day, times its number.

        Nothing if that is published: simulations leave a publication as it is.
        """
        if pace == self.published_pace:
            return
        self.published_pace = pace
        days = [MAY + timedelta(days=day, hours=12) for day in range(DAYS)]
        history = History(
            videos=[
                Video(
                    f"job post {number}",
                    {day: {"view": (number + 1) * pace * place} for place, day in enumerate(days)},
                    posted_at=MAY,
                    creator=creator,
                    account=named(f"job account {number}"),
                )
                for number, creator in enumerate(self.everybody)
            ],
            accounts=[
                Account(f"job account {number}", creator=creator)
                for number, creator in enumerate(self.everybody)
            ],
            organization=self.tenant.organization_id,
            project=self.tenant.project_id,
        )
        with empty_marts() as connection:
            fill_marts(connection, history)
            connection.execute("insert into marts.run by name select $at as as_of", {"at": NOW})
            publish(self.settings, connection, as_of=NOW, earning=self.earning)

    @property
    def body(self) -> dict[str, Any]:
        return {
            "structure_id": self.structure,
            "rule": {"kind": "rule", **rule("cpm", criteria_params={"tiers": [TIER]})},
            "creator_ids": [str(creator) for creator in self.creators],
            **DAYS_ASKED,
        }

    def ask(self, **changes: Any) -> str:
        simulation = self.client.data("POST", PATH, json=self.body | changes)
        assert (simulation["status"], simulation["creators_done"]) == ("queued", 0)
        identity: str = simulation["id"]
        return identity

    def work(self, home: Path | None = None) -> dict[str, int]:
        settings = self.settings.model_copy(update={"home": home or self.settings.home})
        with closing(ShardPublications(settings)) as current:
            return dict(Worker(self.store, current).work())

    def read(self, simulation: str) -> Any:
        return self.client.data("GET", f"{PATH}/{simulation}")

    def rows(self, simulation: str, by: str, limit: int = 100) -> list[Any]:
        """All rows, page by page."""
        rows, cursor = [], None
        while True:
            params = {"by": by, "limit": limit} | ({"cursor": cursor} if cursor else {})
            page = self.client.answer("GET", f"{PATH}/{simulation}/result", params=params)
            assert len(page["data"]) <= limit
            rows += page["data"]
            cursor = page["meta"]["nextCursor"]
            assert page["meta"]["hasMore"] is (cursor is not None)
            if cursor is None:
                return rows

    def sheet(self, simulation: str, by: str) -> list[dict[str, str]]:
        params = {"by": by, "format": "csv"}
        answer = self.client.get(f"{PATH}/{simulation}/result", params=params)
        return list(csv.DictReader(answer.text.splitlines()))

    def in_postgresql(self, statement: str) -> None:
        with self.store.engine.begin() as connection:
            connection.execute(text(statement))

    def assert_is_what_is_answered_at_once(self, simulation: str, answer: Any) -> None:
        """The result's rows say what the answer says, in its order."""
        job = self.read(simulation)
        creators = len(answer["creators"])
        periods = [
            {"creator_id": creator["creator_id"], **period}
            for creator in answer["creators"]
            for period in creator["periods"]
        ]
        cents = ("simulated_cents", "in_force_cents", "difference_cents", "held_cents")
        sums = (*cents, "as_of", "timezone")
        assert {name: job[name] for name in sums} == {name: answer[name] for name in sums}
        assert (job["status"], job["creators_done"], job["creators_total"]) == (
            "succeeded",
            creators,
            creators,
        )
        rows = self.rows(simulation, "creator", 2)
        assert rows == [without(creator, "periods") for creator in answer["creators"]]
        rows = self.rows(simulation, "period", 2)
        assert rows == [
            {
                **period,
                "simulated": without(period["simulated"], "videos"),
                "in_force": without(period["in_force"], "videos"),
            }
            for period in periods
        ]
        rows = self.rows(simulation, "video", 3)
        assert rows == [row for period in periods for row in by_video(period)]
        assert (job["periods"], job["videos"]) == (len(periods), len(rows))


TIER = {"up_to_impressions": None, "cents_per_thousand": 125.5}


def without(row: Any, *names: str) -> Any:
    return {key: value for key, value in row.items() if key not in names}


def by_video(period: Any) -> list[Any]:
    """One post alone brought each amount here."""
    [new], [paid] = period["simulated"]["videos"], period["in_force"]["videos"]
    return [
        {
            **{name: period[name] for name in ABOUT},
            "video_id": new["video_id"],
            "simulated_views": new["views"],
            "simulated_cents": new["amount_cents"],
            "in_force_views": paid["views"],
            "in_force_cents": paid["amount_cents"],
        }
    ]


@pytest.fixture(scope="module")
def lab(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    settings = api.settings.model_copy(update={"home": tmp_path_factory.mktemp("jobs")})
    with (
        new_tenant(api) as tenant,
        running_api(settings, api.store) as served,
        served.client(tenant.made.api_key) as client,
    ):
        yield Lab(tenant, client, settings)


@pytest.fixture(autouse=True)
def small_slices(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(worker, "AT_ONCE", 2)
    yield
    for job in lab.client.data("GET", PATH):
        assert lab.client.data("DELETE", f"{PATH}/{job['id']}") == {"deleted": True}


def test_without_numbers_it_fails_in_words(lab: Lab, tmp_path: Path) -> None:
    simulation = lab.ask()
    assert lab.work(tmp_path).keys() == {"failed"}  # other tests' jobs may wait too
    assert "nothing is published" in lab.read(simulation)["error"]
    path = f"{PATH}/{simulation}/result"
    meta = lab.client.refusal("GET", path, "conflict")
    assert meta["reason"] == "simulation_failed"


def test_slices_come_to_what_the_whole_does(lab: Lab) -> None:
    """At 1,000 views a day the fifth post gains 90,000 from the first day's reading to the last."""
    lab.publish()
    answer = lab.client.data("POST", "/payout-structures/simulate", json=lab.body)
    # 18 days x (1 + 2 + 3 + 4 + 5) thousand views at $1.255.
    assert answer["simulated_cents"] == round(270 * 125.5)
    simulation = lab.ask()
    assert lab.work() == {"succeeded": 1}, lab.read(simulation)
    lab.assert_is_what_is_answered_at_once(simulation, answer)
    for by in ("creator", "period", "video"):
        rows, sheet = lab.rows(simulation, by), lab.sheet(simulation, by)
        same = [name for name in rows[0] if name in sheet[0]]
        assert "creator_id" in same
        assert [[line[name] for name in same] for line in sheet] == [
            ["" if row[name] is None else str(row[name]) for name in same] for row in rows
        ]


def test_a_killed_workers_simulation_is_continued_over_its_publication(lab: Lab) -> None:
    """As processes: SIGKILL in the middle of keeping the second slice, of the last two creators."""
    lab.publish()
    everybody = {"creator_ids": [str(creator) for creator in lab.everybody]}
    body = lab.body | everybody
    answer = lab.client.data("POST", "/payout-structures/simulate", json=body)
    simulation = lab.ask(**everybody)
    env = environment(lab.settings.home, lab.store.dsn, TRACKER_NOW=NOW.isoformat())
    with waiting_at(lab, SLICE), psycopg.connect(lab.store.dsn) as held:
        held.execute("select pg_advisory_lock(%s)", [SLICE])
        with started("simulations", "--stay", env=env) as killed:
            try:
                wait_until_waiting(lab.store.dsn)
                lab.a_run_begins()  # no pass waits for a simulation
                lab.publish(pace=7)
            finally:
                killed.kill()
    job = lab.read(simulation)
    assert (job["status"], job["creators_done"], job["simulated_cents"]) == (
        "running",
        SLICE,
        None,
    )
    path = f"{PATH}/{simulation}/result"
    meta = lab.client.refusal("GET", path, "conflict")
    assert meta["reason"] == "simulation_running"
    assert lab.work() == {}  # leased
    lab.in_postgresql("update payout_simulations set lease_expires_at = now() - interval '1 s'")
    done = tracker("simulations", "--json", env=env)
    assert json.loads(done.stdout) == {"simulations": {"succeeded": 1}}, done.stderr
    lab.assert_is_what_is_answered_at_once(simulation, answer)


@contextmanager
def waiting_at(lab: Lab, place: int) -> Iterator[None]:
    """Let who keeps the creator at a place wait there for as long as an advisory lock is held."""
    lab.in_postgresql(
        "create function wait_there() returns trigger language plpgsql as $$ begin"
        f" perform pg_advisory_xact_lock({place}); return new; end $$"
    )
    lab.in_postgresql(
        "create trigger wait_there before insert on payout_simulation_creators"
        f" for each row when (new.place = {place}) execute function wait_there()"
    )
    yield
    lab.in_postgresql("drop function wait_there cascade")


def test_what_is_deleted_meanwhile_is_given_up(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.publish()
    simulation = lab.ask()
    by_creator = presenter.by_creator

    def deleted_meanwhile(*arguments: Any, **named: Any) -> Any:
        lab.client.data("DELETE", f"{PATH}/{simulation}")
        return by_creator(*arguments, **named)

    monkeypatch.setattr(presenter, "by_creator", deleted_meanwhile)
    assert lab.work() == {"given up": 1}
    lab.client.refusal("GET", f"{PATH}/{simulation}", "not_found")


def test_what_is_decided_meanwhile_counts_for_all_creators_or_none(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three slices; during the second the assignments of the first and last creator are shortened.

    The first creator was computed before, the last one comes after.
    """
    lab.publish()
    structure = lab.tenant.payout_structure(rule("cpm"))
    path = f"/payout-structures/{structure}/assignments"
    body: dict[str, Any] = {"creator_ids": lab.body["creator_ids"], "start_date": "2026-05-01"}
    lab.client.data("POST", path, json=body)
    terms = {"structure_id": structure}
    simulation = lab.ask(**terms)
    by_creator, computed = presenter.by_creator, []

    def shortened_meanwhile(proposal: Proposal, *arguments: Any, **named: Any) -> Any:
        computed.append(len(proposal.creators))
        if len(computed) == 2:
            ended = [lab.body["creator_ids"][place] for place in (0, -1)]
            body = {"creator_ids": ended, "end_date": "2026-05-05"}
            lab.client.data("DELETE", path, json=body)
        return by_creator(proposal, *arguments, **named)

    monkeypatch.setattr(presenter, "by_creator", shortened_meanwhile)
    assert lab.work() == {"succeeded": 1}
    assert computed == [2, 2, 2, 2, 1], "before its third slice it began again"
    answer = lab.client.data("POST", "/payout-structures/simulate", json=lab.body | terms)
    lab.assert_is_what_is_answered_at_once(simulation, answer)


def test_a_creator_of_too_many_readings_is_named(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two creators have more than one simulation takes, one of them has not."""
    lab.publish()
    two = [str(creator) for creator in lab.creators[:2]]
    simulation = lab.ask(creator_ids=two)
    monkeypatch.setattr(memory, "MOST_READINGS", DAYS)
    assert lab.work() == {"succeeded": 1}
    # 18 days x (1 + 2) thousand views at $1.255.
    assert lab.read(simulation)["simulated_cents"] == round(54 * 125.5)
    simulation = lab.ask(creator_ids=two)
    monkeypatch.setattr(memory, "MOST_READINGS", DAYS - 1)
    assert lab.work() == {"failed": 1}
    assert str(lab.creators[0]) in lab.read(simulation)["error"]


def test_nobody_waits_for_all_that_another_organization_asked(lab: Lab, other: Tenant) -> None:
    """Two are asked by one, then one by another: that one is next, once one has had its turn."""
    first, second, third = lab.ask(), lab.ask(), lab.ask()
    new = {"project_id": str(other.project_id), "name": "Other", **rule("cpm")}
    body = {"structure": new, "creator_ids": [other.creator()["id"]], **DAYS_ASKED}
    theirs = other.client.data("POST", PATH, json=body)["id"]
    job_ids = [first, second, third, theirs]
    for minute, job_id in enumerate(job_ids):
        lab.in_postgresql(
            f"update payout_simulations set created_at = created_at + interval '{minute} min'"
            f" where id = '{job_id}'"
        )
    served = []
    while (claim := queue.claim(lab.store)) is not None:
        served.append(str(claim.row.id))
        claim.end()
        lab.in_postgresql(
            "update payout_simulations set updated_at = updated_at"
            f" + interval '{10 + len(served)} min' where id = '{served[-1]}'"
        )
    assert served == [first, theirs, second, third]
    other.client.data("DELETE", f"{PATH}/{theirs}")


def test_a_large_one_gives_way_between_slices_to_another_organization(
    lab: Lab, other: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five creators are three slices; what another asked meanwhile is computed after the first."""
    lab.publish()
    large = lab.ask()
    new = {"project_id": str(other.project_id), "name": "Other", **rule("cpm")}
    body = {"structure": new, "creator_ids": [other.creator()["id"]], **DAYS_ASKED}
    by_creator = presenter.by_creator
    computed, theirs = [], ""

    def noted(proposal: Proposal, *arguments: Any, **named: Any) -> Any:
        nonlocal theirs
        computed.append(len(proposal.creators))
        if not theirs:
            theirs = other.client.data("POST", PATH, json=body)["id"]
            # Before the slice was done: this clock stands still.
            lab.in_postgresql(
                "update payout_simulations set created_at = created_at - interval '1 min'"
                f" where id = '{theirs}'"
            )
        return by_creator(proposal, *arguments, **named)

    monkeypatch.setattr(presenter, "by_creator", noted)
    assert lab.work() == {"succeeded": 2}
    assert computed == [2, 1, 2, 1]
    answer = lab.client.data("POST", "/payout-structures/simulate", json=lab.body)
    lab.assert_is_what_is_answered_at_once(large, answer)
    other.client.data("DELETE", f"{PATH}/{theirs}")


def test_some_run_at_once_for_some_days(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = lab.ask()
    monkeypatch.setattr(service, "MOST_UNDER_WAY", 1)
    meta = lab.client.refusal("POST", PATH, "conflict", json=lab.body)
    assert meta["reason"] == "simulations_under_way"
    lab.in_postgresql("update payout_simulations set expires_at = now()")
    lab.client.refusal("GET", f"{PATH}/{simulation}", "not_found")
    assert lab.ask() != simulation
    monkeypatch.setattr(service, "MOST_UNDER_WAY", 2)
    monkeypatch.setattr(service, "MOST_STORED", 1)
    meta = lab.client.refusal("POST", PATH, "conflict", json=lab.body)
    assert meta["reason"] == "too_many_simulations"


def test_longer_and_of_more_creators_than_at_once(lab: Lab) -> None:
    """Today is 20 May: 366 days of it begin on 20 May of the year before."""
    lab.ask(**{"from": "2025-05-20", "to": "2026-05-20"})
    longer = lab.body | {"from": "2025-05-19", "to": "2026-05-20"}
    meta = lab.client.refusal("POST", PATH, "invalid_body", json=longer)
    assert meta["issues"][0]["path"] == "to"
    many = lab.body | {"creator_ids": [str(UUID(int=number)) for number in range(5_000)]}
    meta = lab.client.refusal("POST", PATH, "not_found", json=many)
    assert len(meta["not_found_ids"]) == 5_000


@pytest.mark.parametrize(("held", "total"), [((700, 300), 1_000), ((700, None), None)])
def test_what_waits_is_summed_up_where_workers_said_it_of_all(
    lab: Lab, held: tuple[int | None, ...], total: int | None
) -> None:
    """A worker of an earlier version found nothing of it."""
    simulation = lab.ask(creator_ids=[str(creator) for creator in lab.creators[:2]])
    nothing = {"periods_before": 0, "periods": 0, "videos_before": 0, "videos": 0, "told": []}
    with lab.store.write_session() as session:
        session.get_one(PayoutSimulation, UUID(simulation)).creators_done = len(held)
        for place, cents in enumerate(held):
            sums = {"simulated_cents": 1_000, "in_force_cents": 0, "held_cents": cents}
            whose = {"creator_id": lab.creators[place], "position": place}
            row = {"simulation_id": UUID(simulation), **whose, **sums, **nothing}
            session.add(PayoutSimulationCreator(**row))
    claim = queue.claim(lab.store)
    assert claim is not None
    claim.end()
    assert lab.read(simulation)["held_cents"] == total
    assert [row["held_cents"] for row in lab.rows(simulation, "creator", 2)] == [*held]
    assert [row["held_cents"] for row in lab.sheet(simulation, "creator")] == [
        "" if cents is None else str(cents) for cents in held
    ]
