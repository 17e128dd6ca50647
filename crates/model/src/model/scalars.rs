//! The leaves of the model: values that may hold `${…}` and shapes that several keys share.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::{Map, Value, json};

use super::{NEWEST_VERSION, VERSIONS, tree::no_form};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{Node, NodeValue};

/// A string in which `${…}` is replaced; whether it is a name, a regex or a URL is said by its key.
pub type Text = Spanned<String>;

/// An integer, or a string that is exactly one `${…}`.
pub type Number = Spanned<Scalar<u64>>;

/// Milliseconds after which something is aborted: an integer above 0, or a string that is exactly one `${…}`.
pub type TimeoutMs = Spanned<Scalar<NonZeroU64>>;

/// `true` or `false`, or a string that is exactly one `${…}`.
pub type Flag = Spanned<Scalar<bool>>;

/// A number with or without a fraction, or a string that is exactly one `${…}`.
pub type Decimal = Spanned<Scalar<serde_json::Number>>;

/// The form of a string instead of a number or boolean: exactly one reference.
const ONE_REFERENCE: &str = r"^\$\{[^{}]+\}$";

/// A value written out, or a reference that gives it later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar<T> {
    /// Written out.
    Literal(T),
    /// Exactly one `${…}`.
    Reference(String),
}

/// A kind of whole number.
pub trait WholeNumber: Copy {
    /// The smallest one.
    const LEAST: u64;

    /// The number, unless it is too small.
    fn of(number: u64) -> Option<Self>;

    /// The number as every kind of it is calculated with.
    fn get(self) -> u64;
}

impl WholeNumber for u64 {
    const LEAST: u64 = 0;

    fn of(number: u64) -> Option<Self> {
        Some(number)
    }

    fn get(self) -> u64 {
        self
    }
}

impl WholeNumber for NonZeroU64 {
    const LEAST: u64 = 1;

    fn of(number: u64) -> Option<Self> {
        Self::new(number)
    }

    fn get(self) -> u64 {
        Self::get(self)
    }
}

/// A limit: a number of what it limits, or `false` to switch off what an outer level set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit<N = u64> {
    /// `false`.
    Off,
    /// The largest number that still passes.
    Most(Scalar<N>),
}

/// A limit in US dollars.
pub type CostLimit = Limit<serde_json::Number>;

/// One value, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> OneOrMany<T> {
    /// The values, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a OneOrMany<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The forms that a value can have: the branches of its union, or its one schema.
pub(super) fn forms_of(schema: &Schema) -> Vec<Value> {
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(forms) => forms.clone(),
        None => vec![schema.clone().to_value()],
    }
}

/// The schema of the keys at the top of a file that are the user's own (SPEC 1).
pub fn extension_keys() -> Value {
    json!({ "^x-": {
        "description": "Ignored by ananke. Use it to define YAML anchors.",
        "x-since": "1.3",
    }})
}

/// The schema of the key `version` at the top of a file: YAML reads `1.4` as a number, and so do editors.
pub fn version_schema(_: &mut SchemaGenerator) -> Schema {
    let as_numbers = VERSIONS.iter().filter_map(|version| version.parse().ok());
    let texts = VERSIONS.iter().map(|version| json!(version));
    let all: Vec<Value> = texts
        .chain(as_numbers.map(|number: f64| json!(number)))
        .collect();
    json_schema!({ "enum": all, "default": NEWEST_VERSION })
}

/// Adds the bounds of a whole number, and its default, to the schema of the type that has it as `key`.
pub fn add_bounds(
    schema: &mut Schema,
    key: &str,
    within: &RangeInclusive<u64>,
    default: Option<u64>,
) {
    let property = schema.get_mut("properties");
    let Some(property) = property.and_then(|properties| properties.get_mut(key)) else {
        return;
    };
    if let Some(form) = whole_number_form(property) {
        form.insert("minimum".to_owned(), (*within.start()).into());
        if *within.end() < u64::MAX {
            form.insert("maximum".to_owned(), (*within.end()).into());
        }
    }
    if let (Some(property), Some(default)) = (property.as_object_mut(), default) {
        property.insert("default".to_owned(), default.into());
    }
}

/// The form of a value that is a whole number.
pub(super) fn whole_number_form(schema: &mut Value) -> Option<&mut Map<String, Value>> {
    if schema.get("type").is_some_and(|kind| kind == "integer") {
        return schema.as_object_mut();
    }
    let forms = schema.get_mut("anyOf")?.as_array_mut()?;
    forms.iter_mut().find_map(whole_number_form)
}

/// Reads a value that must be a mapping of the user's own keys, for `deserialize_with`: the schema says so too.
///
/// # Errors
/// If the value is no mapping.
pub fn mapping<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
    let node = Node::deserialize(deserializer)?;
    match node.value {
        NodeValue::Map(_) => Ok(node),
        _ => Err(no_form(&node, "a mapping")),
    }
}

/// As [`mapping`], for an optional key.
///
/// # Errors
/// If the value is no mapping.
pub fn optional_mapping<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Node>, D::Error> {
    mapping(deserializer).map(Some)
}

/// Whether a text is exactly one reference.
pub fn is_reference(text: &str) -> bool {
    let inner = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['{', '}']))
}

/// The scalar that a text which is exactly one reference refers to.
fn reference<T>(value: &NodeValue) -> Option<Scalar<T>> {
    let NodeValue::String(text) = value else {
        return None;
    };
    is_reference(text).then(|| Scalar::Reference(text.clone()))
}

/// A whole number, or a reference to one. `3.0` is a whole number in JSON Schema too.
fn whole_number<T: WholeNumber>(value: &NodeValue) -> Option<Scalar<T>> {
    let NodeValue::Number(number) = value else {
        return reference(value);
    };
    let whole = number
        .as_u64()
        .or_else(|| format!("{}", number.as_f64()?).parse().ok());
    whole.and_then(T::of).map(Scalar::Literal)
}

impl<'de, T: WholeNumber> Deserialize<'de> for Scalar<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        whole_number(&node.value)
            .ok_or_else(|| no_form(&node, "a whole number or exactly one `${…}`"))
    }
}

impl<'de> Deserialize<'de> for Scalar<bool> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let flag = match &node.value {
            NodeValue::Bool(value) => Some(Self::Literal(*value)),
            value => reference(value),
        };
        flag.ok_or_else(|| no_form(&node, "`true`, `false` or exactly one `${…}`"))
    }
}

impl JsonSchema for Scalar<bool> {
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

impl<'de> Deserialize<'de> for Scalar<serde_json::Number> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let number = match &node.value {
            NodeValue::Number(value) => Some(Self::Literal(value.clone())),
            value => reference(value),
        };
        number.ok_or_else(|| no_form(&node, "a number or exactly one `${…}`"))
    }
}

impl JsonSchema for Scalar<serde_json::Number> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "number" },
            { "type": "string", "pattern": ONE_REFERENCE },
        ]})
    }
}

impl<T: WholeNumber> JsonSchema for Scalar<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("NumberFrom{}", T::LEAST).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": T::LEAST },
            { "type": "string", "pattern": ONE_REFERENCE },
        ]})
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let limit = match &node.value {
            NodeValue::Bool(false) => Some(Self::Off),
            value => whole_number(value).map(Self::Most),
        };
        limit.ok_or_else(|| no_form(&node, "`false`, a whole number or exactly one `${…}`"))
    }
}

impl<'de> Deserialize<'de> for CostLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let limit = match &node.value {
            NodeValue::Bool(false) => Some(Self::Off),
            NodeValue::Number(number) => Some(Self::Most(Scalar::Literal(number.clone()))),
            value => reference(value).map(Self::Most),
        };
        limit.ok_or_else(|| no_form(&node, "`false`, a number or exactly one `${…}`"))
    }
}

impl JsonSchema for CostLimit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "CostLimit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "number", "minimum": 0 },
            { "type": "string", "pattern": ONE_REFERENCE },
            { "type": "boolean", "const": false },
        ]})
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
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": ONE_REFERENCE },
            { "type": "boolean", "const": false },
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

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                one: D,
            ) -> Result<Self::Value, D::Error> {
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
        deserializer.deserialize_newtype_struct(
            ananke_base::source::ONE_OR_MANY,
            OneOrManyVisitor(PhantomData),
        )
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
        let mut forms = forms_of(&one);
        forms.push(json!({ "type": "array", "items": one }));
        json_schema!({ "anyOf": forms })
    }
}
