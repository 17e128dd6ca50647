//! The calls of recordings.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::freeze::{HeldTest, planned_alone, run_test};
use crate::lab_error::LabError;
use ananke_base::{context::Context, source::received_json, text::natural_path_order};
use ananke_plan::Selection;
use ananke_recording::{KeptRecording, is_recording};
use ananke_run::LoggedConversation;
use ananke_trace::outcome::ErrorKind;
use ananke_trace::outcome::contract::RecordedCall;
use ananke_trace::trace::Change;

/// The files of recordings at `path`: itself, or all below it, in the natural order of their paths.
pub fn recordings_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let entries = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    entries.sort_by(|one, other| natural_path_order(one, other));
    let below = |entry: PathBuf| match entry.symlink_metadata() {
        Ok(kind) if kind.is_dir() => recordings_below(&entry),
        Ok(kind) if kind.is_file() && is_recording(&entry) => vec![entry],
        _ => Vec::new(),
    };
    entries.into_iter().flat_map(below).collect()
}

/// The calls of the recording in `path`, which messages call `shown`. Its test is replayed for that.
///
/// # Errors
/// If it is not a recording, or cannot be replayed.
pub async fn recorded_calls(
    context: &Context,
    selection: &Selection,
    path: &Path,
    shown: &str,
) -> Result<Vec<RecordedCall>, LabError> {
    let recording = Arc::new(KeptRecording::open(path, shown)?);
    let test = recording.key().test.clone();
    let plan = planned_alone(context, selection, &test)?;
    let HeldTest {
        outcome,
        conversation,
        ..
    } = run_test(context, &plan, Some(&recording)).await?;
    if let Some((_, problem)) = outcome
        .first_problem()
        .filter(|(_, problem)| problem.kind == ErrorKind::Recording)
    {
        let message = format!(
            "the recording `{shown}` cannot be replayed: {}",
            problem.message
        );
        return Err(LabError::Refused {
            message,
            help: problem.help.clone(),
        });
    }
    Ok(calls_of(&test, &conversation))
}

/// The calls of a conversation.
fn calls_of(test: &str, conversation: &LoggedConversation) -> Vec<RecordedCall> {
    let turns = conversation.turns.iter().enumerate();
    turns
        .flat_map(|(turn, logged)| {
            let (mut calls, mut texts) = (Vec::new(), HashMap::<String, String>::new());
            for logged in &logged.changes {
                match &logged.change {
                    Change::CallOpened { id, name, .. } => {
                        calls.push((id.to_string(), name.to_string()));
                    }
                    Change::CallArgs { id, delta } => {
                        texts.entry(id.to_string()).or_default().push_str(delta);
                    }
                    _ => {}
                }
            }
            let call = move |(call, (id, tool)): (usize, (String, String))| {
                let args = read_args(texts.get(&id).map_or("", String::as_str));
                RecordedCall {
                    test: test.to_owned(),
                    turn: turn + 1,
                    call: call + 1,
                    tool,
                    args,
                }
            };
            calls.into_iter().enumerate().map(call).collect::<Vec<_>>()
        })
        .collect()
}

fn read_args(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    received_json::read(text).map_or_else(|_| Value::from(text), |read| read.value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ananke_base::message::TurnInput;
    use ananke_run::{LoggedChange, LoggedTurn};
    use ananke_trace::outcome::InputOrigin;

    #[test]
    fn the_arguments_of_a_call_come_in_pieces() {
        let change = |change| LoggedChange {
            after_us: 0,
            change,
        };
        let opened = |id: &'static str| Change::CallOpened {
            id: id.into(),
            name: "pay".into(),
            subagent: None,
        };
        let args = |id: &'static str, delta: &'static str| Change::CallArgs {
            id: id.into(),
            delta: delta.into(),
        };
        let changes = [
            opened("a"),
            args("a", "{\"n\":"),
            opened("b"),
            args("a", "1}"),
            args("b", "{"),
        ];
        let changes = changes.into_iter().map(change).collect();
        let turn = LoggedTurn {
            input: TurnInput::Connect,
            origin: InputOrigin::Static,
            changes,
            answers: Vec::new(),
            request: ananke_base::message::RequestAdditions::default(),
        };
        let conversation = LoggedConversation {
            turns: vec![turn],
            ..LoggedConversation::default()
        };
        let calls: Vec<(usize, Value)> = calls_of("t", &conversation)
            .into_iter()
            .map(|call| (call.call, call.args))
            .collect();
        assert_eq!(calls, [(1, json!({ "n": 1 })), (2, json!("{"))]);
    }
}
