//! One row of data, and how it is found again.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Map, Value};

use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::{printable, rounded};
use ananke_model::variables::{Secret, as_text, name_problem};

/// The column that names a row.
const LABEL: &str = "id";

/// One row in the plan: what it is called, and where to find it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEntry {
    /// Its `id`, else its number, counted from 1.
    pub label: Box<str>,
    /// The number of rows before it.
    pub(crate) index: u32,
    /// The line it begins on, counted from 1.
    pub(crate) line: u32,
    /// The offset of its start in its file, in bytes.
    pub(super) offset: u64,
    /// A hash of what it says, to notice that it changed.
    pub(super) hash: u64,
}

#[cfg(test)]
impl RowEntry {
    /// A row of this label, of no file.
    pub(crate) fn named(label: &str) -> Self {
        Self {
            label: label.into(),
            index: 0,
            line: 0,
            offset: 0,
            hash: 0,
        }
    }
}

/// The content of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its columns, in their order.
    pub(crate) columns: Map<String, Value>,
    /// The secrets of the references in them.
    pub(crate) used: Vec<Secret>,
    /// The offset of its start in its file, in bytes.
    pub(super) offset: u64,
    /// Whether it is a line of JSON.
    pub(super) is_line: bool,
    /// The line it begins on, counted from 1; 0 where it was found by its offset.
    pub(super) line: u64,
    /// The file, as shown in messages.
    pub(super) file: String,
}

impl Row {
    /// Its place, for people: `cities.csv:3`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    pub(super) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (name, value) in &self.columns {
            name.hash(&mut hasher);
            value.to_string().hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The label of a row: its `id`, else its number.
pub(super) fn label(row: &Row, index: u32) -> Result<Box<str>, Diagnostic> {
    match row.columns.get(LABEL) {
        Some(value @ (Value::String(_) | Value::Number(_))) => {
            // An id in YAML is a number by its value, one in a line of JSON by its spelling.
            let label = match value {
                Value::Number(number) if !row.is_line => rounded(number).to_string(),
                other => as_text(other),
            };
            let label = label.trim();
            if label.is_empty() {
                Ok(number(index))
            } else {
                Ok(label.into())
            }
        }
        None | Some(Value::Null) => Ok(number(index)),
        Some(_) => {
            let message = format!("{}: the `id` of a row is a text or a number", row.place());
            Err(row_problem(
                message,
                "it names the row in the test's id: `path::name[id]`",
            ))
        }
    }
}

fn number(index: u32) -> Box<str> {
    (u64::from(index) + 1).to_string().into()
}

/// Whether a column may have this name; `place` is the beginning of the message.
pub(super) fn check_name(name: &str, place: &str) -> Result<(), Diagnostic> {
    match name_problem(name) {
        Some((what, help)) => Err(row_problem(
            format!("{place}the column `{}` {what}", printable(name)),
            help,
        )),
        None => Ok(()),
    }
}

/// The reason that there is no row, and the remedy if that is known.
pub(super) fn row_problem(message: String, help: &str) -> Diagnostic {
    let problem = Diagnostic::error(Code::BadRow, message);
    if help.is_empty() {
        problem
    } else {
        problem.help(help)
    }
}
