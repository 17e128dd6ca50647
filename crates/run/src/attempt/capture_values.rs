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

/// The values that the turn that has just ended is to capture and, for each missing one, where it was looked up.
pub(crate) fn capture_values(
    captures: &[CompiledCapture],
    trace: &Trace,
    redactor: &Redactor,
) -> (Map<String, Value>, Vec<MissingValue>) {
    let mut values = Map::new();
    let mut missing = Vec::new();
    let Some(turn) = trace.turns.last() else {
        return (values, missing);
    };
    // Each on its own, so that a value that is missing hides no other.
    for CompiledCapture {
        name,
        place,
        from,
        keeps_spelling,
    } in captures
    {
        let source = CaptureSource {
            trace,
            turn,
            redactor,
            keeps_spelling: *keeps_spelling,
        };
        match source.find(from) {
            Ok(value) => _ = values.insert(name.clone(), value),
            Err(why) => missing.push(MissingValue {
                message: format!("`{name}` was not captured: {why}"),
                help: format!("`{name}` is captured at {place}"),
            }),
        }
    }
    (values, missing)
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
            CaptureFrom::State(path) => self.reach(self.state(), path.as_ref(), "the state"),
        }
    }

    fn find_in_args(&self, tool: &str, path: Option<&Path>) -> Result<Value, String> {
        let call = self.last_call(tool)?;
        let what = format!("the arguments of `{tool}`");
        match call.args() {
            Args::Json(value) => {
                let value = self.spelled(value, &call.args_text);
                self.reach(&value, path, &what)
            }
            Args::Malformed(_) => Err(format!(
                "{what} are not valid JSON: {}",
                self.start_of(&call.args_text)
            )),
        }
    }

    fn find_in_result(&self, tool: &str, path: Option<&Path>) -> Result<Value, String> {
        let call = self.last_call(tool)?;
        let what = format!("the result of `{tool}`");
        let Some(result) = call.result() else {
            return Err(format!(
                "the last call to `{tool}` in this turn has no result"
            ));
        };
        if let Some(value) = result.structured() {
            let value = self.spelled(value, &result.text);
            return self.reach(&value, path, &what);
        }
        // A result need not be JSON: without a path the text itself is captured.
        if path.is_some() {
            return Err(format!(
                "{what} is not valid JSON: {}",
                self.start_of(&result.text)
            ));
        }
        Ok(Value::from(result.text.as_str()))
    }

    fn find_in_text(&self, pattern: &Pattern) -> Result<Value, String> {
        let text = self.trace.turn_text(self.turn);
        let regex = Patterns::default()
            .compile(pattern)
            .map_err(|error| error.to_string())?;
        if let Some(groups) = regex.captures(&text)
            && let Some(found) = groups.get(1)
        {
            return Ok(Value::String(found.as_str().to_owned()));
        }
        if text.is_empty() {
            return Err("the agent said nothing in this turn".to_owned());
        }
        Err(format!(
            "`{}` matches nothing in the text, which begins {}",
            pattern.as_str(),
            self.start_of(&text)
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
    fn spelled<'v>(&self, value: &'v Value, sent: &str) -> Cow<'v, Value> {
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
        // Calls that were answered here began in earlier turns, so they come first.
        let all = &self.trace.calls;
        let late = self.turn.late_results.iter();
        let mut calls: Vec<&ToolCall> = late.filter_map(|index| all.get(*index)).collect();
        calls.extend(all.get(self.turn.calls.clone()).unwrap_or_default());
        // The history is given by the test, and no call in it was made in this turn.
        calls.retain(|call| call.origin != Origin::History);
        if let Some(call) = calls.iter().rfind(|call| call.name == tool) {
            return Ok(call);
        }

        // The error names the other calls, so that a misspelled name is noticed.
        let mut names: Vec<String> = Vec::new();
        for call in &calls {
            let name = format!("`{}`", self.cut(&call.name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let no_call = format!("this turn has no call to `{tool}`");
        if names.is_empty() {
            return Err(format!("{no_call}, and no other call"));
        }
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let listed = names.join(", ");
        Err(match more {
            0 => format!("{no_call}, only to {listed}"),
            more => format!("{no_call}, only to {listed} and {more} more"),
        })
    }

    fn reach(&self, value: &Value, path: Option<&Path>, what: &str) -> Result<Value, String> {
        let Some(path) = path else {
            return Ok(value.clone());
        };
        if let Some(found) = path.find(value) {
            return Ok(found.clone());
        }
        // The error quotes the last value on the way, so that the key that is missing can be compared with those there.
        let (way, reached, missing) = path.reach(value);
        let whose = if way.is_empty() {
            what.to_owned()
        } else {
            format!("`{way}` of {what}")
        };
        let missing = missing.unwrap_or_else(|| path.as_str());
        Err(format!(
            "there is no `{missing}` in {whose}: {}",
            self.start_of(&reached.to_string())
        ))
    }

    fn start_of(&self, text: &str) -> String {
        format!("`{}`", self.cut(text))
    }

    /// The beginning of a text of the agent; of a secret nothing is left.
    fn cut(&self, text: &str) -> String {
        truncate::chars(&self.redactor.text(text), QUOTED).into_owned()
    }
}
