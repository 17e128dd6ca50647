//! A value that is a text in the simple case and a mapping otherwise.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};

use super::scalars::Text;

/// A text, or a mapping that is an `M`.
#[derive(Clone, Debug)]
pub enum TextOr<M> {
    /// A text.
    Text(Text),
    /// A mapping.
    Mapping(M),
}

impl<'de, M: Deserialize<'de>> Deserialize<'de> for TextOr<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EitherVisitor<M>(PhantomData<M>);
        impl<'de, M: Deserialize<'de>> Visitor<'de> for EitherVisitor<M> {
            type Value = TextOr<M>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a mapping")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, text: D) -> Result<TextOr<M>, D::Error> {
                Text::deserialize(text).map(TextOr::Text)
            }

            fn visit_some<D: Deserializer<'de>>(self, mapping: D) -> Result<TextOr<M>, D::Error> {
                M::deserialize(mapping).map(TextOr::Mapping)
            }
        }
        deserializer.deserialize_newtype_struct(crate::source::TEXT_OR_MAPPING, EitherVisitor(PhantomData))
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
