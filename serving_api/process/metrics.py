"""Prometheus metrics: requests by route, method and status, how long they took; who answers looks.

Where several processes serve (see counters), whichever is asked adds up what each counted.
"""

from collections.abc import Iterator

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import OperationalError
from starlette.types import Scope

from serving_api.kit.published import Published
from serving_api.process.counters import are_shared
from serving_api.services import services_of
from warehouse.clock import system_clock
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore
from warehouse.reading.looks import looks_at_platforms

router = APIRouter()

UNKNOWN_ROUTE = "(none)"
"""One label for all unknown paths: a label for each would let anyone fill the memory."""


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The counters of one application, in their own registry."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        labels = ("method", "route")
        self._requests = Counter(
            "tracker_api_requests",
            "Requests answered",
            (*labels, "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "tracker_api_request_seconds", "Time to answer", labels, registry=self._registry
        )

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        method, route = _method_of(scope), _route_of(scope)
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """Return all counters in Prometheus' text form."""
        if not are_shared():
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


class ProviderSpending(Collector):
    """Reads what commercial providers of platform data cost today (UTC, by the real clock)."""

    def __init__(self, store: OperationalStore) -> None:
        self._store = store

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield requests and dollars by provider; those not asked today are left out.

        Nothing while PostgreSQL is down: the other metrics then matter most.
        """
        requests = GaugeMetricFamily(
            "tracker_provider_requests_today", "Requests to it today (UTC)", labels=["provider"]
        )
        usd = GaugeMetricFamily(
            "tracker_provider_usd_today", "Dollars spent on it today (UTC)", labels=["provider"]
        )
        for provider, spent in self._spent().items():
            requests.add_metric([provider], spent.requests)
            usd.add_metric([provider], float(spent.usd))
        yield from (requests, usd)

    def _spent(self) -> dict[str, Spent]:
        try:
            with self._store.read_session() as session:
                return spent_on(session, system_clock().date())
        except OperationalError:
            return {}


class PlatformLooks(Collector):
    """Reads off the current publication how platforms answered in the day before it."""

    def __init__(self, published: Published) -> None:
        self._published = published

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the looks by platform, and by whether they were answered."""
        told = "Looks of the day before the current publication"
        looks = GaugeMetricFamily("tracker_platform_looks", told, labels=["platform", "answered"])
        if not self._published.is_of_other_models():
            with self._published.cursor() as cursor:
                for platform, recent in (looks_at_platforms(cursor) if cursor else {}).items():
                    looks.add_metric([platform, "yes"], recent.looks - recent.refused)
                    looks.add_metric([platform, "no"], recent.refused)
        yield looks


def _method_of(scope: Scope) -> str:
    """Return the method, all those unheard of under one label (see UNKNOWN_ROUTE)."""
    return scope["method"] if scope["method"] in METHODS else "OTHER"


def _route_of(scope: Scope) -> str:
    endpoint = scope.get("endpoint")
    return endpoint.__name__ if endpoint else UNKNOWN_ROUTE


@router.get("/metrics", include_in_schema=False)
def read_metrics(request: Request) -> Response:
    """Prometheus metrics in text form."""
    services = services_of(request)
    platforms = CollectorRegistry()
    platforms.register(PlatformLooks(services.published))
    platforms.register(ProviderSpending(services.store))
    text = services.metrics.text() + generate_latest(platforms)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
