//! Values that are omitted if they are empty.

/// A text that is not empty.
pub(super) fn filled(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A list of what is written as it is, if it is not empty.
pub(super) fn all_of<T>(items: &[T]) -> Option<&[T]> {
    Some(items).filter(|items| !items.is_empty())
}

/// A list that is not empty.
pub(super) fn listed<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    Some(items.collect()).filter(|items: &Vec<T>| !items.is_empty())
}

/// A number that is not zero.
pub(super) fn counted<T: Default + PartialEq>(count: T) -> Option<T> {
    Some(count).filter(|count| *count != T::default())
}
