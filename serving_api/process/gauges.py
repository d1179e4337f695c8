"""Gauges for operators: publication age, queues, budgets, disks, pipeline steps.

Read on each scrape. Gauges that cannot be read (PostgreSQL is down, no publication yet) are left
out, since the other metrics matter most then. Timestamps are Unix time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from duckdb import Error as DuckDBError
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from serving_api.kit.published import Published
from warehouse.backup.files import whole_entries
from warehouse.clock import Clock, system_clock
from warehouse.fetch_schedule.waiting import waiting_fetches
from warehouse.full_disk import disks
from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.object_names import form_of
from warehouse.operational.clock import clock_of_database
from warehouse.operational.pipeline_signs import pipeline_signs, scraper_signs
from warehouse.operational.spending import spent_on
from warehouse.operational.store import OperationalStore
from warehouse.provider_settings import DAILY_BUDGETS
from warehouse.reading.fetches import outcomes_by_platform, platforms_of_installation
from warehouse.scrape_jobs.open_jobs import open_jobs
from warehouse.scrape_jobs.pauses import paused_hosts
from warehouse.settings import Settings
from warehouse.step_metrics import noted
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import StorageError
from warehouse.webhooks.due import disabled_endpoints, waiting_messages

Samples = Iterable[tuple[tuple[str, ...], float]]
"""Values by label values."""

STAGES = ("incoming", "registered", "rejected")
"""Stages of batches before the archive."""

UNREADABLE = (SQLAlchemyError, DuckDBError, OSError, StorageError)
BUCKETS_PATIENCE = timedelta(seconds=3)
"""Less than Prometheus' default timeout of ten seconds."""


def gauges_of(
    settings: Settings, store: OperationalStore, published: Published
) -> CollectorRegistry:
    registry = CollectorRegistry()
    for read in (
        lambda: _of_publication(published),
        lambda: _of_platforms(published),
        lambda: _of_database(store, settings.clock),
        lambda: _of_pipeline(store),
        lambda: _of_batches(settings),
        lambda: _of_budgets(settings),
        lambda: _of_disks(settings),
        lambda: noted(settings.metrics_path),
    ):
        registry.register(_Read(read))
    return registry


class _Read(Collector):
    """Reads metrics on collection; yields none if reading fails."""

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        try:
            return list(self._read())
        except UNREADABLE:
            return []


def _gauge(
    name: str, help_text: str, labels: tuple[str, ...], samples: Samples
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"tracker_{name}", help_text, labels=labels)
    for values, value in samples:
        family.add_metric(values, value)
    return family


def _times(times: Mapping[str, datetime]) -> Samples:
    return (((name,), at.timestamp()) for name, at in times.items())


def _of_publication(published: Published) -> Iterator[Metric]:
    """Yield the current publications, one per shard, and the age of the oldest."""
    with published.of_all_shards() as opened:
        infos = [publication.info for publication in opened.values()]
    if not infos:
        return
    ids = [((str(info.publication_id),), 1) for info in infos]
    yield _gauge("publication", "Publication that this machine serves", ("publication_id",), ids)
    yield _gauge(
        "publication_as_of_timestamp_seconds",
        "as_of of the current publication",
        (),
        [((), min(info.as_of for info in infos).timestamp())],
    )
    yield _gauge(
        "publication_timestamp_seconds",
        "When the current publication was published",
        (),
        [((), min(info.published_at for info in infos).timestamp())],
    )


def _of_platforms(published: Published) -> Iterator[Metric]:
    if published.is_of_other_models():
        return
    refusing: dict[tuple[str, ...], float] = {}
    outcomes: Counter[tuple[str, ...]] = Counter()
    with published.of_all_shards() as shards:
        if not shards:
            return
        for opened in shards.values():
            with opened.cursor() as cursor:
                for platform, status in platforms_of_installation(cursor).items():
                    if status.refused_since is not None and status.outcome is not None:
                        since = status.refused_since.timestamp()
                        key = (platform, status.outcome)
                        refusing[key] = min(since, refusing.get(key, since))
                for platform, outcome, count in outcomes_by_platform(cursor):
                    outcomes[platform, outcome] += count
    by = ("platform", "outcome")
    yield _gauge(
        "platform_refusing_since_timestamp_seconds",
        "When a platform started refusing, by outcome; no sample while it responds",
        by,
        refusing.items(),
    )
    help_text = "Fetches in the day before the current publication, by outcome"
    yield _gauge("platform_outcomes", help_text, by, outcomes.items())


def _of_database(store: OperationalStore, clock: Clock) -> Iterator[Metric]:
    with store.read_session() as session:
        yield from _of_spending(session)
        yield from _of_jobs(session)
        yield from _of_fetches(session, clock())
        yield from _of_webhooks(session)


def _of_pipeline(store: OperationalStore) -> Iterator[Metric]:
    with store.read_session() as session:
        scrapers, signs = scraper_signs(session), pipeline_signs(session)
    help_text = "The last sign of life of each staying scrape worker"
    yield _gauge("scraper_seen_timestamp_seconds", help_text, ("worker",), _times(scrapers))
    if signs is None:
        return
    beats = [((), signs.heartbeat_at.timestamp())] if signs.heartbeat_at else []
    yield _gauge("up", "Whether `tracker up` runs", (), [((), float(signs.is_up))])
    yield _gauge("daemon_heartbeat_timestamp_seconds", "The daemon's last heartbeat", (), beats)
    help_text = "When a sensor or schedule last had a tick that did not fail"
    yield _gauge("tick_timestamp_seconds", help_text, ("name",), _times(signs.ticks))
    help_text = "When a tick last failed"
    yield _gauge("tick_failed_timestamp_seconds", help_text, ("name",), _times(signs.failed_ticks))


def _of_spending(session: Session) -> Iterator[Metric]:
    """Yield today's cost per provider (UTC, real clock), without providers not used today."""
    spent = spent_on(session, system_clock().date())
    requests = (((provider,), cost.requests) for provider, cost in spent.items())
    usd = (((provider,), float(cost.usd)) for provider, cost in spent.items())
    by = ("provider",)
    yield _gauge("provider_requests_today", "Requests to the provider today (UTC)", by, requests)
    yield _gauge("provider_usd_today", "Dollars spent on the provider today (UTC)", by, usd)


def _of_jobs(session: Session) -> Iterator[Metric]:
    jobs = open_jobs(session)
    by = ("job_type", "status")
    counts = (((kind, status), count) for kind, status, count, _ in jobs)
    since = (((kind, status), first.timestamp()) for kind, status, _, first in jobs)
    yield _gauge("scrape_jobs", "Requested scrapes that are not done", by, counts)
    help_text = "When the oldest open scrape was requested"
    yield _gauge("scrape_jobs_since_timestamp_seconds", help_text, by, since)
    help_text = "Until when a host asked for a pause (429)"
    pauses = _times(paused_hosts(session))
    yield _gauge("host_paused_until_timestamp_seconds", help_text, ("host",), pauses)


def _of_fetches(session: Session, now: datetime) -> Iterator[Metric]:
    waiting = waiting_fetches(session, now)
    by = ("platform",)
    counts = (((platform,), count) for platform, count, _ in waiting)
    since = (((platform,), first.timestamp()) for platform, _, first in waiting)
    yield _gauge("visits_due", "Accounts and posts that are due to be fetched", by, counts)
    help_text = "When the oldest due fetch was due"
    yield _gauge("visits_due_since_timestamp_seconds", help_text, by, since)


def _of_webhooks(session: Session) -> Iterator[Metric]:
    waiting = waiting_messages(session, clock_of_database(session))
    help_text = "Webhook messages that are not delivered"
    yield _gauge("webhook_messages_waiting", help_text, (), [((), waiting.messages)])
    due = [((), waiting.due_since.timestamp())] if waiting.due_since else []
    help_text = "When the oldest waiting webhook message was due"
    yield _gauge("webhook_messages_due_since_timestamp_seconds", help_text, (), due)
    help_text = "Disabled webhook endpoints, by reason (failing for days, or gone)"
    disabled = (((reason,), count) for reason, count in disabled_endpoints(session))
    yield _gauge("webhook_endpoints_disabled", help_text, ("reason",), disabled)


def _of_batches(settings: Settings) -> Iterator[Metric]:
    """Yield waiting batches on this machine, and in the bucket if batches are stored there."""
    landing = settings.landing_path
    bucket = open_landing_bucket(settings, patience=BUCKETS_PATIENCE, retries=0)
    waiting = {stage: len(whole_entries(landing / stage)) for stage in STAGES}
    if bucket:
        waiting = {stage: here + _in_bucket(bucket, stage) for stage, here in waiting.items()}
    counts = (((stage,), count) for stage, count in waiting.items())
    yield _gauge("batches_waiting", "Landed batches that are not ingested", ("stage",), counts)


def _in_bucket(bucket: BucketStorage, stage: str) -> int:
    return sum(form_of(file.path) is not None for file in bucket.files(stage))


def _of_budgets(settings: Settings) -> Iterator[Metric]:
    """Yield the configured daily budgets, labelled like spending."""
    values = dict(settings)
    for unit, noun in (("requests", "requests"), ("usd", "dollars")):
        most = (
            ((whose,), float(values[named[unit]]))
            for whose, named in DAILY_BUDGETS.items()
            if unit in named and values[named[unit]] is not None
        )
        help_text = f"Daily budget of the provider: {noun}"
        yield _gauge(f"provider_{unit}_a_day_most", help_text, ("provider",), most)


def _of_disks(settings: Settings) -> Iterator[Metric]:
    with_data = disks(settings)
    total = (((disk.path,), disk.total) for disk in with_data)
    free = (((disk.path,), disk.free) for disk in with_data)
    yield _gauge("disk_bytes", "Size of each disk with data", ("path",), total)
    yield _gauge("disk_free_bytes", "Free space on each disk with data", ("path",), free)
    if settings.warehouse_path.exists():
        size = settings.warehouse_path.stat().st_size
        yield _gauge("warehouse_bytes", "Size of the warehouse's file", (), [((), size)])
