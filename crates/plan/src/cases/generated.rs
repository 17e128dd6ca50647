//! Limits of cases that something has made: an agent is no author of the project (SPEC 14).

use std::path::Path;
use std::sync::Arc;

use super::read_case::ReadCase;
use super::reader::CaseFile;
use ananke_base::context::Files;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::{Node, NodeValue, printable};

/// Keys whose values are data, whatever is in them.
const DATA: [&str; 9] = [
    "args",
    "arguments",
    "equals",
    "expected",
    "metadata",
    "one_of",
    "options",
    "result",
    "with",
];

/// The maker of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseMaker {
    /// An agent: what its cases reach is an error, unless it is allowed.
    Agent,
    /// A script of the project: it is a warning.
    Script,
}

/// The permissions that the command line gives the cases of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowedReach {
    /// Files of this machine, which are read and sent to the agent under test.
    pub files: bool,
    /// Scripts of the project, which are run.
    pub scripts: bool,
}

/// Finds in the case file at `path`, which messages call `name`, what the cases of `maker` may not reach, and what is no case.
pub fn unallowed(
    files: &Files,
    path: &Path,
    name: &str,
    maker: CaseMaker,
    allowed: AllowedReach,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    CaseFile { files, path, name }.each(&mut |case| {
        let case = match case {
            Ok(case) => case,
            Err(problem) => return found.push(problem),
        };
        if let Some(node) = ReadCase::of(&case.source).node {
            let mut finder = ReachFinder {
                source: &case.source,
                maker,
                allowed,
                found: &mut found,
            };
            finder.walk(&node);
        }
    });
    found
}

struct ReachFinder<'a> {
    source: &'a Arc<SourceFile>,
    maker: CaseMaker,
    allowed: AllowedReach,
    found: &'a mut Vec<Diagnostic>,
}

impl ReachFinder<'_> {
    fn walk(&mut self, node: &Node) {
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries
                    .iter()
                    .filter(|entry| !DATA.contains(&entry.key.as_str()))
                {
                    match (entry.key.as_str(), entry.value.as_str()) {
                        ("source", Some(source)) => self.check_source(source, entry.value.span),
                        ("script", Some(script)) => self.check_script(script, entry.value.span),
                        _ => self.walk(&entry.value),
                    }
                }
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.walk(item)),
            _ => {}
        }
    }

    fn check_source(&mut self, source: &str, span: Span) {
        let has_scheme = |scheme: &str| {
            source
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        if has_scheme("data:") {
            return;
        }
        if has_scheme("http:") || has_scheme("https:") {
            self.report(
                "the URL",
                source,
                span,
                "write the content as a `data:` URL",
            );
        } else if !self.allowed.files {
            self.report("the file", source, span, "allow it with `--allow file`");
        }
    }

    fn check_script(&mut self, script: &str, span: Span) {
        if !self.allowed.scripts {
            self.report("the script", script, span, "allow it with `--allow script`");
        }
    }

    fn report(&mut self, what: &str, named: &str, span: Span, help: &str) {
        let named = printable(named);
        let problem = match self.maker {
            CaseMaker::Agent => {
                let message = format!("a case that an agent made names {what} `{named}`");
                Diagnostic::error(Code::BadValue, message).help(help)
            }
            CaseMaker::Script => {
                let message = format!("a case that a script made names {what} `{named}`");
                Diagnostic::warning(Code::BadValue, message)
            }
        };
        self.found.push(problem.at(self.source, span, ""));
    }
}
