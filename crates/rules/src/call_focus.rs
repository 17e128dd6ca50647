//! What of a call a rule looks at, and how the call is shown in a failure.

use super::describe::short;
use super::json_focus::{JsonFocus, brief, focused};
use ananke_trace::trace::{Args, ToolCall, Trace};

/// A result of at most so many bytes that is compared is shown as JSON, so that `"42"` is not taken for `42`.
const QUOTED: usize = 60;

/// What of a call a rule looks at, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallFocus {
    /// Places in its arguments.
    pub(crate) args: Vec<JsonFocus>,
    /// Places in its result.
    pub(crate) result: Vec<JsonFocus>,
    /// What is wrong with the call at no place, or at one that cannot be shown.
    pub(crate) words: Vec<String>,
}

impl CallFocus {
    /// The call at `index`, shortened to the focus: `call 2 of 3, #5: ship({"method": "standard" ≠ "express"}) → ok`.
    /// Calls to the same tool are counted in the whole test. Empty if there is no such call.
    pub(crate) fn shown(&self, trace: &Trace, index: usize, remark: &str) -> String {
        let Some(call) = trace.calls.get(index) else {
            return String::new();
        };
        let is_same = |other: &&ToolCall| other.name == call.name;
        let number = trace.calls[..=index].iter().filter(is_same).count();
        let count = number + trace.calls[index + 1..].iter().filter(is_same).count();
        let number = if count > 1 {
            format!(" {number} of {count},")
        } else {
            String::new()
        };
        let words = if self.words.is_empty() {
            String::new()
        } else {
            format!(": {}", self.words.join("; "))
        };
        format!(
            "call{number} #{}{remark}: {}({}) → {}{words}",
            call.first_event,
            short(&call.name),
            self.args(call),
            self.result(call)
        )
    }

    fn args(&self, call: &ToolCall) -> String {
        let text = call.args_text.trim();
        match call.args() {
            Args::Json(value) if !(text.is_empty() && self.args.is_empty()) => {
                focused(value, &self.args)
            }
            _ => short(text),
        }
    }

    fn result(&self, call: &ToolCall) -> String {
        let notes = || -> String {
            self.result
                .iter()
                .map(|place| place.note.as_str())
                .collect()
        };
        match call.result() {
            None => format!("(no result){}", notes()),
            Some(result) if result.text.is_empty() => format!("(empty result){}", notes()),
            Some(result) => match result.structured() {
                Some(value) if value.is_object() || value.is_array() => {
                    focused(value, &self.result)
                }
                Some(value) if !self.result.is_empty() && result.text.len() <= QUOTED => {
                    brief(value) + &notes()
                }
                _ => short(&result.text) + &notes(),
            },
        }
    }
}
