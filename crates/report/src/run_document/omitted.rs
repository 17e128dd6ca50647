//! Values that are omitted if they are empty.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A text that is not empty.
pub(crate) fn filled(text: &str) -> Option<Cow<'_, str>> {
    Some(text)
        .filter(|text| !text.is_empty())
        .map(Cow::Borrowed)
}

/// A list of what is written as it is, if it is not empty.
pub(crate) fn all_of<T: Clone>(items: &[T]) -> Option<Cow<'_, [T]>> {
    Some(items)
        .filter(|items| !items.is_empty())
        .map(Cow::Borrowed)
}

/// A list that is not empty.
pub(crate) fn listed<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    Some(items.collect()).filter(|items: &Vec<T>| !items.is_empty())
}

/// A number that is not zero.
pub(crate) fn counted<T: Default + PartialEq>(count: T) -> Option<T> {
    Some(count).filter(|count| *count != T::default())
}

/// The value of a field that is there, also if it is `null`.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}
