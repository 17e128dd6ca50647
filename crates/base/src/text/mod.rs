//! Text as a person sees it: its width in columns (`columns`), its escaping for terminals, JSON and XML (`escape`) and for CI
//! servers (`ci_commands`), its truncation to a size (`truncate`, `head_tail`), the known name that an unknown one probably
//! means (`suggest`), and the order of names (`natural_order`). Durations and counts are read and written here too.
//!
//! `short_text` and `text_index` keep what there is very much of: an agent may send a million ids.
//!
//! **Invariant:** there is one function for each of these, and nothing else in the library does them itself.

pub mod ci_commands;
pub mod columns;
mod compact_json;
mod confusables;
pub mod duration;
pub mod escape;
mod head_tail;
mod natural_order;
mod parse_duration;
mod question;
mod short_text;
mod suggest;
mod text_fold;
mod text_form;
mod text_index;
pub mod truncate;
mod usd;
mod words;

pub use compact_json::compact_json;
pub use confusables::is_confusable;
pub use head_tail::HeadTail;
pub use natural_order::{natural_order, natural_path_order};
pub use parse_duration::parse_duration;
pub use question::ends_with_question;
pub use short_text::ShortText;
pub use suggest::{
    Spellings, after_prefixes, is_one_typo, is_spelled_alike, meant_boolean, nearest,
    nearest_certain, nearest_first, suggest,
};
pub use text_fold::{TextDifference, TextFold};
pub use text_form::TextForm;
pub use text_index::TextIndex;
pub use usd::Usd;
pub use words::{all_of, any_of, grouped};
