"""Videos exported over real HTTP by a real server process: its memory, and rows a second."""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import duckdb
import httpx
from sqlalchemy import text

from tests.factories.marts import create_marts
from tests.factories.tracking import add_organization
from tests.qa.benchmarks.servers import resident_bytes, serving
from warehouse.operational.migrations import migrate
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.publish import publish
from warehouse.settings import Settings

VIDEOS = 1_000_000
PAGE = 100_000
LOOK_EVERY = 4 * 1024**2
"""Bytes received between two looks at the server's memory."""

MAKE_VIDEOS = """
    insert into videos (
        id, organization_id, project_id, platform, platform_video_id, url, caption, metadata,
        tracking_status, created_at, updated_at
    )
    select
        uuidv7(),
        :organization_id,
        :project_id,
        'tiktok',
        number::text,
        'https://www.tiktok.com/@somebody/video/' || number,
        'Look number ' || number || ' at the spring collection, "first" of many #launch',
        '{}',
        'direct_add',
        timestamptz '2026-01-01' + number * interval '1 second',
        timestamptz '2026-01-01' + number * interval '1 second'
    from generate_series(1, :videos) as number
"""
MAKE_MART = """
    insert into marts.videos by name
    select
        cast(unnest($ids) as uuid) as video_id,
        $organization_id as organization_id,
        1000 as view_count,
        100 as like_count
"""


@dataclass(frozen=True)
class Exported:
    """What came, in how long, and the server's memory before and at most."""

    rows: int
    pages: int
    seconds: float
    bytes_before: float
    peak_bytes: float


def export(home: Path, videos: int) -> Exported:
    """Export so many videos of an installation made at `home`, with a publication of them."""
    settings = Settings(home=home, _env_file=None)
    environment = {"TRACKER_HOME": str(home), "TRACKER_API_RATE_LIMITS": "false"}
    with operational_store(settings) as store:
        migrate(store)
        organization = _organization(store, videos)
        _publish(settings, store, organization)
        command = ("orchestration.cli", "serve")
        log = home / "servers.log"
        with serving(command, path="/healthz", log=log, environment=environment) as base_url:
            exported = _pages(base_url, organization.api_key)
    if exported.rows != videos:
        raise ValueError(f"{exported.rows} rows came, not {videos}")
    return exported


def _organization(store: OperationalStore, videos: int) -> NewOrganization:
    made = add_organization(store, "Shop")
    place = {"organization_id": made.organization_id, "project_id": made.project_id}
    with store.engine.begin() as connection:
        connection.execute(text(MAKE_VIDEOS), {**place, "videos": videos})
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze videos"))
    return made


def _publish(settings: Settings, store: OperationalStore, organization: NewOrganization) -> None:
    with store.engine.connect() as connection:
        ids = [
            str(video_id)
            for video_id in connection.scalars(text("select id from videos order by id"))
        ]
    with duckdb.connect() as marts:
        create_marts(marts)
        marts.execute(MAKE_MART, {"ids": ids, "organization_id": str(organization.organization_id)})
        publish(settings, marts, as_of=store.clock())


def _pages(base_url: str, key: str) -> Exported:
    before = peak = resident_bytes(base_url)
    rows = pages = 0
    following: str | None = None
    began = perf_counter()
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        while pages == 0 or following is not None:
            params = {"limit": str(PAGE), **({"cursor": following} if following else {})}
            with client.stream(
                "GET", f"{base_url}/api/v2/exports/videos", params=params
            ) as response:
                response.raise_for_status()
                for part in response.iter_bytes(LOOK_EVERY):
                    rows += part.count(b"\r\n")
                    peak = max(peak, resident_bytes(base_url))
                following = response.headers.get("X-Next-Cursor")
            rows -= 1  # the header
            pages += 1
    return Exported(rows, pages, perf_counter() - began, before, peak)
