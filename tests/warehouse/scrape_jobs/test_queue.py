from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Thread
from uuid import UUID

import pytest
from sqlalchemy import select, text

from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.tracking import add_account, add_organization, add_video, change
from tests.fixtures.statements import statements_sent
from tests.warehouse.fetch_schedule.test_claims import MANY_ENDED_JOBS, clock_ahead, plan_of
from warehouse.landing.batches import incoming
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.leases import FETCH_LEASE
from warehouse.operational.models import Account, Lease, ScrapeJob, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.registration.register import register_landed
from warehouse.scrape_jobs import queue
from warehouse.scrape_jobs.open_jobs import waiting_jobs
from warehouse.scrape_jobs.pauses import LONGEST_PAUSE, is_paused, note_pause
from warehouse.scrape_jobs.queue import (
    MOST_ATTEMPTS,
    claim,
    enqueue,
    put_back,
    put_off,
    renew,
)
from warehouse.settings import Settings


def queue_account(
    store: OperationalStore, account_id: UUID, job_type: str = "discover_videos"
) -> UUID:
    with store.write_session() as session:
        account = session.get_one(Account, account_id)
        return enqueue(session, job_type=job_type, account=account).id


def queue_accounts(
    store: OperationalStore, organization: NewOrganization, count: int
) -> list[UUID]:
    """Queue a job for each of `count` new accounts."""
    handles = [f"demo{number}" for number in range(count)]
    return [queue_account(store, add_account(store, organization, each)) for each in handles]


def claim_at_noon(store: OperationalStore, job_id: UUID) -> None:
    """Claim a job at the time when these tests' fetches begin."""
    assert [job.id for job in claim(store, 1)] == [job_id]
    change(store, ScrapeJob, job_id, started_at=NOON)


def read_job(store: OperationalStore, job_id: UUID) -> ScrapeJob:
    with store.read_session() as session:
        return session.get_one(ScrapeJob, job_id)


def waiting(store: OperationalStore) -> int:
    with store.read_session() as session:
        return waiting_jobs(session, "tiktok")


@pytest.fixture
def account(store: OperationalStore, organization: NewOrganization) -> UUID:
    return add_account(store, organization, "demo")


def test_leases_and_pauses_go_by_postgresqls_clock(
    store: OperationalStore, account: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine whose clock is ahead would take over jobs in progress."""
    monkeypatch.setattr(queue, "datetime", clock_ahead(timedelta(seconds=4)))
    job_id = queue_account(store, account)
    before = datetime.now(UTC)
    jobs = claim(store, 1)
    lease = read_job(store, job_id).lease_expires_at
    assert lease is not None
    assert lease - datetime.now(UTC) <= FETCH_LEASE
    put_back(store, jobs, 3)
    assert waiting(store) == 0
    change(store, ScrapeJob, job_id, not_before=before)
    assert waiting(store) == 1


class TestClaiming:
    def test_jobs_are_claimed_oldest_first_and_only_once(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        ids = queue_accounts(store, organization, 3)
        assert [job.id for job in claim(store, 2)] == ids[:2]
        assert [job.id for job in claim(store, 2)] == ids[2:]
        assert claim(store, 2) == []
        assert read_job(store, ids[0]).status == "running"

    def test_organizations_take_turns(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        many = queue_accounts(store, organization, 4)
        late = queue_accounts(store, add_organization(store, "Other"), 2)
        assert [job.id for job in claim(store, 4)] == [many[0], late[0], many[1], late[1]]
        assert [job.id for job in claim(store, 4)] == many[2:]

    def test_a_worker_skips_jobs_that_another_is_claiming(
        self, store: OperationalStore, organization: NewOrganization, account: UUID
    ) -> None:
        """It takes no other job of the same account either."""
        first = queue_account(store, account)
        queue_account(store, account, "video_stats")
        [second] = queue_accounts(store, organization, 1)
        claimed: list[UUID] = []

        def work() -> None:
            claimed.extend(job.id for job in claim(store, 3))

        worker = Thread(target=work)
        with store.write_session() as session:
            session.get_one(ScrapeJob, first, with_for_update=True)
            worker.start()
            worker.join(timeout=30)
            assert claimed == [second]

    def test_a_claim_reads_open_jobs_once_and_no_ended_ones(
        self, store: OperationalStore, organization: NewOrganization, account: UUID
    ) -> None:
        """Ended jobs are never deleted. Comparing open jobs in pairs took a minute for 8,000."""
        jobs = queue_accounts(store, organization, 300)
        with store.write_session() as session:
            session.execute(text(MANY_ENDED_JOBS), {"account": account})
            session.execute(text("analyze scrape_jobs"))
        with statements_sent() as sent:
            assert len(claim(store, 300)) == len(jobs)
        [claiming] = [each for each in sent if "row_number()" in each]
        plan = plan_of(store, claiming)
        assert [plan.count(f"{each} on scrape_jobs") for each in ("ix_scrape_jobs_open", "")] == [
            1,
            1,
        ]

    def test_a_worker_of_one_platform_leaves_the_others_jobs(
        self, store: OperationalStore, organization: NewOrganization, account: UUID
    ) -> None:
        queue_account(store, account)
        video = add_video(store, organization, "1", platform="instagram")
        with store.write_session() as session:
            enqueue(session, job_type="video_stats", video=session.get_one(Video, video))
        [job] = claim(store, 9, platform="instagram")
        assert job.video_id == video
        assert waiting(store) == 1

    def test_a_job_with_an_expired_lease_is_claimed_again(
        self, store: OperationalStore, account: UUID
    ) -> None:
        job_id = queue_account(store, account)
        claim(store, 1)
        assert waiting(store) == 0
        long_ago = datetime.now(UTC) - FETCH_LEASE
        change(store, ScrapeJob, job_id, lease_expires_at=long_ago)
        assert waiting(store) == 1
        assert [(job.id, job.attempts) for job in claim(store, 1)] == [(job_id, 2)]

    def test_a_job_that_no_worker_finishes_ends_as_failed(
        self, store: OperationalStore, account: UUID
    ) -> None:
        job_id = queue_account(store, account)
        change(store, ScrapeJob, job_id, attempts=MOST_ATTEMPTS)
        assert claim(store, 1) == []
        job = read_job(store, job_id)
        assert (job.status, job.error) == ("failed", "no worker finished it in 5 attempts")

    def test_a_job_that_kills_its_worker_fails_no_other(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        """Jobs that were claimed with a job that kills its workers are not given up."""
        deadly, *others = queue_accounts(store, organization, 4)
        while jobs := claim(store, 9):
            is_over = any(job.id == deadly for job in jobs)
            for job in jobs:
                end = {} if is_over else {"status": "succeeded", "lease_expires_at": None}
                change(store, ScrapeJob, job.id, **{"lease_expires_at": NOON - FETCH_LEASE, **end})
        assert read_job(store, deadly).error == "no worker finished it in 5 attempts"
        ended = [read_job(store, job_id) for job_id in others]
        assert [(job.status, job.attempts) for job in ended] == [("succeeded", 2)] * 3

    def test_jobs_behind_many_impossible_ones_are_claimed(
        self, store: OperationalStore, account: UUID
    ) -> None:
        lost = [queue_account(store, account) for _ in range(5)]
        job_id = queue_account(store, account, "video_stats")
        for each in lost:
            change(store, ScrapeJob, each, attempts=MOST_ATTEMPTS)
        assert [job.id for job in claim(store, 2)] == [job_id]
        assert {read_job(store, each).status for each in lost} == {"failed"}

    def test_a_job_for_an_untracked_account_fails(
        self, store: OperationalStore, account: UUID
    ) -> None:
        job_id = queue_account(store, account)
        change(store, Account, account, is_active=False)
        assert claim(store, 1) == []
        job = read_job(store, job_id)
        assert job.status == "failed"
        assert job.error == "what was to be scraped is no longer tracked"
        assert job.finished_at is not None

    def test_unclaimed_jobs_wait_for_the_platforms_pause(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        job_id, done = queue_accounts(store, organization, 2)
        jobs = claim(store, 2)
        change(store, ScrapeJob, done, status="succeeded", lease_expires_at=None)
        put_back(store, jobs, 300)
        job = read_job(store, job_id)
        assert (job.status, job.attempts, job.lease_expires_at) == ("queued", 0, None)
        assert read_job(store, done).status == "succeeded"
        assert (waiting(store), claim(store, 2)) == (0, [])

        change(store, ScrapeJob, job_id, not_before=datetime.now(UTC) + LONGEST_PAUSE)
        assert waiting(store) == 0
        ahead = datetime.now(UTC) + LONGEST_PAUSE + timedelta(minutes=2)  # by a wrong clock
        change(store, ScrapeJob, job_id, not_before=ahead)
        assert waiting(store) == 1
        put_back(store, claim(store, 1), 10**9)
        assert waiting(store) == 0

        change(store, ScrapeJob, job_id, not_before=datetime.now(UTC))
        assert [(job.id, job.attempts) for job in claim(store, 2)] == [(job_id, 1)]

    def test_a_shorter_pause_ends_no_longer_one(self, store: OperationalStore) -> None:
        for seconds in (60.0, 0.0):
            note_pause(store, "10.0.0.1", "tiktok", seconds)
            with store.read_session() as session:
                assert session.scalar(select(is_paused("10.0.0.1", "tiktok")))
        change(
            store, Lease, "pause tiktok 10.0.0.1", expires_at=datetime.now(UTC) + 2 * LONGEST_PAUSE
        )
        note_pause(store, "10.0.0.1", "tiktok", 0.0)
        with store.read_session() as session:
            assert not session.scalar(select(is_paused("10.0.0.1", "tiktok")))

    @pytest.mark.parametrize(
        ("age_minutes", "least", "most"), [(0, 60, 75), (20, 300, 375), (600, 900, 1125)]
    )
    def test_a_job_without_a_request_continues_after_the_pause_or_a_quarter_of_its_age(
        self, store: OperationalStore, account: UUID, age_minutes: int, least: int, most: int
    ) -> None:
        job_id = queue_account(store, account)
        created_at = store.clock() - timedelta(minutes=age_minutes)
        change(store, ScrapeJob, job_id, created_at=created_at)
        before = datetime.now(UTC)
        put_off(store, claim(store, 1), 60)
        after = datetime.now(UTC)
        not_before = read_job(store, job_id).not_before
        assert not_before
        assert before + timedelta(seconds=least) <= not_before <= after + timedelta(seconds=most)

    @pytest.mark.parametrize("wait", [put_back, put_off])
    def test_a_job_older_than_a_day_waits_once_and_then_fails(
        self, store: OperationalStore, account: UUID, wait: Callable[..., None]
    ) -> None:
        """Even if no worker has claimed it before. A worker that shuts down fails no job."""
        job_id = queue_account(store, account)
        change(store, ScrapeJob, job_id, created_at=store.clock() - timedelta(hours=25))
        put_back(store, claim(store, 1), 0)
        wait(store, claim(store, 1), 30)
        assert read_job(store, job_id).status == "queued"
        change(store, ScrapeJob, job_id, not_before=NOON)
        put_back(store, claim(store, 1), 0)
        assert read_job(store, job_id).not_before == NOON
        wait(store, claim(store, 1), 30)
        job = read_job(store, job_id)
        assert (job.status, job.error) == ("failed", queue.STILL_PAUSED)


class TestJobsOfOneAccount:
    """Jobs of one account would fetch the same posts."""

    def test_one_waits_for_the_other_unless_a_pause_puts_it_off(
        self, store: OperationalStore, account: UUID
    ) -> None:
        listing = queue_account(store, account)
        counters = queue_account(store, account, "video_stats")
        [claimed] = claim(store, 9)
        assert (claimed.id, claim(store, 9), waiting(store)) == (listing, [], 0)
        put_back(store, [claimed], 300)
        assert [job.id for job in claim(store, 9)] == [counters]
        change(store, ScrapeJob, listing, not_before=NOON)
        assert (claim(store, 9), waiting(store)) == ([], 0)
        change(store, ScrapeJob, counters, status="succeeded", lease_expires_at=None)
        assert [job.id for job in claim(store, 9)] == [listing]

    def test_jobs_for_profile_and_posts_are_claimed_together(
        self, store: OperationalStore, account: UUID
    ) -> None:
        """One account fetch serves both: split by a limit, each would fetch the profile."""
        profiles, posts, further = [
            queue_account(store, account, job_type)
            for job_type in ("creator_profiles", "discover_videos", "discover_videos")
        ]
        assert [job.id for job in claim(store, 1)] == [profiles, posts]
        change(store, ScrapeJob, profiles, status="succeeded", lease_expires_at=None)
        assert claim(store, 9) == []
        change(store, ScrapeJob, posts, status="failed", lease_expires_at=None)
        assert [job.id for job in claim(store, 9)] == [further]

    def test_a_success_ends_earlier_jobs_of_its_account(
        self, store: OperationalStore, settings: Settings, account: UUID
    ) -> None:
        job_id, twin, late, other = [
            queue_account(store, account, job_type)
            for job_type in (*["discover_videos"] * 3, "video_stats")
        ]
        claim(store, 1)
        end = NOON + timedelta(minutes=2)
        for each, minutes in ((job_id, 0), (twin, 1), (late, 3), (other, 1)):
            created_at = NOON + timedelta(minutes=minutes)
            change(store, ScrapeJob, each, created_at=created_at, started_at=None)
        outcome = fetch("demo", job_id=str(job_id), videos_seen=3, finished_at=end)
        LandingWriter(open_landing(settings)).land(outcomes=[outcome])
        register_landed(store, settings)
        ended = read_job(store, twin)
        assert (ended.status, ended.videos_seen, ended.finished_at) == ("succeeded", 3, end)
        assert {read_job(store, each).status for each in (late, other)} == {"queued"}


class TestResults:
    """What registration does with the fetches of a job."""

    def test_a_job_succeeds_with_its_number_of_posts(
        self, store: OperationalStore, settings: Settings, account: UUID
    ) -> None:
        job_id = queue_account(store, account)
        claim(store, 1)
        outcome = fetch("demo", job_id=str(job_id), videos_seen=3)
        LandingWriter(open_landing(settings)).land(
            outcomes=[outcome], posts=[post("1", "demo")], profiles=[profile("demo")]
        )
        register_landed(store, settings)
        job = read_job(store, job_id)
        assert (job.status, job.error, job.videos_seen) == ("succeeded", None, 3)
        assert (job.finished_at, job.lease_expires_at) == (NOON, None)
        assert incoming(settings.landing_path) == []

    def test_a_job_fails_with_the_outcome_and_may_still_succeed_later(
        self, store: OperationalStore, settings: Settings, account: UUID
    ) -> None:
        job_id = queue_account(store, account)
        claim_at_noon(store, job_id)
        writer = LandingWriter(open_landing(settings))
        refused = fetch(
            "demo", job_id=str(job_id), outcome="challenged", detail="403", reached_known=False
        )
        writer.land(outcomes=[refused])
        register_landed(store, settings)
        assert read_job(store, job_id).error == "challenged: 403"
        writer.land(outcomes=[fetch("demo", job_id=str(job_id), videos_seen=0)])
        writer.land(outcomes=[refused])
        register_landed(store, settings)
        job = read_job(store, job_id)
        assert (job.status, job.error, job.videos_seen) == ("succeeded", None, 0)

    @pytest.mark.parametrize("outcome", ["challenged", "unreachable"])
    def test_a_failure_of_a_worker_that_lost_the_job_changes_nothing(
        self, store: OperationalStore, settings: Settings, account: UUID, outcome: str
    ) -> None:
        """Another worker has claimed it since: it must not fail or wait because of the first."""
        job_id = queue_account(store, account)
        claim_at_noon(store, job_id)
        change(store, ScrapeJob, job_id, lease_expires_at=NOON)
        assert [job.attempts for job in claim(store, 1)] == [2]
        refused = fetch("demo", job_id=str(job_id), outcome=outcome, reached_known=False)
        LandingWriter(open_landing(settings)).land(outcomes=[refused])
        register_landed(store, settings)
        job = read_job(store, job_id)
        assert (job.status, job.attempts, job.error) == ("running", 2, None)

    @pytest.mark.parametrize(
        ("age", "ends"),
        [((23, NOON), "queued"), ((25, NOON), "failed"), ((25, None), "queued")],
        ids=["young", "old", "old-and-never-waited"],
    )
    def test_a_rate_limited_job_waits_but_not_for_ever(
        self,
        store: OperationalStore,
        settings: Settings,
        account: UUID,
        age: tuple[int, datetime | None],
        ends: str,
    ) -> None:
        job_id = queue_account(store, account)
        claim_at_noon(store, job_id)
        hours, not_before = age
        created_at = NOON - timedelta(hours=hours)
        change(store, ScrapeJob, job_id, created_at=created_at, not_before=not_before)
        limited = fetch("demo", job_id=str(job_id), outcome="rate_limited", reached_known=False)
        for _ in range(2):  # the second is from a worker that lost its lease
            LandingWriter(open_landing(settings)).land(outcomes=[limited])
            register_landed(store, settings)
        job = read_job(store, job_id)
        assert job.status == ends
        assert (job.not_before not in {None, NOON}) == (ends == "queued")
        assert waiting(store) == 0

    def test_a_job_of_many_fetches_counts_the_posts_that_they_saw(
        self, store: OperationalStore, settings: Settings, account: UUID
    ) -> None:
        job_id = queue_account(store, account, "video_stats")
        job_fields = {"job_id": str(job_id), "job_type": "video_stats", "reached_known": False}
        late = NOON + timedelta(minutes=1)
        LandingWriter(open_landing(settings)).land(
            outcomes=[
                fetch("demo", platform_video_id="1", outcome="post_unavailable", **job_fields),
                fetch("demo", platform_video_id="2", videos_seen=1, finished_at=late, **job_fields),
                fetch("demo", platform_video_id="3", videos_seen=1, **job_fields),
            ],
            posts=[post("2", "demo"), post("3", "demo")],
        )
        register_landed(store, settings)
        job = read_job(store, job_id)
        assert (job.status, job.videos_seen, job.finished_at) == ("succeeded", 2, late)

    def test_a_job_fails_where_the_handle_now_shows_another_user(
        self, store: OperationalStore, settings: Settings, account: UUID
    ) -> None:
        change(store, Account, account, platform_user_id="first")
        job_id = queue_account(store, account, "creator_profiles")
        claim_at_noon(store, job_id)
        LandingWriter(open_landing(settings)).land(
            outcomes=[fetch("demo", job_id=str(job_id), job_type="creator_profiles")],
            profiles=[profile("demo", platform_user_id="second")],
        )
        register_landed(store, settings)
        job = read_job(store, job_id)
        assert job.status == "failed"
        assert job.error is not None
        assert "belongs to another account" in job.error


def test_a_job_that_another_worker_is_claiming_after_its_lease_is_lost(
    store: OperationalStore, organization: NewOrganization
) -> None:
    late, _ = queue_accounts(store, organization, 2)
    jobs = claim(store, 2)
    with store.write_session() as session:
        ended = datetime.now(UTC) - timedelta(minutes=1)
        session.get_one(ScrapeJob, late).lease_expires_at = ended
    jobs[0].lease_expires_at = ended
    with store.write_session() as other:
        other.get_one(ScrapeJob, late, with_for_update=True)
        assert renew(store, jobs) == {late}
    assert renew(store, jobs) == set()


@pytest.mark.parametrize(("minutes", "is_free"), [(45, False), (47, True)])
def test_a_lease_written_while_the_clock_was_ahead_ends_once_it_is_right(
    store: OperationalStore, account: UUID, minutes: int, *, is_free: bool
) -> None:
    """Leases of 2.0.0 workers last up to 45 minutes."""
    queue_account(store, account)
    [job] = claim(store, 1)
    change(
        store, ScrapeJob, job.id, lease_expires_at=datetime.now(UTC) + timedelta(minutes=minutes)
    )
    assert bool(claim(store, 1)) == is_free


def test_two_jobs_of_an_account_continue_together(store: OperationalStore, account: UUID) -> None:
    """After a refusal each waits separately, which would fetch the account twice."""
    for job_type in ("creator_profiles", "discover_videos"):
        queue_account(store, account, job_type)
    jobs = claim(store, 1)
    put_back(store, jobs[:1], 0)
    put_back(store, jobs[1:], 600)
    assert {job.id for job in claim(store, 1)} == {job.id for job in jobs}
