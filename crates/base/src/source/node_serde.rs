//! The deserialization of a tree, and of a value with its place.
//!
//! Both ask for themselves by name. The reader of trees answers with start, end and value; any other deserializer
//! (JSON in a test) with the value alone, which then has no place.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::typed::{NODE, SPANNED};
use super::{Entry, Node, NodeValue, spelled};
use crate::diagnostic::{Span, Spanned};

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SPANNED, PlacedVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let placed: Spanned<NodeValue> =
            deserializer.deserialize_newtype_struct(NODE, PlacedVisitor(PhantomData))?;
        Ok(Self {
            value: placed.value,
            span: placed.span,
        })
    }
}

struct PlacedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PlacedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
        let missing = || A::Error::custom("a value without a place");
        let start = parts.next_element()?.ok_or_else(missing)?;
        let end = parts.next_element()?.ok_or_else(missing)?;
        let value = parts.next_element()?.ok_or_else(missing)?;
        Ok(Spanned {
            value,
            span: Span { start, end },
        })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Spanned<T>, D::Error> {
        T::deserialize(deserializer).map(|value| Spanned {
            value,
            span: Span::default(),
        })
    }
}

impl<'de> Deserialize<'de> for NodeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeValueVisitor::<Spanned<String>, Node>(PhantomData))
    }
}

/// Reads any value whose keys and inner values come as `K` and `V`.
pub(super) struct NodeValueVisitor<K, V>(pub(super) PhantomData<(K, V)>);

impl<'de, K, V> Visitor<'de> for NodeValueVisitor<K, V>
where
    K: Deserialize<'de> + Into<Spanned<String>>,
    V: Deserialize<'de> + Into<Node>,
{
    type Value = NodeValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<NodeValue, E> {
        Ok(NodeValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeValue, E> {
        Ok(NodeValue::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeValue, E> {
        Ok(NodeValue::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeValue, E> {
        Ok(NodeValue::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<NodeValue, E> {
        let number =
            Number::from_f64(value).ok_or_else(|| E::custom("the number is not finite"))?;
        Ok(NodeValue::Number(number))
    }

    /// A number that no other type can hold comes as its digits, from the reader of trees.
    fn visit_bytes<E: Error>(self, digits: &[u8]) -> Result<NodeValue, E> {
        let spelled = std::str::from_utf8(digits).ok().and_then(spelled);
        spelled
            .map(NodeValue::Number)
            .ok_or_else(|| E::custom("bytes are no number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeValue, E> {
        Ok(NodeValue::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<NodeValue, E> {
        Ok(NodeValue::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeValue, A::Error> {
        let mut items = Vec::with_capacity(list.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = list.next_element::<V>()? {
            items.push(item.into());
        }
        Ok(NodeValue::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeValue, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<K, V>()? {
            let Spanned {
                value: key,
                span: key_span,
            } = key.into();
            entries.push(Entry {
                key,
                key_span,
                value: value.into(),
            });
        }
        Ok(NodeValue::Map(entries))
    }
}
