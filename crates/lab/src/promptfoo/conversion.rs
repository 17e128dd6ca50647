//! The way from a file of promptfoo to a file of tests.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::drafts::{Draft, MOST_TESTS, VariableRow, joined};
use super::prompts::Prompt;
use super::remedies;
use super::source_files::{LEFT_OUT, SourceFiles, Sourced, extension};
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, sort};
use ananke_base::source::{self, Node, NodeValue, printable, to_yaml};
use ananke_model::model::NEWEST_VERSION;
use ananke_model::schema::is_promptfoo;
use ananke_model::variables::literal;

/// The keys at the top of a file that are converted, or reported by themselves.
const TOP_KEYS: [&str; 9] = [
    "description",
    "prompts",
    "providers",
    "targets",
    "tests",
    "defaultTest",
    "scenarios",
    "assertionTemplates",
    "$schema",
];

/// A file of promptfoo that is converted.
#[derive(Debug)]
pub struct PromptfooConversion {
    source: Arc<SourceFile>,
    tests: Vec<Node>,
    problems: Vec<Diagnostic>,
}

impl PromptfooConversion {
    /// Converts the file at `path`.
    ///
    /// # Errors
    /// Everything that is wrong with it, where it is not a file of promptfoo.
    pub fn of(context: &Context, path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let name = display_name(context, path);
        if !["yaml", "yml", "json"].contains(&extension(&name)) {
            return Err(vec![unknown_file(&name)]);
        }
        let file = source::read(&context.files, path, &name).map_err(|problem| vec![problem])?;
        let node = source::parse(&file)?;
        if !is_promptfoo(&node) {
            return Err(vec![unknown_file(&name)]);
        }
        let root = Sourced { source: file, node };
        let mut files = SourceFiles::new(context, path.parent().unwrap_or(path));
        let tests = tests(&mut files, &root);
        if tests.is_empty() && !files.problems.iter().any(Diagnostic::is_error) {
            let message = format!("`{name}` contains no tests that can be converted");
            let problem = Diagnostic::error(Code::EmptyValue, message).in_file(&root.source);
            files.problems.push(problem);
        }
        let mut problems = files.problems;
        sort(&mut problems);
        Ok(Self {
            source: root.source,
            tests,
            problems,
        })
    }

    /// The errors, and a warning for each part that is not converted, in their order.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Writes the tests, and what is not converted as a comment before them.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}", self.comment())?;
        writeln!(out, "version: \"{NEWEST_VERSION}\"\ntests:")?;
        for test in &self.tests {
            let entry = Node {
                value: NodeValue::List(vec![test.clone()]),
                span: test.span,
            };
            out.write_all(to_yaml(&entry, 2).as_bytes())?;
        }
        Ok(())
    }

    /// The comment at the beginning of the file.
    fn comment(&self) -> String {
        let mut text = format!(
            "# Converted from {} by `ananke convert`.\n\
             # ananke tests agents: a prompt is what the user says, and the target in ananke.config.yaml answers it.\n",
            self.source.name
        );
        if !self.problems.is_empty() {
            text.push_str("#\n# Not converted:\n");
        }
        for problem in &self.problems {
            let place = problem
                .place()
                .map_or_else(String::new, |place| format!("{place}: "));
            let what = problem.message.trim_end_matches(LEFT_OUT);
            let line = format!("{place}{what}: {}", problem.help.join("; "));
            // Nothing that a file says ends the comment.
            let _ = writeln!(text, "# - {}", line.replace(char::is_control, " "));
        }
        text
    }
}

/// The problem of a file that is nothing that can be converted.
fn unknown_file(name: &str) -> Diagnostic {
    let message = format!("`{name}` is neither a case file nor a file of promptfoo");
    let help = "name a `.jsonl` file, or a YAML file with `prompts` and `providers`";
    Diagnostic::error(Code::BadValue, message).help(help)
}

/// The tests of a file: one for each prompt and each draft.
fn tests(files: &mut SourceFiles<'_>, root: &Sourced) -> Vec<Node> {
    files.leave_out_keys(root, &TOP_KEYS);
    for key in ["providers", "targets"] {
        for provider in root.get(key).iter().flat_map(Sourced::items) {
            leave_out_provider(files, &provider);
        }
    }
    let prompts = files.prompts(root.get("prompts").as_ref(), root);
    let drafts = joined(files.drafts(root));
    let rows = drafts.iter().map(|draft| draft.rows.len()).sum::<usize>();
    if rows.saturating_mul(prompts.len()) > MOST_TESTS {
        let message = format!("this is more than {MOST_TESTS} tests");
        let problem = Diagnostic::error(Code::LimitExceeded, message).in_file(&root.source);
        files
            .problems
            .push(problem.help("split it into several files"));
        return Vec::new();
    }
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut tests = Vec::new();
    for prompt in &prompts {
        report_undefined(files, prompt, &drafts);
        for draft in &drafts {
            let mut name = draft.name.to_string();
            if prompts.len() > 1 {
                let _ = write!(name, " ({})", prompt.label);
            }
            let uses = names.entry(name.clone()).or_default();
            *uses += 1;
            if *uses > 1 {
                let _ = write!(name, " #{uses}");
            }
            tests.push(test(&name, prompt, draft));
        }
    }
    tests
}

/// Reports the variables of a prompt that a test does not define, each once.
fn report_undefined(files: &mut SourceFiles<'_>, prompt: &Prompt, drafts: &[Draft]) {
    let mut names: Vec<&str> = prompt.names().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let is_undefined = drafts
            .iter()
            .any(|draft| draft.skip.is_none() && draft.names().all(|known| known != name));
        if is_undefined {
            let message = format!("this prompt uses `{name}`, which some tests do not define");
            let problem = Diagnostic::warning(Code::Promptfoo, message);
            let help = "there it is sent without the variable, as promptfoo sends it";
            files
                .problems
                .push(problem.at(&prompt.source, prompt.span, "").help(help));
        }
    }
}

/// A test that sends a prompt.
fn test(name: &str, prompt: &Prompt, draft: &Draft) -> Node {
    let mut test = Node::of_json(&json!({ "name": literal(name) }));
    if let Some(reason) = draft.skip {
        test.set("skip", Node::of_json(&json!(reason)));
    }
    match draft.rows.as_slice() {
        [row] if row.is_empty() => {}
        [row] => test.set("vars", Node::of_json(&columns(row))),
        rows => {
            let rows = rows.iter().map(columns).collect();
            test.set("cases", Node::of_json(&rows));
        }
    }
    let known: Vec<&str> = draft.names().collect();
    let empty: Vec<&str> = prompt
        .names()
        .filter(|name| !known.contains(name))
        .collect();
    prompt.put(&mut test, &empty);
    if !draft.rules.is_empty() {
        test.set("assert", draft.rules.block());
    }
    test
}

/// The variables of a row.
fn columns(row: &VariableRow) -> Value {
    Value::Object(row.iter().cloned().collect::<Map<_, _>>())
}

/// Reports a provider, and how its target is written.
fn leave_out_provider(files: &mut SourceFiles<'_>, written: &Sourced) {
    let node = &written.node;
    let first = node.entries().first();
    let id = node
        .get("id")
        .and_then(Node::as_str)
        .or_else(|| node.as_str());
    let id = id
        .or_else(|| first.map(|entry| entry.key.as_str()))
        .unwrap_or_default();
    let span = first.map_or(node.span, |entry| entry.key_span);
    let what = format!("the provider `{}`", printable(id));
    files.leave_out(&written.source, span, &what, remedies::of_provider(id));
}
