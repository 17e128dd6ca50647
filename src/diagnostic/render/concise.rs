//! One line a problem, for editors and `grep`.

use std::fmt::Write;

use super::super::diagnostic::Diagnostic;
use super::terminal_text::{harmless, word};

/// `file:line:column: error[code]: message`, one line each; without the place where there is none.
pub fn concise(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        if let Some(place) = diagnostic.place() {
            let _ = write!(text, "{}:{}:{}: ", harmless(&place.file), place.line, place.column);
        }
        let message = harmless(&diagnostic.message);
        let _ = writeln!(text, "{}[{}]: {message}", word(diagnostic.severity), diagnostic.code);
    }
    text
}
