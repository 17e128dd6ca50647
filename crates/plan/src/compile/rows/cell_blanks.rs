//! Whitespace at the ends of the cells of a CSV file: part of the value, and in no editor to be seen.

use std::collections::HashSet;

use super::row::Row;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_model::variables::Interpolation;

/// The schema version from which they are reported.
const SINCE: (u32, u32) = (1, 4);

/// The columns of which a cell was reported.
#[derive(Debug, Default)]
pub(super) struct CellBlanks(HashSet<String>);

impl CellBlanks {
    /// Warns of the first cell of each column that begins or ends with whitespace.
    pub(super) fn warn(&mut self, row: &Row, span: Span, interpolation: &mut Interpolation<'_>) {
        if !interpolation.source().is_since(SINCE) {
            return;
        }
        for (name, value) in &row.columns {
            let Some(text) = value.as_str() else {
                continue;
            };
            let which = if text.trim_end() != text {
                "ends"
            } else if text.trim_start() != text {
                "begins"
            } else {
                continue;
            };
            if self.0.insert(name.clone()) {
                let place = row.place();
                let message = format!("{place}: the value of `{name}` {which} with whitespace");
                let warning = Diagnostic::warning(Code::BadRow, message);
                let help = "whitespace around a comma is part of the value in CSV: remove it";
                interpolation.add(interpolation.at(warning, span).help(help));
            }
        }
    }
}
