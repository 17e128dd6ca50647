//! Spans in other shapes than OTLP, as data, and how they become OTLP: what tracing systems export, and what exporters write.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use ananke_base::context::unix_micros;

/// The unit of times.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum TimeUnit {
    /// Microseconds of Unix time.
    Microseconds,
    /// Dates of ISO 8601.
    Date,
}

/// A shape of spans. Places are paths of keys with `/` between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpanShape {
    /// The name of the program that writes it.
    pub(crate) name: String,
    has: Vec<String>,
    trace: String,
    span: String,
    parent: Option<String>,
    title: String,
    start: String,
    end: Option<String>,
    duration: Option<String>,
    unit: TimeUnit,
    attributes: Option<String>,
    /// Attributes that are in other places, each with its name.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    events: Option<String>,
    event_name: Option<String>,
    event_attributes: Option<String>,
    status: Option<String>,
    status_message: Option<String>,
}

impl SpanShape {
    /// Whether `span` is of this shape.
    pub(crate) fn is_of(&self, span: &Value) -> bool {
        self.has.iter().all(|key| span.get(key).is_some())
    }

    /// `span` as OTLP has it.
    pub(crate) fn otlp(&self, span: &Value) -> Value {
        let id = |path: &str| at(span, path).map(|id| text(id).trim_start_matches("0x").to_owned());
        let start = at(span, &self.start).and_then(|time| self.micros(time));
        let duration = self
            .duration
            .as_ref()
            .and_then(|path| at(span, path)?.as_u64());
        let end = self
            .end
            .as_ref()
            .and_then(|path| self.micros(at(span, path)?));
        let end = end.or_else(|| start?.checked_add(duration?));
        let nanos = |micros: Option<u64>| micros.map(|micros| format!("{micros}000"));
        let mut attributes = self
            .attributes
            .as_ref()
            .and_then(|path| at(span, path))
            .map(pairs)
            .unwrap_or_default();
        let fields = self
            .fields
            .iter()
            .filter_map(|(path, name)| Some((name.clone(), at(span, path)?.clone())));
        attributes.extend(fields);
        let of_attributes = attributes.get("otel.status_code").map(text);
        let status = self
            .status
            .as_ref()
            .and_then(|path| at(span, path))
            .map(text)
            .or(of_attributes);
        let is_error = status.is_some_and(|status| status.to_uppercase().ends_with("ERROR"));
        let message = self
            .status_message
            .as_ref()
            .and_then(|path| at(span, path))
            .map(text);
        let events = self
            .events
            .as_ref()
            .and_then(|path| at(span, path)?.as_array());
        let events: Vec<Value> = events
            .into_iter()
            .flatten()
            .map(|event| self.event(event))
            .collect();
        json!({
            "traceId": id(&self.trace),
            "spanId": id(&self.span),
            "parentSpanId": self.parent.as_deref().and_then(id),
            "name": at(span, &self.title),
            "startTimeUnixNano": nanos(start),
            "endTimeUnixNano": nanos(end),
            "attributes": otlp_attributes(&attributes),
            "events": events,
            "status": { "code": if is_error { 2 } else { 0 }, "message": message },
        })
    }

    fn event(&self, event: &Value) -> Value {
        let name = self.event_name.as_ref().and_then(|path| at(event, path));
        let attributes = self
            .event_attributes
            .as_ref()
            .and_then(|path| at(event, path))
            .map(pairs);
        json!({ "name": name, "attributes": otlp_attributes(&attributes.unwrap_or_default()) })
    }

    fn micros(&self, time: &Value) -> Option<u64> {
        match self.unit {
            TimeUnit::Microseconds => time.as_u64(),
            TimeUnit::Date => unix_micros(time.as_str()?),
        }
    }
}

/// The value at this place, if it is there and not null.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    value
        .pointer(&format!("/{path}"))
        .filter(|value| !value.is_null())
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Attributes that are an object, or a list of objects with a key and a value.
fn pairs(attributes: &Value) -> Map<String, Value> {
    let pair = |attribute: &Value| {
        let either = |lower: &str, upper: &str| {
            attribute
                .get(lower)
                .or_else(|| attribute.get(upper))
                .cloned()
        };
        let key = either("key", "Key")?;
        let value = either("value", "Value").unwrap_or_default();
        // Go writes the type next to the value.
        let inner = value.get("Type").and_then(|_| value.get("Value").cloned());
        Some((text(&key), inner.unwrap_or(value)))
    };
    match attributes {
        Value::Object(attributes) => attributes.clone(),
        Value::Array(list) => list.iter().filter_map(pair).collect(),
        _ => Map::new(),
    }
}

fn otlp_attributes(attributes: &Map<String, Value>) -> Vec<Value> {
    let pair = |(key, value): (&String, &Value)| json!({ "key": key, "value": otlp_value(value) });
    attributes.iter().map(pair).collect()
}

fn otlp_value(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number }),
        Value::String(text) => json!({ "stringValue": text }),
        Value::Array(values) => {
            json!({ "arrayValue": { "values": values.iter().map(otlp_value).collect::<Vec<_>>() } })
        }
        Value::Object(values) => json!({ "kvlistValue": { "values": otlp_attributes(values) } }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::conventions::Conventions;
    use super::*;

    /// The OTLP of a span of a shape that is known.
    fn otlp(span: &Value) -> Value {
        let shapes = &Conventions::known().shapes;
        shapes
            .iter()
            .find(|shape| shape.is_of(span))
            .unwrap()
            .otlp(span)
    }

    #[test]
    fn spans_of_all_shapes_are_the_same_span() {
        let expected = json!({
            "traceId": "5b", "spanId": "cc", "parentSpanId": "dd", "name": "pay",
            "startTimeUnixNano": "1790000000000000000", "endTimeUnixNano": "1790000000400000000",
            "attributes": [{ "key": "n", "value": { "intValue": 1 } }],
            "events": [{ "name": null, "attributes": [{ "key": "event", "value": { "stringValue": "e" } }] }],
            "status": { "code": 0, "message": null },
        });
        let jaeger = json!({ "traceID": "5b", "spanID": "cc", "operationName": "pay", "references": [{ "spanID": "dd" }],
            "startTime": 1_790_000_000_000_000_u64, "duration": 400_000, "tags": [{ "key": "n", "value": 1 }],
            "logs": [{ "fields": [{ "key": "event", "value": "e" }] }] });
        assert_eq!(otlp(&jaeger), expected);
        let times = ["2026-09-21T14:13:20Z", "2026-09-21T14:13:20.400Z"];
        let expected = json!({ "events": [{ "name": "e", "attributes": [] }], "status": { "code": 2, "message": "no" } });
        let same = |span: &Value, mut whole: Value| {
            let own = otlp(span);
            for (key, value) in whole.as_object_mut().unwrap() {
                assert_eq!(own[key], *value, "{key} of {span}");
            }
            for key in [
                "traceId",
                "spanId",
                "parentSpanId",
                "startTimeUnixNano",
                "endTimeUnixNano",
                "attributes",
            ] {
                assert_eq!(own[key], otlp(&jaeger)[key], "{key} of {span}");
            }
        };
        let python = json!({ "name": "pay", "context": { "trace_id": "0x5b", "span_id": "0xcc" }, "parent_id": "0xdd",
            "start_time": times[0], "end_time": times[1], "attributes": { "n": 1 },
            "events": [{ "name": "e", "attributes": {} }], "status": { "status_code": "ERROR", "description": "no" } });
        same(&python, expected.clone());
        let go = json!({ "Name": "pay", "SpanContext": { "TraceID": "5b", "SpanID": "cc" }, "Parent": { "SpanID": "dd" },
            "StartTime": times[0], "EndTime": times[1], "Attributes": [{ "Key": "n", "Value": { "Type": "INT64", "Value": 1 } }],
            "Events": [{ "Name": "e", "Attributes": null }], "Status": { "Code": "Error", "Description": "no" } });
        same(&go, expected);
        let zipkin = json!({ "traceId": "5b", "id": "cc", "parentId": "dd", "name": "pay",
            "timestamp": 1_790_000_000_000_000_u64, "duration": 400_000, "tags": { "n": 1 } });
        same(&zipkin, json!({ "status": { "code": 0, "message": null } }));
    }

    #[test]
    fn observations_are_spans_with_attributes() {
        let observation = json!({ "traceId": "t", "id": "o", "type": "TOOL", "name": "pay", "level": "ERROR",
            "startTime": "2026-09-21T14:13:20Z", "input": { "n": 1 } });
        let own = otlp(&observation);
        assert_eq!(
            own["attributes"][0],
            json!({ "key": "langfuse.observation.input", "value": { "kvlistValue": { "values": [{ "key": "n", "value": { "intValue": 1 } }] } } })
        );
        assert_eq!(
            (&own["endTimeUnixNano"], &own["status"]["code"]),
            (&Value::Null, &json!(2))
        );
    }
}
