//! A mapping of which one key can be written alone: `count: 1` for `count: { exact: 1 }`; and a value that is a text in the simple
//! case and a mapping otherwise.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use super::scalars::{forms_of, whole_number_form};
use super::{Text, form};
use ananke_base::source::{Entry, Node, NodeValue};

/// An `M`, written as a mapping or as the value of one of its keys.
#[derive(Clone, Debug)]
pub struct Short<M>(pub M);

/// The key of a mapping that can be written alone.
pub trait ShortForm {
    /// The key.
    const KEY: &'static str;

    /// The schema version that brings the short form.
    const SINCE: &'static str = "1.3";

    /// The type of its value, for the schema.
    type Value: JsonSchema;
}

impl<M> Deref for Short<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.0
    }
}

impl<'de, M: DeserializeOwned + ShortForm> Deserialize<'de> for Short<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        if let NodeValue::Map(_) = node.value {
            return form(&node).map(Self);
        }
        let span = node.span;
        let entry = Entry {
            key: M::KEY.to_owned(),
            key_span: span,
            value: node,
        };
        form(&Node {
            value: NodeValue::Map(vec![entry]),
            span,
        })
        .map(Self)
    }
}

impl<M: JsonSchema + ShortForm> JsonSchema for Short<M> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Short{}", M::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut forms = forms_of(&generator.subschema_for::<M::Value>());
        let whole = generator.subschema_for::<M>().to_value();
        // A number has the bounds that it has as the value of the key.
        let mut of_mapping = M::json_schema(generator);
        let keys = of_mapping.get_mut("properties");
        let of_key = keys.and_then(|keys| whole_number_form(keys.get_mut(M::KEY)?));
        if let (Some(of_key), Some(form)) = (of_key, forms.iter_mut().find_map(whole_number_form)) {
            form.clone_from(of_key);
        }
        for form in forms.iter_mut().filter_map(Value::as_object_mut) {
            form.insert("x-since".to_owned(), M::SINCE.into());
        }
        forms.push(whole);
        json_schema!({ "anyOf": forms })
    }
}

/// A text, or a mapping that is an `M`.
#[derive(Clone, Debug)]
pub enum TextOr<M> {
    /// A text.
    Text(Text),
    /// A mapping.
    Mapping(M),
}

impl<'de, M: DeserializeOwned> Deserialize<'de> for TextOr<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::Map(_) => form(&node).map(Self::Mapping),
            _ => form(&node).map(Self::Text),
        }
    }
}

impl<M: JsonSchema> JsonSchema for TextOr<M> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("TextOr{}", M::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mapping = generator.subschema_for::<M>();
        json_schema!({ "anyOf": [{ "type": "string" }, mapping] })
    }
}
