//! One renderer a file: each turns diagnostics into text and knows nothing of where it is printed.

mod concise;
mod human;
mod summary;

pub use concise::concise;
pub use human::{Look, human};
pub use summary::summary;

use super::Severity;

/// The word a severity is printed as.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Text from a file, made harmless for a terminal: what could steer it or reorder its text becomes a sign of the same
/// number of bytes, so that offsets still hold.
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
    text.chars().map(sign).collect()
}

/// Whether a character changes how others are shown, instead of being shown.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
