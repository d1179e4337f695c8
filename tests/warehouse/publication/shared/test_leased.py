"""Only one machine at a time publishes a shard, and shards publish independently."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import delete, select, text, update

from tests.factories.marts import FEW, create_marts
from tests.qa.faults.programs import program
from tests.warehouse.publication.shared.world import Builder, let_hours_pass
from warehouse.operational.models import Shard, ShardAssignment, SharedPublication
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.shared.manifest import manifest_name
from warehouse.shards.lease import LeaseLostError, lease
from warehouse.shards.members import digest_of, members_of

pytestmark = pytest.mark.slow


def wait_until_stopped(process: "subprocess.Popen[str]") -> None:
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


def let_ten_minutes_pass(store: OperationalStore) -> None:
    """Nothing renews a stopped process's lease during this time."""
    with store.write_session() as session:
        session.execute(text("update leases set expires_at = expires_at - interval '10 minutes'"))


def line(process: "subprocess.Popen[str]") -> str:
    return process.stdout.readline().strip()


def test_a_machine_that_was_stopped_for_ten_minutes_publishes_nothing_and_reports_it(
    builder: Builder, tmp_path: Path
) -> None:
    lost = rf".*process {os.getpid()} builds shard main now, .* nothing .* is published"
    elsewhere = builder.settings.model_copy(update={"home": tmp_path / "other"})
    elsewhere.home.mkdir()
    with program("stopped_builder", elsewhere.home, settings=elsewhere) as other:
        wait_until_stopped(other)
        let_ten_minutes_pass(builder.store)
        with lease(builder.settings, builder.store) as builder.held:
            assert builder.held.fence == 2
            builder.publish_and_share()
            other.send_signal(signal.SIGCONT)
            assert re.match(lost, line(other))
            assert line(other).startswith("waiting for shard main, which ")
            assert list(elsewhere.publications_path.iterdir()) == []
        wait_until_stopped(other)
        let_ten_minutes_pass(builder.store)
        with lease(builder.settings, builder.store) as builder.held:
            assert builder.held.fence == 4
            served = builder.publish_and_share()
        other.send_signal(signal.SIGCONT)
        assert re.match(lost, line(other))
        assert line(other) == "nothing to send"
        assert other.wait() == 0
    assert builder.whole().publication_id == served.publication_id


def test_a_machine_that_was_stopped_for_a_day_before_it_sends_gets_no_later_position(
    builder: Builder,
) -> None:
    """Otherwise its next run would share that publication over its successor's later ones."""
    with lease(builder.settings, builder.store) as builder.held:
        info = builder.publish()
        with builder.store.write_session() as session:
            session.execute(text("update leases set fence = fence + 1"))
            session.execute(delete(SharedPublication))  # as the successor does after a day
        with pytest.raises(LeaseLostError):
            builder.share(info)
    with builder.store.read_session() as reading:
        assert reading.scalars(select(SharedPublication)).all() == []


@pytest.fixture
def other_shard(builder: Builder, tmp_path: Path) -> Iterator[Builder]:
    """A builder of another shard on the same machine."""
    settings = builder.settings.model_copy(update={"shard": "eu"})
    with duckdb.connect(tmp_path / "eu.duckdb") as warehouse:
        create_marts(warehouse, FEW)
        yield replace(builder, settings=settings, warehouse=warehouse)


def test_publications_of_two_shards_never_point_over_each_other(
    builder: Builder, other_shard: Builder
) -> None:
    main = builder.publish_and_share()
    assert other_shard.pointer() is None
    later = other_shard.publish_and_share()
    assert builder.whole().publication_id == main.publication_id
    assert other_shard.whole().publication_id == later.publication_id
    assert builder.share_last() is None
    assert other_shard.share_last() is None
    newest = builder.publish_and_share()
    assert builder.whole().publication_id == newest.publication_id
    assert other_shard.whole().publication_id == later.publication_id


def test_a_moved_organization_leaves_the_old_shard_once_the_new_one_is_published(
    builder: Builder, other_shard: Builder, organization: NewOrganization
) -> None:
    def of_main() -> bool:
        with builder.store.read_session() as session:
            members = members_of(session, None)
            return members is None or members.has(organization.organization_id)

    with builder.store.write_session() as session:
        session.add_all([Shard(name="main"), Shard(name="eu")])
        session.flush()
        before = digest_of(members_of(session, "eu"))
        moved = {"organization_id": organization.organization_id, "served_by": "main"}
        session.add(ShardAssignment(**moved, shard="eu"))
        session.flush()
        since = digest_of(members_of(session, "eu"))
    other_shard.members = before
    other_shard.publish_and_share()  # by a run that began before the move
    assert of_main()
    other_shard.members = since
    info = other_shard.publish()
    assert of_main()  # it is not shared yet
    other_shard.share(info)
    assert not of_main()
    with builder.store.write_session() as session:
        session.execute(update(ShardAssignment).values(shard="main"))
    builder.publish_and_share()
    with builder.store.read_session() as reading:
        assert reading.scalars(select(ShardAssignment)).all() == []
        assert members_of(reading, None) is None


def test_a_shards_old_publication_stays_while_another_publishes(
    builder: Builder, other_shard: Builder
) -> None:
    """A shard's last publication is served, however old; another shard's never replaces it."""
    old = other_shard.publish_and_share()
    replaced = builder.publish_and_share()
    builder.publish_and_share()
    let_hours_pass(builder, 30)
    builder.share(builder.publish(), hours_later=48)
    manifests = {name for name in builder.names() if "/manifests/" in name}
    assert manifest_name(old.publication_id) in manifests
    assert manifest_name(replaced.publication_id) not in manifests
    assert other_shard.whole().publication_id == old.publication_id
