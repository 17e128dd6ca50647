//! The tests of a file, each with its variables and rules, before a prompt is put into them.

use std::fmt;

use serde_json::Value;

use super::outputs::tree;
use super::rules::ConvertedRules;
use super::source_files::{SourceFiles, Sourced, extension};
use ananke_base::source::{self, Node, NodeValue};
use ananke_model::variables::name_problem;

/// The most rows that the lists among the variables of a test may come to.
const MOST_ROWS: usize = 10_000;

/// The most tests that a file may come to.
pub(super) const MOST_TESTS: usize = 100_000;

/// The column that names a row.
const ROW_ID: &str = "id";

/// The keys of a test that are converted, or reported by themselves.
const TEST_KEYS: [&str; 4] = ["description", "vars", "assert", "options"];

/// The file extensions of texts.
const TEXT_FILES: [&str; 5] = ["txt", "md", "json", "html", "csv"];

/// The values of a test's variables.
pub(super) type VariableRow = Vec<(String, Value)>;

/// A test without its prompt.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    /// The number of the first and the last test that it is made of, or what it is called.
    pub(super) name: DraftName,
    /// At least one.
    pub(super) rows: Vec<VariableRow>,
    pub(super) rules: ConvertedRules,
    /// The reason why it is skipped.
    pub(super) skip: Option<&'static str>,
}

/// The name of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DraftName {
    /// The text that the file says.
    Written(String),
    /// The numbers of the first and the last one.
    Numbers(usize, usize),
}

impl fmt::Display for DraftName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(text) => formatter.write_str(text),
            Self::Numbers(first, last) if first == last => write!(formatter, "test {first}"),
            Self::Numbers(first, last) => write!(formatter, "tests {first} to {last}"),
        }
    }
}

impl Draft {
    /// The names of its variables.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let first = self.rows.first().into_iter().flatten();
        first.map(|(name, _)| name.as_str())
    }

    /// Whether the value of a variable uses another variable.
    fn refers(&self) -> bool {
        let mut values = self.rows.iter().flatten();
        values.any(|(_, value)| references(value).next().is_some())
    }

    /// Takes the rows of a further test that differs in the values of its variables alone, or gives it back.
    fn join(&mut self, further: Self) -> Option<Self> {
        let name = match (&self.name, &further.name) {
            (DraftName::Numbers(first, _), DraftName::Numbers(_, last)) => {
                DraftName::Numbers(*first, *last)
            }
            (own, other) if own == other => own.clone(),
            _ => return Some(further),
        };
        let is_same = self.rules == further.rules
            && self.skip == further.skip
            && self.names().eq(further.names())
            // The ids of rows must differ, and those of tests need not.
            && self.names().all(|name| name != ROW_ID)
            && self.names().next().is_some()
            && !self.refers()
            && !further.refers();
        if !is_same {
            return Some(further);
        }
        self.name = name;
        self.rows.extend(further.rows);
        None
    }
}

/// The tests that differ in the values of their variables alone are one test with rows.
pub(super) fn joined(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut joined: Vec<Draft> = Vec::new();
    for draft in drafts {
        let left = match joined.last_mut() {
            Some(last) => last.join(draft),
            None => Some(draft),
        };
        joined.extend(left);
    }
    joined
}

impl SourceFiles<'_> {
    /// Every test of a file, those of its scenarios last.
    pub(super) fn drafts(&mut self, root: &Sourced) -> Vec<Draft> {
        let templates = root.get("assertionTemplates");
        let default = root
            .get("defaultTest")
            .and_then(|written| self.value(written));
        let mut shared = ConvertedRules::default();
        if let Some(default) = &default {
            self.leave_out_keys(default, &TEST_KEYS);
            if let Some(list) = default.get("assert") {
                shared = self.rules(&list, templates.as_ref());
            }
        }
        let mut tests: Vec<Vec<Sourced>> = Vec::new();
        if let Some(written) = root.get("tests") {
            tests.extend(self.tests(&written).into_iter().map(|test| vec![test]));
        }
        for item in root.get("scenarios").iter().flat_map(Sourced::items) {
            if let Some(value) = self.value(item) {
                for scenario in value.items() {
                    self.add_scenario(&scenario, &mut tests);
                }
            }
        }
        if tests.is_empty() && root.get("tests").is_none() && root.get("scenarios").is_none() {
            // Promptfoo sends each prompt once.
            tests.push(Vec::new());
        }
        let mut drafts = Vec::new();
        let mut rows = 0;
        for (index, parts) in tests.iter().enumerate() {
            let mut draft = Draft {
                name: DraftName::Numbers(index + 1, index + 1),
                rows: vec![VariableRow::new()],
                rules: shared.clone(),
                skip: None,
            };
            for part in parts {
                self.leave_out_keys(part, &TEST_KEYS);
                if let Some(list) = part.get("assert") {
                    draft.rules.extend(self.rules(&list, templates.as_ref()));
                }
            }
            self.fill(&mut draft, default.iter().chain(parts));
            if let Some(part) = parts.last() {
                self.check_references(&mut draft, part);
            }
            rows += draft.rows.len();
            drafts.push(draft);
            // The whole is an error from here on.
            if rows > MOST_TESTS {
                break;
            }
        }
        drafts
    }

    /// Adds the tests of a scenario: each of its tests with each row of its data.
    fn add_scenario(&mut self, scenario: &Sourced, tests: &mut Vec<Vec<Sourced>>) {
        self.leave_out_keys(scenario, &["config", "tests", "description"]);
        let mut parts = ["config", "tests"].map(|key| match scenario.get(key) {
            Some(list) => self.tests(&list),
            None => Vec::new(),
        });
        let [data, own] = &mut parts;
        if data.len().saturating_mul(own.len()) + tests.len() > MOST_TESTS {
            let help = format!("a file can have {MOST_TESTS} tests");
            self.leave_out(&scenario.source, scenario.node.span, "this scenario", help);
            return;
        }
        for test in own.iter() {
            for row in data.iter() {
                tests.push(vec![row.clone(), test.clone()]);
            }
        }
        if own.is_empty() {
            tests.extend(data.drain(..).map(|row| vec![row]));
        }
    }

    /// Gives a draft its name, its variables and the reason why it is skipped, from the parts in which its test is written; the
    /// later ones count more.
    fn fill<'p>(&mut self, draft: &mut Draft, parts: impl Iterator<Item = &'p Sourced>) {
        let mut vars: Vec<(String, Vec<Value>)> = Vec::new();
        for part in parts {
            match part.node.get("description").and_then(Node::as_str) {
                None | Some("") => {}
                Some(name) => draft.name = DraftName::Written(name.to_owned()),
            }
            match part.get("vars").map(|written| self.vars(&written)) {
                None => {}
                Some(Some(further)) => {
                    for (name, values) in further {
                        vars.retain(|(known, _)| *known != name);
                        vars.push((name, values));
                    }
                }
                Some(None) => draft.skip = Some("a variable could not be converted"),
            }
            if let Some(options) = part.get("options") {
                self.leave_out_keys(&options, &[]);
                let keys = options.node.entries().iter();
                if keys.map(|entry| entry.key.as_str()).any(decides) {
                    draft.skip =
                        Some("options that decide what is sent or checked are not converted");
                }
            }
        }
        let lengths = vars.iter().map(|(_, values)| values.len());
        if lengths.fold(1, usize::saturating_mul) > MOST_ROWS {
            draft.skip = Some("its variables have too many values");
            return;
        }
        for (name, values) in vars {
            let mut rows = Vec::new();
            for row in &draft.rows {
                for value in &values {
                    let mut row = row.clone();
                    row.push((name.clone(), value.clone()));
                    rows.push(row);
                }
            }
            draft.rows = rows;
        }
        if draft.skip.is_none() && draft.rules.written > 0 && draft.rules.is_empty() {
            draft.skip = Some("none of its assertions could be converted");
        }
    }

    /// Skips a test whose rules or values use a variable that it does not define; `written` is where the test is.
    fn check_references(&mut self, draft: &mut Draft, written: &Sourced) {
        let mut undefined = Vec::new();
        for row in &draft.rows {
            for (index, (_, value)) in row.iter().enumerate() {
                let before = row.iter().take(index).map(|(name, _)| name.as_str());
                // A value in `vars` can use those before it, one in `cases` cannot.
                let known: Vec<&str> = before.take_while(|_| draft.rows.len() == 1).collect();
                undefined.extend(references(value).filter(|name| !known.contains(name)));
            }
        }
        let block = draft.rules.block().to_json();
        let known: Vec<&str> = draft.names().collect();
        undefined.extend(references(&block).filter(|name| !known.contains(name)));
        let Some(name) = undefined.first() else {
            return;
        };
        let what = format!("a test with `{name}`, which is not defined where it is used,");
        if draft.skip.is_none() {
            draft.skip = Some("a variable that it uses is not defined");
        }
        // A test that is skipped is checked all the same.
        draft.rules = ConvertedRules::default();
        draft.rows = vec![VariableRow::new()];
        let head = written.node.entries().first();
        let span = head.map_or(written.node.span, |entry| entry.key_span);
        self.leave_out(&written.source, span, &what, "write its value instead");
    }

    /// The values of each variable, several where a list has one for each row; `None` if one is not converted.
    fn vars(&mut self, written: &Sourced) -> Option<Vec<(String, Vec<Value>)>> {
        let mut vars = Vec::new();
        for part in written.items() {
            let mapping = self.value(part)?;
            for entry in mapping.node.entries() {
                if let Some((what, help)) = name_problem(&entry.key) {
                    let what = format!("`{}`, which {what},", source::printable(&entry.key));
                    self.leave_out(&mapping.source, entry.key_span, &what, help);
                    return None;
                }
                let values = mapping.part(&entry.value).items();
                if values.is_empty() {
                    let help = "an empty list makes no row";
                    self.leave_out(&mapping.source, entry.value.span, "this value", help);
                    return None;
                }
                let values: Option<Vec<Value>> =
                    values.iter().map(|value| self.variable(value)).collect();
                vars.push((entry.key.clone(), values?));
            }
        }
        Some(vars)
    }

    /// The value of a variable, or the content of the file that it names.
    fn variable(&mut self, written: &Sourced) -> Option<Value> {
        let converted = match &written.node.value {
            NodeValue::Null => Ok(Value::String(String::new())),
            NodeValue::String(path) if path.starts_with("file://") => {
                if !TEXT_FILES.contains(&extension(path)) {
                    let what = format!("`{}`", source::printable(path));
                    let help = "only the content of a file of text is read";
                    self.leave_out(&written.source, written.node.span, &what, help);
                    return None;
                }
                let file = self.text(written)?;
                tree(&Node::of_json(&Value::String(
                    file.text.trim_end().to_owned(),
                )))
            }
            _ => tree(&written.node),
        };
        match converted {
            Ok(value) => Some(value),
            Err(reason) => {
                self.leave_out(&written.source, written.node.span, "this value", reason);
                None
            }
        }
    }
}

/// Whether an option of a test decides what is sent or checked.
fn decides(key: &str) -> bool {
    const DECIDING: [&str; 7] = [
        "transform",
        "postprocess",
        "transformVars",
        "prefix",
        "suffix",
        "disableVarExpansion",
        "disableDefaultAsserts",
    ];
    DECIDING.contains(&key)
}

/// The names of the variables that the texts of a value refer to.
fn references(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => {
            let pieces = text.match_indices("${");
            let starts = pieces.filter(|(at, _)| !text[..*at].ends_with('$'));
            let names = starts.filter_map(|(at, _)| text[at + 2..].split(['}', '.', ':']).next());
            Box::new(names.filter(|name| *name != "ENV"))
        }
        Value::Array(items) => Box::new(items.iter().flat_map(references)),
        Value::Object(map) => Box::new(map.values().flat_map(references)),
        _ => Box::new(std::iter::empty()),
    }
}
