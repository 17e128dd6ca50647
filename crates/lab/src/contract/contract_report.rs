//! Which recorded calls would be refused, as text and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::refusals::RefusedCall;
use ananke_base::message::map_strings;
use ananke_base::text::{escape, truncate};
use ananke_trace::redact::{Redactor, excerpt};

/// The version of this format.
const VERSION: &str = "1.0";

/// The longest text of a call, in characters.
const SHOWN: usize = 300;

/// Which recorded calls would be refused.
#[derive(Clone, Debug)]
pub struct ContractReport {
    /// The name of the target whose tools were listed.
    pub target: String,
    /// How many recordings were read.
    pub recordings: usize,
    /// How many calls they have.
    pub calls: usize,
    /// What would be refused.
    pub refusals: Vec<RefusedCall>,
}

impl ContractReport {
    /// The report for people.
    pub fn text(&self, redactor: &Redactor) -> String {
        let line = |text: &str| escape::line(&redactor.text(&shortened(text))).into_owned();
        let mut text = String::new();
        let mut last = None;
        for RefusedCall {
            call,
            path,
            message,
        } in &self.refusals
        {
            // A call is shown once, with every place that does not fit.
            if last.replace(call) != Some(call) {
                let args = line(&call.args.to_string());
                let tool = line(&call.tool);
                let _ = writeln!(
                    text,
                    "✗ {}, turn {}, call {}: {tool}({args})",
                    line(&call.test),
                    call.turn,
                    call.call
                );
            }
            let at = if path.is_empty() {
                String::new()
            } else {
                format!("`{}`: ", line(path))
            };
            let _ = writeln!(text, "    {at}{}", line(message));
        }
        if !self.refusals.is_empty() {
            text.push('\n');
        }
        let failed = self.failed_calls();
        let _ = writeln!(
            text,
            "{} of {} against the tools of {}: {} passed, {failed} failed",
            counted(self.calls, "call"),
            counted(self.recordings, "recording"),
            line(&self.target),
            self.calls - failed,
        );
        text
    }

    /// How many calls would be refused.
    pub fn failed_calls(&self) -> usize {
        let mut calls: Vec<_> = self.refusals.iter().map(|refusal| &refusal.call).collect();
        calls.dedup();
        calls.len()
    }

    /// The report for programs.
    pub fn json(&self, redactor: &Redactor) -> Value {
        let refusal = |RefusedCall {
                           call,
                           path,
                           message,
                       }: &RefusedCall| {
            json!({
                "test": call.test, "turn": call.turn, "call": call.call, "tool": call.tool,
                "arguments": call.args, "path": path, "message": shortened(message),
            })
        };
        let mut refusals = Value::Array(self.refusals.iter().map(refusal).collect());
        map_strings(&mut refusals, &|text| redactor.text(text).into_owned());
        json!({
            "version": VERSION, "target": self.target, "recordings": self.recordings, "calls": self.calls,
            "failed": self.failed_calls(), "refusals": refusals,
        })
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => excerpt(text, 0..end) + &truncate::missing(text.len() - end),
        None => text.to_owned(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
