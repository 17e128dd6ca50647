//! Captures: values of a turn that later turns can use, from its calls, its text and the state.

use std::borrow::Cow;

use serde_json::{Map, Value};

use ananke_base::source::received_json;
use ananke_base::text::truncate;
use ananke_model::variables::Patterns;
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
    let (mut values, mut missing) = (Map::new(), Vec::new());
    let Some(turn) = trace.turns.last() else {
        return (values, missing);
    };
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

struct CaptureSource<'t> {
    trace: &'t Trace,
    turn: &'t TurnRanges,
    redactor: &'t Redactor,
    keeps_spelling: bool,
}

impl CaptureSource<'_> {
    fn find(&self, from: &CaptureFrom) -> Result<Value, String> {
        match from {
            CaptureFrom::Args(tool, path) => {
                let call = self.last_call(tool)?;
                let what = format!("the arguments of `{tool}`");
                match call.args() {
                    Args::Json(value) => {
                        let value = self.spelled(value, &call.args_text);
                        self.reach(&value, path.as_ref(), &what)
                    }
                    Args::Malformed(_) => Err(format!(
                        "{what} are not valid JSON: {}",
                        self.start_of(&call.args_text)
                    )),
                }
            }
            CaptureFrom::Result(tool, path) => {
                let call = self.last_call(tool)?;
                let what = format!("the result of `{tool}`");
                let Some(result) = call.result() else {
                    return Err(format!(
                        "the last call to `{tool}` in this turn has no result"
                    ));
                };
                match (result.structured(), path) {
                    (Some(value), path) => {
                        let value = self.spelled(value, &result.text);
                        self.reach(&value, path.as_ref(), &what)
                    }
                    (None, None) => Ok(Value::from(result.text.as_str())),
                    (None, Some(_)) => Err(format!(
                        "{what} is not valid JSON: {}",
                        self.start_of(&result.text)
                    )),
                }
            }
            CaptureFrom::Text(pattern) => {
                let text = self.trace.turn_text(self.turn);
                let regex = Patterns::default()
                    .compile(pattern)
                    .map_err(|error| error.to_string())?;
                let found = regex.captures(&text).and_then(|groups| groups.get(1));
                match found {
                    Some(found) => Ok(Value::String(found.as_str().to_owned())),
                    None if text.is_empty() => {
                        Err("the agent said nothing in this turn".to_owned())
                    }
                    None => Err(format!(
                        "`{}` matches nothing in the text, which begins {}",
                        pattern.as_str(),
                        self.start_of(&text)
                    )),
                }
            }
            CaptureFrom::State(path) => self.reach(self.state(), path.as_ref(), "the state"),
        }
    }

    fn state(&self) -> &Value {
        if self.keeps_spelling {
            self.trace.state.as_sent()
        } else {
            self.trace.state.value()
        }
    }

    /// The value with its numbers as they are spelled in the text that the agent sent.
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
        let own = self
            .trace
            .calls
            .get(self.turn.calls.clone())
            .unwrap_or_default();
        let answered = self
            .turn
            .late_results
            .iter()
            .filter_map(|index| self.trace.calls.get(*index));
        let calls: Vec<&ToolCall> = answered
            .chain(own)
            .filter(|call| call.origin != Origin::History)
            .collect();
        if let Some(call) = calls.iter().rfind(|call| call.name == tool) {
            return Ok(call);
        }
        let mut names: Vec<String> = Vec::new();
        for call in &calls {
            let name = format!("`{}`", self.cut(&call.name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Err(match (names.len(), names.len().saturating_sub(NAMED)) {
            (0, _) => format!("this turn has no call to `{tool}`, and no other call"),
            (_, 0) => format!(
                "this turn has no call to `{tool}`, only to {}",
                names.join(", ")
            ),
            (_, more) => {
                format!(
                    "this turn has no call to `{tool}`, only to {} and {more} more",
                    names[..NAMED].join(", ")
                )
            }
        })
    }

    fn reach(&self, value: &Value, path: Option<&Path>, what: &str) -> Result<Value, String> {
        let Some(path) = path else {
            return Ok(value.clone());
        };
        if let Some(found) = path.find(value) {
            return Ok(found.clone());
        }
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
