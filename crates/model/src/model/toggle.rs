//! A block or a list of rules, or `false` to switch off what outer levels say.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::json;

use super::scalars::forms_of;

/// Rules, or `false` (SPEC 7.1).
#[derive(Clone, Debug)]
pub enum Toggle<T> {
    /// `false`: what outer levels say does not apply.
    Off,
    /// These rules, in addition to those of outer levels.
    On(T),
}

impl<T> Toggle<T> {
    /// The rules, where there are any.
    pub fn on(&self) -> Option<&T> {
        match self {
            Self::Off => None,
            Self::On(rules) => Some(rules),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Toggle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ToggleVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ToggleVisitor<T> {
            type Value = Toggle<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`false` or rules")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
                if value {
                    Err(E::invalid_value(de::Unexpected::Bool(true), &self))
                } else {
                    Ok(Toggle::Off)
                }
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                rules: D,
            ) -> Result<Self::Value, D::Error> {
                T::deserialize(rules).map(Toggle::On)
            }
        }
        // The typed reader of `source` answers `true` or `false` as that and anything else as itself, place included.
        deserializer
            .deserialize_newtype_struct(ananke_base::source::SWITCH, ToggleVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Toggle<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Toggle{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut branches = forms_of(&generator.subschema_for::<T>());
        // The last one, which editors offer last.
        branches.push(json!({ "type": "boolean", "const": false, "x-since": "1.3" }));
        json_schema!({ "anyOf": branches })
    }
}
