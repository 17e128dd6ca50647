"""Writes the traces of pydantic-ai's own instrumentation to a file: JSON of OTLP, one document per span.

OpenTelemetry for Python has no exporter of that format; its file exporter is part of the Collector.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import StatusCode
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings


class FileExporter(SpanExporter):
    def __init__(self, file: Path) -> None:
        self.file = file
        self.lock = threading.Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        scope = {"scope": {"name": "pydantic-ai"}, "spans": [written(span) for span in spans]}
        line = json.dumps({"resourceSpans": [{"scopeSpans": [scope]}]})
        with self.lock, self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return SpanExportResult.SUCCESS


def written(span: ReadableSpan) -> dict[str, object]:
    context = span.context
    assert context is not None
    own: dict[str, object] = {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": attributes(span.attributes),
        "events": [
            {"name": event.name, "timeUnixNano": str(event.timestamp), "attributes": attributes(event.attributes)}
            for event in span.events
        ],
        "status": {},
    }
    if span.status.status_code is StatusCode.ERROR:
        own["status"] = {"code": 2, "message": span.status.description or ""}
    if span.parent:
        own["parentSpanId"] = f"{span.parent.span_id:016x}"
    return own


def attributes(given: Mapping[str, object] | None) -> list[dict[str, object]]:
    return [{"key": key, "value": value(one)} for key, one in (given or {}).items()]


def value(given: object) -> dict[str, object]:
    match given:
        case bool():
            return {"boolValue": given}
        case int():
            return {"intValue": str(given)}
        case float():
            return {"doubleValue": given}
        case list() | tuple():
            return {"arrayValue": {"values": [value(one) for one in given]}}
        case _:
            return {"stringValue": str(given)}


def instrument(file: Path) -> None:
    """Every agent of this program writes its spans to `file`."""
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(FileExporter(file)))
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
