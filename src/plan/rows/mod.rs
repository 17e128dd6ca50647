//! The rows that a test runs with: read one after the other for the plan, and each again for its run.
//!
//! Rows of a CSV or JSONL file are never in memory together: the plan keeps where each begins. Those of YAML are, since
//! YAML can only be read whole, and is bounded in size.

mod delimited;
mod lines;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use crate::model::Cases;
use crate::project::{absolute_from, display_name};
use crate::source::{self, Entry, Node, NodeValue, printable};
use crate::variables::{Filling, as_text, is_name, is_reserved};

/// The column that names a row.
const LABEL: &str = "id";

/// How many problems of one file of rows are told.
const MOST_PROBLEMS: usize = 20;

/// One row in the plan: what it is called, and where to find it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEntry {
    /// Its `id`, else its number, counted from 1.
    pub label: Box<str>,
    /// How many rows there are before it.
    index: u32,
    /// The line it begins on, counted from 1.
    line: u32,
    /// Where it begins in its file, in bytes.
    offset: u64,
    /// A hash of what it says, to notice that it changed.
    hash: u64,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Its columns, in their order.
    pub(super) columns: Map<String, Value>,
    /// Where it begins in its file, in bytes.
    offset: u64,
    /// The line it begins on, counted from 1; 0 where it was found by its offset.
    line: u64,
    /// The file, as shown in messages.
    file: String,
}

/// Why there is no row: what is wrong and where.
#[derive(Debug)]
struct Misrow {
    message: String,
    help: Option<String>,
    span: Option<Span>,
}

/// Where the rows of a test are.
#[derive(Debug)]
pub(super) enum Rows {
    /// In a YAML file, or in the test itself.
    Held(Held),
    /// In a JSONL file.
    Lines(DataFile),
    /// In a CSV file.
    Delimited(DataFile),
}

/// Rows in memory.
#[derive(Debug)]
pub(super) struct Held {
    source: Arc<SourceFile>,
    rows: Vec<Node>,
    /// Whether `${…}` in them is replaced: they are part of the test, and not data of a file.
    is_filled: bool,
}

/// A file of data.
#[derive(Debug)]
pub(super) struct DataFile {
    path: PathBuf,
    /// As shown in messages.
    name: String,
}

impl Rows {
    /// Finds out where the rows are; those of YAML are read. A path counts from `folder`.
    pub(super) fn of(
        written: &Spanned<Cases>,
        test: &Arc<SourceFile>,
        context: &Context,
        folder: &Path,
        filling: &mut Filling<'_>,
    ) -> Option<Self> {
        let path = match &written.value {
            Cases::Rows(rows) => {
                let (source, rows) = (Arc::clone(test), rows.clone());
                return Some(Self::Held(Held { source, rows, is_filled: true }));
            }
            Cases::File(path) => Spanned { value: path.clone(), span: written.span },
        };
        let path = filling.text(&path).ready()?;
        let path = absolute_from(context, folder, Path::new(&path));
        let name = display_name(context, &path);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("csv") => Some(Self::Delimited(DataFile { path, name })),
            Some("jsonl" | "ndjson") => Some(Self::Lines(DataFile { path, name })),
            Some("yaml" | "yml") => match held(&path, &name) {
                Ok(held) => Some(Self::Held(held)),
                Err(problems) => {
                    for problem in problems {
                        filling.add(problem);
                    }
                    None
                }
            },
            _ => {
                let message = format!("`{}` is no file of rows", printable(&name));
                let help = "rows are a list in the test, or in a `.csv`, `.jsonl`, `.yaml` or `.yml` file";
                filling.report(Code::BadValue, written.span, message, Some(help.to_owned()));
                None
            }
        }
    }

    /// Reads all rows, one after the other, and hands on the good ones; what is wrong with the others is reported, at
    /// `span` where they are in no file that a problem can show.
    pub(super) fn each(&self, span: Span, filling: &mut Filling<'_>, hand_on: &mut dyn FnMut(RowEntry, Row)) {
        let mut index = 0_u32;
        let mut wrong = 0;
        let mut take = |row: Result<Row, Misrow>, filling: &mut Filling<'_>| {
            let row = row.and_then(|row| label(&row, index).map(|label| (label, row)));
            match row {
                Ok((label, row)) => {
                    let line = u32::try_from(row.line).unwrap_or(u32::MAX);
                    let entry = RowEntry { label, index, line, offset: row.offset, hash: row.hash() };
                    hand_on(entry, row);
                }
                Err(misrow) => {
                    wrong += 1;
                    self.report(misrow, span, filling);
                }
            }
            index = index.saturating_add(1);
            wrong < MOST_PROBLEMS
        };
        match self {
            Self::Held(held) => {
                for number in 0..held.rows.len() {
                    let row = held.row(number, filling);
                    if let Some(row) = row
                        && !take(row, filling)
                    {
                        break;
                    }
                }
            }
            Self::Lines(file) => lines::each(file, &mut |row| take(row, filling)),
            Self::Delimited(file) => delimited::each(file, &mut |row| take(row, filling)),
        }
        // That a list in the test is empty is told by its schema.
        if index == 0 && !matches!(self, Self::Held(Held { is_filled: true, .. })) {
            let misrow = Misrow {
                message: "there are no rows: the test would never run".to_owned(),
                help: None,
                span: None,
            };
            self.report(misrow, span, filling);
        }
    }

    /// Reads one row again; `None` where it is not what it was, or cannot be filled.
    pub(super) fn again(&self, entry: &RowEntry, filling: &mut Filling<'_>) -> Option<Row> {
        let row = match self {
            Self::Held(held) => held.row(entry.index as usize, filling)?,
            Self::Lines(file) => lines::at(file, entry.offset),
            Self::Delimited(file) => delimited::at(file, entry.offset),
        };
        let row = row.ok().filter(|row| row.hash() == entry.hash)?;
        Some(Row { line: u64::from(entry.line), ..row })
    }

    fn report(&self, misrow: Misrow, span: Span, filling: &mut Filling<'_>) {
        let problem = Diagnostic::error(Code::BadRow, misrow.message);
        let problem = match (self, misrow.span) {
            (Self::Held(held), Some(place)) => problem.at(&held.source, place, ""),
            _ => filling.at(problem, span),
        };
        filling.add(misrow.help.into_iter().fold(problem, Diagnostic::help));
    }
}

impl Held {
    /// `None` where a value of it cannot be filled, which was reported.
    fn row(&self, index: usize, filling: &mut Filling<'_>) -> Option<Result<Row, Misrow>> {
        let node = self.rows.get(index)?;
        let place = self.source.place(node.span);
        let mut columns = Map::new();
        for Entry { key, key_span, value } in node.entries() {
            if let Err(misrow) = check_name(key) {
                return Some(Err(Misrow { span: Some(*key_span), ..misrow }));
            }
            let value = if self.is_filled { filling.json(value).ready()? } else { value.to_json() };
            columns.insert(key.clone(), value);
        }
        if columns.is_empty() {
            let message = format!("a row is a mapping with at least one column, found {}", node.describe());
            return Some(Err(Misrow { message, help: None, span: Some(node.span) }));
        }
        Some(Ok(Row { columns, offset: 0, line: u64::from(place.line), file: place.file.to_string() }))
    }
}

/// The rows of a YAML file: a list of mappings.
fn held(path: &Path, name: &str) -> Result<Held, Vec<Diagnostic>> {
    let source = source::read(path, name).map_err(|problem| vec![problem])?;
    let (node, problems) = source::tree(&source);
    match node {
        Some(Node { value: NodeValue::List(rows), .. }) if problems.is_empty() => {
            Ok(Held { source, rows, is_filled: false })
        }
        Some(node) if problems.is_empty() => {
            let message = format!("a file of rows is a list of mappings, found {}", node.describe());
            Err(vec![Diagnostic::error(Code::BadRow, message).at(&source, node.span, "")])
        }
        _ => Err(problems),
    }
}

impl Row {
    /// Where it is, for people: `cities.csv:3`.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (name, value) in &self.columns {
            name.hash(&mut hasher);
            value.to_string().hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Misrow {
    fn new(message: String, help: &str) -> Self {
        Self { message, help: Some(help.to_owned()).filter(|help| !help.is_empty()), span: None }
    }
}

/// What a row is called: its `id`, else its number.
fn label(row: &Row, index: u32) -> Result<Box<str>, Misrow> {
    match row.columns.get(LABEL) {
        Some(value @ (Value::String(_) | Value::Number(_))) => {
            let label = as_text(value);
            let label = label.trim();
            if label.is_empty() { Ok(number(index)) } else { Ok(label.into()) }
        }
        None | Some(Value::Null) => Ok(number(index)),
        Some(_) => {
            let message = format!("{}: the `id` of a row is a text or a number", row.place());
            Err(Misrow::new(message, "it names the row in the test's id: `path::name[id]`"))
        }
    }
}

fn number(index: u32) -> Box<str> {
    (u64::from(index) + 1).to_string().into()
}

/// Whether a column may have this name.
fn check_name(name: &str) -> Result<(), Misrow> {
    if is_reserved(name) {
        let help = "`ENV` and all names that begin with `TEST_` are ananke's own";
        return Err(Misrow::new(format!("the column `{}` is reserved", printable(name)), help));
    }
    if !is_name(name) {
        let help = "names are made of letters, digits and `_`, and begin with no digit";
        return Err(Misrow::new(format!("the column `{}` is no name of a variable", printable(name)), help));
    }
    Ok(())
}

/// A file that cannot be read.
fn unreadable(file: &DataFile, error: &std::io::Error) -> Misrow {
    Misrow::new(format!("`{}` cannot be read: {}", file.name, source::reason(error)), "")
}
