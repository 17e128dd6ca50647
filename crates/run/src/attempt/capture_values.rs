//! Captures: values of a turn that later turns can use, from its calls, its text and the state.

use std::borrow::Cow;

use serde_json::{Map, Value};

use ananke_base::source::received_json;
use ananke_base::text::truncate;
use ananke_model::variables::{Pattern, Patterns};
use ananke_plan::compile::{CaptureFrom, CompiledCapture};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Args, Origin, Path, ToolCall, Trace, TurnRanges, is_same_json};

/// The number of characters of the searched text that are quoted.
const QUOTED: usize = 120;

/// The number of calls that are named.
const NAMED: usize = 10;

/// A value that a turn was to capture and did not have.
#[derive(Debug)]
pub(crate) struct MissingValue {
    /// The reason, in one line.
    pub(crate) message: String,
    /// The place of the capture, as help.
    pub(crate) help: String,
}

/// The values that the last turn captures, by name, and the ones that it lacks, each with the reason.
pub(crate) fn capture_values(
    captures: &[CompiledCapture],
    trace: &Trace,
    redactor: &Redactor,
) -> (Map<String, Value>, Vec<MissingValue>) {
    let mut values = Map::new();
    let mut missing_values = Vec::new();
    // A conversation without a turn has nothing in which values could be looked up.
    let Some(turn) = trace.turns.last() else {
        return (values, missing_values);
    };
    // All captures are tried even if one fails, so that a report names every missing value at once.
    for CompiledCapture {
        name,
        place,
        from,
        keeps_spelling,
    } in captures
    {
        // The schema version of the test's file decides if numbers keep the spelling of the agent, such as `1.0`.
        let source = CaptureSource {
            trace,
            turn,
            redactor,
            keeps_spelling: *keeps_spelling,
        };
        match source.find(from) {
            Ok(value) => _ = values.insert(name.clone(), value),
            Err(reason) => missing_values.push(MissingValue {
                message: format!("`{name}` was not captured: {reason}"),
                help: format!("`{name}` is captured at {place}"),
            }),
        }
    }
    (values, missing_values)
}

/// The turn in which values are looked up.
struct CaptureSource<'t> {
    trace: &'t Trace,
    turn: &'t TurnRanges,
    redactor: &'t Redactor,
    /// Numbers stay as the agent spelled them, such as `1.0`.
    keeps_spelling: bool,
}

impl CaptureSource<'_> {
    fn find(&self, from: &CaptureFrom) -> Result<Value, String> {
        match from {
            CaptureFrom::Args(tool, path) => self.find_in_args(tool, path.as_ref()),
            CaptureFrom::Result(tool, path) => self.find_in_result(tool, path.as_ref()),
            CaptureFrom::Text(pattern) => self.find_in_text(pattern),
            CaptureFrom::State(path) => self.value_at(self.state(), path.as_ref(), "the state"),
        }
    }

    /// The value at `path` in the arguments of the last call to `tool`, or all arguments without a path; the error is the reason
    /// in words.
    fn find_in_args(&self, tool: &str, path: Option<&Path>) -> Result<Value, String> {
        let call = self.last_call(tool)?;
        let described = format!("the arguments of `{tool}`");
        match call.args() {
            Args::Json(args) => {
                // The text has the numbers as the agent wrote them, such as `1.0`; the parsed value need not.
                let args = self.as_spelled(args, &call.args_text);
                self.value_at(&args, path, &described)
            }
            Args::Malformed(_) => Err(format!(
                "{described} are not valid JSON: {}",
                self.quoted_start(&call.args_text)
            )),
        }
    }

    /// The value at `path` in the result of the last call to `tool`, or the whole result without a path; the error is the reason
    /// in words.
    fn find_in_result(&self, tool: &str, path: Option<&Path>) -> Result<Value, String> {
        let call = self.last_call(tool)?;
        let described = format!("the result of `{tool}`");
        let Some(result) = call.result() else {
            return Err(format!(
                "the last call to `{tool}` in this turn has no result"
            ));
        };
        if let Some(value) = result.structured() {
            // The text has the numbers as the agent wrote them, such as `1.0`; the parsed value need not.
            let value = self.as_spelled(value, &result.text);
            return self.value_at(&value, path, &described);
        }

        // A result without structure is plain text: no path leads into it, but all of it can be captured.
        if path.is_some() {
            return Err(format!(
                "{described} is not valid JSON: {}",
                self.quoted_start(&result.text)
            ));
        }
        Ok(Value::from(result.text.as_str()))
    }

    /// The text that the group of `pattern` matches in what the agent said in this turn; the error is the reason in words.
    fn find_in_text(&self, pattern: &Pattern) -> Result<Value, String> {
        let text = self.trace.turn_text(self.turn);
        // A pattern can be too large to be compiled. Then the error says so.
        let regex = Patterns::default()
            .compile(pattern)
            .map_err(|error| error.to_string())?;
        // The pattern of a capture has exactly one group (SPEC 5). If that is optional, a match may lack it: then there is no
        // value.
        if let Some(groups) = regex.captures(&text)
            && let Some(group) = groups.get(1)
        {
            return Ok(Value::String(group.as_str().to_owned()));
        }
        if text.is_empty() {
            return Err("the agent said nothing in this turn".to_owned());
        }
        Err(format!(
            "`{}` matches nothing in the text, which begins {}",
            pattern.as_str(),
            self.quoted_start(&text)
        ))
    }

    fn state(&self) -> &Value {
        if self.keeps_spelling {
            self.trace.state.as_sent()
        } else {
            self.trace.state.value()
        }
    }

    /// The value with its numbers as they are spelled in the text that the agent sent. A structured result may have another
    /// text.
    fn as_spelled<'v>(&self, value: &'v Value, sent: &str) -> Cow<'v, Value> {
        if self.keeps_spelling
            && let Ok(read) = received_json::read(sent)
            && is_same_json(&read.value, value)
        {
            return Cow::Owned(read.value);
        }
        Cow::Borrowed(value)
    }

    /// The last call to a tool that began or was answered in this turn.
    fn last_call(&self, tool: &str) -> Result<&ToolCall, String> {
        // Calls of earlier turns that were answered in this one come first, since they began before the turn's own.
        let all = &self.trace.calls;
        let late = self.turn.late_results.iter();
        let mut calls: Vec<&ToolCall> = late.filter_map(|index| all.get(*index)).collect();
        calls.extend(all.get(self.turn.calls.clone()).unwrap_or_default());
        // The history is given by the test, and no call in it was made in this turn.
        calls.retain(|call| call.origin != Origin::History);
        if let Some(call) = calls.iter().rfind(|call| call.name == tool) {
            return Ok(call);
        }

        // The error names the other tools that were called, each once, so that a misspelled name is noticed.
        let mut names: Vec<String> = Vec::new();
        for call in &calls {
            let name = format!("`{}`", self.masked_start(&call.name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let no_call = format!("this turn has no call to `{tool}`");
        if names.is_empty() {
            return Err(format!("{no_call}, and no other call"));
        }
        // An agent can call any number of tools, so only the first are listed.
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let listed = names.join(", ");
        Err(match more {
            0 => format!("{no_call}, only to {listed}"),
            more => format!("{no_call}, only to {listed} and {more} more"),
        })
    }

    /// The value at `path` in `value`, or all of it without a path. The error calls `value` by the words in `whole`.
    fn value_at(&self, value: &Value, path: Option<&Path>, whole: &str) -> Result<Value, String> {
        let Some(path) = path else {
            return Ok(value.clone());
        };
        if let Some(found) = path.find(value) {
            return Ok(found.clone());
        }
        // The error quotes the innermost value that the path leads to, so that the missing key can be compared with its keys.
        let (found_path, innermost, missing_key) = path.reach(value);
        let place = if found_path.is_empty() {
            whole.to_owned()
        } else {
            format!("`{found_path}` of {whole}")
        };
        // A path that leads nowhere has a key that is missing, so the whole path is named only to be safe.
        let missing_key = missing_key.unwrap_or_else(|| path.as_str());
        Err(format!(
            "there is no `{missing_key}` in {place}: {}",
            self.quoted_start(&innermost.to_string())
        ))
    }

    fn quoted_start(&self, text: &str) -> String {
        format!("`{}`", self.masked_start(text))
    }

    /// The beginning of a text of the agent; of a secret nothing is left.
    fn masked_start(&self, text: &str) -> String {
        truncate::chars(&self.redactor.text(text), QUOTED).into_owned()
    }
}
