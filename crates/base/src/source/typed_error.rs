//! A tree that does not fit its type.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use super::printable;
use crate::diagnostic::Span;

/// The tree does not fit the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// The place of the error.
    pub span: Span,
    /// The message, in words that a user can be shown.
    pub message: String,
}

impl Display for TypeMismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for TypeMismatch {}

/// A [`TypeMismatch`] on its way up: serde raises it without a place, the innermost node it passes gives it one.
#[derive(Debug)]
pub(super) struct TypedReadError {
    span: Option<Span>,
    message: String,
}

impl TypedReadError {
    pub(super) fn new(span: Span, message: String) -> Self {
        Self {
            span: Some(span),
            message,
        }
    }

    /// Gives the place to a mismatch that has none yet.
    pub(super) fn or_at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The error as the user sees it, with its place.
    pub(super) fn at(self, span: Span) -> TypeMismatch {
        TypeMismatch {
            span: self.span.unwrap_or(span),
            message: self.message,
        }
    }
}

impl Display for TypedReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for TypedReadError {}

/// The value that was found, without serde's own wording.
fn found(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Str(text) => format!("the text `{}`", printable(text)),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a mapping".to_owned(),
        _ => "something else".to_owned(),
    }
}

impl de::Error for TypedReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self {
            span: None,
            message: message.to_string(),
        }
    }

    // `expected` may be serde's wording ("struct X"), so it is not passed on.
    fn invalid_type(unexpected: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::custom(format!("{} cannot stand here", found(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::custom(format!("{} cannot stand here", found(unexpected)))
    }

    fn invalid_length(length: usize, _: &dyn Expected) -> Self {
        Self::custom(format!("{length} entries cannot stand here"))
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        let values = match known {
            [] => String::new(),
            known => format!(": the values are `{}`", known.join("`, `")),
        };
        Self::custom(format!("unknown value `{}`{values}", printable(variant)))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::custom(format!("unknown key `{}`", printable(field)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format!("the key `{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::custom(format!("the key `{field}` is duplicated"))
    }
}
