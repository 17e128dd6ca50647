//! Questions: what a rule leaves to a script to decide.

use serde_json::Value;

use super::finding::Finding;
use crate::assertion::describe::{said, short};
use crate::assertion::rule_origin::RuleOrigin;
use crate::assertion::script_source::ScriptSource;
use crate::redact::Redactor;

/// How many lines of a script's message are shown.
const SHOWN_LINES: usize = 10;

/// A script, and what it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptQuestion {
    /// Which script.
    pub program: ScriptSource,
    /// How long it may take, in milliseconds, if the rule says so.
    pub timeout_ms: Option<u64>,
    /// The whole request.
    pub request: Value,
    /// What the rule expects, in words.
    pub(crate) expected: String,
}

/// An inquiry and the rule that makes it: asked only if all other rules pass (SPEC 7.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub inquiry: ScriptQuestion,
    /// The path of the rule.
    pub(crate) path: &'static str,
    /// Where the rule is defined.
    pub(crate) origin: RuleOrigin,
}

impl Question {
    /// Why its rule neither passes nor fails.
    pub fn unanswered(&self, why: &str) -> String {
        let RuleOrigin { level, place, .. } = &self.origin;
        format!("the {} rule `{}` ({place}) could not be evaluated: {why}", level.as_str(), self.path)
    }

    /// How the rule fails after the script rejected it with the message `words`.
    pub(crate) fn rejection(&self, words: Option<&str>, redactor: &Redactor) -> Finding {
        let ScriptQuestion { program, request, expected, .. } = &self.inquiry;
        let words = redactor.text(words.unwrap_or_default());
        let mut lines = words.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let says = format!("the script {program} rejected it");
        let message = lines.next().map_or_else(|| says.clone(), |first| format!("{says}: {}", short(first)));
        let mut shown: Vec<String> = lines.by_ref().take(SHOWN_LINES).map(short).collect();
        if lines.next().is_some() {
            shown.push("…".to_owned());
        }
        shown.extend(request["output"].as_str().map(|output| said(&short(&redactor.text(output)))));
        Finding::in_words(message, expected.clone(), shown)
    }
}
