//! `ananke list --rules`: every rule that is written for the selected tests, once, with the number of tests that it applies to.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use ananke::assertion::{RuleOrigin, ScopeRules};
use ananke::plan::{Plan, explain};
use ananke::text::{escape, natural_path_order};
use ananke::{context::Context, diagnostic::Diagnostic, outcome::Level, redact::Redactor};
use indexmap::IndexMap;
use serde_json::json;

/// The identity of a rule: its file and line, its path in an assert block, and what it expects, in words.
type RuleKey = (Arc<str>, u32, &'static str, String);

/// A rule as it is listed.
struct ListedRule {
    level: Level,
    /// The number of tests that have it; each row counts.
    tests: usize,
    /// The last of them, counted from 1.
    last: usize,
}

/// The rules of every selected test, by place.
pub(super) struct RuleList(IndexMap<RuleKey, ListedRule>);

impl RuleList {
    /// Collects them.
    ///
    /// # Errors
    /// If a file is broken by now.
    pub(crate) fn of(context: &Context, plan: &Plan) -> Result<Self, Vec<Diagnostic>> {
        let mut list = Self(IndexMap::new());
        for (number, (rows, test)) in (1..).zip(explain(context, plan)?) {
            let of_turns = test.explanation.turns.iter();
            let scopes = [&test.explanation.test].into_iter().chain(of_turns);
            for scope in scopes.chain(test.further.iter().map(|(_, rules)| rules)) {
                list.add(scope, number, rows.len());
            }
        }
        // Files that are read one after the other: rules of a target come again and again.
        list.0.sort_unstable_by(|left, _, right, _| {
            natural_path_order(Path::new(&*left.0), Path::new(&*right.0))
                .then_with(|| left.cmp(right))
        });
        Ok(list)
    }

    fn add(&mut self, scope: &ScopeRules, number: usize, rows: usize) {
        let rules = scope
            .rules
            .iter()
            .map(|rule| (rule.path, rule.describe(), &rule.origin));
        let limits = scope.limits.iter();
        let limits = limits.map(|limit| (limit.measure.path(), limit.words.clone(), &limit.origin));
        for (path, words, origin) in rules.chain(limits) {
            let RuleOrigin { level, place, .. } = origin;
            let key = (place.file.clone(), place.line, path, words);
            let listed = self.0.entry(key).or_insert(ListedRule {
                level: *level,
                tests: 0,
                last: 0,
            });
            if listed.last != number {
                listed.tests += rows;
                listed.last = number;
            }
        }
    }

    /// Two lines per rule: where and how often, and what it expects.
    pub(super) fn as_text(&self, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
        for ((file, line, path, words), ListedRule { level, tests, .. }) in &self.0 {
            let tests = if *tests == 1 {
                "1 test".to_owned()
            } else {
                format!("{tests} tests")
            };
            writeln!(
                out,
                "{}:{line}  {path}  [{}, {tests}]",
                escape::line(file),
                level.as_str()
            )?;
            writeln!(out, "    {}", escape::line(&redactor.text(words)))?;
        }
        Ok(())
    }

    /// An array with one rule per line.
    pub(super) fn as_json(&self, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
        let mut before = "[\n";
        for ((file, line, path, words), ListedRule { level, tests, .. }) in &self.0 {
            let rule = json!({
                "rule": path, "level": level.as_str(), "expected": redactor.text(words), "file": &**file,
                "line": line, "tests": tests,
            });
            write!(out, "{before}  {}", escape::json(&rule.to_string()))?;
            before = ",\n";
        }
        if self.0.is_empty() {
            writeln!(out, "[]")
        } else {
            writeln!(out, "\n]")
        }
    }
}
