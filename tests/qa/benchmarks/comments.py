"""A million comments: scored and aggregated, then a month of a project's queried over HTTP.

Each text is two labelled comments and a number, so none is already scored: the worst case. A
project has 80,000 of them in a month.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

import psycopg
import pyarrow as pa

from orchestration.building.executor import attached, execute
from orchestration.building.manifests import manifest_json
from tests.factories.labelled import labelled_comments
from tests.factories.tracking import add_organization
from tests.qa.benchmarks.child import Measured, Watch, measured
from tests.qa.benchmarks.models import require_green, run_models
from tests.qa.benchmarks.publications import last_run, publish_run
from tests.qa.benchmarks.requests import Endpoint
from tests.qa.benchmarks.servers import serving
from tests.qa.benchmarks.world import ENDS, SQL
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.step import score_comments
from warehouse.connection import open_warehouse
from warehouse.operational.migrations import migrate
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.operational_copy import copy_operational
from warehouse.settings import Settings

COMMENTS = 1_000_000
A_MONTH = 80_000
MONTH = timedelta(days=30)
ROUNDS, WARM_ROUNDS = 60, 10
QUERIES = {
    "comments": {},
    "comments with q": {"q": "Scam"},
    "comments with q, newest first": {"q": "app", "sort": "newest"},
    "comments with q and a signal": {"q": "is this", "signal": "ad_disclosure"},
    "comment-signals": {},
    "comment-flags": {},
}
MAKE_COMMENTS = """
    insert into raw.comments by name
    select
        md5('video' || number % 500)::uuid as video_id,
        number::varchar as platform_comment_id,
        concat_ws(
            ' ',
            texts[1 + cast(hash(number) % len(texts) as bigint)],
            texts[1 + cast(hash(-number) % len(texts) as bigint)],
            number
        ) as text,
        hash(number, 1) % 1000 as like_count,
        'viewer' || number % 10000 as author_unique_id,
        $ends - to_microseconds(cast($microseconds * number / $a_month as bigint)) as posted_at,
        $ends as captured_at,
        'tiktok.comment_list' as source,
        1 as batch_seq
    from range($count) as numbers (number)
    cross join (select list(text order by text) as texts from samples)
"""
MAKE_WALKS = """
    insert into raw.comment_walks by name
    select
        md5('video' || number)::uuid as video_id,
        'ok' as outcome,
        true as is_complete,
        $ends - interval 1 hour as started_at,
        $ends as finished_at,
        0 as collected_count,
        'tiktok.comment_list' as source,
        1 as batch_seq
    from range(500) as numbers (number)
"""
MAKE_BATCH = """
    insert into raw.batches by name
    select
        uuid() as batch_id,
        1 as batch_seq,
        'scrape' as kind,
        $ends as ingested_at,
        0 as video_snapshots,
        0 as account_snapshots,
        0 as scrape_outcomes
"""


def make_comments(folder: Path, count: int) -> tuple[Settings, NewOrganization]:
    """Make a project with this many comments in its raw tables; everything uses one processor."""
    settings = Settings(home=folder, duckdb_threads=1, _env_file=None)
    with operational_store(settings) as store, open_warehouse(settings) as warehouse:
        migrate(store)
        organization = _project(store)
        copy_operational(store, warehouse)
        texts = [comment.text for comment in labelled_comments()]
        warehouse.register("samples", pa.table({"text": texts}))
        at = {"ends": ENDS - timedelta(hours=2)}
        span = {"microseconds": MONTH // timedelta(microseconds=1), "a_month": A_MONTH}
        warehouse.execute(MAKE_COMMENTS, {**at, **span, "count": count})
        warehouse.unregister("samples")
        warehouse.execute(MAKE_WALKS, at)
        warehouse.execute(MAKE_BATCH, at)
    return settings, organization


def _project(store: OperationalStore) -> NewOrganization:
    made = add_organization(store, "Lumora")
    of = {"organization_id": made.organization_id, "project_id": made.project_id}
    script = (SQL / "comments.sql").read_text(encoding="utf-8")
    with (
        psycopg.connect(store.dsn) as connection,
        psycopg.ClientCursor(connection) as cursor,
    ):
        cursor.execute(script.encode(), of)
    return made


def score(watch: Watch, home: Path) -> None:
    settings = Settings(home=home, duckdb_threads=1, _env_file=None)
    with open_warehouse(settings) as connection, watch.running():
        score_comments(connection, Multilingual())


def run_comment_models(watch: Watch, home: Path) -> None:
    """Compute the comment marts of the current run again, on one processor."""
    settings = Settings(home=home, _env_file=None)
    nodes = [
        node
        for node in manifest_json()["nodes"].values()
        if node["original_file_path"].startswith("models/marts/comments/")
        and node["resource_type"] == "model"
    ]
    with open_warehouse(settings) as connection:
        run = last_run(connection)
    with watch.running(), attached(settings) as connection:
        require_green(execute(connection, run, nodes))


def build(home: Path) -> tuple[Measured, Measured]:
    """Build and publish; return the measurements of scoring and of the comment marts."""
    scored = measured(score, home)
    measured(run_models, home, ENDS)
    summed = measured(run_comment_models, home)
    measured(publish_run, home, ENDS)
    return scored, summed


def ask(settings: Settings, organization: NewOrganization) -> Iterator[tuple[str, float]]:
    """Yield the median seconds of each query about a month of the project's comments."""
    with _served(settings) as base_url:
        for name, query in QUERIES.items():
            days = {"from": (ENDS - MONTH).date(), "to": ENDS.date()}
            what = name.split()[0]
            query_text = urlencode(query if what == "comment-flags" else {**query, **days})
            path = f"/api/v2/projects/{organization.project_id}/{what}?{query_text}"
            yield name, _median_seconds(base_url, path, organization.api_key)


@contextmanager
def _served(settings: Settings) -> Iterator[str]:
    environment = {
        "TRACKER_HOME": str(settings.home_path),
        "TRACKER_API_RATE_LIMITS": "false",
        "TRACKER_NOW": ENDS.isoformat(),
    }
    log = settings.home_path / "server.log"
    command = ("orchestration.cli", "serve")
    with serving(command, path="/readyz", log=log, environment=environment) as base_url:
        yield base_url


def _median_seconds(base_url: str, path: str, key: str) -> float:
    with closing(Endpoint(base_url, path, key)) as connection:
        for _ in range(WARM_ROUNDS + ROUNDS):
            connection.ask()
        return median(connection.seconds[WARM_ROUNDS:])
