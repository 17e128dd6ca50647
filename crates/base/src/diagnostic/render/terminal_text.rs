//! Text that a terminal shows, whatever a file contains.

use super::super::diagnostic::Severity;
use crate::text::{ci_commands, is_confusable};

/// The word a severity is printed as.
pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Text from a file, made harmless for a terminal and for a CI server that reads its output: what could control either or
/// reorder text is replaced by the same number of bytes, so that offsets stay valid.
pub(super) fn harmless(text: &str) -> String {
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
pub(super) fn steers(character: char) -> bool {
    is_confusable(character) || matches!(character, '\u{200c}' | '\u{200d}')
}
