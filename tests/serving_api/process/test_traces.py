"""Traces of a real process, as an OpenTelemetry collector receives them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from serving_api.process.traces import REPORTED, telemetry
from tests.fixtures.api import Api, Tenant
from tests.fixtures.http_server import serving
from tests.fixtures.processes import workers
from tests.warehouse.operational.processes import wait_until

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
"""A `traceparent`: the caller's trace and its calling span."""


@contextmanager
def collector() -> Iterator[tuple[str, list[Span]]]:
    """Yield the URL of a collector on loopback, and the spans received so far."""
    spans: list[Span] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for of in ExportTraceServiceRequest.FromString(body).resource_spans:
                spans.extend(span for scoped in of.scope_spans for span in scoped.spans)
            self.send_response(200)
            self.end_headers()

    with serving(Collector) as url:
        yield url, spans


def attributes(span: Span) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, str(each.value.WhichOneof("value")))
        for each in span.attributes
    }


@pytest.fixture
def traced(api: Api, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Span]]:
    """The spans of two requests: one for creators with a caller's trace, one that is refused."""
    with collector() as (url, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
        with workers(api, 1) as [worker], worker.client(tenant.made.api_key) as client:
            params = {"search": "a-private-word"}
            answer = client.get("/creators", params=params, headers={"traceparent": CALLER})
            assert answer.status_code == 200
            assert client.get("/share/a-secret-t0ken").status_code == 404
            wait_until(
                lambda: len([span for span in spans if span.kind == Span.SPAN_KIND_SERVER]) > 2
            )
            yield spans


@pytest.mark.slow
def test_a_request_joins_its_callers_trace(traced: list[Span], tenant: Tenant) -> None:
    [request] = [span for span in traced if span.name == "GET /api/v2/creators"]
    request_attributes = attributes(request)
    assert request.trace_id.hex() == CALLER[3:35]
    assert request.parent_span_id.hex() == CALLER[36:52]
    assert request_attributes["http.response.status_code"] == 200
    assert request_attributes["tracker.organization_id"] == str(tenant.made.organization_id)
    assert request_attributes["tracker.request_id"]
    for private in ("a-private-word", "a-secret-t0ken", tenant.made.api_key):
        assert private not in "".join(map(str, traced))


def test_tracing_is_off_by_default() -> None:
    assert telemetry() == REPORTED
