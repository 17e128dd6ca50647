//! A case file as a YAML test file: its cases in, tests of the same meaning out. Comments are lost, nothing else.

use std::io::{self, Write};
use std::path::Path;

use super::read_case::ReadCase;
use super::reader::CaseFile;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_base::message::MediaKind;
use ananke_base::source::{Node, NodeValue, to_yaml};
use ananke_model::model::NEWEST_VERSION;

/// A case file that is converted.
pub struct Conversion<'a> {
    context: &'a Context,
    path: &'a Path,
    name: String,
}

impl<'a> Conversion<'a> {
    /// The conversion of the case file at `path`.
    pub fn of(context: &'a Context, path: &'a Path) -> Self {
        Self {
            context,
            path,
            name: display_name(context, path),
        }
    }

    /// The errors and warnings of the cases; also if the YAML goes to another directory, `folder`, where local files are not
    /// found. Without an error among the problems, the file can be converted.
    pub fn problems(&self, folder: Option<&Path>) -> Vec<Diagnostic> {
        let (mut problems, mut count) = (Vec::new(), 0);
        let moves = folder.is_some_and(|folder| Some(folder) != self.path.parent());
        self.file().each(&mut |read| {
            count += 1;
            match read {
                Ok(text) => {
                    let case = ReadCase::of(&text.source);
                    problems.extend(case.problems);
                    if let Some(node) = case.node.as_ref().filter(|_| moves) {
                        local_files(node, &text.source, &mut problems);
                    }
                }
                Err(problem) => problems.push(problem),
            }
        });
        if count == 0 {
            problems.push(Diagnostic::error(
                Code::EmptyValue,
                format!("`{}` contains no cases", self.name),
            ));
        }
        problems
    }

    /// Writes the tests, case by case.
    ///
    /// # Errors
    /// If `out` cannot be written, or a case has changed since its problems were looked at.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut written = writeln!(out, "version: \"{NEWEST_VERSION}\"\ntests:");
        self.file().each(&mut |read| {
            let node = read.ok().and_then(|text| ReadCase::of(&text.source).node);
            if written.is_ok() {
                written = match node {
                    Some(node) => {
                        let span = node.span;
                        let entry = Node {
                            value: NodeValue::List(vec![node]),
                            span,
                        };
                        out.write_all(to_yaml(&entry, 2).as_bytes())
                    }
                    None => Err(io::Error::other("the file changed while it was converted")),
                };
            }
        });
        written
    }

    fn file(&self) -> CaseFile<'_> {
        CaseFile {
            files: &self.context.files,
            path: self.path,
            name: &self.name,
        }
    }
}

/// Reports the local files that a test sends by paths from its own directory.
fn local_files(node: &Node, source: &std::sync::Arc<SourceFile>, problems: &mut Vec<Diagnostic>) {
    match &node.value {
        NodeValue::List(items) => items
            .iter()
            .for_each(|item| local_files(item, source, problems)),
        NodeValue::Map(entries) => {
            let kinds = [
                MediaKind::Image,
                MediaKind::Audio,
                MediaKind::Video,
                MediaKind::Document,
            ];
            let kind = node.get("type").and_then(Node::as_str);
            let is_file = kinds.iter().any(|known| Some(known.as_str()) == kind);
            let written = node.get("source").filter(|_| is_file);
            if let Some((written, path)) =
                written.and_then(|written| Some((written, written.as_str()?)))
                && is_relative(path)
            {
                let message = "this file is found from the directory of the case file";
                let problem =
                    Diagnostic::error(Code::BadValue, message).at(source, written.span, "");
                problems.push(problem.help("write the YAML into the same directory"));
            }
            for entry in entries {
                local_files(&entry.value, source, problems);
            }
        }
        _ => {}
    }
}

/// Whether the source of a file is a path that is relative.
fn is_relative(source: &str) -> bool {
    let path = source.strip_prefix("file://").unwrap_or(source);
    let has_scheme = ["data:", "http:", "https:"]
        .iter()
        .any(|scheme| path.starts_with(scheme));
    !has_scheme && !path.starts_with('~') && Path::new(path).is_relative()
}
