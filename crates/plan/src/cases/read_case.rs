//! One case of a JSONL file: its text in, the test that it is and what is wrong with the case out.

use std::sync::Arc;

use super::lower::lower;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, SourceFile, Span};
use ananke_base::source::{self, Node, NodeValue};
use ananke_model::model::{CaseLine, TAG_DEFAULTS, Test};
use ananke_model::schema::{FileKind, Recovered, recover_tree};

/// The fields whose values are data of the project: a null in them is a value.
const DATA: [&str; 5] = ["value", "expected", "metadata", "arguments", "result"];

/// The field of an assertion in which null is what is expected.
const VALUE: &str = "value";

/// A case as it was read.
pub(crate) struct ReadCase {
    /// The test that it is, as far as it can be read; made up where the case is wrong.
    pub(crate) test: Option<Test>,
    /// The tree of that test, in the shape of YAML.
    pub(crate) node: Option<Node>,
    /// The errors and warnings, in no order.
    pub(crate) problems: Vec<Diagnostic>,
    /// Whether something is wrong.
    pub(crate) is_broken: bool,
    recovered: Option<Recovered<CaseLine>>,
}

impl ReadCase {
    /// Reads a case.
    pub(crate) fn of(source: &Arc<SourceFile>) -> Self {
        let mut read = Self {
            test: None,
            node: None,
            problems: Vec::new(),
            is_broken: false,
            recovered: None,
        };
        read.lower(source);
        read.is_broken = read.problems.iter().any(Diagnostic::is_error);
        match read
            .node
            .as_ref()
            .map(|node| source::from_node(node, TAG_DEFAULTS))
        {
            Some(Ok(test)) => read.test = Some(test),
            Some(Err(mismatch)) if !read.is_broken => {
                let problem = Diagnostic::error(Code::WrongType, mismatch.message);
                read.problems.push(problem.at(source, mismatch.span, ""));
                read.is_broken = true;
            }
            _ => {}
        }
        read
    }

    fn lower(&mut self, source: &Arc<SourceFile>) {
        let (written, of_text) = source::parse_json(source);
        self.problems = of_text;
        let Some(mut written) = written else { return };
        if !matches!(written.value, NodeValue::Map(_)) {
            let message = format!("a case is one JSON object, found {}", written.describe());
            let first = Span {
                end: written.span.start + 1,
                ..written.span
            };
            let problem = Diagnostic::error(Code::WrongType, message).at(source, first, "");
            self.problems
                .push(problem.help("write it like `{\"id\": \"T001\", \"input\": \"Hello\"}`"));
            return;
        }
        drop_nulls(&mut written);
        self.take_fields_of_yaml(&mut written, source);
        let (recovered, of_shape) = recover_tree::<CaseLine>(FileKind::Case, source, &written);
        self.problems.extend(of_shape);
        if let Some(case) = &recovered {
            let (node, of_meaning) = lower(source, &written, &case.value);
            // What contradicts itself does so whatever else is wrong in it.
            let is_own = |problem: &Diagnostic| {
                problem.severity == Severity::Warning
                    || problem.code == Code::Contradiction
                    || case.is_of_the_file(problem)
            };
            self.problems.extend(of_meaning.into_iter().filter(is_own));
            self.node = Some(node);
        }
        self.recovered = recovered;
    }

    /// Takes the fields out of a case that only tests in YAML have, and reports them: scripts of another system's own runtime, and
    /// conditions of turns.
    fn take_fields_of_yaml(&mut self, written: &mut Node, source: &Arc<SourceFile>) {
        let NodeValue::Map(entries) = &mut written.value else {
            return;
        };
        for entry in entries.iter_mut().filter(|entry| entry.key == "turns") {
            if let NodeValue::List(turns) = &mut entry.value.value {
                for turn in turns {
                    self.take_condition(turn, source);
                }
            }
        }
        entries.retain(|entry| {
            let instead = match entry.key.as_str() {
                "before" => "hooks",
                "after" => "teardown",
                _ => return true,
            };
            let message = format!("`{}` is not supported in case files", entry.key);
            let problem =
                Diagnostic::error(Code::UnknownKey, message).at(source, entry.key_span, "");
            self.problems.push(problem.help(format!(
                "write the test in YAML, where `{instead}` runs commands"
            )));
            false
        });
    }

    /// Takes the condition out of a turn, and reports it.
    fn take_condition(&mut self, turn: &mut Node, source: &Arc<SourceFile>) {
        let NodeValue::Map(entries) = &mut turn.value else {
            return;
        };
        entries.retain(|entry| {
            if entry.key != "if" {
                return true;
            }
            let message = "`if` is not supported in case files";
            let problem =
                Diagnostic::error(Code::UnknownKey, message).at(source, entry.key_span, "");
            let help = "write the test in YAML, where a turn may have a condition";
            self.problems.push(problem.help(help));
            false
        });
    }

    /// Whether a problem of the test is one of the case, and not of what was made up for what is wrong with it.
    pub(crate) fn owns(&self, problem: &Diagnostic) -> bool {
        !self.is_broken
            || self
                .recovered
                .as_ref()
                .is_some_and(|case| case.is_of_the_file(problem))
    }
}

/// Drops the fields without a value: a field that is null is missing, at every level.
fn drop_nulls(written: &mut Node) {
    match &mut written.value {
        NodeValue::Map(entries) => {
            entries.retain(|entry| entry.value.value != NodeValue::Null || entry.key == VALUE);
            let fields = entries
                .iter_mut()
                .filter(|entry| !DATA.contains(&entry.key.as_str()));
            fields.for_each(|entry| drop_nulls(&mut entry.value));
        }
        NodeValue::List(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
