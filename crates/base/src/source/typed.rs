//! From a tree to a value of the model: an own serde deserializer over [`Node`].
//!
//! Own, because places must survive: `Spanned<T>` and `Node` ask for themselves by a newtype name no one else has and
//! are answered with their place. And because unions discriminated by `type` lose every place in serde's own buffers:
//! serde sees plain enums, this reader takes the variant from `type`.

use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Number;

use super::{Entry, Node, NodeValue, TypeMismatch, typed_error::TypedReadError};
use crate::diagnostic::Span;

/// The marker under which `OneOrMany` asks for a list or a single value.
pub const ONE_OR_MANY: &str = "$ananke::one_or_many";

/// The marker under which `Toggle` asks for `false` or rules.
pub const SWITCH: &str = "$ananke::switch";

/// The name of a field whose type is a mapping of its own in Rust, and whose keys stand among those of the mapping
/// around it in a file: the keys that no other field has, or those that follow the name, as in
/// `$ananke::flattened state history`.
pub const FLATTENED: &str = "$ananke::flattened";

/// The keys of a field [`FLATTENED`], if its name lists them.
fn listed_keys(field: &str) -> Option<&str> {
    field.strip_prefix(FLATTENED)?.strip_prefix(' ')
}

/// The marker under which a value asks for its place.
pub(super) const SPANNED: &str = "$ananke::spanned";

/// The marker under which a tree asks for itself.
pub(super) const NODE: &str = "$ananke::node";

/// The key that discriminates a union.
const TAG: &str = "type";

fn is_tag(key: &str) -> bool {
    key == TAG
}

/// A union whose `type` is optional.
#[derive(Clone, Copy, Debug)]
pub struct TagDefault {
    /// The union's type name.
    pub union: &'static str,
    /// The tag that is meant.
    pub tag: &'static str,
    /// It applies only if this key is there: then there is no `type`, nor can the tag be written.
    pub key: Option<&'static str>,
}

/// Reads a value of the model from a tree.
///
/// # Errors
/// The first place where the tree does not fit the type.
pub fn from_node<T: DeserializeOwned>(
    node: &Node,
    defaults: &[TagDefault],
) -> Result<T, TypeMismatch> {
    from_mapping(node, defaults, |_| false)
}

/// The same for a mapping of which some keys are passed over.
///
/// # Errors
/// The first place where the tree does not fit the type.
pub fn from_mapping<T: DeserializeOwned>(
    node: &Node,
    defaults: &[TagDefault],
    without: fn(&str) -> bool,
) -> Result<T, TypeMismatch> {
    let reader = ValueReader {
        node,
        keys: Keys {
            is_left_out: without,
            fields: KeyFilter::All,
        },
        defaults,
    };
    T::deserialize(reader).map_err(|misread| misread.at(node.span))
}

/// One value to be read. The only deserializer of values: the code of every type is compiled once for each.
#[derive(Clone, Copy)]
struct ValueReader<'de> {
    node: &'de Node,
    /// The keys that are read, if the value is a mapping.
    keys: Keys,
    defaults: &'de [TagDefault],
}

impl<'de> ValueReader<'de> {
    /// The reader of a value inside this one.
    fn of(self, node: &'de Node) -> Self {
        Self {
            node,
            keys: Keys::ALL,
            defaults: self.defaults,
        }
    }

    /// Reads the entries of a mapping; `flattened` are the fields of a type that contains others.
    fn entries<V: Visitor<'de>>(
        self,
        entries: &'de [Entry],
        flattened: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        let flattened = flattened.map(|fields| FlattenedFields {
            fields,
            rest: fields.iter(),
            field: None,
        });
        visitor.visit_map(Entries {
            reader: self,
            rest: entries.iter(),
            value: None,
            flattened,
        })
    }

    fn items(self, items: &'de [Node]) -> Items<'de> {
        Items {
            reader: self,
            rest: items.iter(),
        }
    }
}

/// Whether a number is spelled as a double is written.
fn is_spelled_as_double(number: &Number) -> bool {
    number.is_f64()
        && number
            .as_f64()
            .and_then(Number::from_f64)
            .is_some_and(|double| double == *number)
}

impl<'de> Deserializer<'de> for ValueReader<'de> {
    type Error = TypedReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedReadError> {
        let read = match &self.node.value {
            NodeValue::Null => visitor.visit_unit(),
            NodeValue::Bool(value) => visitor.visit_bool(*value),
            NodeValue::Number(number) => {
                match (number.as_u64(), number.as_i64(), number.as_f64()) {
                    (Some(value), ..) => visitor.visit_u64(value),
                    (None, Some(value), _) => visitor.visit_i64(value),
                    (None, None, Some(value)) if is_spelled_as_double(number) => {
                        visitor.visit_f64(value)
                    }
                    // An integer beyond 64 bits keeps every digit, any other number its spelling.
                    (None, None, _) => visitor.visit_bytes(number.as_str().as_bytes()),
                }
            }
            NodeValue::String(text) => visitor.visit_borrowed_str(text),
            NodeValue::List(items) => visitor.visit_seq(self.items(items)),
            NodeValue::Map(entries) => self.entries(entries, None, visitor),
        };
        read.map_err(|misread| misread.or_at(self.node.span))
    }

    // An empty value is not a missing one: it goes on to the type, and only a tree takes it.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        match (name, &self.node.value) {
            (SPANNED | NODE, _) => visitor.visit_seq(Placed {
                span: self.node.span,
                part: 0,
                value: self,
            }),
            (ONE_OR_MANY, NodeValue::List(items)) => visitor.visit_seq(self.items(items)),
            (SWITCH, NodeValue::Bool(value)) => visitor
                .visit_bool(*value)
                .map_err(|misread: TypedReadError| misread.or_at(self.node.span)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    // Derived structs would also take a list, key by key.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        match &self.node.value {
            NodeValue::Map(entries) => {
                let flattened = fields
                    .iter()
                    .any(|field| field.starts_with(FLATTENED))
                    .then_some(fields);
                self.entries(entries, flattened, visitor)
                    .map_err(|misread| misread.or_at(self.node.span))
            }
            _ => Err(TypedReadError::new(
                self.node.span,
                format!("expected a mapping, found {}", self.node.describe()),
            )),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        let read = match &self.node.value {
            NodeValue::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            NodeValue::Map(entries) => self.variant(entries, name, variants).and_then(|variant| {
                let place = variant.place;
                visitor
                    .visit_enum(variant)
                    .map_err(|misread| misread.or_at(place))
            }),
            _ => Err(TypedReadError::new(
                self.node.span,
                format!("{} cannot stand here", self.node.describe()),
            )),
        };
        read.map_err(|misread| misread.or_at(self.node.span))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> ValueReader<'de> {
    /// The variant that a mapping is: by `type`, by what is meant without `type`, or by its only key.
    fn variant(
        self,
        entries: &'de [Entry],
        name: &str,
        variants: &'static [&'static str],
    ) -> Result<Variant<'de>, TypedReadError> {
        let variant = |tag, place, content| Variant {
            tag,
            place,
            content,
        };
        let untagged = Self {
            keys: Keys {
                is_left_out: is_tag,
                fields: KeyFilter::All,
            },
            ..self
        };
        let wrong = |message: &str| TypedReadError::new(self.node.span, message.to_owned());
        let default = self.defaults.iter().find(|default| default.union == name);
        let by_key = default.and_then(|default| Some((default.tag, default.key?)));
        if let Some((tag, key)) = by_key
            && entries.iter().any(|entry| entry.key == key)
        {
            return Ok(variant(
                tag,
                self.node.span,
                Self {
                    keys: Keys::ALL,
                    ..self
                },
            ));
        }
        if let Some(entry) = entries.iter().find(|entry| entry.key == TAG) {
            let tag = entry
                .value
                .as_str()
                .filter(|tag| by_key.is_none_or(|(hidden, _)| *tag != hidden));
            let tag = tag.ok_or_else(|| {
                TypedReadError::new(
                    entry.value.span,
                    format!("{} is not a valid `type`", entry.value.describe()),
                )
            })?;
            return Ok(variant(tag, entry.value.span, untagged));
        }
        if let Some(default) = default.filter(|default| default.key.is_none()) {
            return Ok(variant(default.tag, self.node.span, untagged));
        }
        match entries {
            [entry] if variants.contains(&entry.key.as_str()) => {
                Ok(variant(&entry.key, entry.key_span, self.of(&entry.value)))
            }
            _ => Err(wrong("this mapping is none of those that are allowed here")),
        }
    }
}

/// One variant of a union.
struct Variant<'de> {
    tag: &'de str,
    place: Span,
    /// The mapping itself, with or without `type`, or the value of its only key.
    content: ValueReader<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = TypedReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), TypedReadError> {
        let value = seed
            .deserialize(BorrowedStrDeserializer::new(self.tag))
            .map_err(|misread: TypedReadError| misread.or_at(self.place))?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = TypedReadError;

    fn unit_variant(self) -> Result<(), TypedReadError> {
        // A word of a closed set is written as a text, never as the `type` of a mapping.
        let node = self.content.node;
        Err(TypedReadError::new(
            node.span,
            format!("{} cannot stand here", node.describe()),
        ))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, TypedReadError> {
        let place = self.content.node.span;
        seed.deserialize(self.content)
            .map_err(|misread| misread.or_at(place))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, TypedReadError> {
        Err(TypedReadError::new(
            self.place,
            "a list cannot stand here".to_owned(),
        ))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        self.content.deserialize_any(visitor)
    }
}

/// The keys of a mapping that are read.
#[derive(Clone, Copy)]
struct Keys {
    is_left_out: fn(&str) -> bool,
    fields: KeyFilter,
}

/// The fields that are read of a type with fields [`FLATTENED`].
#[derive(Clone, Copy)]
enum KeyFilter {
    All,
    /// Those of the type itself.
    Of(&'static [&'static str]),
    /// Those of the type that it contains in this field.
    In(&'static str, &'static [&'static str]),
}

impl Keys {
    const ALL: Self = Self {
        is_left_out: |_| false,
        fields: KeyFilter::All,
    };

    fn include(self, key: &str) -> bool {
        let is_listed = |field: &str| {
            listed_keys(field).is_some_and(|listed| listed.split(' ').any(|listed| listed == key))
        };
        !(self.is_left_out)(key)
            && match self.fields {
                KeyFilter::All => true,
                KeyFilter::Of(fields) if fields.contains(&FLATTENED) => fields.contains(&key),
                KeyFilter::Of(fields) => !fields.iter().any(|field| is_listed(field)),
                KeyFilter::In(FLATTENED, fields) => {
                    !fields.iter().any(|field| *field == key || is_listed(field))
                }
                KeyFilter::In(field, _) => is_listed(field),
            }
    }
}

/// The entries of a mapping: if their keys belong to several types, those of the outer one, then those of each type that
/// it contains as the value of its field [`FLATTENED`].
struct Entries<'de> {
    /// The mapping.
    reader: ValueReader<'de>,
    rest: std::slice::Iter<'de, Entry>,
    value: Option<&'de Entry>,
    flattened: Option<FlattenedFields>,
}

/// The fields of a type some of which are [`FLATTENED`].
struct FlattenedFields {
    /// All of them.
    fields: &'static [&'static str],
    /// Those that are still to be looked at.
    rest: std::slice::Iter<'static, &'static str>,
    /// The one whose value is read next.
    field: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = TypedReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TypedReadError> {
        let fields = self
            .flattened
            .as_ref()
            .map(|flattened| KeyFilter::Of(flattened.fields));
        let keys = Keys {
            fields: fields.unwrap_or(self.reader.keys.fields),
            ..self.reader.keys
        };
        self.value = self.rest.find(|entry| keys.include(&entry.key));
        let key = if let Some(entry) = self.value {
            MappingKey {
                text: &entry.key,
                span: entry.key_span,
            }
        } else {
            // All entries have been read: what is left are the types that this one contains.
            let Some(flattened) = &mut self.flattened else {
                return Ok(None);
            };
            flattened.field = flattened
                .rest
                .find(|field| field.starts_with(FLATTENED))
                .copied();
            let Some(field) = flattened.field else {
                return Ok(None);
            };
            MappingKey {
                text: field,
                span: self.reader.node.span,
            }
        };
        seed.deserialize(key)
            .map(Some)
            .map_err(|misread| misread.or_at(key.span))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, TypedReadError> {
        let flattened = self.flattened.as_ref();
        let field = flattened.and_then(|flattened| Some((flattened.field?, flattened.fields)));
        let reader = match (self.value.take(), field) {
            (Some(entry), _) => self.reader.of(&entry.value),
            (None, Some((field, fields))) => {
                let keys = Keys {
                    fields: KeyFilter::In(field, fields),
                    ..self.reader.keys
                };
                ValueReader {
                    keys,
                    ..self.reader
                }
            }
            (None, None) => return Err(serde::de::Error::custom("no value is left")),
        };
        seed.deserialize(reader)
            .map_err(|misread| misread.or_at(reader.node.span))
    }
}

/// The items of a list.
struct Items<'de> {
    reader: ValueReader<'de>,
    rest: std::slice::Iter<'de, Node>,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = TypedReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TypedReadError> {
        let Some(node) = self.rest.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(self.reader.of(node));
        read.map(Some).map_err(|misread| misread.or_at(node.span))
    }
}

/// A key of a mapping.
#[derive(Clone, Copy)]
struct MappingKey<'de> {
    text: &'de str,
    span: Span,
}

impl<'de> Deserializer<'de> for MappingKey<'de> {
    type Error = TypedReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedReadError> {
        visitor.visit_borrowed_str(self.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        match name {
            SPANNED => visitor.visit_seq(Placed {
                span: self.span,
                part: 0,
                value: self,
            }),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedReadError> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.text))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A value and its place, as a sequence of start, end and value.
struct Placed<D> {
    span: Span,
    part: u8,
    value: D,
}

impl<'de, D: Deserializer<'de, Error = TypedReadError> + Copy> SeqAccess<'de> for Placed<D> {
    type Error = TypedReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TypedReadError> {
        self.part += 1;
        match self.part {
            1 => seed
                .deserialize(U32Deserializer::new(self.span.start))
                .map(Some),
            2 => seed
                .deserialize(U32Deserializer::new(self.span.end))
                .map(Some),
            3 => seed.deserialize(self.value).map(Some),
            _ => Ok(None),
        }
    }
}
