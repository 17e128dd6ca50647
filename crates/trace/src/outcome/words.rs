//! Enums that are written as words.

/// An enum with the word of each variant: in JSON, and for people.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal,)*
    }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$of])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in reports.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

pub(super) use words;
