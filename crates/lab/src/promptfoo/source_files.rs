//! A file of promptfoo and the files that it names, and the list of what is not converted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::remedies;
use ananke_base::context::{Context, absolute_from, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::{self, Entry, Node, NodeValue};
use ananke_plan::compile::read_csv;

/// The end of a message about a part that is not converted.
pub(super) const LEFT_OUT: &str = " is not converted";

/// A value and the file that it is in.
#[derive(Clone, Debug)]
pub(super) struct Sourced {
    pub(super) source: Arc<SourceFile>,
    pub(super) node: Node,
}

impl Sourced {
    /// A part of the value.
    pub(super) fn part(&self, node: &Node) -> Self {
        Self {
            source: Arc::clone(&self.source),
            node: node.clone(),
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        self.node.get(key).map(|node| self.part(node))
    }

    /// The items of a list, or the value as the only one.
    pub(super) fn items(&self) -> Vec<Self> {
        match &self.node.value {
            NodeValue::List(items) => items.iter().map(|item| self.part(item)).collect(),
            _ => vec![self.clone()],
        }
    }
}

/// The files, and what was found in them.
pub(super) struct SourceFiles<'a> {
    context: &'a Context,
    /// The directory that paths are relative to.
    folder: PathBuf,
    pub(super) problems: Vec<Diagnostic>,
    /// Whether a judge is needed, which is reported once.
    pub(super) needs_judge: bool,
}

impl<'a> SourceFiles<'a> {
    pub(super) fn new(context: &'a Context, folder: &Path) -> Self {
        Self {
            context,
            folder: folder.to_owned(),
            problems: Vec::new(),
            needs_judge: false,
        }
    }

    /// Reports a part that is not converted.
    pub(super) fn leave_out(
        &mut self,
        source: &Arc<SourceFile>,
        span: Span,
        what: &str,
        help: impl Into<String>,
    ) {
        let message = format!("{what}{LEFT_OUT}");
        let problem = Diagnostic::warning(Code::Promptfoo, message).at(source, span, "");
        self.problems.push(problem.help(help));
    }

    /// Reports the keys of a mapping that are not among `known`.
    pub(super) fn leave_out_keys(&mut self, mapping: &Sourced, known: &[&str]) {
        for entry in mapping.node.entries() {
            if !known.contains(&entry.key.as_str()) {
                let what = format!("`{}`", source::printable(&entry.key));
                self.leave_out(
                    &mapping.source,
                    entry.key_span,
                    &what,
                    remedies::of_key(&entry.key),
                );
            }
        }
    }

    /// The text of the file that `written` names with `file://`.
    pub(super) fn text(&mut self, written: &Sourced) -> Option<Arc<SourceFile>> {
        let path = file_path(written.node.as_str()?);
        if path.contains('*') {
            let help = "name each of the files";
            self.leave_out(
                &written.source,
                written.node.span,
                "a pattern of files",
                help,
            );
            return None;
        }
        let path = absolute_from(self.context, &self.folder, Path::new(path));
        let name = display_name(self.context, &path);
        match source::read(&self.context.files, &path, &name) {
            Ok(file) => Some(file),
            Err(problem) => {
                self.problems
                    .push(problem.at(&written.source, written.node.span, ""));
                None
            }
        }
    }

    /// The value in the YAML or JSON file that `written` names, or `written` itself if it names none.
    pub(super) fn value(&mut self, written: Sourced) -> Option<Sourced> {
        let Some(path) = written.node.as_str() else {
            return Some(written);
        };
        if !["yaml", "yml", "json"].contains(&extension(path)) {
            let help =
                "only YAML, JSON, JSONL and CSV are read: write what it holds into one of them";
            let what = format!("`{}`", source::printable(path));
            self.leave_out(&written.source, written.node.span, &what, help);
            return None;
        }
        let file = self.text(&written)?;
        match source::parse(&file) {
            Ok(node) => Some(Sourced { source: file, node }),
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    /// The tests of a list, and of the files that it names.
    pub(super) fn tests(&mut self, written: &Sourced) -> Vec<Sourced> {
        let mut tests = Vec::new();
        for item in written.items() {
            let item = item.get("path").unwrap_or(item);
            match item.node.as_str().map(extension) {
                None => tests.push(item),
                Some("csv") => tests.extend(self.csv(&item)),
                Some("jsonl") => tests.extend(self.lines(&item)),
                Some(_) => {
                    if let Some(value) = self.value(item) {
                        tests.extend(value.items());
                    }
                }
            }
        }
        let (tests, others): (Vec<_>, Vec<_>) = tests
            .into_iter()
            .partition(|test| matches!(test.node.value, NodeValue::Map(_)));
        for other in others {
            let help = "a test is a mapping with `vars` and `assert`";
            self.leave_out(&other.source, other.node.span, "this test", help);
        }
        tests
    }

    /// The tests of a JSONL file.
    fn lines(&mut self, written: &Sourced) -> Vec<Sourced> {
        let Some(file) = self.text(written) else {
            return Vec::new();
        };
        let mut tests = Vec::new();
        let lines = file.text.lines().enumerate();
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let source = Arc::new(line_of(&file, index, line));
            let (node, problems) = source::parse_json(&source);
            self.problems.extend(problems);
            tests.extend(node.map(|node| Sourced { source, node }));
        }
        tests
    }

    /// The tests of a CSV file: its columns are variables, but those that begin with `__`.
    fn csv(&mut self, written: &Sourced) -> Vec<Sourced> {
        let Some(file) = self.text(written) else {
            return Vec::new();
        };
        let rows = match read_csv(&self.context.files, &file.path, &file.name) {
            Ok(rows) => rows,
            Err(problem) => {
                self.problems.push(problem);
                return Vec::new();
            }
        };
        let lines: Vec<&str> = file.text.lines().collect();
        let rows = rows.into_iter().map(|(line, columns)| {
            let index = usize::try_from(line).unwrap_or_default().saturating_sub(1);
            let line = lines.get(index).copied().unwrap_or_default();
            let source = line_of(&file, index, line);
            let span = Span::new(0, line.len());
            let mut test =
                Node::of_json(&serde_json::json!({ "vars": {}, "assert": [], "options": {} }));
            for (name, value) in columns {
                let mut value = Node::of_json(&value);
                value.span = span;
                put_column(&mut test, &name, value);
            }
            Sourced {
                source: Arc::new(source),
                node: test,
            }
        });
        rows.collect()
    }
}

/// Puts a column of a CSV file where a test has it.
fn put_column(test: &mut Node, name: &str, value: Node) {
    let is_empty = value.as_str() == Some("");
    let (place, key) = match name.strip_prefix("__") {
        None => ("vars", name),
        Some(_) if is_empty => return,
        Some(key) if key.starts_with("expected") => ("assert", key),
        Some(key @ ("prefix" | "suffix")) => ("options", key),
        Some(key) => ("", key),
    };
    let entry = Entry {
        key: key.to_owned(),
        key_span: value.span,
        value,
    };
    let place = match place {
        "" => test,
        place => match test.get_mut(place) {
            Some(place) => place,
            None => return,
        },
    };
    match &mut place.value {
        NodeValue::List(items) => items.push(entry.value),
        NodeValue::Map(entries) => entries.push(entry),
        _ => {}
    }
}

/// One line of a file as a source of its own.
fn line_of(file: &SourceFile, index: usize, text: &str) -> SourceFile {
    let first = u32::try_from(index + 1).unwrap_or(u32::MAX);
    SourceFile::part(Arc::clone(&file.name), &file.path, text, first)
}

/// The path that a reference to a file names.
pub(super) fn file_path(written: &str) -> &str {
    written.strip_prefix("file://").unwrap_or(written)
}

/// The file extension of a path.
pub(super) fn extension(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}
