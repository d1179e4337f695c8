"""A small service with all kinds of data, and everything that can be read of a service."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from psycopg import sql

from tests.factories.landing import NOON, fetch, post, profile
from tests.factories.marts import Account, History, Video, create_marts, fill_marts
from tests.factories.tracking import add_account, add_organization
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.landing.folders import new_folder, sync, write_file
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Creator
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import publish
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.storage.opening import open_storage

AS_OF = datetime(2026, 5, 20, 12, tzinfo=UTC)
RECEIPT = "orgs/one/payments/two/three.pdf"
Rows = dict[str, list[Any]]


@dataclass(frozen=True)
class Service:
    settings: Settings
    store: OperationalStore


def fill(settings: Settings, store: OperationalStore) -> Service:
    """Create batches at every stage, a publication with older months, and the API's key."""
    organization = add_organization(store, "Acme")
    add_account(store, organization, "demo")
    writer = LandingWriter(open_landing(settings))
    writer.land(profiles=[profile("demo")], posts=_posts(0), outcomes=[fetch("demo")])
    damaged = settings.landing_path / "incoming" / str(uuid7())
    with new_folder(damaged) as folder:
        (folder / "posts.parquet").write_bytes(b"PAR1 and nothing more")
    register_landed(store, settings)
    with open_warehouse(settings) as connection:
        copy_operational(store, connection)
        ingest_registered(store, settings, connection)
        create_marts(connection)
        fill_marts(connection, history_of(store, organization))
        connection.execute("insert into marts.run values (uuid(), now(), now(), 4711)")
        publish(settings, connection, as_of=AS_OF)
    writer.land(posts=_posts(1))
    register_landed(store, settings)
    writer.land(posts=_posts(2))
    open_storage(settings).put(RECEIPT, b"%PDF-1.7")
    os.utime(settings.files_path / RECEIPT, (0, AS_OF.timestamp()))
    sync(settings.files_path / RECEIPT)
    write_file(settings.home_path / "secret.key", "sealed")
    return Service(settings, store)


def history_of(store: OperationalStore, organization: NewOrganization) -> History:
    """Return monthly readings since January; the publication stores the first months as files."""
    with store.read_session() as session:
        creator = session.query(Creator.id).scalar()
    months = [datetime(2026, month, 3, 10, tzinfo=UTC) for month in range(1, 6)]
    views = {at: {"view": 100 * number} for number, at in enumerate(months, start=1)}
    followers: dict[datetime, int | None] = dict.fromkeys(months, 10)
    return History(
        videos=[Video("one", {at: dict(counts) for at, counts in views.items()}, creator=creator)],
        accounts=[Account("account", followers, creator=creator)],
        as_of=AS_OF,
        organization=organization.organization_id,
    )


def _posts(hour: int) -> list[dict[str, Any]]:
    at = NOON + timedelta(hours=hour)
    return [post(str(number), "demo", captured_at=at) for number in range(5)]


def everything(settings: Settings, database_url: str) -> dict[str, Any]:
    """Read a whole service, table by table and file by file."""
    return {
        "operational": operational_rows(database_url),
        "warehouse": warehouse_rows(settings),
        "publication": published_rows(settings),
        "batches": files_below(settings.landing_path),
        "files": stored_files(settings),
        "key": (settings.home_path / "secret.key").read_text(),
    }


def operational_rows(database_url: str, schema: str = "public") -> Rows:
    with psycopg.connect(database_url) as connection:
        names = connection.execute(
            "select tablename from pg_tables where schemaname = %s order by 1", [schema]
        ).fetchall()
        query = sql.SQL("select t::text from {} as t order by 1")
        return {
            name: connection.execute(query.format(sql.Identifier(schema, name))).fetchall()
            for (name,) in names
        }


def warehouse_rows(settings: Settings) -> Rows:
    with open_warehouse(settings, read_only=True) as connection:
        return _tables(connection, "database_name = current_database()")


def published_rows(settings: Settings) -> Rows:
    """Read the publication's marts without its id and the decisions it includes."""
    current = settings.publications_path / "current.duckdb"
    with duckdb.connect(current, read_only=True) as connection:
        rows = _tables(connection, "schema_name in ('marts', 'machinery')")
    rows["marts.publication"] = [
        (as_of, *made_by) for _, as_of, _, *made_by in rows["marts.publication"]
    ]
    rows["marts.run"] = [row[:-1] for row in rows["marts.run"]]
    return rows


def _tables(connection: duckdb.DuckDBPyConnection, condition: str) -> Rows:
    names = connection.sql(
        f"select schema_name || '.' || table_name from duckdb_tables() where {condition}"
        f" union all select schema_name || '.' || view_name from duckdb_views() where {condition}"
        " and not internal order by 1"
    ).fetchall()
    return {name: connection.sql(f"from {name} order by all").fetchall() for (name,) in names}


def stored_files(settings: Settings) -> list[Any]:
    """Read the receipt and its metadata."""
    storage = open_storage(settings)
    return [storage.read(RECEIPT), storage.find(RECEIPT)]


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
