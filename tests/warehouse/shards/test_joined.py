"""An organization whose projects several shards compute is read as from one publication."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.factories.marts import (
    Account,
    History,
    Video,
    add_rows,
    create_marts,
    marts_of,
)
from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.current import Opened
from warehouse.publication.described import descriptions
from warehouse.publication.errors import NoPublication
from warehouse.publication.publish import publish
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.accruals.published import PublishedState, published_state
from warehouse.settings import Settings
from warehouse.shards.joined import OF_ANYTHING, OF_LAST_COPY, OF_OLDEST, OWNERS
from warehouse.shards.publications import ShardPublications

HUGE, OTHER = UUID(int=1), UUID(int=2)
SPRING, SUMMER = UUID(int=11), UUID(int=12)
MARCH = datetime(2026, 3, 10, tzinfo=UTC)
NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)

RELATIONS = """
    select
        schema_name,
        table_name
    from duckdb_columns()
    where schema_name in $published
    group by all
    order by all
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def publications(settings: Settings) -> Iterator[ShardPublications]:
    with closing(ShardPublications(settings)) as publications:
        yield publications


def history(project: UUID, views: int, *, organization: UUID = HUGE) -> History:
    """A post and an account of a creator of the project; the post was first read in March."""
    creator = UUID(int=project.int + 100)
    readings: Mapping[datetime, dict[str, int | None]] = {
        MARCH: {"view": 5},
        NOON: {"view": views},
    }
    return History(
        videos=[Video(f"post of {project}", dict(readings), creator=creator)],
        accounts=[Account(f"account of {project}", {NOON: views}, creator=creator)],
        organization=organization,
        project=project,
        campaign=UUID(int=project.int + 200),
        as_of=NOON,
    )


def publish_of(
    settings: Settings,
    shard: str,
    *histories: History,
    hour: int = 0,
    decided_up_to: int = 0,
    settling_days: int = 0,
) -> None:
    with duckdb.connect(config={"threads": 1}) as marts:
        marts.execute("set TimeZone = 'UTC'")
        create_marts(marts)
        for history in histories:
            for table, rows in marts_of(history).items():
                if rows:
                    add_rows(marts, table, rows)
        marts.execute("create table once as select distinct * from marts.organizations")
        marts.execute("delete from marts.organizations")
        marts.execute("insert into marts.organizations from once")
        marts.execute("update marts.organizations set payout_settling_days = ?", [settling_days])
        as_of = NOON + timedelta(hours=hour)
        add_rows(marts, "run", [{"as_of": as_of, "decided_up_to": decided_up_to}])
        publish(settings.of_shard(shard), marts, as_of=as_of)


def rows_of(opened: Opened) -> Mapping[str, Counter[Sequence[Any]]]:
    """All rows of each relation, columns by name."""
    with opened.cursor() as cursor:
        rows = cursor.execute(RELATIONS, {"published": PUBLISHED}).fetchall()
        relations = {f"{schema}.{name}" for schema, name in rows if name not in LIMITED}
        return {
            relation: Counter(
                tuple(sorted(row.items(), key=lambda item: item[0]))
                for row in cursor.execute(f"from {relation}").pl().to_dicts()
            )
            for relation in relations
        }


LIMITED = OF_OLDEST | OF_LAST_COPY


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Counter[Sequence[Any]]]:
    """The rows of both projects, each from a publication of its own."""
    rows_by_relation: dict[str, Counter[Sequence[Any]]] = {}
    for made in (history(SPRING, 10), history(SUMMER, 20)):
        settings = Settings(home=tmp_path_factory.mktemp("apart"))
        publish_of(settings, "main", made)
        with closing(ShardPublications(settings)) as alone, alone.lease(HUGE) as opened:
            for relation, rows in rows_of(opened).items():
                rows_by_relation.setdefault(relation, Counter()).update(rows)
    return rows_by_relation


def views_of(publications: ShardPublications, organization: UUID) -> Mapping[UUID, int]:
    query = """
        select project_id, max(view_count)
        from marts.videos
        where organization_id = $organization
        group by project_id
    """
    with publications.lease(organization) as opened, opened.cursor() as cursor:
        return dict(cursor.execute(query, {"organization": organization}).fetchall())


def test_all_relations_have_the_rows_of_all_shards(
    settings: Settings,
    publications: ShardPublications,
    apart: Mapping[str, Counter[Sequence[Any]]],
) -> None:
    spring, summer = history(SPRING, 10), history(SUMMER, 20)
    publish_of(settings, "main", spring)
    publish_of(settings, "east", summer, hour=1)
    with publications.lease(HUGE) as opened:
        rows_by_relation = rows_of(opened)
        assert opened.info.as_of == NOON, "until when all of them reach"
        with opened.cursor() as cursor:
            assert cursor.execute("select count(*) from marts.organizations").fetchall() == [(1,)]
            assert cursor.execute("select as_of from marts.run").fetchall() == [(NOON,)]
            assert cursor.execute("select as_of from marts.publication").fetchall() == [(NOON,)]
    assert {name for name, rows in apart.items() if rows} >= {
        "marts.video_deltas",
        "marts.account_snapshots",
        "marts.creator_daily",
        "marts.campaign_daily",
    }
    assert rows_by_relation == apart


def test_a_project_that_moves_is_read_once_from_the_newer_one(
    settings: Settings,
    publications: ShardPublications,
    apart: Mapping[str, Counter[Sequence[Any]]],
) -> None:
    spring, summer = history(SPRING, 10), history(SUMMER, 20)
    publish_of(settings, "main", spring, history(SUMMER, 15))
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 15}
    publish_of(settings, "east", summer, hour=1)
    with publications.lease(HUGE) as opened:
        assert rows_of(opened) == apart
    publish_of(settings, "main", spring, history(SUMMER, 25), hour=2)
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 25}
    publish_of(settings, "main", spring, hour=3)
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 20}


def test_no_project_is_without_numbers_whichever_publication_comes_first(
    settings: Settings, publications: ShardPublications
) -> None:
    publish_of(settings, "main", history(SPRING, 10), history(SUMMER, 15))
    publish_of(settings, "east", history(UUID(int=13), 30, organization=OTHER))
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 15}
    publish_of(settings, "main", history(SPRING, 11), hour=1)
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 15}
    publish_of(settings, "east", history(SUMMER, 20), hour=2)
    assert views_of(publications, HUGE) == {SPRING: 10, SUMMER: 15}, "the other is lacking"
    publish_of(
        settings, "east", history(SUMMER, 20), history(UUID(int=13), 30, organization=OTHER), hour=3
    )
    assert views_of(publications, HUGE) == {SPRING: 11, SUMMER: 20}


def test_one_project_is_read_from_the_shard_that_has_it(
    settings: Settings, publications: ShardPublications
) -> None:
    """As simulations are, which compute over one file."""
    publish_of(settings, "main", history(SPRING, 10), history(SUMMER, 15))
    publish_of(settings, "east", history(SUMMER, 20), hour=1)
    for project, shard in ((SPRING, "main"), (SUMMER, "east")):
        with publications.lease(HUGE, project) as opened:
            assert opened.info == publications.infos()[shard]


@pytest.mark.parametrize(("main", "east"), [(20, 10), (10, 20)])
def test_decisions_are_those_of_the_first_copy_and_settings_those_of_the_last(
    settings: Settings, publications: ShardPublications, main: int, east: int
) -> None:
    """A run copies before it sets its business time: the older one may have copied later."""
    days = {20: 3, 10: 0}
    spring, summer = history(SPRING, 10), history(SUMMER, 20)
    publish_of(settings, "main", spring, decided_up_to=main, settling_days=days[main])
    publish_of(settings, "east", summer, hour=1, decided_up_to=east, settling_days=days[east])
    with publications.lease(HUGE) as opened, opened.cursor() as cursor:
        assert published_state(cursor, HUGE) == PublishedState(Moment(NOON, 3), 10)


def test_a_page_goes_on_in_the_publications_that_it_was_begun_in(
    settings: Settings, publications: ShardPublications
) -> None:
    publish_of(settings, "main", history(SPRING, 10))
    publish_of(settings, "east", history(SUMMER, 20), hour=1)
    with publications.lease(HUGE) as opened:
        begun = opened.publications
    with publications.lease_of(begun, HUGE) as again:
        assert again is opened
    publish_of(settings, "main", history(SPRING, 11), hour=2)
    assert views_of(publications, HUGE) == {SPRING: 11, SUMMER: 20}
    with publications.lease_of(begun, HUGE) as replaced, replaced.cursor() as cursor:
        counts = cursor.execute("select view_count from marts.videos order by all").fetchall()
        assert counts == [(10,), (20,)]
        assert replaced.publications == begun
    with pytest.raises(NoPublication), publications.lease_of([UUID(int=1)], HUGE):
        pass


def test_who_is_in_one_shard_is_read_from_it_as_ever(
    settings: Settings, publications: ShardPublications
) -> None:
    theirs = history(UUID(int=13), 30, organization=OTHER)
    publish_of(settings, "main", history(SPRING, 10))
    publish_of(settings, "east", history(SUMMER, 20), theirs, hour=1)
    assert views_of(publications, OTHER) == {UUID(int=13): 30}
    with publications.lease(OTHER) as opened, publications.lease(HUGE) as joined:
        assert opened.info != joined.info
        with publications.lease(HUGE) as again:
            assert again is joined, "made once"


def test_of_each_model_it_is_known_whose_rows_are_whose() -> None:
    """A model that is added later may be one of a whole organization, as tags are."""
    known = {*OWNERS, *OF_ANYTHING}
    columns = {mart: set(described) for mart, (_, described) in descriptions().items()}
    unknown = {mart for mart, has in columns.items() if not has & known}
    assert unknown - LIMITED == set()
    assert columns.keys() >= LIMITED
    assert [mart for mart in sorted(LIMITED) if "project_id" in columns[mart]] == []
