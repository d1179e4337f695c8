"""Prometheus metrics: request counts and durations by route, method and status; and gauges.

With several processes, the one that is scraped adds up all counters.
"""

from hmac import compare_digest

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector
from starlette.types import Scope

from serving_api.errors import Unauthorized
from serving_api.kit.probe import Probe
from serving_api.kit.services import services_of
from serving_api.process.counters import are_shared

router = APIRouter()

UNKNOWN_ROUTE = "(none)"
"""One label for all unknown paths, so that requests cannot create labels without limit."""


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The counters of one application in their own registry, and the gauges."""

    def __init__(self, gauges: CollectorRegistry) -> None:
        self._gauges = gauges
        self.text = Probe(self._text)
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
        method, route = _method_of(scope), _route_of(scope)
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def _text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        counters = self._registry
        if are_shared():
            counters = CollectorRegistry()
            MultiProcessCollector(counters)  # type: ignore[no-untyped-call]
        return generate_latest(counters) + generate_latest(self._gauges)


def _method_of(scope: Scope) -> str:
    """Return the method, or one label for unknown ones (see UNKNOWN_ROUTE)."""
    return scope["method"] if scope["method"] in METHODS else "OTHER"


def _route_of(scope: Scope) -> str:
    endpoint = scope.get("endpoint")
    return endpoint.__name__ if endpoint else UNKNOWN_ROUTE


@router.get("/metrics", include_in_schema=False)
async def read_metrics(request: Request) -> Response:
    """Return Prometheus metrics. Raises Unauthorized without TRACKER_METRICS_TOKEN."""
    services = services_of(request)
    if token := services.settings.metrics_token:
        bearer = f"Bearer {token.get_secret_value()}".encode()
        if not compare_digest(request.headers.get("Authorization", "").encode(), bearer):
            raise Unauthorized
    return Response(await services[Metrics].text(), media_type=CONTENT_TYPE_LATEST)
