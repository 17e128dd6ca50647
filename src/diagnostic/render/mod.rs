//! One renderer a file: each turns diagnostics into text and knows nothing of where it is printed.

mod concise;
mod human;
mod summary;

pub use concise::concise;
pub use human::{Look, human};
pub use summary::summary;

use super::Severity;
use crate::text::{ci_commands, is_confusable};

/// The word a severity is printed as.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Text from a file, made harmless for a terminal and for a build server that reads along: what could steer either or
/// reorder text becomes a sign of the same number of bytes, so that offsets still hold.
fn harmless(text: &str) -> String {
    let sign = |character: char| match character {
        '\n' | '\t' => character,
        _ if !steers(character) => character,
        _ => match character.len_utf8() {
            1 => '?',
            2 => '¿',
            3 => '\u{fffd}',
            _ => '🯄',
        },
    };
    let text: String = text.chars().map(sign).collect();
    ci_commands::escape_with(&text, |_| "?").into_owned()
}

/// Whether a character changes how others are shown, instead of being shown: here joiners as well, since the place below
/// a line is found by counting signs.
fn steers(character: char) -> bool {
    is_confusable(character) || matches!(character, '\u{200c}' | '\u{200d}')
}
