//! The conditions on values: one vocabulary, wherever a rule looks at a value.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{Count, Short, Since, Text, form, tree::no_form};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_base::source::{FreeMap, Node, NodeValue};

/// Conditions on a value: at least one of the keys other than `not` and `message`. With several, all must be met.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ValueCondition {
    /// The expected value; the order of keys does not matter.
    #[schemars(with = "Option<serde_json::Value>")]
    pub equals: Option<Node>,
    /// The expected values, one of which the value must be equal to.
    #[schemars(with = "Option<Vec<serde_json::Value>>", length(min = 1), example = serde_json::json!(["paid", "pending"]))]
    pub one_of: Option<Vec<Node>>,
    /// Literal text that must occur: in a string as it is, in any other value as compact JSON.
    #[schemars(example = "order confirmed")]
    pub contains: Option<Text>,
    /// Regular expression that must match: a string as it is, any other value as compact JSON.
    #[serde(rename = "match")]
    #[schemars(example = "^sku-")]
    pub matches: Option<Text>,
    /// The expected type.
    #[serde(rename = "type")]
    pub value_type: Option<ValueType>,
    /// Whether there must be a value; `null` is a value.
    pub exists: Option<bool>,
    /// A JSON Schema that the value must satisfy.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"type": "array", "minItems": 1}))]
    pub schema: Option<Node>,
    /// Smallest allowed value: a number, or a date or date-time of ISO 8601. It is compared with values of the same kind only.
    #[schemars(extend("x-since" = "1.4"), example = 40)]
    pub min: Option<BoundValue>,
    /// Largest allowed value, of the same kinds as `min`.
    #[schemars(extend("x-since" = "1.4"), example = "2026-12-31")]
    pub max: Option<BoundValue>,
    /// The value must be greater than this, of the same kinds as `min`.
    #[schemars(extend("x-since" = "1.4"), example = 0)]
    pub above: Option<BoundValue>,
    /// The value must be less than this, of the same kinds as `min`.
    #[schemars(extend("x-since" = "1.4"), example = 100)]
    pub below: Option<BoundValue>,
    /// The number of characters of a string, of elements of a list or of keys of a mapping: a number, or `min` and `max`.
    #[schemars(extend("x-since" = "1.4"), example = serde_json::json!({"min": 1, "max": 5}))]
    pub length: Option<Spanned<Short<Count>>>,
    /// Negate all conditions of the mapping together (default false).
    pub not: Option<bool>,
    /// Custom failure message.
    #[schemars(example = "the cart must not be empty")]
    pub message: Option<Text>,
}

impl ValueCondition {
    /// The keys, in the order in which they are listed.
    pub const KEYS: [&str; 14] = [
        "equals", "one_of", "contains", "match", "type", "exists", "schema", "min", "max", "above",
        "below", "length", "not", "message",
    ];

    /// The values, and texts, that a value is compared with as they are.
    pub fn values(&self) -> impl Iterator<Item = Cow<'_, Node>> {
        let contained = self.contains.as_ref().map(|text| {
            Cow::Owned(Node {
                value: NodeValue::String(text.value.clone()),
                span: text.span,
            })
        });
        let equal = self.equals.iter().chain(self.one_of.iter().flatten());
        equal.map(Cow::Borrowed).chain(contained)
    }
}

/// The names of conditions in other languages, each with the key that means the same.
pub const CONDITION_WORDS: &[(&str, &[&str])] = &[
    ("$eq", &["equals"]),
    ("$gt", &["above"]),
    ("$gte", &["min"]),
    ("$in", &["one_of"]),
    ("$lt", &["below"]),
    ("$lte", &["max"]),
    ("$regex", &["match"]),
    ("<", &["below"]),
    ("<=", &["max"]),
    (">", &["above"]),
    (">=", &["min"]),
    ("at_least", &["min"]),
    ("at_most", &["max"]),
    ("exclusiveMaximum", &["below"]),
    ("exclusiveMinimum", &["above"]),
    ("ge", &["min"]),
    ("greater_than", &["above"]),
    ("gt", &["above"]),
    ("gte", &["min"]),
    ("le", &["max"]),
    ("less_than", &["below"]),
    ("lt", &["below"]),
    ("lte", &["max"]),
    ("maximum", &["max"]),
    ("minimum", &["min"]),
];

/// A bound of a value: a number, or the text of a date, a date-time or a reference.
#[derive(Clone, Debug)]
pub struct BoundValue(pub Node);

impl<'de> Deserialize<'de> for BoundValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Number(_) | NodeValue::String(_) => Ok(Self(node)),
            _ => Err(no_form(
                &node,
                "a number, or a date or date-time of ISO 8601",
            )),
        }
    }
}

impl JsonSchema for BoundValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BoundValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
    }
}

/// Paths in a value and the conditions on what is there.
pub type ValuesWhere = Spanned<FreeMap<Spanned<ValueCondition>>>;

/// A condition on a result as a whole, or conditions on values in it.
#[derive(Clone, Debug)]
pub enum ResultWhere {
    /// The result meets it.
    Whole(Box<Spanned<ValueCondition>>),
    /// The values at these paths meet them.
    Parts(ValuesWhere),
}

impl ResultWhere {
    /// The place of the mapping.
    pub fn span(&self) -> Span {
        match self {
            Self::Whole(condition) => condition.span,
            Self::Parts(parts) => parts.span,
        }
    }

    /// The conditions in it.
    pub fn conditions(&self) -> impl Iterator<Item = &ValueCondition> {
        let (whole, parts) = match self {
            Self::Whole(condition) => (Some(&condition.value), None),
            Self::Parts(parts) => (None, Some(&parts.value)),
        };
        let parts = parts.into_iter().flat_map(FreeMap::values);
        whole.into_iter().chain(parts.map(|part| &part.value))
    }
}

impl<'de> Deserialize<'de> for ResultWhere {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let mut keys = node.entries().iter().map(|entry| entry.key.as_str());
        if keys.any(|key| ValueCondition::KEYS.contains(&key)) {
            Ok(Self::Whole(Box::new(Spanned {
                value: form(&node)?,
                span: node.span,
            })))
        } else {
            Ok(Self::Parts(Spanned {
                value: form(&node)?,
                span: node.span,
            }))
        }
    }
}

impl JsonSchema for ResultWhere {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ResultWhere".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let condition: Value = generator.subschema_for::<ValueCondition>().to_value();
        let names = json!({ "not": { "enum": ValueCondition::KEYS } });
        json_schema!({ "anyOf": [
            { "type": "object", "propertyNames": names, "additionalProperties": condition },
            condition,
        ]})
    }
}

/// A type of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ValueType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `null`.
    Null,
}
