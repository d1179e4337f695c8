"""Prometheus metrics of the API: requests by route, method and status, and how long they took.

Where several processes serve, each counts into files of one folder, and whichever is asked adds
them up; those of a process that ended stay, so that no count ever falls.
"""

import os
import time

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.process_collector import ProcessCollector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from serving_api.workers import COUNTERS

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

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """Return all counters in Prometheus' text form."""
        if COUNTERS not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


class RequestMetrics:
    """ASGI middleware that feeds Metrics."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and note how that went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        began = time.perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            self._metrics.observe(
                _method_of(scope), _route_of(scope), status, time.perf_counter() - began
            )


def _method_of(scope: Scope) -> str:
    """Return the method, all those unheard of under one label (see UNKNOWN_ROUTE)."""
    return scope["method"] if scope["method"] in METHODS else "OTHER"


def _route_of(scope: Scope) -> str:
    endpoint = scope.get("endpoint")
    return endpoint.__name__ if endpoint else UNKNOWN_ROUTE


@router.get("/metrics", include_in_schema=False)
def read_metrics(request: Request) -> Response:
    """Prometheus metrics in text form."""
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)
