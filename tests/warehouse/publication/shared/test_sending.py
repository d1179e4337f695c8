"""A publication reaches the bucket whole or not at all, and known files are not sent again."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from uuid import UUID

import pytest
from dagster import DagsterInstance
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from orchestration.assembly import build_definitions
from orchestration.running.execution import QUIET
from tests.fixtures.faulty_bucket import Request, after, full, once
from tests.orchestration.test_sensors import Daemon
from tests.warehouse.lake.test_lake import END_LOCKS
from tests.warehouse.operational.processes import wait_until
from tests.warehouse.publication.shared.world import Builder, let_hours_pass
from warehouse.publication.info import PublicationInfo
from warehouse.publication.layout import MONTHS
from warehouse.publication.shared.manifest import Manifest
from warehouse.publication.shared.pointer import announce, point_to
from warehouse.publication.shared.sending import Sent, content_of, share
from warehouse.settings import Settings
from warehouse.step_metrics import last_ended, note_failure


def sent(builder: Builder) -> set[str]:
    """Return the objects that were uploaded; large ones are multipart."""
    put = (seen.path for seen in builder.proxy.seen if seen.method == "PUT")
    return {path.partition("?")[0] for path in put}


def test_an_unchanged_month_is_sent_once(builder: Builder) -> None:
    first = builder.share(builder.publish())
    assert first.sent_bytes == first.all_bytes
    months = [path for path in builder.whole().files if path.startswith("months/")]
    assert months
    builder.proxy.seen.clear()
    second = builder.publish()
    more = builder.share(second)
    assert len(sent(builder)) == 2  # the database and the manifest
    assert more.sent_bytes == builder.whole().files["publication.duckdb"].size
    folder = builder.settings.publications_path / str(second.publication_id)
    assert more.sent_bytes < (folder / "publication.duckdb").stat().st_size / 4  # compressed
    assert not list(builder.settings.publications_path.glob(".tmp-*"))
    assert builder.whole().publication_id == second.publication_id


def test_without_a_bucket_nothing_is_recorded(builder: Builder, settings: Settings) -> None:
    builder.settings = settings  # settings without a bucket
    assert builder.share(builder.publish()) is None
    assert builder.pointer() is None


FAULTS = [
    ("PUT /objects/", "429"),
    ("PUT /objects/", "lost"),
    ("PUT /manifests/", "lost"),
    ("GET list-type=2", "503"),
]


def test_a_single_fault_is_retried(builder: Builder) -> None:
    """A throttling bucket, lost responses, broken connections."""
    for kind, fault in FAULTS:
        builder.proxy.fault = once(kind, fault)
        info = builder.publish_and_share()
        assert builder.whole().publication_id == info.publication_id, (kind, fault)


def test_ended_at_any_step_the_last_one_stays_complete_and_the_next_succeeds(
    builder: Builder,
) -> None:
    """Uploads fail from some request on, as if the machine were switched off."""
    served = builder.publish_and_share()
    builder.proxy.seen.clear()
    builder.publish_and_share()
    served_now = builder.pointer()
    assert served_now is not None
    steps = len(builder.proxy.seen)
    assert steps >= 5
    for step in range(steps):
        builder.proxy.fault = after(step, "403")
        with capture_logs() as logged:
            assert builder.share(builder.publish()) is None
        assert "other machines serve an earlier publication" in logged[-1]["event"]
        assert builder.pointer() == served_now
    builder.proxy.fault = lambda _: None
    assert builder.whole().position == served_now.position
    last = builder.publish_and_share()
    assert builder.whole().publication_id == last.publication_id != served.publication_id


def test_an_object_that_was_lost_although_it_was_sent_is_not_pointed_to(builder: Builder) -> None:
    served = builder.publish_and_share()
    before = builder.names()

    def lose(request: Request) -> str | None:
        is_manifest = "/manifests/" in request.path
        is_object = request.method == "PUT" and "/objects/" in request.path
        if is_object:
            return "200"
        assert not is_manifest or request.method == "GET"
        return None

    builder.proxy.fault = lose
    assert builder.share(builder.publish()) is None
    assert builder.names() == before
    assert builder.whole().publication_id == served.publication_id


def test_a_late_upload_of_an_earlier_one_changes_nothing(builder: Builder) -> None:
    early = builder.publish()
    with builder.store.write_session() as session:
        announce(session, early)
    late = builder.publish_and_share()
    with builder.store.write_session() as session:
        point_to(session, early.publication_id)
    served = builder.pointer()
    assert served.publication_id == late.publication_id


def test_publications_replaced_a_day_ago_and_partial_uploads_are_deleted(builder: Builder) -> None:
    half = f"publications/objects/{'0' * 64}"
    builder.bucket.put(half, b"half")
    builder.publish_and_share()
    old = builder.whole()
    builder.publish_and_share()
    let_hours_pass(builder, 23)
    builder.share(builder.publish(), hours_later=48)
    assert {half, old.name, *old.objects} < builder.names()
    let_hours_pass(builder, 2)
    builder.share(builder.publish(), hours_later=48)
    served = builder.whole()
    gone = {half, old.name, old.files["publication.duckdb"].object}
    assert not gone & builder.names()
    assert old.objects & served.objects  # the months


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", ["{}", f'{{"publication_id": "{UUID(int=1)}", "place": 1, "files": {{}}}}']
)
def test_an_unreadable_manifest_stops_no_builder_and_its_files_stay(
    builder: Builder, content: str
) -> None:
    builder.publish_and_share()
    builder.publish_and_share()
    let_hours_pass(builder, 25)  # the first is deleted with the next one
    unreadable = builder.rewrite_manifest(content)
    before = builder.names()
    made = builder.publish()
    with capture_logs() as logged:
        assert builder.share(made, hours_later=48) is not None
    assert "nothing is deleted" in logged[-1]["event"]
    assert before < builder.names()
    assert builder.whole().publication_id == made.publication_id
    let_hours_pass(builder, 25)
    builder.share(builder.publish(), hours_later=48)
    gone = {unreadable.name, unreadable.files["publication.duckdb"].object}
    assert not gone & builder.names()
    assert builder.whole().objects < builder.names()


def test_retention_keeps_the_last_of_each_hour_and_the_last_three(
    builder: Builder,
) -> None:
    """Their databases are deleted at once: each takes 68 GB for 10 M posts."""
    *gone, third, second, last = made_each_ten_minutes(builder)
    builder.publish_and_share()
    served = builder.whole()
    for manifest in gone:
        assert not {manifest.name, manifest.files["publication.duckdb"].object} & builder.names()
    for manifest in (third, second, last, served):
        assert {manifest.name, *manifest.objects} <= builder.names()


def test_databases_are_deleted_after_an_outage_too(builder: Builder) -> None:
    """Their manifests name them, so they are deleted last."""
    made = made_each_ten_minutes(builder)
    builder.proxy.fault = in_turn("POST", [None, None, "403"])
    assert builder.share(builder.publish()) is None
    builder.proxy.fault = lambda _: None
    builder.publish_and_share()
    databases = {manifest.files["publication.duckdb"].object for manifest in made[:3]}
    assert not databases & builder.names()


def in_turn(method: str, faults: list[str | None]) -> Callable[[Request], str | None]:
    """Return a fault for requests of a method: these in turn, repeating the last."""

    def fault(request: Request) -> str | None:
        if request.method != method:
            return None
        return faults.pop(0) if len(faults) > 1 else faults[0]

    return fault


def made_each_ten_minutes(builder: Builder) -> list[Manifest]:
    """Share six publications within one hour, some hours ago."""
    made = []
    for _ in range(6):
        builder.publish_and_share()
        made.append(builder.whole())
    each_ten_minutes = """
        update shared_publications as shared set shared_at = (
            select date_trunc('hour', clock_timestamp()) - interval '5 hours'
                + count(*) * interval '10 minutes'
            from shared_publications as earlier where earlier.place < shared.place
        )
    """
    with builder.store.write_session() as session:
        session.execute(text(each_ten_minutes))
    return made


def test_retention_runs_once_an_hour(builder: Builder) -> None:
    """With a publication per minute, each run would find one to delete."""
    made = builder.publish_and_share()
    for _ in range(2):
        builder.share_again(made)

    def manifests_read() -> int:
        """Count the manifests read while sharing: the preceding one and those of retention."""
        builder.proxy.seen.clear()
        builder.share_again(made)
        requests = [seen for seen in builder.proxy.seen if seen.method == "GET"]
        return sum("/manifests/" in seen.path for seen in requests)

    let_hours_pass(builder, 24)
    assert manifests_read() == 1
    let_hours_pass(builder, 1)
    assert manifests_read() == 1 + 2 + 3  # two that are deleted after a day and three that stay
    assert manifests_read() == 1


def test_a_failed_upload_is_sent_without_a_new_publication(builder: Builder) -> None:
    builder.publish_and_share()
    builder.proxy.fault = full
    made = builder.publish()
    with capture_logs() as logged:
        assert builder.share(made) is None
    assert "507" in logged[-1]["error"]
    position = builder.whole().position
    assert builder.share_last() is None
    assert builder.whole().position == position
    builder.proxy.fault = lambda _: None
    assert builder.share_last() is not None
    assert builder.whole().publication_id == made.publication_id
    assert builder.whole().position > position
    builder.proxy.seen.clear()
    assert builder.share_last() is None  # nothing to send
    assert builder.proxy.seen == []


def test_a_machine_without_a_build_sends_what_others_lack(builder: Builder) -> None:
    settings, store = builder.settings, builder.store
    with DagsterInstance.ephemeral() as instance:
        fetch = Daemon(settings, store, instance).watch("unshared_publication")
        builder.publish_and_share()
        settings.warehouse_path.touch()  # as on a builder
        assert fetch() is None
        builder.proxy.fault = full
        made = builder.publish()
        builder.share(made)
        assert fetch() is not None
        job = build_definitions(settings, store=store).resolve_job_def("share")
        assert job.execute_in_process(instance=instance, run_config=QUIET).success
        assert fetch() is not None
        builder.proxy.fault = lambda _: None
        note_failure(settings.metrics_path, "share")
        assert fetch() is not None
        assert last_ended(settings.metrics_path, "failed")
        assert job.execute_in_process(instance=instance, run_config=QUIET).success
        assert fetch() is None
        assert not last_ended(settings.metrics_path, "failed"), "nothing is left to do"
    assert builder.whole().publication_id == made.publication_id


def test_a_publication_older_than_another_machines_is_not_sent(builder: Builder) -> None:
    """The machine was off while another built, whether it had sent its last publication or not."""
    last = [builder.publish_and_share(), builder.publish()]
    builder.publish_and_share()
    link = builder.settings.publications_path / "current.duckdb"
    for early in last:
        link.unlink()
        link.symlink_to(f"{early.publication_id}/publication.duckdb")
        assert builder.share_last() is None


def test_a_running_upload_stays(builder: Builder) -> None:
    for _ in range(2):
        builder.publish_and_share()
    under_way = f"publications/objects/{'1' * 64}"
    builder.bucket.put(under_way, b"named soon")
    let_hours_pass(builder, 30)
    builder.share(builder.publish(), hours_later=23)
    assert under_way in builder.names()


def old_months(builder: Builder) -> PublicationInfo:
    """Publish; the bucket has had its month `2025-01` for days without a manifest that names it."""
    for _ in range(2):
        builder.publish_and_share()
    let_hours_pass(builder, 30)  # the first one is deleted next
    made = builder.publish()
    month = builder.settings.publications_path / f"{made.publication_id}/{MONTHS}/2025-01.parquet"
    month.write_bytes(b"of a time zone that was set back")
    builder.bucket.send(content_of(month).object, month)
    return made


def test_nothing_is_deleted_while_a_publication_is_pointed_to(builder: Builder) -> None:
    made, at_manifest = old_months(builder), once("PUT /manifests/", "delete")

    def fault(request: Request) -> None:
        if at_manifest(request):
            builder.forget_unnamed(hours_later=48)

    builder.proxy.fault = fault
    assert builder.share(made) is not None
    assert builder.whole().publication_id == made.publication_id


def test_a_file_that_another_shard_deletes_is_sent_again(builder: Builder) -> None:
    """The other shard lists the file before this one finds it, and deletes it afterwards."""
    made, at_delete = old_months(builder), once("POST ?delete", "send")
    pool = ThreadPoolExecutor(1)
    sending: list[Future[Sent | None]] = []

    def fault(request: Request) -> None:
        if at_delete(request):
            arguments = builder.settings, builder.store, made, builder.held
            sending.append(pool.submit(share, *arguments))
            wait_until(lambda: sending[0].done() or is_lock_awaited(builder))

    builder.proxy.fault = fault
    with pool:
        builder.forget_unnamed(hours_later=48)
    assert sending[0].result() is None
    assert builder.whole().publication_id != made.publication_id
    assert builder.share_last() is not None
    assert builder.whole().publication_id == made.publication_id


def is_lock_awaited(builder: Builder) -> bool:
    awaited = "select exists (from pg_locks where locktype = 'advisory' and not granted)"
    with builder.store.read_session() as session:
        return bool(session.scalar(text(awaited)))


def test_files_are_deleted_only_while_no_other_shard_can_point_to_them(builder: Builder) -> None:
    """PostgreSQL restarts, or ends the transaction of a process that was stopped for long."""
    old_months(builder)
    before = builder.names()

    def end_lock(request: Request) -> None:
        if request.method == "POST":
            with builder.store.write_session() as session:
                session.execute(text(END_LOCKS))

    builder.proxy.fault = end_lock
    with pytest.raises(OperationalError):
        builder.forget_unnamed(hours_later=48)
    assert len(before - builder.names()) == 1
