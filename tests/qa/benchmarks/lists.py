"""Every list over HTTP: of an organization with very much, beside one with a hundred rows of each.

Both are installations of their own, with a publication of their counters, and are asked in turn, so
that whatever else the machine does slows both. A page has as many rows in one as in the other.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from statistics import median
from urllib.parse import urlencode
from uuid import UUID

import duckdb
import psycopg

from tests.factories.marts import create_marts
from tests.factories.tracking import add_organization
from tests.qa.benchmarks.requests import Asked
from tests.qa.benchmarks.servers import serving
from tests.qa.benchmarks.world import SQL
from warehouse.operational.migrations import migrate
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.publish import publish
from warehouse.settings import Settings

CREATORS = 10_000
ROWS = 100
"""Creators and videos of the small organization, and what either has of other things at least."""
VIDEOS_OF_A_CREATOR = 20
PAGE = 20
"""Rows asked for: no list has fewer."""
ROUNDS = 60
WARM_ROUNDS = 10
MAKE_MARTS = """
    create temporary macro made_id(kind, number) as cast(md5(concat(kind, number)) as uuid);

    insert into marts.accounts by name
    select
        made_id('account', number) as account_id,
        getvariable('organization_id') as organization_id,
        5000 as follower_count
    from range(3 * getvariable('creators')) as numbers (number);

    insert into marts.videos by name
    select
        made_id('video', number) as video_id,
        getvariable('organization_id') as organization_id,
        1000 as view_count
    from range(getvariable('videos')) as numbers (number);
"""
"""Counters of what `sql/lists.sql` makes."""


@dataclass(frozen=True)
class Asking:
    """The median seconds of a list with many rows, and with few."""

    many: float
    few: float


def made_id(kind: str, number: int) -> UUID:
    """Return the id that `sql/lists.sql` gives something."""
    return UUID(md5(f"{kind}{number}".encode(), usedforsecurity=False).hexdigest())


def ask_lists(folder: Path, creators: int) -> Iterator[tuple[str, Asking]]:
    """Ask for each list of both organizations; yield what each took by its name."""
    with (
        _installation(folder / "many", creators, creators * VIDEOS_OF_A_CREATOR) as many,
        _installation(folder / "few", ROWS, ROWS) as few,
    ):
        for name in many.paths:
            yield name, _ask(name, many, few)


@dataclass(frozen=True)
class _Installation:
    base_url: str
    key: str
    paths: Mapping[str, str]

    def asked(self, name: str) -> Asked:
        return Asked(self.base_url, self.paths[name], self.key)


@contextmanager
def _installation(home: Path, creators: int, videos: int) -> Iterator[_Installation]:
    """Make an organization of this size, and serve it."""
    settings = Settings(home=home, _env_file=None)
    environment = {"TRACKER_HOME": str(home), "TRACKER_API_RATE_LIMITS": "false"}
    command = ("orchestration.cli", "serve")
    with operational_store(settings) as store:
        migrate(store)
        organization = make_organization(store, creators, videos)
        _publish(settings, store, organization, creators, videos)
        with serving(
            command, path="/readyz", log=home / "servers.log", environment=environment
        ) as base_url:
            yield _Installation(base_url, organization.api_key, _paths(organization))


def make_organization(store: OperationalStore, creators: int, videos: int) -> NewOrganization:
    """Make an organization with so much to list (`sql/lists.sql`)."""
    made = add_organization(store, "Shop")
    sizes = {"creators": creators, "videos": videos, "rows": ROWS}
    fill(store, made, "lists", **sizes)
    return made


def fill(
    store: OperationalStore, organization: NewOrganization, script: str, **parameters: object
) -> None:
    """Run a script of `sql/` for an organization in PostgreSQL."""
    text = (SQL / f"{script}.sql").read_text(encoding="utf-8")
    of = {
        "organization_id": organization.organization_id,
        "project_id": organization.project_id,
    }
    with psycopg.connect(store.dsn, autocommit=True) as connection:
        with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
            cursor.execute(text.encode(), {**of, **parameters})
        connection.execute("vacuum analyze")


def _publish(
    settings: Settings,
    store: OperationalStore,
    organization: NewOrganization,
    creators: int,
    videos: int,
) -> None:
    sizes = {"creators": creators, "videos": videos}
    with duckdb.connect() as marts:
        create_marts(marts)
        for name, value in {"organization_id": organization.organization_id, **sizes}.items():
            marts.execute(f"set variable {name} = $value", {"value": value})
        marts.execute(MAKE_MARTS)
        publish(settings, marts, as_of=store.clock())


def _paths(organization: NewOrganization) -> dict[str, str]:
    """Return the path of every list by its name, with the filters that narrow it."""
    project = {"project_id": organization.project_id}
    creator = {"creator_id": made_id("creator", 0)}
    account = {"account_id": made_id("account", 0)}
    group = {"content_group_id": made_id("group", 0)}
    tagged = (
        {"tags": "common"},
        {"tags": "rare"},
        {"tags": "common,rare", "tags_match": "all"},
        {"tags": "common,other 7"},
    )
    on = {"platform": "instagram"}
    searches = ({"search": "creator"}, {"search": "star"})
    filters: Mapping[str, tuple[Mapping[str, object], ...]] = {
        "/creators": ({}, project, on, *searches, *tagged),
        f"/creators/{creator['creator_id']}/accounts": ({},),
        "/accounts": (
            {},
            project,
            creator,
            on,
            {"status": "deactivated"},
            {"status": "all"},
            *searches,
            *tagged,
        ),
        "/videos": ({}, project, creator, account, group, on, *tagged),
        "/campaigns": ({}, project, *tagged),
        "/content-groups": ({}, project),
        f"/projects/{organization.project_id}/inbox": ({},),
        "/projects": ({},),
    }
    paths = {
        _name(path, query): f"/api/v2{path}?{urlencode({**query, 'limit': PAGE})}"
        for path, queries in filters.items()
        for query in queries
    }
    of_tags: tuple[Mapping[str, object], ...] = ({}, {"entity_type": "video"}, {"q": "other"})
    return paths | {_name("/tags", query): f"/api/v2/tags?{urlencode(query)}" for query in of_tags}


def _name(path: str, query: Mapping[str, object]) -> str:
    """Return a list's name, ids left out."""
    rooms = ["{id}" if room.count("-") == 4 else room for room in path.split("/")]
    parts = [
        f"{name}={{id}}" if name.endswith("_id") else f"{name}={value}"
        for name, value in query.items()
    ]
    return "/".join(rooms) + (f"?{'&'.join(parts)}" if parts else "")


def _ask(name: str, many: _Installation, few: _Installation) -> Asking:
    with ExitStack() as stack:
        connections = [
            stack.enter_context(closing(installation.asked(name))) for installation in (many, few)
        ]
        for _ in range(WARM_ROUNDS + ROUNDS):
            for connection in connections:
                connection.ask()
        seconds = [median(connection.seconds[WARM_ROUNDS:]) for connection in connections]
    return Asking(*seconds)
