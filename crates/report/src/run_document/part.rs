//! The definition of the parts of a document: each field once, with its description in the schema and the value that it
//! has; and values that are omitted if they are empty.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A struct and its constructor `of`. A field with a `?` is omitted if it has no value, one with a `*` if its list is empty;
/// one with a `!` must be there when it is read, and any other has its default value if it is not. `let` names what several
/// fields share.
macro_rules! part {
    (@ [[$($meta:tt)*] [$($vis:tt)*] $name:ident [$($life:tt)*] [$($from:tt)*]]
        [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]) => {
        $($meta)*
        $($vis)* struct $name $($life)* { $($fields)* }

        impl $($life)* $name $($life)* {
            /// The part that is made of these values.
            $($vis)* fn of($($from)*) -> Self {
                $($shared)*
                Self { $($values)* }
            }
        }
    };
    (@ $head:tt [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]
        let $name:ident = $value:expr; $($rest:tt)*) => {
        part! { @ $head [$($fields)*] [$($shared)* let $name = $value;] [$($values)*] $($rest)* }
    };
    (@ $head:tt [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]
        $(#[$meta:meta])* $field:ident?: $type:ty = $value:expr; $($rest:tt)*) => {
        part! { @ $head [
            $($fields)*
            $(#[$meta])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) $field: Option<$type>,
        ] [$($shared)*] [$($values)* $field: $value,] $($rest)* }
    };
    (@ $head:tt [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]
        $(#[$meta:meta])* $field:ident*: $type:ty = $value:expr; $($rest:tt)*) => {
        part! { @ $head [
            $($fields)*
            $(#[$meta])*
            #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
            pub(crate) $field: $type,
        ] [$($shared)*] [$($values)* $field: $value,] $($rest)* }
    };
    (@ $head:tt [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]
        $(#[$meta:meta])* $field:ident!: $type:ty = $value:expr; $($rest:tt)*) => {
        part! { @ $head [
            $($fields)*
            $(#[$meta])*
            pub(crate) $field: $type,
        ] [$($shared)*] [$($values)* $field: $value,] $($rest)* }
    };
    (@ $head:tt [$($fields:tt)*] [$($shared:tt)*] [$($values:tt)*]
        $(#[$meta:meta])* $field:ident: $type:ty = $value:expr; $($rest:tt)*) => {
        part! { @ $head [
            $($fields)*
            $(#[$meta])*
            #[serde(default)]
            pub(crate) $field: $type,
        ] [$($shared)*] [$($values)* $field: $value,] $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident $(<$life:lifetime>)? of ($($from:ident: $of:ty),*) {
        $($body:tt)*
    }) => {
        part! { @ [[$(#[$meta])*] [$vis] $name [$(<$life>)?] [$($from: $of),*]] [] [] [] $($body)* }
    };
}

pub(crate) use part;

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
