//! The leaves of the model: values that may hold `${…}` and shapes that several keys share.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor, value};

use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node, NodeValue};

/// A string in which `${…}` is replaced; whether it is a name, a regex or a URL is said by its key.
pub type Text = Spanned<String>;

/// A whole number, or a string that is exactly one `${…}`.
pub type Number = Spanned<Given<u64>>;

/// `true` or `false`, or a string that is exactly one `${…}`.
pub type Flag = Spanned<Given<bool>>;

/// What a string that stands for a number or boolean looks like: exactly one reference.
const ONE_REFERENCE: &str = r"^\$\{[^{}]+\}$";

/// A value written out, or a reference that gives it later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given<T> {
    /// Written out.
    Literal(T),
    /// Exactly one `${…}`.
    Reference(String),
}

/// A limit: a number of what it limits, or `false` to switch off what an outer level set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `false`.
    Off,
    /// The largest number that still passes.
    Most(Given<u64>),
}

/// One value, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

/// What a schema says of the keys at the top of a file that are the user's own (SPEC 1).
pub fn extension_keys() -> serde_json::Value {
    serde_json::json!({ "^x-": {
        "description": "A key of your own: a home for anchors, which aliases elsewhere in the file refer to. Nothing reads it.",
        "x-since": "1.3",
    }})
}

/// Reads a value that must be a mapping of the user's own keys, for `deserialize_with`: the schema says so too.
///
/// # Errors
/// If the value is no mapping.
pub fn mapping<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
    let node = Node::deserialize(deserializer)?;
    match node.value {
        NodeValue::Map(_) => Ok(node),
        _ => Err(de::Error::custom(format!("expected a mapping, found {}", node.describe()))),
    }
}

/// As [`mapping`], for a key that may be left out.
///
/// # Errors
/// If the value is no mapping.
pub fn optional_mapping<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Node>, D::Error> {
    mapping(deserializer).map(Some)
}

struct GivenVisitor;

impl Visitor<'_> for GivenVisitor {
    type Value = Given<u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number or exactly one `${…}`")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Given::Literal(value))
    }

    // `3.0` is a whole number in JSON Schema too.
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        match format!("{value}").parse() {
            Ok(whole) => Ok(Given::Literal(whole)),
            Err(_) => Err(E::invalid_value(de::Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        reference(value).ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
    }
}

/// Whether a text is exactly one reference.
pub fn is_reference(text: &str) -> bool {
    let inner = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['{', '}']))
}

fn reference<T>(value: &str) -> Option<Given<T>> {
    is_reference(value).then(|| Given::Reference(value.to_owned()))
}

impl<'de> Deserialize<'de> for Given<u64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GivenVisitor)
    }
}

impl<'de> Deserialize<'de> for Given<bool> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;
        impl Visitor<'_> for FlagVisitor {
            type Value = Given<bool>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`true`, `false` or exactly one `${…}`")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Given::Literal(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
                reference(value).ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}

impl JsonSchema for Given<bool> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "boolean" },
            { "type": "string", "pattern": ONE_REFERENCE },
        ]})
    }
}

impl JsonSchema for Given<u64> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": ONE_REFERENCE },
        ]})
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;
        impl Visitor<'_> for LimitVisitor {
            type Value = Limit;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`false`, a whole number or exactly one `${…}`")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Limit, E> {
                if value { Err(E::invalid_value(de::Unexpected::Bool(true), &self)) } else { Ok(Limit::Off) }
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Limit, E> {
                GivenVisitor.visit_u64(value).map(Limit::Most)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Limit, E> {
                GivenVisitor.visit_f64(value).map(Limit::Most)
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Limit, E> {
                GivenVisitor.visit_str(value).map(Limit::Most)
            }
        }
        deserializer.deserialize_any(LimitVisitor)
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": false },
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": ONE_REFERENCE },
        ]})
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("one text or a list of them")
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
                T::deserialize(value::StrDeserializer::new(value)).map(|one| OneOrMany(vec![one]))
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, one: D) -> Result<Self::Value, D::Error> {
                T::deserialize(one).map(|one| OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(OneOrMany(items))
            }
        }
        // The typed reader of `source` answers a list as a sequence and anything else as itself, place included.
        deserializer.deserialize_newtype_struct(crate::source::ONE_OR_MANY, OneOrManyVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

impl<T: JsonSchema> JsonSchema for FreeMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}
