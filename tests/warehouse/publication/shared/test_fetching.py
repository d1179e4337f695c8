"""Nodes fetch publications from the bucket and keep the last one if that fails."""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import duckdb
import pytest
from sqlalchemy import text

from orchestration.cli.doctor.checks.shards import check_shared
from orchestration.cli.doctor.finding import Installation
from tests.factories.tracking import add_organization
from tests.fixtures.faulty_bucket import Request, after
from tests.warehouse.operational.processes import wait_until
from tests.warehouse.publication.shared.world import Builder
from warehouse.operational.models import ShardAssignment
from warehouse.operational.session import ReadSession
from warehouse.publication.current import CurrentPublication, NoPublication
from warehouse.publication.errors import DamagedPublicationError, NotHereYetError
from warehouse.publication.retention import MARKER, give_up
from warehouse.publication.shared import following as module
from warehouse.publication.shared.fetching import FETCHED, EarlierPublicationError, fetch
from warehouse.publication.shared.following import following
from warehouse.publication.shared.manifest import read
from warehouse.publication.shared.nodes import is_node, read_not_fetched
from warehouse.publication.shared.pointer import CHANNEL, Pointer, pointers
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications
from warehouse.storage.storage import StorageAwayError

VIEWS = "select sum(view_delta)::bigint from marts.video_deltas"


@pytest.fixture
def node(builder: Builder, tmp_path: Path) -> Settings:
    """Another machine with the same bucket and PostgreSQL."""
    return builder.settings.model_copy(update={"home": tmp_path / "node"})


def fetch_publication(builder: Builder, node: Settings) -> bool:
    pointer = builder.pointer()
    assert pointer is not None
    return fetch(node, builder.bucket, pointer)


def views(settings: Settings) -> int:
    """Return the views of all months, including those in separate files."""
    with closing(CurrentPublication(settings.publications_path)) as current:
        return views_in(current)


def views_in(current: CurrentPublication) -> int:
    with current.cursor() as cursor:
        [(total,)] = cursor.execute(VIEWS).fetchall()
    return int(total)


def fetched(builder: Builder) -> int:
    requests = [seen for seen in builder.proxy.seen if seen.method == "GET"]
    return sum("/publications/objects/" in seen.path for seen in requests)


@pytest.mark.slow
def test_a_fetched_publication_equals_the_original(builder: Builder, node: Settings) -> None:
    latest = builder.publish_and_share()
    assert fetch_publication(builder, node)
    with closing(CurrentPublication(node.publications_path)) as current:
        assert (current.info(), views_in(current)) == (latest, 701)
    assert not fetch_publication(builder, node)


@pytest.mark.slow
def test_local_months_are_not_fetched_again(builder: Builder, node: Settings) -> None:
    builder.publish_and_share()
    fetch_publication(builder, node)
    builder.publish_and_share()
    builder.proxy.seen.clear()
    assert fetch_publication(builder, node)
    assert (fetched(builder), views(node)) == (1, 702)


@pytest.mark.slow
def test_ended_at_any_step_the_last_one_is_served(builder: Builder, node: Settings) -> None:
    """The bucket disappears after some request."""
    builder.publish_and_share()
    builder.proxy.seen.clear()
    fetch_publication(builder, node)
    steps = len(builder.proxy.seen)
    empty = node.model_copy(update={"home": node.home / "empty"})
    for step in (0, 1, steps - 1):
        builder.proxy.fault = after(step, "403")
        with pytest.raises(StorageAwayError):
            fetch_publication(builder, empty)
        with pytest.raises(NoPublication):
            views(empty)
    builder.proxy.fault = lambda _: None
    builder.publish_and_share()
    builder.proxy.fault = after(1, "403")
    with pytest.raises(StorageAwayError):
        fetch_publication(builder, node)
    assert views(node) == 701
    builder.proxy.fault = lambda _: None
    assert fetch_publication(builder, node)
    assert views(node) == 702


def test_an_object_with_another_digest_is_refused(builder: Builder, node: Settings) -> None:
    builder.publish_and_share()
    fetch_publication(builder, node)
    builder.publish_and_share()
    database = builder.whole().files["publication.duckdb"]
    builder.bucket.delete(database.object)
    with pytest.raises(DamagedPublicationError, match="is not in the bucket"):
        fetch_publication(builder, node)
    builder.bucket.put(database.object, b"\0" * database.size)
    with pytest.raises(DamagedPublicationError, match="does not match its SHA-256"):
        fetch_publication(builder, node)
    assert views(node) == 701


@pytest.mark.slow
def test_the_database_is_fetched_before_the_months(
    builder: Builder, node: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetching years of months can take a new node longer than a replaced database exists."""
    builder.publish_and_share()
    whole = builder.whole()
    months = {file.object for path, file in whole.files.items() if path.startswith("months/")}

    def forget(request: Request) -> None:
        if request.method == "GET" and any(month in request.path for month in months):
            builder.bucket.delete(whole.files["publication.duckdb"].object)

    monkeypatch.setattr("warehouse.at_once.AT_ONCE", 1)
    builder.proxy.fault = forget
    assert fetch_publication(builder, node)
    assert views(node) == 701


@pytest.mark.slow
def test_fields_of_later_manifests_are_ignored(builder: Builder, node: Settings) -> None:
    builder.publish_and_share()
    later = json.loads(builder.whole().content) | {"made_by": "3.0.0"}
    later["files"]["publication.duckdb"]["level"] = 19
    builder.rewrite_manifest(json.dumps(later))
    assert fetch_publication(builder, node)
    assert views(node) == 701


NO_FILES = {"publication_id": str(UUID(int=1)), "place": 1, "files": {}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"place": 1}', "cannot be read: publication_id: Field required"),
        ("{", "cannot be read: JSON: "),
        (json.dumps(NO_FILES), "lacks publication.duckdb"),
    ],
)
def test_an_unreadable_manifest_is_a_damaged_publication(
    builder: Builder, node: Settings, content: str, reason: str
) -> None:
    """The following thread continues after such errors, see below."""
    builder.publish_and_share()
    fetch_publication(builder, node)
    builder.publish_and_share()
    builder.rewrite_manifest(content)
    with pytest.raises(DamagedPublicationError, match=reason):
        fetch_publication(builder, node)
    assert views(node) == 701
    next(node.publications_path.glob(f"*/{FETCHED}")).write_text(content)
    builder.publish_and_share()
    assert fetch_publication(builder, node)
    assert views(node) == 703


@pytest.mark.slow
def test_one_that_did_not_stay_current_is_fetched_again(builder: Builder, node: Settings) -> None:
    """Its folder may lack files, and its marker would remove it as soon as it is replaced."""
    latest = builder.publish_and_share()
    fetch_publication(builder, node)
    give_up(node.publications_path)
    folder = node.publications_path / str(latest.publication_id)
    assert (folder / MARKER).exists()
    assert fetch_publication(builder, node)
    assert not (folder / MARKER).exists()
    assert views(node) == 701


@pytest.mark.slow
def test_a_node_removes_expired_publications_before_it_fetches(
    builder: Builder, node: Settings
) -> None:
    for _ in range(2):
        current = builder.publish_and_share()
        fetch_publication(builder, node)
    builder.publish_and_share()
    pointer = builder.pointer()
    assert pointer is not None
    builder.proxy.fault = lambda request: "403" if "/objects/" in request.path else None
    with pytest.raises(StorageAwayError):
        fetch(node, builder.bucket, pointer, lambda: datetime.now(UTC) + timedelta(days=1))
    stay = [path.name for path in node.publications_path.iterdir() if path.is_dir()]
    assert stay == [str(current.publication_id)]


def test_an_earlier_publication_is_not_fetched(builder: Builder, node: Settings) -> None:
    """For example, after PostgreSQL was restored to an earlier state."""
    builder.publish_and_share()
    later = builder.publish_and_share()
    fetch_publication(builder, node)
    forget = "delete from shared_publications where publication_id = :id"
    with builder.store.write_session() as session:
        session.execute(text(forget), {"id": later.publication_id})
    with pytest.raises(EarlierPublicationError):
        fetch_publication(builder, node)
    assert views(node) == 702


@pytest.mark.slow
def test_a_follower_gets_each_publication_and_keeps_it_during_an_outage(
    builder: Builder, node: Settings
) -> None:
    with following(node):
        builder.publish_and_share()
        wait_until((node.publications_path / "current.duckdb").exists)
        builder.proxy.fault = lambda request: "403" if request.method == "GET" else None
        builder.publish()
        assert views(node) == 701
        builder.proxy.fault = lambda _: None
        builder.publish_and_share()
        wait_until(lambda: views(node) == 703)


@pytest.mark.slow
def test_a_builder_is_no_node(builder: Builder, node: Settings) -> None:
    assert is_node(node)
    assert not is_node(node.model_copy(update={"landing_url": None}))
    node.home.mkdir(parents=True)
    node.warehouse_path.touch()
    assert not is_node(node)
    builder.publish_and_share()
    with following(node):
        assert not node.publications_path.exists()


@pytest.mark.slow
def test_the_doctor_names_a_machine_that_lags_behind(builder: Builder, node: Settings) -> None:
    def doctor_messages(settings: Settings) -> list[str]:
        return [finding.message for finding in check_shared(Installation(settings, "127.0.0.1", 0))]

    assert doctor_messages(builder.settings) == doctor_messages(node) == []
    builder.publish()
    builder.settings.warehouse_path.touch()  # as on a builder
    assert "not in the bucket" in doctor_messages(builder.settings)[0]
    builder.publish_and_share()
    [fine] = doctor_messages(builder.settings)
    assert fine.startswith("it is the latest in the bucket; 1 stored there, ")
    assert "another one than this machine serves" in doctor_messages(node)[0]
    fetch_publication(builder, node)
    assert doctor_messages(node) == [fine]


@pytest.mark.slow
def test_the_doctor_says_that_another_machine_published_later(
    builder: Builder, tmp_path: Path
) -> None:
    """Two machines build in turn: the bucket has the newer publication."""
    other = builder.settings.model_copy(update={"home": tmp_path / "other"})
    for settings in (builder.settings, other):
        replace(builder, settings=settings).publish_and_share()
        settings.warehouse_path.touch()
    for settings, message in (
        (builder.settings, "another machine published later"),
        (other, "it is the latest in the bucket"),
    ):
        [finding] = check_shared(Installation(settings, "127.0.0.1", 0))
        assert message in finding.message


def shards_of(settings: Settings) -> dict[str, UUID]:
    """Return a machine's current publications by shard."""
    with closing(ShardPublications(settings)) as publications:
        return {shard: info.publication_id for shard, info in publications.infos().items()}


def change_shards(builder: Builder, *statements: str) -> None:
    """Change shards or their members and notify followers."""
    with builder.store.write_session() as session:
        for statement in statements:
            session.execute(text(statement))
        session.execute(text(f"notify {CHANNEL}"))


HAVE_EAST = "insert into shards (name) values ('main'), ('east')"


@pytest.mark.slow
def test_a_node_follows_every_shard_and_a_builder_those_of_others(
    builder: Builder, node: Settings
) -> None:
    change_shards(builder, HAVE_EAST)
    east = replace(builder, settings=builder.settings.of_shard("east"))
    main_builds = builder.settings.model_copy(update={"home": node.home.parent / "main"})
    main_builds.home.mkdir(parents=True)
    main_builds.warehouse_path.touch()
    with following(node), following(main_builds):
        first = builder.publish_and_share().publication_id
        second = east.publish_and_share().publication_id
        wait_until(lambda: shards_of(node) == {"main": first, "east": second})
        wait_until(lambda: shards_of(main_builds) == {"east": second})
        newer = east.publish_and_share().publication_id
        wait_until(lambda: shards_of(node) == {"main": first, "east": newer})
        change_shards(builder, "delete from shards where name = 'east'")
        wait_until(lambda: shards_of(node) == {"main": first})
    folder = node.of_shard("east").publications_path / str(newer)
    assert folder.is_dir(), "its readers may continue"


@pytest.mark.slow
def test_an_unexpected_error_delays_no_other_shard(
    builder: Builder, node: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_shards(builder, "insert into shards (name) values ('main'), ('west')")
    west = replace(builder, settings=builder.settings.of_shard("west"))
    first = builder.publish_and_share().publication_id
    second = west.publish_and_share().publication_id
    main_fails = Event()
    main_fails.set()

    def fetch_unless_main_fails(settings: Settings, *others: Any) -> bool:
        if main_fails.is_set() and settings.publications_path == node.publications_path:
            raise KeyError("surprise")
        return fetch(settings, *others)

    monkeypatch.setattr(module, "fetch", fetch_unless_main_fails)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.1)
    with following(node):
        wait_until(lambda: shards_of(node) == {"west": second})
        wait_until(lambda: "surprise" in read_not_fetched(node).get("main", ""))
        main_fails.clear()
        wait_until(lambda: shards_of(node) == {"main": first, "west": second})


@pytest.mark.slow
def test_an_unexpected_error_before_any_fetch_ends_nothing(
    builder: Builder, node: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder.publish_and_share()
    errors = [KeyError("surprise"), KeyError("surprise")]

    def pointers_after_errors(session: ReadSession) -> Mapping[str | None, Pointer]:
        if errors:
            raise errors.pop()
        return pointers(session)

    monkeypatch.setattr(module, "pointers", pointers_after_errors)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.1)
    with following(node):
        wait_until((node.publications_path / "current.duckdb").exists)


@pytest.mark.slow
def test_a_damaged_publication_is_fetched_again_after_longer_and_longer_pauses(
    builder: Builder, node: Settings
) -> None:
    builder.publish_and_share()
    database = builder.whole().files["publication.duckdb"].object
    content = builder.bucket.read(database)
    assert content is not None
    builder.bucket.delete(database)
    builder.proxy.seen.clear()
    seconds, looks = [0], list[int]()

    def monotonic() -> float:
        looks.append(seconds[0])
        return seconds[0]

    def look() -> None:
        before = len(looks)
        change_shards(builder)
        wait_until(lambda: len(looks) > before)

    def fetches_at(second: int) -> int:
        seconds[0] = second
        look()
        look()  # returns after the first fetch
        return sum(each.path.endswith(database) for each in list(builder.proxy.seen))

    with following(node, monotonic=monotonic):
        wait_until(lambda: "main" in read_not_fetched(node))
        assert [fetches_at(second) for second in (9, 10, 29, 30, 69, 70)] == [1, 2, 2, 3, 3, 4]
        builder.bucket.put(database, content)
        seconds[0] = 70 + 80
        change_shards(builder)
        wait_until(lambda: read_not_fetched(node) == {})
    assert views(node) == 701


@pytest.mark.slow
def test_a_later_layout_in_one_shard_delays_no_other(builder: Builder, node: Settings) -> None:
    """The node fetches its files once, however often it checks for updates."""
    change_shards(builder, "insert into shards (name) values ('main'), ('west')")
    west = replace(builder, settings=builder.settings.of_shard("west"))
    later = builder.publish()
    folder = builder.settings.publications_path / str(later.publication_id)
    with duckdb.connect(folder / "publication.duckdb") as connection:
        connection.execute("alter table files.months rename in_file to location")
    assert builder.share(later) is not None
    with following(node):
        second = west.publish_and_share().publication_id
        wait_until(lambda: shards_of(node) == {"west": second})
        wait_until(lambda: "is_native" in read_not_fetched(node).get("main", ""))
        third = west.publish_and_share().publication_id
        wait_until(lambda: shards_of(node) == {"west": third})
    manifest = read(builder.bucket, later.publication_id)
    database = manifest.files["publication.duckdb"].object
    seen = [each.method for each in builder.proxy.seen if each.path.endswith(database)]
    assert seen.count("GET") == 1


@pytest.mark.slow
def test_a_node_has_the_shards_requested_within_a_day(builder: Builder, node: Settings) -> None:
    ahead = [timedelta()]
    on_demand = node.model_copy(update={"node_shards": "requested"})
    whose = add_organization(builder.store, "Acme").organization_id
    change_shards(builder, HAVE_EAST)
    with builder.store.write_session() as session:
        session.add(ShardAssignment(organization_id=whose, shard="east", served_by="east"))
    east = replace(builder, settings=builder.settings.of_shard("east"))
    with following(on_demand, lambda: datetime.now(UTC) + ahead[0]):
        second = east.publish_and_share().publication_id
        first = builder.publish_and_share().publication_id
        wait_until(lambda: shards_of(on_demand) == {"main": first})
        with (
            closing(ShardPublications(on_demand)) as publications,
            pytest.raises(NotHereYetError),
            publications.lease(whose),
        ):
            pass
        change_shards(builder)
        wait_until(lambda: shards_of(on_demand) == {"main": first, "east": second})
        ahead[0] = timedelta(days=1, minutes=1)
        change_shards(builder)
        wait_until(lambda: shards_of(on_demand) == {"main": first})
        assert (on_demand.of_shard("east").publications_path / str(second)).is_dir()
        ahead[0] = timedelta()
        change_shards(builder)
        wait_until(lambda: shards_of(on_demand) == {"main": first, "east": second})
