"""OpenTelemetry traces of requests, if configured.

OpenTelemetry's own variables configure the export (OTEL_EXPORTER_OTLP_ENDPOINT,
OTEL_TRACES_SAMPLER, ...); without an endpoint nothing is loaded. FastAPI creates request spans,
which contain no more than the log.
"""

import os
from typing import TYPE_CHECKING

from fastapi.telemetry import TelemetryConfig
from opentelemetry import trace
from starlette.types import Scope

from serving_api.http.log_fields import redacted_path, request_fields

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Span, TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

REPORTED: TelemetryConfig = {
    "tracing": False,
    "metrics": False,  # /metrics has them
    "logs": False,
    "auto_configure": False,
}
"""FastAPI's telemetry options. By default environment variables decide, and queries and tokens
would be reported.
"""


def telemetry() -> TelemetryConfig:
    """Return options with traces if an endpoint is set, else `REPORTED`."""
    if not any(map(os.environ.get, ENDPOINTS)):
        return REPORTED
    return {**REPORTED, "tracing": True, "tracer_provider": _provider()}


def note_on_span(scope: Scope) -> None:
    """Add the log fields of a request to its span."""
    span = trace.get_current_span()
    if span.is_recording():
        fields = request_fields(scope).items()
        span.set_attributes({f"tracker.{name}": str(value) for name, value in fields if value})


def _provider() -> "TracerProvider":
    # Imported late: it costs a process 15 MB and 0.1 s.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    class Discreet(SpanProcessor):
        """Redacts private attributes of a request's span at its start."""

        def on_start(self, span: "Span", parent_context: object = None) -> None:  # noqa: ARG002  called by name
            attributes = span.attributes or {}
            if path := attributes.get("url.path"):
                span.set_attribute("url.path", redacted_path(str(path)))
            if "url.query" in attributes:
                span.set_attribute("url.query", "")

    os.environ.setdefault("OTEL_SERVICE_NAME", "creator-tracker")
    provider = TracerProvider()
    provider.add_span_processor(Discreet())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
