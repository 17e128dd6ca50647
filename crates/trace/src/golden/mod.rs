//! Golden traces: what an agent did as a text that is the same in every run, and the files that contain such texts.
//!
//! A [`GoldenText`] renders a trace and the [`States`] of its turns for people to review: without times, with aliases for
//! ids, and with secrets and every [`MaskPath`] place masked.
//!
//! **Invariant:** the same conversation gives the same text, also with other ids and at another time; conversations that
//! differ in anything else give different texts: what is truncated leaves its hash.

mod file;
mod id_aliases;
mod json;
mod masks;
mod render;
mod rendered_text;
mod state;
mod tools;
mod writer;

pub use file::{
    FOLDER, Format, Golden, differs, file_name, folder, is_golden, is_named, other_format, read,
    test_files_of, write,
};
pub use masks::MaskPath;
pub use render::{ConversationPart, GoldenText};
pub use rendered_text::RenderedText;
pub use state::States;
