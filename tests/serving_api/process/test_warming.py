"""A new publication answers the next request with warmed earlier queries."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from threading import Event, Semaphore
from uuid import UUID

import duckdb
import pytest

from serving_api.kit import cache
from serving_api.kit.cache import SECONDS, SLOW_SECONDS, AnswerCache
from serving_api.kit.published import Published
from serving_api.process.warming import MOST_SECONDS, Warmer
from tests.factories.damaged import publish_damaged
from tests.factories.machine_clock import StoppedClock
from tests.factories.marts import CREATOR, Account, History
from tests.factories.publications import publish_rows
from tests.fixtures.api import NOW, Api, Tenant, publish_history, running_api
from tests.qa.faults.steps import at_step
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications

NUMBER = "select payout_settling_days from marts.organizations"
FIRST_READINGS = "warehouse.reading.series.known:beginnings"
HEALTH = "serving_api.resources.programs.program_health.loading:published_health"


@dataclass
class Stage:
    """A server's process with a clock of its own, and the queries to its publications."""

    settings: Settings
    current: ShardPublications
    clock: StoppedClock = field(default_factory=StoppedClock)
    questions: list[tuple[str, int]] = field(default_factory=list)
    took: float = 1.0

    def __post_init__(self) -> None:
        self.published = Published(self.current, answers=AnswerCache(self.clock))
        self.warmer = Warmer(self.published, self.clock)

    def publish(self, number: int) -> None:
        publish_rows(self.settings, NOW, organizations=[{"payout_settling_days": number}])

    def number(self, cursor: duckdb.DuckDBPyConnection, question: str) -> int:
        [(number,)] = cursor.execute(NUMBER).fetchall()
        self.questions.append((question, number))
        self.clock.now += self.took
        return int(number)

    def fails_later(self, cursor: duckdb.DuckDBPyConnection, question: str) -> int:
        number = self.number(cursor, question)
        if number > 1:
            raise duckdb.OutOfMemoryException
        return number

    def ask(self, question: str, how: Callable[..., int] | None = None) -> int:
        answer = self.published.cached(how or self.number, question, lambda _: 1)
        return answer[0]

    def check(self) -> list[tuple[str, int]]:
        """Let the warmer check once; return the queries that it ran."""
        before = len(self.questions)
        self.warmer.check(Event())
        return self.questions[before:]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(cache, "SLOW_SECONDS", SLOW_SECONDS)  # other tests' servers store none
    settings = Settings(home=tmp_path)
    with closing(ShardPublications(settings)) as current:
        yield Stage(settings, current)


def test_a_new_publication_is_warmed_before_the_first_request(stage: Stage) -> None:
    stage.publish(1)
    assert stage.ask("what?") == 1
    assert stage.check() == []
    stage.publish(2)
    assert stage.check() == [("what?", 2)]
    assert stage.check() == []
    assert (stage.ask("what?"), stage.questions) == (2, [("what?", 1), ("what?", 2)])


def test_fast_queries_are_not_warmed(stage: Stage) -> None:
    stage.took = 0.001
    stage.publish(1)
    stage.ask("what?")
    stage.publish(2)
    assert stage.check() == []
    assert stage.ask("what?") == 2


@pytest.mark.slow
def test_warming_ends_a_working_day_after_the_last_request(stage: Stage) -> None:
    stage.publish(1)
    stage.ask("what?")
    stage.clock.now += SECONDS / 2
    stage.ask("what?")
    for number, seconds in enumerate((SECONDS / 2, SECONDS / 2 - 10), start=2):
        stage.clock.now += seconds
        stage.publish(number)
        assert stage.check() == [("what?", number)]
    stage.clock.now += 20
    stage.publish(4)
    assert stage.check() == []


def test_the_latest_query_is_warmed_first_within_a_minute(stage: Stage) -> None:
    stage.publish(1)
    for question in ("first", "second", "third", "first"):
        stage.ask(question)
    stage.publish(2)
    stage.took = MOST_SECONDS / 2 + 1
    assert stage.check() == [("first", 2), ("third", 2)]
    assert stage.ask("second") == 2


def test_a_failed_query_does_not_stop_warming(stage: Stage) -> None:
    stage.publish(1)
    stage.ask("whole")
    stage.ask("broken", stage.fails_later)
    stage.publish(2)
    assert stage.check() == [("broken", 2), ("whole", 2)]


def test_a_damaged_publication_is_not_warmed_but_the_next_one_is(stage: Stage) -> None:
    stage.publish(1)
    stage.ask("what?")
    publish_damaged(stage.settings)
    assert stage.check() == []
    stage.publish(3)
    assert stage.check() == [("what?", 3)]


def test_it_stops_after_an_answer_when_the_server_does(stage: Stage) -> None:
    stage.publish(1)
    stage.ask("one")
    stage.ask("other")
    stage.publish(2)
    ended = Event()
    with at_step("serving_api.kit.cache:AnswerCache.prepare", ended.set):
        stage.warmer.check(ended)
    assert stage.questions[2:] == [("other", 2)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "step"),
    [
        ("/projects/{project}/program-health", HEALTH),
        ("/analytics?entity=creator&entity_id={creator}&metric=views", FIRST_READINGS),
    ],
)
def test_a_server_warms_by_itself(
    *,
    api: Api,
    tenant: Tenant,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    step: str,
) -> None:
    monkeypatch.setattr(cache, "SLOW_SECONDS", 0.0)
    creator = tenant.creator("ada")
    settings = api.settings.model_copy(update={"home": tmp_path})
    history = History([], [], as_of=NOW, organization=tenant.organization_id)
    publish_history(settings, history)
    computations = Semaphore(0)
    with (
        running_api(settings, api.store) as served,
        served.client(tenant.made.api_key) as client,
        at_step(step, computations.release),
    ):
        client.data("GET", path.format(project=tenant.project_id, creator=creator["id"]))
        assert computations.acquire(timeout=30)
        publish_history(settings, history)
        assert computations.acquire(timeout=30)


BETWEEN_ITS_READS = "serving_api.resources.tracking.accounts.service:coverage_of"
WEEK = {"from_day": date(2026, 5, 13), "to_day": date(2026, 5, 19)}


@dataclass(frozen=True)
class Stored(Account):
    """A factory account with the id of its row in PostgreSQL."""

    stored_id: UUID = CREATOR

    @property
    def id(self) -> UUID:
        return self.stored_id


def publish(settings: Settings, tenant: Tenant, account: UUID, number: int) -> None:
    """Publish an account with this many followers, and as many due and successful readings."""
    due = {"entity": "account", "entity_id": account, "readings_due": number, **WEEK}
    stored_account = Stored("demo.creator", {NOW: number}, stored_id=account)
    history = History([], [stored_account], as_of=NOW, organization=tenant.organization_id)
    history.coverage.append({**due, "readings_came": number})
    publish_history(settings, history)


def test_two_reads_see_one_publication(api: Api, tenant: Tenant, tmp_path: Path) -> None:
    settings = api.settings.model_copy(update={"home": tmp_path})
    account = tenant.creator("demo.creator")["accounts"][0]["id"]
    publish(settings, tenant, UUID(account), 10)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:

        def counts() -> tuple[int, int]:
            answer = client.data("GET", f"/accounts/{account}")
            return answer["follower_count"], answer["view_coverage"]["readings_due"]

        with at_step(BETWEEN_ITS_READS, lambda: publish(settings, tenant, UUID(account), 20)):
            assert counts() == (10, 10)
        assert counts() == (20, 20)
