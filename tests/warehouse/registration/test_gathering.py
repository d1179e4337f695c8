"""Registering batches together gives the same result as one by one."""

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import polars as pl
import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from tests.doses import SEED, dose
from tests.factories.landing import NOON, comment_crawl, fetch, post, profile
from tests.factories.tracking import Customer, add_account, add_organization, add_video
from tests.fixtures.locks import wait_until_waiting
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.landing.batches import Batch
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.engines import IDLE
from warehouse.operational.models import Account, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration.deciding import DependentError, decide_batches
from warehouse.registration.gathering import (
    AHEAD,
    MOST_BATCHES,
    MOST_ROWS,
    Landed,
    RegistrationResult,
    gather,
    read,
    reading_ahead,
)
from warehouse.registration.once import Frames, register_once
from warehouse.registration.order import wait_turn
from warehouse.registration.register import (
    MOST_FAILED,
    UnregistrableError,
    register_landed,
    register_one,
)
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError

LISTING = {
    "platform": "tiktok",
    "handle": "creator0",
    "began_at": NOON,
    "pages": 1,
    "provider": "web",
    "cursor": "36",
    "reached_known": False,
}
TRANSACTIONS = "select batch_id, batch_seq, xmin::text from registered_batches order by batch_seq"


def transactions(store: OperationalStore) -> list[int]:
    """Return how many batches each transaction registered, in order."""
    with store.read_session() as session:
        rows = session.execute(text(TRANSACTIONS)).all()
    assert [row.batch_id for row in rows] == sorted(row.batch_id for row in rows)
    assert [row.batch_seq for row in rows] == list(range(1, len(rows) + 1))
    return list(Counter(row.xmin for row in rows).values())


def land(settings: Settings, **rows: Sequence[dict[str, Any]]) -> UUID:
    return LandingWriter(open_landing(settings)).land(**rows)


def land_reading(settings: Settings, handle: str, **changes: Any) -> UUID:
    return land(settings, posts=[post(f"post-of-{handle}", handle, **changes)])


def register_behind(store: OperationalStore, settings: Settings, batch_id: UUID) -> None:
    """Register a batch while another registration holds the lock."""
    with ThreadPoolExecutor(1) as pool:
        with store.write_session() as session:
            wait_turn(session)
            behind = pool.submit(register_one, store, open_landing(settings), batch_id)
            wait_until_waiting(store.dsn)
        behind.result()


@pytest.fixture
def accounts(customer: Customer) -> list[UUID]:
    return [customer.account(f"creator{number}") for number in range(4)]


class TestTogether:
    pytestmark = pytest.mark.usefixtures("accounts")

    def test_waiting_batches_of_different_accounts_share_a_transaction(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        ids = [land_reading(settings, f"creator{number}") for number in range(4)]
        results = register_landed(store, settings)
        assert [(result.batch_id, result.video_readings) for result in results] == [
            (batch_id, 1) for batch_id in ids
        ]
        assert transactions(store) == [4]
        assert [
            pl.read_parquet(batch.path / "video_snapshots.parquet").height
            for batch in open_landing(settings).registered()
        ] == [1, 1, 1, 1]

    def test_two_readings_of_a_post_are_registered_in_their_order(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        for caption, number in (("first", 0), ("second", 1), ("third", 0)):
            land_reading(settings, f"creator{number}", caption=caption)
        register_landed(store, settings)
        assert transactions(store) == [2, 1]

    def test_only_a_batch_with_an_impossible_value_fails(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        ids = [land_reading(settings, f"creator{number}") for number in range(3)]
        [damaged] = settings.landing_path.glob(f"incoming/{ids[1]}/posts.parquet")
        pl.read_parquet(damaged).with_columns(caption=pl.lit("a\x00b")).write_parquet(damaged)
        with capture_logs() as logs:
            results = register_landed(store, settings)
        assert (logs[0]["event"], logs[0]["batches"]) == ("batches failed together", 3)
        assert [(result.batch_id, result.rejected is None) for result in results] == [
            (ids[0], True),
            (ids[1], False),
            (ids[2], True),
        ]
        assert transactions(store) == [1, 1]
        assert open_landing(settings).incoming() == []

    def test_a_rename_is_seen_by_the_next_batch(
        self, store: OperationalStore, settings: Settings, customer: Customer
    ) -> None:
        """An account of another project has the old handle; only the next batch names it."""
        account = customer.account("old", platform_user_id="id-of-new")
        land(settings, profiles=[profile("new")])
        land(settings, posts=[post("7001", "old", platform_user_id=None)])
        results = register_landed(store, settings)
        assert [result.video_readings for result in results] == [0, 0]
        assert transactions(store) == [1, 1]
        with store.read_session() as session:
            assert session.get_one(Account, account).handle == "new"

    def test_profiles_of_one_account_under_two_names_are_applied_in_their_order(
        self, store: OperationalStore, settings: Settings, customer: Customer
    ) -> None:
        """One by its user id, under another account's handle, and one by its own handle."""
        account = customer.account("old", platform_user_id="id", display_name="before")
        land(settings, profiles=[profile("creator0", platform_user_id="id", display_name="A")])
        later = {"captured_at": NOON + timedelta(minutes=1), "bio_link": "https://a.example"}
        land(settings, profiles=[profile("old", platform_user_id=None, **later)])
        register_landed(store, settings)
        assert transactions(store) == [1, 1]
        with store.read_session() as session:
            row = session.get_one(Account, account)
        assert (row.display_name, row.bio_link) == ("A", "https://a.example")

    def test_posts_are_added_in_the_order_of_their_batches(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        for number in range(3):
            land_reading(settings, f"creator{number}", captured_at=NOON - timedelta(minutes=number))
        register_landed(store, settings)
        assert transactions(store) == [3]
        with store.read_session() as session:
            added = session.scalars(select(Video.platform_video_id).order_by(Video.id)).all()
        assert added == [f"post-of-creator{number}" for number in range(3)]

    @pytest.mark.parametrize("rows", [{"outcomes": [fetch("creator0")]}, {"listings": [LISTING]}])
    def test_accounts_are_locked_in_the_order_of_ids_whatever_names_them(
        self,
        store: OperationalStore,
        settings: Settings,
        accounts: list[UUID],
        rows: dict[str, list[dict[str, Any]]],
    ) -> None:
        """Otherwise both writers could wait for each other's accounts."""
        land(settings, profiles=[profile("creator1")])
        land(settings, **rows)
        lock = select(Account.id).with_for_update(nowait=True)
        with ThreadPoolExecutor(1) as pool:
            with store.write_session() as session:
                session.execute(lock.where(Account.id == min(accounts)))
                behind = pool.submit(register_landed, store, settings)
                wait_until_waiting(store.dsn)
                session.execute(lock.where(Account.id == accounts[1]))
            behind.result()
        assert transactions(store) == [2]

    @pytest.mark.slow
    def test_comment_crawls_are_registered_separately(
        self, store: OperationalStore, settings: Settings, customer: Customer
    ) -> None:
        videos = [customer.video(f"700{number}") for number in range(2)]
        land_reading(settings, "creator0")
        for number, video in enumerate(videos):
            land(settings, comment_walks=[comment_crawl(f"700{number}", video)])
        land_reading(settings, "creator1")
        land_reading(settings, "creator2")
        register_landed(store, settings)
        assert transactions(store) == [1, 1, 1, 2]

    @pytest.mark.slow
    def test_a_transaction_has_a_limited_number_of_rows(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        for number in range(3):
            handle = f"creator{number}"
            land(settings, posts=[post(f"{handle}-{n}") for n in range(MOST_ROWS // 2)])
        register_landed(store, settings)
        assert transactions(store) == [2, 1]

    @pytest.mark.slow
    def test_a_transaction_has_a_limited_number_of_batches(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        for number in range(MOST_BATCHES + 1):
            land(settings, posts=[post(f"post{number}")])
        register_landed(store, settings)
        assert transactions(store) == [MOST_BATCHES, 1]


@pytest.mark.slow
def test_each_batch_is_read_once_and_few_are_read_ahead(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3 * AHEAD):  # three per account, which need separate transactions
        land_reading(settings, f"creator{number // 3}")
    landing, looked_at = open_landing(settings), Counter[UUID]()
    at_hand = landing.at_hand

    def counted(batch: Batch) -> AbstractContextManager[Batch]:
        looked_at[batch.batch_id] += 1
        return at_hand(batch)

    monkeypatch.setattr(landing, "at_hand", counted)
    batches, done = landing.incoming(), 0
    with reading_ahead(landing, batches) as reading:
        while remaining := batches[done:]:
            done += len(gather(reading, remaining, None).batches)
            assert looked_at.total() <= done + AHEAD
    assert set(looked_at.values()) == {1}
    assert looked_at.total() == 3 * AHEAD


def test_a_batch_that_could_not_be_read_ahead_is_read_in_turn(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id, landing = land_reading(settings, "creator0"), open_landing(settings)
    [batch], at_hand, failures = landing.incoming(), landing.at_hand, iter([StorageAwayError()])

    def away_at_first(batch: Batch) -> AbstractContextManager[Batch]:
        if failure := next(failures, None):
            raise failure
        return at_hand(batch)

    monkeypatch.setattr(landing, "at_hand", away_at_first)
    with reading_ahead(landing, [batch]) as reading:
        assert list(gather(reading, [batch], None).landed) == [batch_id]


def test_batches_that_land_during_a_registration_are_registered_with_the_next(
    store: OperationalStore, settings: Settings, accounts: list[UUID]
) -> None:
    landing = open_landing(settings)
    older = land_reading(settings, "creator0")
    ids = [land_reading(settings, f"creator{number}") for number in range(1, len(accounts))]
    register_behind(store, settings, ids[0])
    assert transactions(store) == [3]
    assert [batch.batch_id for batch in landing.incoming()] == [older]
    register_one(store, landing, ids[1])
    assert transactions(store) == [3]


def test_a_stopped_registration_blocks_others_until_its_limit_and_then_repeats(
    store: OperationalStore,
    settings: Settings,
    accounts: list[UUID],
) -> None:
    batch_id, landing = land_reading(settings, "creator0"), open_landing(settings)
    other = replace(store, bounds="set local lock_timeout = '20s'")
    registered = list[list[RegistrationResult]]()

    def choose(session: WriteSession, has_waited: bool) -> list[UUID]:
        if not registered:
            session.execute(text(f"set local {IDLE} = '10ms'"))
        registered.append(register_landed(other, settings))
        return [batch_id]

    assert register_once(store, landing, "scrape", choose, lambda *_: []) == []
    assert [len(results) for results in registered] == [1, 0]
    assert transactions(store) == [1]


def land_unregistrable(settings: Settings, handle: str) -> UUID:
    """Land a post whose id is too long for an index, an error without a check."""
    return land(settings, posts=[post(Random(SEED).randbytes(20_000).hex(), handle)])


class TestAnErrorOfOneBatch:
    pytestmark = pytest.mark.usefixtures("accounts")

    def test_it_is_rejected_with_its_reason_and_the_others_are_registered(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        older = land_reading(settings, "creator0")
        broken = land_unregistrable(settings, "creator2")
        newer = land_reading(settings, "creator1")
        results = {result.batch_id: result.rejected for result in register_landed(store, settings)}
        assert "index row requires" in (results[broken] or "")
        assert (results[older], results[newer]) == (None, None)
        with store.read_session() as session:
            rows = session.execute(text(TRANSACTIONS)).all()
        assert [row.batch_id for row in rows] == [older, newer]
        assert open_landing(settings).incoming() == []
        reason = settings.landing_path / "rejected" / str(broken) / "reason.txt"
        assert "index row requires" in reason.read_text()

    def test_batches_that_all_fail_stay_and_the_error_is_raised(
        self, store: OperationalStore, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The program or PostgreSQL is at fault, and rejected batches would never be retried."""
        ids = [land_unregistrable(settings, "creator0") for _ in range(MOST_FAILED + 1)]
        decide = Mock(wraps=decide_batches)
        monkeypatch.setattr("warehouse.registration.register.decide_batches", decide)
        with pytest.raises(UnregistrableError, match="index row requires"):
            register_landed(store, settings)
        assert decide.call_count == len(ids)  # once each, not three times
        assert [batch.batch_id for batch in open_landing(settings).incoming()] == ids

    def test_a_worker_registers_its_own_batch(
        self, store: OperationalStore, settings: Settings
    ) -> None:
        own = land_reading(settings, "creator0")
        broken = land_unregistrable(settings, "creator1")
        register_behind(store, settings, own)
        with store.read_session() as session:
            assert [row.batch_id for row in session.execute(text(TRANSACTIONS))] == [own]
        assert [batch.batch_id for batch in open_landing(settings).incoming()] == [broken]


class RejectedMeanwhile(FolderLanding):
    """Another process rejects each batch first."""

    def reject(self, batch: Batch, reason: str) -> str:
        super().reject(batch, reason)
        return super().reject(batch, reason)


def test_two_processes_reject_a_damaged_batch(
    store: OperationalStore, settings: Settings, accounts: list[UUID]
) -> None:
    landing = RejectedMeanwhile(settings.landing_path)
    damaged = land_reading(settings, "creator0")
    settings.landing_path.joinpath("incoming", str(damaged), "posts.parquet").write_bytes(b"")
    register_one(store, landing, damaged)
    assert landing.rejected_ids() == {damaged}
    assert landing.incoming() == []


STATES = {
    "accounts": "",
    "account_profile_changes": "",
    "visits": "",
    "post_pictures": "due_at",
    "videos": "",
    "video_statuses": "",
    "video_owners": "",
    "post_looks": "",
}
"""Tables that a registration changes, with columns that differ each time."""

STATE = """
    select to_jsonb(rows) - array['id', 'video_id', 'changed_by', '{left_out}'] {post}
    from {table} as rows {videos}
"""
NAMED = "|| jsonb_build_object('post', array[videos.project_id::text, videos.platform_video_id])"
VIDEOS = "inner join videos on rows.video_id = videos.id"


def state(session: WriteSession) -> dict[str, list[str]]:
    """Return the rows of all tables, posts by their natural key, after planning.

    Registered one by one, a post keeps its account fetch by handle until planning if another batch
    brings the user id; registered together, it changes at once.
    """
    plan_changes(session)
    rows = dict[str, list[str]]()
    for table, left_out in STATES.items():
        of_video = table in {"video_statuses", "video_owners", "post_looks"}
        statement = STATE.format(
            table=table,
            left_out=left_out,
            post=NAMED if of_video else "",
            videos=VIDEOS if of_video else "",
        )
        values = session.scalars(text(statement.replace(":", "\\:"))).all()
        rows[table] = sorted(json.dumps(value, sort_keys=True) for value in values)
    return rows


def registered(session: Session, frames: Frames) -> dict[str, list[str]]:
    """Return registered rows, posts by their natural key."""
    posts = text("select id::text, project_id::text || platform_video_id as post from videos")
    names = {row.id: row.post for row in session.execute(posts)}
    return {
        table: sorted(
            str(row | {"video_id": names.get(row.get("video_id"))})
            for row in frame.iter_rows(named=True)
        )
        for table, frame in frames.items()
    }


class World:
    """Random batches of two organizations that share some accounts and posts."""

    def __init__(self, random: Random, settings: Settings) -> None:
        self._random = random
        self._settings = settings

    def land(self) -> None:
        """Land a batch of some accounts, which sometimes contains each other's posts."""
        random = self._random
        handles = random.sample([f"creator{number}" for number in range(24)], random.randint(1, 3))
        at = NOON + timedelta(minutes=random.randint(0, 300))
        posts = [self._post(handle, at) for handle in handles for _ in range(random.randint(0, 4))]
        land(
            self._settings,
            profiles=[self._profile(handle, at) for handle in handles if random.random() < 0.8],
            posts=posts,
            outcomes=[self._outcome(handle, at) for handle in handles],
        )

    def _profile(self, handle: str, at: datetime) -> dict[str, Any]:
        random = self._random
        observed = f"{handle}.new" if random.random() < 0.03 else handle
        return profile(
            handle,
            observed_handle=observed,
            platform_user_id=random.choice([f"id-of-{handle}", None]),
            display_name=random.choice(["A", "B", None]),
            bio_link=random.choice(["https://a.example", None]),
            follower_count=random.choice([random.randint(0, 99), None]),
            captured_at=at,
        )

    def _post(self, handle: str, at: datetime) -> dict[str, Any]:
        random = self._random
        author = f"creator{random.randrange(24)}" if random.random() < 0.05 else handle
        return post(
            f"{author}-{random.randrange(5)}",
            random.choice([handle, handle, None]),
            platform_user_id=random.choice([f"id-of-{handle}", None]),
            caption=random.choice(["one", "two", None]),
            posted_at=random.choice([NOON, None]),
            thumbnail_url=random.choice(["https://a.example/1", None]),
            view_count=random.choice([random.randint(0, 10_000), None]),
            captured_at=at,
        )

    def _outcome(self, handle: str, at: datetime) -> dict[str, Any]:
        random = self._random
        return fetch(
            handle,
            job_type=random.choice(["discover_videos", "creator_profiles"]),
            outcome=random.choice(["ok", "ok", "not_found", "unreachable"]),
            reached_known=random.random() < 0.5,
            started_at=at,
            finished_at=at,
        )


@pytest.mark.slow
def test_batches_registered_together_equal_those_one_by_one(
    store: OperationalStore, settings: Settings, customer: Customer
) -> None:
    """Batches may overlap in any way; dependent ones are not registered together."""
    random = Random(SEED)
    rivals = add_organization(store, "Rivals")
    for number in range(24):
        add_account(store, customer.organization, f"creator{number}")
        if number % 3 == 0:
            add_account(store, rivals, f"creator{number}")
        if number % 4 == 0:
            add_video(store, customer.organization, f"creator{number}-0")
    world, landing = World(random, settings), open_landing(settings)
    for _ in range(dose(60, 600)):
        world.land()
    batches, compared = landing.incoming(), 0
    while batches:
        gathered = gather(partial(read, landing), batches, None)
        landed = list(gathered.landed.values())
        expected = together(store, landed) if len(landed) > 1 else None
        result = one_by_one(store, landed)
        assert expected in {None, result}
        compared += expected is not None
        batches = batches[len(landed) :]
    assert compared > dose(5, 50)


def together(store: OperationalStore, landed: Sequence[Landed]) -> str | None:
    """Return the result of one transaction, which is rolled back; None for dependent batches."""
    with store.write_session() as session:
        try:
            frames = decide_batches(session, landed, NOON)
        except DependentError:
            session.rollback()
            return None
        result = str((state(session), [registered(session, of_batch) for of_batch in frames]))
        session.rollback()
    return result


def one_by_one(store: OperationalStore, landed: Sequence[Landed]) -> str:
    """Register the batches one by one; return the result."""
    frames = list[dict[str, list[str]]]()
    for of_batch in landed:
        with store.write_session() as session:
            [decided] = decide_batches(session, [of_batch], NOON)
            frames.append(registered(session, decided))
    with store.write_session() as session:
        return str((state(session), frames))
