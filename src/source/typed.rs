//! Placeholder: to be replaced.
use super::Node;
use crate::diagnostic::{Span, Spanned};
use serde::de::DeserializeOwned;
/// The marker under which [`OneOrMany`](crate::model::OneOrMany) asks for a list or a single value.
pub const ONE_OR_MANY: &str = "$ananke::one_or_many";
/// A union whose `type` may be left out.
#[derive(Clone, Copy, Debug)]
pub struct TagDefault {
    /// The union's type name.
    pub union: &'static str,
    /// The tag that is meant.
    pub tag: &'static str,
}
/// The tree does not fit the type.
#[derive(Debug)]
pub struct Mismatch {
    /// Where.
    pub span: Span,
    /// Words of the reader, for the schema validator's second opinion only.
    pub message: String,
}
/// Reads a value of the model from a tree.
///
/// # Errors
/// Where the tree does not fit the type.
pub fn from_node<T: DeserializeOwned>(_node: &Node, _defaults: &'static [TagDefault]) -> Result<T, Mismatch> {
    Err(Mismatch { span: Span::default(), message: String::new() })
}
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Spanned<T> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        T::deserialize(d).map(|value| Self { value, span: Span::default() })
    }
}
impl<'de> serde::Deserialize<'de> for Node {
    fn deserialize<D: serde::Deserializer<'de>>(_d: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("x"))
    }
}
