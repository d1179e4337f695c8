"""Which shard's publication is read for which organization, also during moves."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

from tests.factories.damaged import publish_damaged
from tests.factories.machine_clock import StoppedClock
from tests.factories.marts import FEW, empty_marts
from tests.warehouse.shards.world import NOON, published, read
from warehouse.publication.errors import NoPublication
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.shards.publications import AWAITED_SECONDS, ShardPublications

ADA, BEN, CLEO = (UUID(int=number) for number in (1, 2, 3))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def passing() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def publications(settings: Settings, passing: StoppedClock) -> Iterator[ShardPublications]:
    with closing(ShardPublications(settings, passing)) as publications:
        yield publications


@pytest.mark.slow
def test_without_shards_there_is_one_for_all(
    settings: Settings, publications: ShardPublications
) -> None:
    with pytest.raises(NoPublication):
        read(publications, ADA)
    assert publications.infos() == {}
    only = published(settings, "main", ADA)
    assert [read(publications, whose) for whose in (ADA, BEN, None)] == [only] * 3
    assert list(publications.infos()) == ["main"]
    newer = published(settings, "main", ADA, hour=1)
    assert read(publications, ADA) == newer


def test_without_shards_earlier_publications_are_read_unchanged(
    settings: Settings, publications: ShardPublications
) -> None:
    """Earlier publications need not list their projects."""
    with empty_marts(FEW) as marts:
        marts.execute("drop table marts.projects")
        made = publish(settings, marts, as_of=NOON, real_clock=lambda: NOON)
    assert read(publications, ADA) == made.id
    assert [info.publication_id for info in publications.infos().values()] == [made.id]


@pytest.mark.slow
def test_each_organization_is_read_from_the_shard_that_has_it(
    settings: Settings, publications: ShardPublications
) -> None:
    main = published(settings, "main", ADA)
    east = published(settings, "east", BEN)
    assert [read(publications, whose) for whose in (ADA, BEN)] == [main, east]
    assert [read(publications, whose) for whose in (CLEO, None)] == [main] * 2, "new or none"
    assert {shard: info.publication_id for shard, info in publications.infos().items()} == {
        "main": main,
        "east": east,
    }


def test_a_shard_without_a_publication_is_no_error(
    settings: Settings, publications: ShardPublications
) -> None:
    settings.of_shard("east").publications_path.mkdir(parents=True)
    (settings.shards_path / "notes.txt").touch()
    main = published(settings, "main", ADA)
    assert read(publications, ADA) == main
    assert list(publications.infos()) == ["main"]


@pytest.mark.slow
def test_during_a_move_the_newer_publication_is_read(
    settings: Settings, publications: ShardPublications
) -> None:
    published(settings, "main", ADA, BEN)
    east = published(settings, "east", BEN, hour=1)
    assert read(publications, BEN) == east
    main = published(settings, "main", ADA, BEN, hour=2)
    assert read(publications, BEN) == main, "readers never see older data"
    again = published(settings, "east", BEN, hour=2, made=3)
    assert read(publications, BEN) == again, "the last of equal business times"


@pytest.mark.slow
def test_a_moving_organization_has_data_in_any_order_of_publications(
    settings: Settings, publications: ShardPublications, passing: StoppedClock
) -> None:
    """A node may fetch the publication without Ben before the one that now includes him."""
    before = published(settings, "main", ADA, BEN)
    published(settings, "east", CLEO)
    assert read(publications, BEN) == before
    without = published(settings, "main", ADA, hour=1)
    passing.now += AWAITED_SECONDS - 1
    assert read(publications, BEN) == before
    assert read(publications, ADA) == before, "all from the same publication"
    there = published(settings, "east", BEN, CLEO, hour=2)
    assert [read(publications, whose) for whose in (ADA, BEN, CLEO)] == [without, there, there]


@pytest.mark.slow
def test_a_missing_organization_delays_others_only_briefly(
    settings: Settings, publications: ShardPublications, passing: StoppedClock
) -> None:
    before = published(settings, "main", ADA, BEN)
    published(settings, "east", CLEO)
    assert read(publications, ADA) == before
    without = published(settings, "main", ADA, hour=1)
    assert read(publications, ADA) == before
    passing.now += AWAITED_SECONDS
    assert [read(publications, whose) for whose in (ADA, BEN)] == [without, without]


def test_a_damaged_publication_fails_only_for_its_possible_members(
    settings: Settings, publications: ShardPublications
) -> None:
    main = published(settings, "main", ADA)
    publish_damaged(settings.of_shard("east"))
    assert read(publications, ADA) == main
    with pytest.raises(duckdb.Error):
        read(publications, BEN)
    with pytest.raises(duckdb.Error):
        publications.infos()


@pytest.mark.slow
def test_a_publication_stays_open_until_its_reader_is_done(
    settings: Settings, publications: ShardPublications
) -> None:
    published(settings, "main", ADA)
    published(settings, "east", BEN)
    count = "select count(*) from marts.organizations"
    with publications.lease(BEN) as opened, opened.cursor() as cursor:
        published(settings, "east", BEN, CLEO, hour=1)
        with publications.lease(CLEO) as newer, newer.cursor() as other:
            assert other.execute(count).fetchall() == [(2,)]
        assert cursor.execute(count).fetchall() == [(1,)]
