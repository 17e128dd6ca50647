//! Rows in memory: of a YAML file, or written in the test itself.

use std::path::Path;
use std::sync::Arc;

use serde_json::Map;

use super::row::{Row, check_name, row_problem};
use ananke_base::context::Files;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::source::{self, Entry, Node, NodeValue, change_numbers, rounded};
use ananke_model::variables::{Interpolation, SPELLED_NUMBERS};

/// Rows in memory.
#[derive(Debug)]
pub(crate) struct LoadedRows {
    pub(super) source: Arc<SourceFile>,
    pub(super) rows: Vec<Node>,
    /// Whether `${…}` in them is replaced: they are part of the test, and not data of a file.
    pub(super) is_filled: bool,
}

impl LoadedRows {
    /// `None` where a value of it cannot be filled, which was reported.
    pub(super) fn row(
        &self,
        index: usize,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Result<Row, Diagnostic>> {
        let node = self.rows.get(index)?;
        let place = self.source.place(node.span);
        let (mut columns, mut used) = (Map::new(), Vec::new());
        for Entry {
            key,
            key_span,
            value,
        } in node.entries()
        {
            if let Err(problem) = check_name(key, "") {
                return Some(Err(problem.at(&self.source, *key_span, "")));
            }
            let value = if self.is_filled {
                let (value, gave) = interpolation.json_with_origins(value);
                used.extend(gave);
                value.ok()?
            } else {
                let mut value = value.to_json();
                if !interpolation.source().is_since(SPELLED_NUMBERS) {
                    change_numbers(&mut value, rounded);
                }
                value
            };
            columns.insert(key.clone(), value);
        }
        if columns.is_empty() {
            let message = format!(
                "a row is a mapping with at least one column, found {}",
                node.describe()
            );
            return Some(Err(row_problem(message, "").at(
                &self.source,
                node.span,
                "",
            )));
        }
        let (line, file) = (u64::from(place.line), place.file.to_string());
        Some(Ok(Row {
            columns,
            used,
            offset: 0,
            is_line: false,
            line,
            file,
        }))
    }
}

/// The rows of a YAML file: a list of mappings.
pub(super) fn held(files: &Files, path: &Path, name: &str) -> Result<LoadedRows, Vec<Diagnostic>> {
    let source = source::read(files, path, name).map_err(|problem| vec![problem])?;
    let (node, problems) = source::tree(&source);
    match node {
        Some(Node {
            value: NodeValue::List(rows),
            ..
        }) if problems.is_empty() => Ok(LoadedRows {
            source,
            rows,
            is_filled: false,
        }),
        Some(node) if problems.is_empty() => {
            let message = format!(
                "a file of rows is a list of mappings, found {}",
                node.describe()
            );
            Err(vec![
                Diagnostic::error(Code::BadRow, message).at(&source, node.span, ""),
            ])
        }
        _ => Err(problems),
    }
}
