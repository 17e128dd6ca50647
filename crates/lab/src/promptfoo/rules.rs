//! The assertions of promptfoo as rules of a test.

use serde_json::{Value, json};

use super::outputs::{filled, negated, negated_outputs, outputs};
use super::remedies::{self, ADD_JUDGE, JUDGE};
use super::source_files::{SourceFiles, Sourced, extension, file_path};
use ananke_base::diagnostic::Span;
use ananke_base::source::{self, Node};

/// The type of assertions that a model grades.
const RUBRIC: &str = "llm-rubric";

/// The types that become a rule.
const TYPES: [&str; 13] = [
    "equals",
    "contains",
    "icontains",
    "contains-all",
    "icontains-all",
    "contains-any",
    "icontains-any",
    "starts-with",
    "ends-with",
    "regex",
    "is-json",
    "contains-json",
    RUBRIC,
];

/// The file extensions of programs.
const PROGRAMS: [&str; 4] = ["js", "ts", "py", "rb"];

/// The rules of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConvertedRules {
    output: Vec<Value>,
    judge: Vec<Value>,
    max_duration_ms: Option<u64>,
    /// How many assertions the test had.
    pub(super) written: usize,
}

impl ConvertedRules {
    /// Whether there is nothing to check.
    pub(super) fn is_empty(&self) -> bool {
        self.output.is_empty() && self.judge.is_empty() && self.max_duration_ms.is_none()
    }

    /// Adds further rules.
    pub(super) fn extend(&mut self, further: Self) {
        self.output.extend(further.output);
        self.judge.extend(further.judge);
        self.limit(further.max_duration_ms);
        self.written += further.written;
    }

    fn limit(&mut self, further: Option<u64>) {
        let both = self.max_duration_ms.into_iter().chain(further);
        self.max_duration_ms = both.min();
    }

    /// Adds the rule that means the same as an assertion.
    ///
    /// # Errors
    /// The reason why there is none.
    fn add(
        &mut self,
        kind: &str,
        value: Option<&Node>,
        threshold: Option<&Node>,
    ) -> Result<(), String> {
        match (kind, kind.strip_prefix("not-")) {
            (RUBRIC, _) => self.judge.push(question(value, threshold)?),
            (_, Some(RUBRIC)) => self.judge.push(negated(question(value, threshold)?)),
            ("latency", _) => {
                let limit = threshold.and_then(|limit| limit.to_json().as_u64());
                let help = "it needs a whole number of milliseconds as `threshold`";
                self.limit(Some(limit.ok_or(help)?));
            }
            (_, Some(base)) => self.output.extend(negated_outputs(base, value)?),
            (_, None) => self.output.extend(outputs(kind, value)?),
        }
        Ok(())
    }

    /// The assert block.
    pub(super) fn block(&self) -> Node {
        let mut block = serde_json::Map::new();
        if let Some(limit) = self.max_duration_ms {
            block.insert("timing".to_owned(), json!({ "max_duration_ms": limit }));
        }
        for (key, entries) in [("output", &self.output), ("judge", &self.judge)] {
            if !entries.is_empty() {
                block.insert(key.to_owned(), json!(entries));
            }
        }
        Node::of_json(&Value::Object(block))
    }
}

impl SourceFiles<'_> {
    /// The rules of a list of assertions; `templates` are those that it can refer to.
    pub(super) fn rules(
        &mut self,
        written: &Sourced,
        templates: Option<&Sourced>,
    ) -> ConvertedRules {
        let mut rules = ConvertedRules::default();
        for item in written.items() {
            let item = referred(item, templates);
            rules.written += 1;
            if let Some(text) = item.node.as_str() {
                let node = of_text(text, item.node.span);
                self.assertion(&item.part(&node), &mut rules);
            } else if item.node.get("type").and_then(Node::as_str) == Some("assert-set")
                && item.node.get("threshold").is_none()
                && let Some(set) = item.get("assert")
            {
                rules.written -= 1;
                rules.extend(self.rules(&set, templates));
            } else {
                self.assertion(&item, &mut rules);
            }
        }
        rules
    }

    /// Adds the rules of one assertion.
    fn assertion(&mut self, item: &Sourced, rules: &mut ConvertedRules) {
        let written = &item.node;
        let (kind, span) = match written.get("type") {
            Some(kind) => (kind.as_str().unwrap_or_default(), kind.span),
            None => ("", written.span),
        };
        let base = kind.strip_prefix("not-").unwrap_or(kind);
        let value = item.get("value").map(|value| self.of_file(value, base));
        let value = value.as_ref().map(|value| &value.node);
        let converted = match unconverted(written) {
            Some(reason) => Err(reason.to_owned()),
            None => rules.add(kind, value, written.get("threshold")),
        };
        if let Err(help) = converted {
            let what = match kind {
                "" => "this assertion".to_owned(),
                kind => format!("`{}`", source::printable(kind)),
            };
            self.leave_out(&item.source, span, &what, help);
            return;
        }
        if base == RUBRIC && !self.needs_judge {
            self.needs_judge = true;
            let what = format!("the model that grades `{kind}`");
            self.leave_out(&item.source, span, &what, ADD_JUDGE);
        }
        self.leave_out_keys(item, &["type", "value", "threshold"]);
    }

    /// A value, or the content of the file that it names: a tree for a schema, else a text.
    fn of_file(&mut self, value: Sourced, kind: &str) -> Sourced {
        let is_file = value
            .node
            .as_str()
            .is_some_and(|text| text.starts_with("file://"));
        let path = value.node.as_str().map_or("", file_path);
        if !is_file || PROGRAMS.contains(&extension(path)) {
            return value;
        }
        let Some(file) = self.text(&value) else {
            return value;
        };
        let node = match kind {
            "is-json" | "contains-json" | "equals" => source::tree(&file).0,
            _ => None,
        };
        let node = node.unwrap_or_else(|| Node::of_json(&json!(file.text.trim_end())));
        Sourced { source: file, node }
    }
}

/// The reason why an assertion is not converted, whatever its type is.
fn unconverted(written: &Node) -> Option<&'static str> {
    if written.get("transform").is_some() || written.get("contextTransform").is_some() {
        return Some("a rule is about the answer itself, not about what a transform makes of it");
    }
    let weight = written.get("weight")?.to_json().as_f64()?;
    if weight.abs() > f64::EPSILON {
        return None;
    }
    Some("its weight is 0, so that it decides nothing")
}

/// An assertion, or the template that it refers to.
fn referred(item: Sourced, templates: Option<&Sourced>) -> Sourced {
    let name = item.node.get("$ref").and_then(Node::as_str);
    let name = name.and_then(|name| name.strip_prefix("#/assertionTemplates/"));
    let template = name.and_then(|name| templates?.get(name));
    template.unwrap_or(item)
}

/// An assertion that is written as one text in a CSV file: `contains: a`.
fn of_text(text: &str, span: Span) -> Node {
    let (kind, value) = text.split_once(':').unwrap_or((text, ""));
    let (kind, threshold) = match kind
        .trim()
        .strip_suffix(')')
        .and_then(|kind| kind.split_once('('))
    {
        Some((kind, threshold)) => (kind, threshold.parse::<u64>().ok()),
        None => (kind.trim(), None),
    };
    let kind = match kind {
        "grade" => RUBRIC,
        "fn" | "eval" => "javascript",
        other => other,
    };
    let base = kind.strip_prefix("not-").unwrap_or(kind);
    let mut assertion = if !TYPES.contains(&base) && remedies::of_type(base).is_none() {
        json!({ "type": "equals", "value": text })
    } else if value.trim().is_empty() {
        json!({ "type": kind })
    } else {
        json!({ "type": kind, "value": value.trim_start() })
    };
    if let (Some(threshold), Some(map)) = (threshold, assertion.as_object_mut()) {
        map.insert("threshold".to_owned(), json!(threshold));
    }
    let mut node = Node::of_json(&assertion);
    node.span = span;
    if let Some(kind) = node.get_mut("type") {
        kind.span = span;
    }
    node
}

/// The question to a judge.
fn question(value: Option<&Node>, threshold: Option<&Node>) -> Result<Value, String> {
    let mut entry = json!({ "agent": JUDGE, "criteria": filled(value)?.written(), "of": "final" });
    if let (Some(threshold), Some(map)) = (threshold, entry.as_object_mut()) {
        map.insert("threshold".to_owned(), threshold.to_json());
    }
    Ok(entry)
}
