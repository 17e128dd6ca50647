//! A span or a log record of OTLP JSON, borrowed from the bytes that it was read from.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use crate::conventions::Conventions;
use crate::message_item::{is_given, text_of};
use ananke_base::source::received_json::{JsonError, Oddities, read_bytes, without_marks};

/// A span, or a log record.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct OtlpSpan<'a> {
    #[serde(borrow, deserialize_with = "borrowed", alias = "trace_id")]
    pub(super) trace_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "borrowed", alias = "span_id")]
    pub(super) span_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "borrowed", alias = "parent_span_id")]
    pub(super) parent_span_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(
        alias = "start_time_unix_nano",
        alias = "timeUnixNano",
        alias = "time_unix_nano"
    )]
    pub(super) start_time_unix_nano: Option<OtlpInteger>,
    #[serde(alias = "end_time_unix_nano")]
    pub(super) end_time_unix_nano: Option<OtlpInteger>,
    #[serde(borrow)]
    pub(super) attributes: Option<Vec<Attribute<'a>>>,
    #[serde(borrow)]
    pub(super) events: Option<Vec<SpanEvent<'a>>>,
    #[serde(borrow)]
    pub(super) status: Option<SpanStatus<'a>>,
    #[serde(alias = "dropped_attributes_count")]
    dropped_attributes_count: Option<OtlpInteger>,
    #[serde(alias = "dropped_events_count")]
    dropped_events_count: Option<OtlpInteger>,
    /// The shape of the program that wrote it, if it was not OTLP.
    #[serde(skip)]
    pub(super) shape: Option<&'static str>,
    /// The name of a log record that is an event.
    #[serde(borrow, deserialize_with = "borrowed", alias = "event_name")]
    pub(super) event_name: Option<Cow<'a, str>>,
    /// The body of a log record.
    #[serde(borrow)]
    pub(super) body: Option<AnyValue<'a>>,
}

impl<'a> OtlpSpan<'a> {
    /// Reads a span, and what is odd about it. What is not strict JSON of OTLP is written as that to `strict`, and borrowed
    /// from there.
    ///
    /// # Errors
    /// If it is not JSON, or not a span.
    pub(super) fn read(
        bytes: &'a [u8],
        strict: &'a mut String,
    ) -> Result<(Self, Oddities), JsonError> {
        let own: Result<Self, _> = serde_json::from_slice(bytes);
        let failure = match own {
            Ok(span) if span.trace_id.is_some() && span.attributes.is_some() => {
                return Ok((span, Oddities::default()));
            }
            own => own.err(),
        };
        let read = read_bytes(bytes)?;
        let value = without_marks(&read.value);
        let shape = Conventions::known()
            .shapes
            .iter()
            .find(|shape| shape.is_of(&value));
        *strict = match shape {
            Some(shape) => shape.otlp(&value).to_string(),
            None => value.to_string(),
        };
        let span: Self = serde_json::from_str(strict)
            .map_err(|error| JsonError(failure.unwrap_or(error).to_string()))?;
        let shape = shape.map(|shape| &*shape.name);
        Ok((Self { shape, ..span }, read.oddities))
    }

    /// The data that the exporter dropped because it was too much, in words.
    pub(super) fn dropped(&self) -> Vec<(&'static str, u64)> {
        let count = |count: &Option<OtlpInteger>| {
            count
                .as_ref()
                .and_then(OtlpInteger::count)
                .unwrap_or_default()
        };
        let events = self.events.iter().flatten();
        let of_events = events.map(|event| count(&event.dropped_attributes_count));
        let counts = [
            (
                "droppedAttributesCount",
                count(&self.dropped_attributes_count),
            ),
            ("droppedEventsCount", count(&self.dropped_events_count)),
            (
                "events[].droppedAttributesCount",
                of_events.fold(0, u64::saturating_add),
            ),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// A text that is borrowed where it has no escapes: serde copies one that is optional.
fn borrowed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    #[derive(Deserialize)]
    struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

    Ok(Option::<BorrowedText<'de>>::deserialize(deserializer)?.map(|text| text.0))
}

/// An event of a span.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SpanEvent<'a> {
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) attributes: Option<Vec<Attribute<'a>>>,
    #[serde(alias = "dropped_attributes_count")]
    dropped_attributes_count: Option<OtlpInteger>,
}

/// The status with which a span ended.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SpanStatus<'a> {
    code: Option<StatusCode>,
    #[serde(borrow, deserialize_with = "borrowed")]
    pub(super) message: Option<Cow<'a, str>>,
}

/// The code of a status: a number, or its name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum StatusCode {
    Number(u64),
    Name(String),
}

impl SpanStatus<'_> {
    /// Whether it is an error.
    pub(super) fn is_error(&self) -> bool {
        match &self.code {
            Some(StatusCode::Number(number)) => *number == 2,
            Some(StatusCode::Name(name)) => name.to_uppercase().ends_with("ERROR"),
            None => false,
        }
    }
}

/// An attribute.
#[derive(Debug, Deserialize)]
pub(super) struct Attribute<'a> {
    #[serde(borrow)]
    pub(super) key: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) value: Option<AnyValue<'a>>,
}

/// A value of any type.
#[expect(clippy::struct_field_names, reason = "the names of OTLP")]
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AnyValue<'a> {
    #[serde(borrow, deserialize_with = "borrowed", alias = "string_value")]
    pub(super) string_value: Option<Cow<'a, str>>,
    #[serde(alias = "bool_value")]
    bool_value: Option<bool>,
    #[serde(alias = "int_value")]
    int_value: Option<OtlpInteger>,
    #[serde(alias = "double_value")]
    double_value: Option<Number>,
    #[serde(borrow, alias = "array_value")]
    array_value: Option<ArrayValue<'a>>,
    #[serde(borrow, alias = "kvlist_value")]
    kvlist_value: Option<KeyValueList<'a>>,
    #[serde(borrow, deserialize_with = "borrowed", alias = "bytes_value")]
    bytes_value: Option<Cow<'a, str>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ArrayValue<'a> {
    #[serde(borrow)]
    values: Vec<AnyValue<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct KeyValueList<'a> {
    #[serde(borrow)]
    values: Vec<Attribute<'a>>,
}

/// An integer of 64 bits: JSON of OTLP has it as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OtlpInteger {
    Number(Number),
    Text(String),
}

impl OtlpInteger {
    /// The number, if it is one that counts.
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            Self::Text(text) => text.parse().ok(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Number(number) => number.clone().into(),
            Self::Text(text) => text
                .parse::<Number>()
                .map_or_else(|_| text.clone().into(), Value::Number),
        }
    }
}

impl AnyValue<'_> {
    /// The value as JSON.
    pub(super) fn json(&self) -> Value {
        let Self {
            string_value,
            bool_value,
            int_value,
            double_value,
            array_value,
            kvlist_value,
            bytes_value,
        } = self;
        if let Some(text) = string_value.as_ref().or(bytes_value.as_ref()) {
            return text.as_ref().into();
        }
        if let Some(list) = array_value {
            return list.values.iter().map(AnyValue::json).collect();
        }
        if let Some(list) = kvlist_value {
            return Value::Object(json_of(&list.values));
        }
        let number = int_value
            .as_ref()
            .map(OtlpInteger::json)
            .or_else(|| double_value.clone().map(Value::Number));
        number.or(bool_value.map(Value::Bool)).unwrap_or_default()
    }
}

impl Conventions {
    /// The name of the conversation that a span with these attributes is of: the first that is not empty.
    pub(super) fn conversation(&self, attributes: &[Attribute<'_>]) -> Option<String> {
        for name in &self.attributes.conversation {
            for attribute in attributes {
                if attribute.key != **name {
                    continue;
                }
                let value = attribute.value.as_ref().map(AnyValue::json);
                let text = value.as_ref().map(text_of).unwrap_or_default();
                if value.is_some_and(|value| is_given(&value)) && !text.is_empty() {
                    return Some(text);
                }
            }
        }
        None
    }
}

/// Attributes as JSON; of two with one name, the last counts.
pub(super) fn json_of(attributes: &[Attribute<'_>]) -> Map<String, Value> {
    let pair = |attribute: &Attribute<'_>| {
        let value = attribute
            .value
            .as_ref()
            .map(AnyValue::json)
            .unwrap_or_default();
        (attribute.key.clone().into_owned(), value)
    };
    attributes.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_type_of_value_is_kept() {
        let text = r#"{"traceId":"5b8e","name":"x","kind":1,"startTimeUnixNano":"1700000000000000001","attributes":[
            {"key":"s","value":{"stringValue":"a\"b"}},{"key":"i","value":{"intValue":"9007199254740993"}},
            {"key":"n","value":{"intValue":5}},{"key":"d","value":{"doubleValue":0.5}},{"key":"b","value":{"boolValue":true}},
            {"key":"a","value":{"arrayValue":{"values":[{"stringValue":"x"},{}]}}},
            {"key":"k","value":{"kvlistValue":{"values":[{"key":"y","value":{"intValue":"1"}}]}}},
            {"key":"none"},{"key":"bytes","value":{"bytesValue":"AAE="}}],"status":{"code":"STATUS_CODE_ERROR"}}"#;
        let span: OtlpSpan<'_> = serde_json::from_str(text).unwrap();
        let expected = json!({ "s": "a\"b", "i": 9_007_199_254_740_993_u64, "n": 5, "d": 0.5, "b": true,
            "a": ["x", null], "k": { "y": 1 }, "none": null, "bytes": "AAE=" });
        assert_eq!(
            Value::Object(json_of(span.attributes.as_deref().unwrap_or_default())),
            expected
        );
        assert_eq!(
            span.start_time_unix_nano.and_then(|time| time.count()),
            Some(1_700_000_000_000_000_001)
        );
        assert!(span.status.unwrap().is_error());
        assert!(matches!(span.trace_id, Some(Cow::Borrowed("5b8e"))));
    }
}
