//! What the result of a call must be to be selected.

use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use super::json_subset::Partial;
use super::mismatch::Misfits;
use crate::assertion::describe::short;
use crate::model::CallStatus;
use crate::trace::{ToolCall, ToolResult};
use crate::variables::{Pattern, Patterns};

/// Conditions on a result; all must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultConditions {
    /// What it must hold.
    pub json: Option<Partial>,
    /// The pattern it must match.
    pub matching: Option<Pattern>,
    /// The pattern it must not match.
    pub not_matching: Option<Pattern>,
    /// Whether it must be an error, or none.
    pub is_error: Option<bool>,
    /// How far the call must have come.
    pub status: Option<CallStatus>,
}

impl ResultConditions {
    /// Whether every call fits.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the call must have no result.
    pub(crate) fn is_pending(&self) -> bool {
        self.status == Some(CallStatus::Pending)
    }

    /// Whether a call that fits may do so no more: it is answered yet, or a result turns out to be a failure.
    pub(crate) fn is_provisional(&self) -> bool {
        self.is_error == Some(false)
            || matches!(self.status, Some(CallStatus::Pending | CallStatus::Executed))
    }

    /// Whether every call that fits these surely fits `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        let Self { json, matching, not_matching, is_error, status } = fewer;
        (json.is_none() || json == &self.json)
            && (matching.is_none() || matching == &self.matching)
            && (not_matching.is_none() || not_matching == &self.not_matching)
            && (is_error.is_none() || is_error == &self.is_error)
            && (status.is_none() || status == &self.status)
    }

    /// Each condition in words.
    pub(crate) fn describe(&self) -> Vec<String> {
        let pattern =
            |word: &str, pattern: &Pattern| format!("a result {word} `{}`", short(pattern.as_str()));
        [
            self.json.as_ref().map(|json| json.describe("a ", "result")),
            self.matching.as_ref().map(|matching| pattern("matching", matching)),
            self.not_matching.as_ref().map(|not_matching| pattern("not matching", not_matching)),
            self.is_error.map(|is_error| {
                let words = if is_error { "an error as its result" } else { "a result that is no error" };
                words.to_owned()
            }),
            self.status.map(|status| format!("the status `{}`", word(status))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Answering, regex::Error> {
        let mut compile =
            |pattern: &Option<Pattern>| pattern.as_ref().map(|pattern| patterns.compile(pattern)).transpose();
        Ok(Answering {
            matching: compile(&self.matching)?,
            not_matching: compile(&self.not_matching)?,
            conditions: self.clone(),
        })
    }
}

/// Conditions at work.
#[derive(Debug)]
pub(crate) struct Answering {
    pub(crate) conditions: ResultConditions,
    matching: Option<Arc<Regex>>,
    not_matching: Option<Arc<Regex>>,
}

impl Answering {
    /// In which ways the call's last result does not fit.
    pub(crate) fn misfits(&self, call: &ToolCall, misfits: &mut Misfits) {
        let ResultConditions { json, is_error, status, .. } = &self.conditions;
        if self.conditions.is_empty() {
            return;
        }
        let Some(result) = call.result() else {
            if !self.conditions.is_pending() {
                let conditions = [self.matching.is_some(), self.not_matching.is_some(), is_error.is_some()];
                let conditions = conditions.into_iter().filter(|is_there| *is_there).count();
                let weight = json.as_ref().map_or(0, Partial::weight) + conditions;
                misfits.add_weighing("there is no result".to_owned(), weight.max(1));
            }
            return;
        };
        if let Some(json) = json.as_ref().filter(|json| !is_same_text(json, result)) {
            let text = || Value::String(result.text.clone());
            misfits.add_of_result(json.differences(&result.structured.clone().unwrap_or_else(text)));
        }
        let shown = || short(&result.text);
        if let Some(regex) = self.matching.as_ref().filter(|regex| !regex.is_match(&result.text)) {
            misfits.add(format!("the result `{}` does not match `{}`", shown(), short(regex.as_str())));
        }
        if let Some(regex) = self.not_matching.as_ref().filter(|regex| regex.is_match(&result.text)) {
            misfits.add(format!("the result `{}` matches `{}`", shown(), short(regex.as_str())));
        }
        // Where the protocol does not say, a result is none.
        let failed = result.is_error == Some(true);
        match is_error {
            Some(true) if !failed => misfits.add("the result is no error".to_owned()),
            Some(false) if failed => misfits.add("the result is an error".to_owned()),
            _ => {}
        }
        let found = if result.is_denied { CallStatus::Denied } else { CallStatus::Executed };
        if let Some(status) = status.filter(|status| *status != found) {
            misfits.add(format!("the call is `{}`, expected `{}`", word(found), word(status)));
        }
    }
}

/// A text as it is written is compared with the text of the result: `42` says whether a tool meant a number no more.
fn is_same_text(json: &Partial, result: &ToolResult) -> bool {
    matches!(&json.value, Value::String(wanted) if *wanted == result.text)
}

fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Pending => "pending",
        CallStatus::Executed => "executed",
        CallStatus::Denied => "denied",
    }
}
