"""Changes between publications are reported once, whichever process is killed."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
import structlog
from hypothesis import HealthCheck, example, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from tests.doses import dose
from tests.fixtures.buckets import Bucket
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.fixtures.receiver import Receiver
from tests.warehouse.backup.emptiness import emptied
from tests.warehouse.publication.shared.world import ALONE
from tests.warehouse.webhooks.conftest import Hooks
from tests.warehouse.webhooks.published import (
    FIRST,
    WEEK_END,
    Accrual,
    State,
    id_of,
    publish_states,
)
from warehouse.backup.create import create_backup
from warehouse.backup.restore import restore_backup
from warehouse.clock import system_clock
from warehouse.operational.models import WebhookEvent, WebhookReach
from warehouse.operational.organizations import create_organization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.layout import current_folder
from warehouse.publication.relocate import relocate
from warehouse.publication.retention import retire
from warehouse.publication.shared.fetching import fetch_replaced
from warehouse.publication.shared.sending import share
from warehouse.settings import REPOSITORY, Settings
from warehouse.shards.assigning import add_shard, carry_out, planned_move
from warehouse.shards.members import digest_of, members_of
from warehouse.shards.serving import hand_over
from warehouse.webhooks import before as last_ones
from warehouse.webhooks import comparing
from warehouse.webhooks.before import members_listening
from warehouse.webhooks.comparing import notify_of_publication
from warehouse.webhooks.event import MEANS, Event
from warehouse.webhooks.log import record
from warehouse.webhooks.states import STATES

NOTHING = State()


class World:
    """Publishes states of an organization with an endpoint, and reads its events."""

    def __init__(self, hooks: Hooks, settings: Settings, receiver: Receiver) -> None:
        self.hooks, self.settings = hooks, settings
        self.number = 0
        self.endpoint_id, _ = hooks.endpoint(receiver)

    def publish(self, state: State, *, leave_out: str = "", **others: State) -> None:
        states = {self.hooks.organization_id: state}
        states |= {UUID(name): other for name, other in others.items()}
        publish_states(self.settings, states, self.number, leave_out=leave_out)
        self.number += 1

    def share(self, state: State, number: int) -> UUID:
        """Publish a state and share it in the bucket, as a builder does; return its id."""
        info = publish_states(self.settings, {self.hooks.organization_id: state}, number).info
        share(self.settings, self.hooks.store, info, ALONE)
        return info.publication_id

    def tell(self) -> list[tuple[str, str]]:
        """Report the current publication; return the type and entity of each new event."""
        ids = {event.id for event in self.events()}
        notify_of_publication(self.settings, self.hooks.store)
        return [
            (event.type, event.entity_id)
            for event in self.events()
            if event.id not in ids and event.type != "publication.completed"
        ]

    def brings(self, state: State) -> list[tuple[str, str]]:
        self.publish(state)
        return self.tell()

    def events(self, kind: str | None = None) -> list[WebhookEvent]:
        statement = select(WebhookEvent).order_by(WebhookEvent.sequence)
        if kind is not None:
            statement = statement.where(WebhookEvent.type == kind)
        with self.hooks.store.read_session() as session:
            return list(session.scalars(statement))


@pytest.fixture
def world(hooks: Hooks, settings: Settings, receiver: Receiver) -> World:
    made = World(hooks, settings, receiver)
    assert made.brings(NOTHING) == []
    return made


@pytest.fixture
def builders(
    hooks: Hooks, settings: Settings, bucket: Bucket, tmp_path: Path
) -> tuple[World, World]:
    """Two machines with one bucket."""
    url = {"landing_url": f"s3://{bucket.name}/{uuid4()}"}
    first = World(hooks, bucket.settings(settings).model_copy(update=url), hooks.receiver)
    elsewhere = first.settings.model_copy(update={"home": tmp_path / "another"})
    return first, World(hooks, elsewhere, hooks.receiver)


def accruals(**named: Accrual) -> State:
    return State(accruals=named)


class TestPublications:
    @pytest.mark.slow
    def test_each_is_reported_once(self, world: World) -> None:
        world.tell()
        world.brings(NOTHING)
        first, second = world.events("publication.completed")
        assert first.entity_id == second.entity_id == str(world.hooks.organization_id)
        assert (first.occurred_at, second.occurred_at) == (FIRST, FIRST + timedelta(hours=1))
        assert second.data["as_of"] == "2026-05-20T07:00:00+00:00"

    @pytest.mark.slow
    def test_the_last_reported_publication_stays_for_a_day(self, world: World) -> None:
        """Reporting fails for hours while others are published."""
        for cents in range(1, 7):
            world.publish(accruals(a=Accrual("final", cents)))
            retire(world.settings.publications_path, system_clock() + timedelta(hours=3))
        assert world.tell() == [("accrual.final", str(id_of("a")))]

    @pytest.mark.slow
    def test_a_restored_service_reports_changes_since_the_backup(
        self, world: World, databases: FreshDatabase, tmp_path: Path
    ) -> None:
        create_backup(world.settings, world.hooks.store, tmp_path / "backup")
        with databases() as url:
            emptied(url)
            elsewhere = settings_for(tmp_path / "elsewhere", url)
            restore_backup(elsewhere, tmp_path / "backup")
            with operational_store(elsewhere) as store:
                restored = World(replace(world.hooks, store=store), elsewhere, world.hooks.receiver)
                told = restored.brings(accruals(a=Accrual("final", 100)))
        assert told == [("accrual.final", str(id_of("a")))]

    @pytest.mark.slow
    def test_changes_before_the_first_endpoint_are_not_reported(
        self, hooks: Hooks, settings: Settings
    ) -> None:
        """The last publication counts as reported, with or without endpoints."""
        there = accruals(old=Accrual("final", 100))
        publish_states(settings, {hooks.organization_id: there})
        notify_of_publication(settings, hooks.store)
        made = World(hooks, settings, hooks.receiver)
        made.number = 1
        assert made.events() == []
        assert made.brings(there) == []

    @pytest.mark.slow
    def test_after_the_data_folder_moved_nothing_is_lost(self, world: World) -> None:
        """The preceding publication's views contain the files' former paths."""
        world.brings(accruals(a=Accrual("final", 100)))
        elsewhere = Settings(home=world.settings.home_path / "elsewhere")
        elsewhere.home_path.mkdir()
        world.settings.publications_path.rename(elsewhere.publications_path)
        world.settings = elsewhere
        relocate(elsewhere)
        changed = accruals(a=Accrual("final", 100), b=Accrual("final", 7))
        assert world.brings(changed) == [("accrual.final", str(id_of("b")))]

    @pytest.mark.slow
    def test_without_the_preceding_one_only_the_next_is_compared(self, world: World) -> None:
        with world.hooks.store.write_session() as session:
            session.execute(delete(WebhookReach))
            session.execute(delete(WebhookEvent))
            session.add(WebhookReach(shard="main", publication_id=UUID(int=1)))
        with structlog.testing.capture_logs() as logs:
            assert world.brings(accruals(a=Accrual("final", 100))) == []
        assert [(each["event"], each["publication_id"]) for each in logs] == [
            ("webhooks_not_compared", str(UUID(int=1)))
        ]
        assert world.brings(accruals(a=Accrual("final", 200))) == [
            ("accrual.final", str(id_of("a")))
        ]

    @pytest.mark.slow
    def test_a_machine_that_takes_over_compares_with_the_last_one_in_the_bucket(
        self, hooks: Hooks, builders: tuple[World, World], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It fetches that one before its transaction, since a download may take minutes."""

        def fetch_unlocked(*arguments: Any) -> None:
            with hooks.store.write_session() as session:
                session.scalars(select(WebhookReach).with_for_update(nowait=True)).all()
            fetch_replaced(*arguments)

        monkeypatch.setattr(last_ones, "fetch_replaced", fetch_unlocked)
        builder, successor = builders
        builder.share(accruals(a=Accrual("final", 100)), 0)
        builder.tell()
        successor.share(accruals(a=Accrual("final", 100), b=Accrual("final", 7)), 1)
        assert successor.tell() == [("accrual.final", str(id_of("b")))]
        publications = successor.settings.publications_path
        assert [folder for folder in publications.iterdir() if folder.is_dir()] == [
            current_folder(publications)
        ]

    def test_a_builder_that_returns_reports_no_old_amounts(
        self, builders: tuple[World, World]
    ) -> None:
        (first, second), events = builders, []
        for number, (builder, cents) in enumerate(
            [(first, 100), (second, 100), (second, 200), (first, 200)], start=1
        ):
            events += builder.tell()  # for a publication that a killed process did not report
            builder.share(accruals(x=Accrual("final", cents)), number)
            events += builder.tell()
        assert [event for event in events if event[0] == "accrual.final"] == [
            ("accrual.final", str(id_of("x")))
        ]

    @pytest.mark.slow
    def test_a_builder_that_waited_for_a_later_report_reports_nothing(
        self, hooks: Hooks, builders: tuple[World, World]
    ) -> None:
        """The waiting builder would report its older amount and store its publication as last."""
        first, second = builders
        first.share(accruals(x=Accrual("final", 100)), 0)
        last = second.share(accruals(x=Accrual("final", 200)), 1)
        second.tell()
        assert first.tell() == []
        with hooks.store.read_session() as session:
            assert session.scalar(select(WebhookReach.publication_id)) == last

    @pytest.mark.slow
    def test_a_stopped_comparison_blocks_the_next_builder_until_its_limit(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """When it continues, it logs nothing, because the other already has."""
        other = replace(world.hooks.store, bounds="set local lock_timeout = '20s'")
        world.publish(accruals(a=Accrual("final", 100)))
        first = world.events()
        successors = list[WebhookEvent]()

        def compare_elsewhere(session: Session, settings: Settings) -> Sequence[UUID]:
            monkeypatch.undo()
            notify_of_publication(world.settings, other)
            successors.extend(world.events()[len(first) :])
            return members_listening(session, settings)

        monkeypatch.setattr(comparing, "LONGEST_IDLE", "1s")
        monkeypatch.setattr(comparing, "members_listening", compare_elsewhere)
        with structlog.testing.capture_logs() as logs:
            assert world.tell() == [("accrual.final", str(id_of("a")))]
        assert len(successors) == len(world.events()) - len(first)
        assert [line["event"] for line in logs] == ["webhooks_not_told"]

    @pytest.mark.slow
    def test_one_of_a_clock_that_was_ahead_suppresses_no_later_ones(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ahead = time.time_ns() + 30 * 24 * 3600 * 10**9
        with monkeypatch.context() as early:
            early.setattr("warehouse.ids.time", SimpleNamespace(time_ns=lambda: ahead))
            world.brings(NOTHING)
        assert world.brings(accruals(a=Accrual("final", 1))) == [("accrual.final", str(id_of("a")))]

    @pytest.mark.slow
    def test_a_publication_of_other_models_restarts_the_comparison(self, world: World) -> None:
        world.publish(NOTHING, leave_out="scrape_freshness")
        with structlog.testing.capture_logs() as logs:
            world.tell()
        assert [each["event"] for each in logs] == ["webhooks_not_told"]
        since = datetime(2026, 5, 1, tzinfo=UTC)
        assert world.brings(State(stale={"x": since})) == [("account.stale", str(id_of("x")))]

    @pytest.mark.slow
    def test_a_table_missing_from_the_older_one_reports_nothing(
        self, hooks: Hooks, settings: Settings
    ) -> None:
        made = World(hooks, settings, hooks.receiver)
        made.publish(NOTHING, leave_out="scrape_freshness")
        made.tell()
        state = State(stale={"x": FIRST}, accruals={"a": Accrual("final", 1)})
        assert made.brings(state) == [("accrual.final", str(id_of("a")))]
        assert made.brings(state) == []

    @pytest.mark.slow
    def test_each_shard_reports_its_own_changes(
        self, hooks: Hooks, world: World, settings: Settings
    ) -> None:
        """Two shards publish in turn; each publication is compared with its shard's last."""
        other = World(world.hooks, settings.of_shard("east"), hooks.receiver)
        nobody = {uuid4(): accruals(theirs=Accrual("final", 1))}
        publish_states(other.settings, nobody)
        completed = len(world.events("publication.completed"))
        assert other.tell() == []
        assert len(world.events("publication.completed")) == completed, "the publication lacks it"
        assert world.brings(accruals(a=Accrual("final", 100))) == [
            ("accrual.final", str(id_of("a")))
        ]

    @pytest.mark.slow
    def test_an_organization_from_another_shard_gets_no_repeated_events(
        self, hooks: Hooks, world: World, settings: Settings
    ) -> None:
        before = accruals(a=Accrual("final", 100))
        world.brings(before)
        receiving = moving(world, settings)
        assert receiving.brings(before) == []
        completed = world.events("publication.completed")[-1]
        assert completed.occurred_at == FIRST + timedelta(hours=2), "only the new publication"
        after = accruals(a=Accrual("final", 100), b=Accrual("final", 7))
        assert receiving.brings(after) == [("accrual.final", str(id_of("b")))]

    @pytest.mark.slow
    @pytest.mark.parametrize("left", [False, True], ids=["still there", "gone from there"])
    def test_changes_during_a_move_are_reported_once(
        self, hooks: Hooks, world: World, settings: Settings, *, left: bool
    ) -> None:
        """The receiving shard reports it: the other's next publication may lack the data."""
        world.brings(accruals(a=Accrual("final", 100), b=Accrual("settling", 7)))
        receiving = moving(world, settings)
        if left:
            publish_states(settings, {uuid4(): NOTHING}, world.number)
            assert world.tell() == []
        moved = accruals(a=Accrual("final", 120), b=Accrual("final", 7))
        assert sorted(receiving.brings(moved)) == sorted(
            ("accrual.final", str(id_of(name))) for name in ("a", "b")
        )
        assert world.brings(NOTHING if left else moved) == []
        assert receiving.brings(moved) == []

    def test_a_shard_on_another_machine_compares_with_its_new_members_last_events(
        self, builders: tuple[World, World]
    ) -> None:
        giver, elsewhere = builders
        giver.share(accruals(a=Accrual("final", 100)), 0)
        giver.tell()
        receiving = moving(giver, elsewhere.settings)
        receiving.share(accruals(a=Accrual("final", 120)), 1)
        assert receiving.tell() == [("accrual.final", str(id_of("a")))]

    def test_a_former_shard_reports_no_old_state(self, world: World, settings: Settings) -> None:
        """The former shard's run began before the new shard's and ends after it."""
        world.brings(accruals(a=Accrual("final", 100)))
        receiving = moving(world, settings)
        receiving.brings(accruals(a=Accrual("final", 200)))
        with world.hooks.store.write_session() as session:
            hand_over(session, "east", digest_of(members_of(session, "east")))
        assert world.brings(accruals(a=Accrual("final", 150))) == []

    def test_a_receiving_shard_reports_no_old_amounts(
        self, world: World, settings: Settings
    ) -> None:
        """Its first full run may take hours; the next one has the new amounts."""
        was, became = (accruals(a=Accrual("final", cents)) for cents in (100, 150))
        world.brings(was)
        receiving = moving(world, settings)
        world.number += 1
        world.brings(became)
        serve(receiving, "east", was)
        assert finals(world) == [100, 150]
        world.number += 1
        publish_states(settings, {uuid4(): NOTHING}, world.number)
        world.tell()
        receiving.number = world.number
        serve(receiving, "east", was)  # the amount really returned
        serve(receiving, "east", became)
        assert finals(world) == [100, 150, 100, 150]

    def test_moving_back_reports_changes_since_the_other_shards_report(
        self, world: World, settings: Settings
    ) -> None:
        was, became = (accruals(a=Accrual("final", cents)) for cents in (100, 150))
        world.brings(was)
        receiving = moving(world, settings)
        serve(receiving, "east", was)
        world.number = receiving.number
        world.brings(became)  # from a run that began before the move: not reported
        with world.hooks.store.write_session() as session:
            carry_out(session, [planned_move(session, world.hooks.organization_id, "main")])
        serve(world, "main", became)
        assert finals(world) == [100, 150]

    def test_an_endpoint_newer_than_the_old_shards_publication_gets_events_after_a_move(
        self, hooks: Hooks, settings: Settings, receiver: Receiver
    ) -> None:
        publish_states(settings, {hooks.organization_id: accruals(a=Accrual("final", 100))})
        notify_of_publication(settings, hooks.store)
        receiving = moving(World(hooks, settings, receiver), settings)
        assert receiving.brings(accruals(a=Accrual("final", 120))) == [
            ("accrual.final", str(id_of("a")))
        ]

    def test_a_new_shard_reports_after_the_old_shards_running_report(
        self, world: World, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store, telling = world.hooks.store, list[Thread]()
        world.brings(accruals(a=Accrual("final", 100)))
        world.publish(accruals(a=Accrual("final", 150)))

        def record_after_a_move(session: WriteSession, events: Iterator[Event]) -> int:
            monkeypatch.undo()
            receiving = moving(world, settings)
            receiving.publish(accruals(a=Accrual("final", 200)))
            with store.write_session() as other:
                hand_over(other, "east", digest_of(members_of(other, "east")))
            telling.append(Thread(target=receiving.tell))
            telling[0].start()
            while not is_waiting(store):
                assert telling[0].is_alive()
            return record(session, events)

        monkeypatch.setattr(comparing, "record", record_after_a_move)
        world.tell()
        telling[0].join()
        assert finals(world) == [100, 150, 200]


def is_waiting(store: OperationalStore) -> bool:
    """Return whether a transaction waits for another."""
    with store.read_session() as session:
        return bool(session.scalar(text("select exists (select from pg_locks where not granted)")))


def finals(world: World) -> list[int]:
    """Return the reported amounts in order."""
    return [event.data["amount_cents"] for event in world.events("accrual.final")]


def serve(world: World, shard: str, state: State) -> None:
    """Publish a state, take over the organization and report."""
    world.publish(state)
    with world.hooks.store.write_session() as session:
        hand_over(session, shard, digest_of(members_of(session, shard)))
    world.tell()


def moving(giver: World, settings: Settings) -> World:
    """Move the organization to a new shard, which has published only others."""
    with giver.hooks.store.write_session() as session:
        add_shard(session, "east")
        carry_out(session, [planned_move(session, giver.hooks.organization_id, "east")])
    receiving = World(giver.hooks, settings.of_shard("east"), giver.hooks.receiver)
    publish_states(receiving.settings, {uuid4(): NOTHING})
    assert receiving.tell() == []
    receiving.number = giver.number
    return receiving


FINAL, ADJUSTED = ("accrual.final", str(id_of("a"))), ("accrual.adjusted", str(id_of("a")))
VIRAL = ("video.viral", str(id_of("v")))
STALE, REFUSING = ("account.stale", str(id_of("x"))), ("platform.refusing", "tiktok")
JANUARY = date(2026, 1, 11)
PAID = Accrual("paid", 100)


def final(cents: int) -> State:
    return accruals(a=Accrual("final", cents))


def adjusted(cents: int, status: str) -> State:
    return accruals(a=PAID, b=Accrual(status, cents, adjusts="a"))


STORIES: Mapping[str, Sequence[tuple[State, list[tuple[str, str]]]]] = {
    "final is reported once per amount": [
        (accruals(a=Accrual("settling", 100)), []),
        (final(100), [FINAL]),
        (final(120), [FINAL]),
        (accruals(a=Accrual("paid", 120)), []),
        (final(120), []),
    ],
    "a returning amount is reported again": [
        (final(100), [FINAL]),
        (final(120), [FINAL]),
        (final(100), [FINAL]),
        (final(120), [FINAL]),
        (final(120), []),
        (final(100), [FINAL]),
    ],
    "a void amount is 0 until it is final again": [
        (final(100), [FINAL]),
        (accruals(a=Accrual("void", 100)), [FINAL]),
        (accruals(a=Accrual("void", 120)), []),
        (final(100), [FINAL]),
    ],
    "an adjustment is reported per amount with its accrual": [
        (accruals(a=PAID), []),
        (adjusted(20, "final"), [ADJUSTED]),
        (adjusted(20, "paid"), []),
        (adjusted(20, "paid"), []),
        (adjusted(-5, "final"), [ADJUSTED]),
        (adjusted(-5, "void"), [ADJUSTED]),
        (adjusted(-7, "void"), []),
        (adjusted(-5, "final"), [ADJUSTED]),
        (adjusted(-5, "void"), [ADJUSTED]),
    ],
    "an old correction changes its month's file": [
        (
            accruals(a=Accrual("final", 100, JANUARY), b=Accrual("final", 5, JANUARY)),
            [FINAL, ("accrual.final", str(id_of("b")))],
        ),
        (accruals(a=Accrual("final", 101, JANUARY), b=Accrual("paid", 5)), [FINAL]),
    ],
    "goals are reported once a period": [
        (State(goals={"g": "on_track"}), []),
        (State(goals={"g": "at_risk"}), [("goal.at_risk", str(id_of("g")))]),
        (State(goals={"g": "on_track"}), []),
        (State(goals={"g": "at_risk"}), []),
        (State(goals={"g": "completed"}), [("goal.completed", str(id_of("g")))]),
    ],
    "goals of a removed creator are not reported": [
        (State(goals={"g": "on_track"}), []),
        (State(goals={"g": "at_risk"}, has_creator=False), []),
    ],
    "a new goal is not reported for past periods": [
        (State(goals={"n": "completed"}, goals_created_at=WEEK_END), []),
        (
            State(goals={"n": "completed"}, goals_created_at=WEEK_END - timedelta(seconds=1)),
            [("goal.completed", str(id_of("n")))],
        ),
    ],
    "an account is reported each time it turns stale": [
        (State(stale={"x": FIRST - timedelta(days=2)}), [STALE]),
        (State(stale={"x": FIRST - timedelta(days=2)}), []),
        (NOTHING, []),
        (State(stale={"x": FIRST}), [STALE]),
    ],
    "a new account is stale only once a fetch failed": [
        (State(stale={"x": None}), []),
        (State(stale={"x": None}, failures=1), [STALE]),
    ],
    "a refusing platform is reported once a day": [
        (State(refused={"tiktok": FIRST}), [REFUSING]),
        (State(refused={"tiktok": FIRST}), []),
        (NOTHING, []),
        (State(refused={"tiktok": FIRST + timedelta(days=1)}), [REFUSING]),
    ],
    "a viral post is reported once, and an older one is not": [
        (State(posts={"v": (FIRST, 2_999)}), []),
        (State(posts={"v": (FIRST, 3_000), "old": (FIRST - timedelta(days=7), 9_000)}), [VIRAL]),
        (State(posts={"v": (FIRST, 2_999)}), []),
        (State(posts={"v": (FIRST, 9_000)}), []),
    ],
    "a flagged comment of any age is reported": [
        (State(comments={"r": date(2026, 5, 19)}), [("comment.flagged", str(id_of("r")))]),
        (
            State(comments={"r": date(2026, 5, 19), "o": date(2025, 11, 2)}),
            [("comment.flagged", str(id_of("o")))],
        ),
    ],
}
"""The states of successive publications with expected events; one organization per story."""


def test_changes_between_publications_are_reported(
    hooks: Hooks, world: World, receiver: Receiver
) -> None:
    """All stories run together; each keeps its last state until the longest one ends."""
    owners = {name: join(hooks, receiver) for name in STORIES}
    world.publish(NOTHING, **{str(owner): NOTHING for owner in owners.values()})
    world.tell()
    known = {event.id for event in world.events()}
    for turn in range(max(map(len, STORIES.values()))):
        states = {str(owners[name]): story[: turn + 1][-1][0] for name, story in STORIES.items()}
        world.publish(NOTHING, **states)
        world.tell()
        news = [event for event in world.events() if event.id not in known]
        known |= {event.id for event in news}
        for name, story in STORIES.items():
            expected_news = story[turn][1] if turn < len(story) else []
            assert sorted(changes(news, owners[name])) == sorted(expected_news), (name, turn)
    events = {name: list(of(world.events(), owner)) for name, owner in owners.items()}
    assert_data(events)


def join(hooks: Hooks, receiver: Receiver) -> UUID:
    """Add an organization with an endpoint; return its id."""
    with hooks.store.write_session() as session:
        made = create_organization(session, name="Any", plan="free", analytics_tz="UTC")
    hooks.endpoint(receiver, organization_id=made.organization_id)
    return made.organization_id


def of(events: Sequence[WebhookEvent], owner: UUID) -> Iterator[WebhookEvent]:
    for event in events:
        if event.organization_id == owner and event.type != "publication.completed":
            yield event


def changes(events: Sequence[WebhookEvent], owner: UUID) -> list[tuple[str, str]]:
    return [(event.type, event.entity_id) for event in of(events, owner)]


def assert_data(events: Mapping[str, Sequence[WebhookEvent]]) -> None:
    _, second = events["final is reported once per amount"]
    assert second.data == {
        "accrual_id": str(id_of("a")),
        "adjusts_accrual_id": None,
        "project_id": str(id_of("project")),
        "creator_id": None,
        "structure_id": None,
        "period_start": "2026-05-11",
        "period_end": "2026-05-17",
        "amount_cents": 120,
        "currency": "USD",
        "status": "final",
    }
    amounts = {
        name: [(each.data["amount_cents"], each.data["status"]) for each in of_story]
        for name, of_story in events.items()
        if any(each.type.startswith("accrual.") for each in of_story)
    }
    returned = [cents for cents, _ in amounts["a returning amount is reported again"]]
    assert returned == [100, 120, 100, 120, 100]
    void = amounts["a void amount is 0 until it is final again"]
    assert void == [(100, "final"), (0, "void"), (100, "final")]
    corrected = amounts["an adjustment is reported per amount with its accrual"]
    assert [cents for cents, _ in corrected] == [20, -5, 0, -5, 0]
    assert corrected[-1] == (0, "void")
    risk, _ = events["goals are reported once a period"]
    assert (risk.data["actual"], risk.data["target_value"]) == (3, 10)
    [viral] = events["a viral post is reported once, and an older one is not"]
    assert viral.data == {
        "video_id": str(id_of("v")),
        "project_id": str(id_of("project")),
        "creator_id": str(id_of("creator")),
        "account_id": None,
        "platform": "tiktok",
        "posted_at": "2026-05-20T06:00:00Z",
        "view_count": 3_000,
        "times_median": 3.0,
    }
    assert events["an account is reported each time it turns stale"][1].data["last_at"] == (
        "2026-05-20T06:00:00Z"
    )
    assert events["a refusing platform is reported once a day"][0].data == {
        "platform": "tiktok",
        "looks": 9,
        "refused": 5,
        "refused_since": "2026-05-20T06:00:00Z",
        "outcome": "challenged",
    }


def test_settling_by_time_is_found_in_an_unchanged_month(
    world: World,
) -> None:
    """Thirty settling days after March, where April ends at noon UTC; no data changes."""
    march = accruals(a=Accrual("final from 2026-05-01 12:00:00+00", 100, date(2026, 3, 31)))
    world.number = -19 * 24  # 1 May, six o'clock
    assert world.brings(march) == []
    world.number += 8
    assert world.brings(march) == [FINAL]


NAMES = ("a", "b")
ACCRUALS = st.dictionaries(
    st.sampled_from(NAMES),
    st.builds(
        Accrual,
        st.sampled_from(("open", "final", "paid", "void")),
        st.sampled_from((100, 200)),
        st.sampled_from((date(2026, 5, 17), date(2026, 1, 4))),
        st.none(),
    ),
)
HISTORIES = st.lists(
    st.tuples(
        st.builds(
            State,
            accruals=ACCRUALS,
            goals=st.dictionaries(
                st.sampled_from(NAMES), st.sampled_from(("on_track", "at_risk", "completed"))
            ),
            comments=st.dictionaries(
                st.sampled_from(NAMES), st.sampled_from((date(2026, 5, 1), date(2026, 2, 1)))
            ),
        ),
        st.booleans(),
    ),
    min_size=2,
    max_size=7,
)


def expected(history: list[tuple[State, bool]]) -> list[tuple[Any, ...]]:
    """Return the expected log, computed with plain sets.

    An amount that returns is logged again, everything else once.
    """
    log: list[tuple[Any, ...]] = []
    before = _come_to(NOTHING)
    for state, is_told in history:
        if is_told:
            log += [event for event in _come_to(state) - before if not _is_logged(log, event)]
            before = _come_to(state)
    return log


def _is_logged(log: list[tuple[Any, ...]], event: tuple[Any, ...]) -> bool:
    of_entity = [each for each in log if each[:2] == event[:2]]
    return event in (of_entity[-1:] if event[2] is not None else of_entity)


def _come_to(state: State) -> set[tuple[Any, ...]]:
    finals = {
        ("accrual.final", str(id_of(name)), accrual.cents if accrual.status == "final" else 0)
        for name, accrual in state.accruals.items()
        if accrual.status in {"final", "void"}
    }
    goals = {
        (f"goal.{status}", str(id_of(name)), None)
        for name, status in state.goals.items()
        if status != "on_track"
    }
    comments = {("comment.flagged", str(id_of(name)), None) for name in state.comments}
    return finals | goals | comments


@pytest.mark.slow
@examples(max_examples=dose(2, 10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=HISTORIES)
@example(history=[(accruals(a=Accrual("final", cents)), True) for cents in (100, 200, 100)])
def test_the_log_has_each_change_once(
    hooks: Hooks, settings: Settings, history: list[tuple[State, bool]]
) -> None:
    """Killed processes leave publications unreported; the others are reported twice."""
    owner = join(hooks, hooks.receiver)
    publish_states(settings, {owner: NOTHING})
    notify_of_publication(settings, hooks.store)
    for number, (state, is_told) in enumerate(history, start=1):
        publish_states(settings, {owner: state}, number)
        for _ in range(2 * is_told):
            notify_of_publication(settings, hooks.store)
    mine = select(WebhookEvent).filter_by(organization_id=owner)
    with hooks.store.read_session() as session:
        events = [
            (event.type, event.entity_id, event.data.get("amount_cents"))
            for event in session.scalars(mine.order_by(WebhookEvent.sequence))
            if event.type != "publication.completed"
        ]
    assert Counter(events) == Counter(expected(history))
    last = {event[:2]: event for event in events}
    states = [state for state, is_told in history if is_told]
    for present in _come_to(states[-1]) if states else ():
        assert last[present[:2]] == present


@pytest.mark.slow
def test_the_guide_lists_every_event_with_what_it_is_about() -> None:
    text = (REPOSITORY / "docs/guides/webhooks.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+\.\w+)` \| (.+) \| `(\w+)` \|$", text, re.MULTILINE)
    assert {kind: meaning for kind, meaning, _ in listed} == MEANS
    about = {kind: entity for kind, _, entity in listed}
    assert {states.type: states.entity_type for states in STATES}.items() <= about.items()
