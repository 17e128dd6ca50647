//! Text as a person sees it: how wide it is, how it is made harmless, how it is shortened, and which name was meant.

pub mod ci_commands;
pub mod columns;
mod compact_json;
mod confusables;
pub mod duration;
pub mod escape;
mod grouped;
mod head_tail;
mod natural_order;
mod parse_duration;
mod question;
mod replace;
mod short_text;
mod suggest;
mod text_form;
mod text_index;
pub mod truncate;
mod words;

pub use compact_json::compact_json;
pub use confusables::is_confusable;
pub use grouped::grouped;
pub use head_tail::HeadTail;
pub use natural_order::{natural_order, natural_path_order};
pub use parse_duration::parse_duration;
pub use question::ends_with_question;
pub use short_text::ShortText;
pub use suggest::{Spellings, after_prefixes, is_one_typo, nearest, nearest_certain, suggest};
pub use text_form::TextForm;
pub use text_index::TextIndex;
pub use words::{all_of, any_of};
