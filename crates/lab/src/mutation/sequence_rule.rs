//! One strict rule for a turn with many changes that no rule notices: everything that was called, answered or said, exactly.
//!
//! **Invariant:** the id of the thread, which is another one in every run, is a variable in it.

use serde_json::{Value, json};

use super::tape_index::{TapeIndex, TapedCall};
use super::{Mutation, change_site::ChangeSubject, rule_text::yaml_text};
use ananke_trace::outcome::mutation::MutationLevel;

/// The number of unnoticed changes of a turn that lead to one strict rule.
const MANY: usize = 3;

/// The number of calls that such a rule lists.
const MOST_CALLS: usize = 12;

/// The longest text that is quoted as a whole.
const LONGEST: usize = 300;

/// Whether there are many changes like this one among those of its test that go unnoticed: to the same turn, about the same.
pub(super) fn are_many<'m>(
    mutation: &Mutation,
    unnoticed: impl Iterator<Item = &'m Mutation>,
) -> bool {
    let (turn, subject) = (mutation.turn, mutation.site.subject);
    unnoticed
        .filter(|other| other.turn == turn && other.site.subject == subject)
        .count()
        >= MANY
}

/// The strict rule that would notice the change.
pub(super) fn strict(
    index: &TapeIndex,
    thread_id: &str,
    mutation: &Mutation,
) -> Option<(MutationLevel, Value)> {
    let (turn, subject) = (mutation.turn, mutation.site.subject);
    let rule = match subject {
        ChangeSubject::Calls => calls(index, thread_id, turn)?,
        ChangeSubject::Text => text(index, turn)?,
        ChangeSubject::State | ChangeSubject::End | ChangeSubject::Time => return None,
    };
    Some((MutationLevel::Turn(turn), rule))
}

/// The calls of a turn and their results, in their order.
fn calls(index: &TapeIndex, thread_id: &str, turn: usize) -> Option<Value> {
    let calls: Vec<&TapedCall> = index
        .calls
        .iter()
        .filter(|call| call.turn == turn)
        .collect();
    if calls.len() > MOST_CALLS {
        return None;
    }
    let mut steps: Vec<(usize, Value)> = Vec::new();
    for call in &calls {
        let args = with_thread(yaml_text(&Value::Object(call.arguments()?)), thread_id);
        let mut step = json!({ "call": call.name, "args": args, "exact": true });
        if !call.has_failed && call.result.is_some() {
            step["status"] = json!("executed");
        }
        steps.push((*call.parts.first()?, step));
        if let Some((at, _)) = &call.result {
            let mut step =
                json!({ "result": call.name, "equals": yaml_text(&call.result_value()) });
            if !call.has_failed {
                step["is_error"] = json!(false);
            }
            steps.push((*at, step));
        }
    }
    steps.sort_by_key(|(at, _)| *at);
    let steps: Vec<Value> = steps.into_iter().map(|(_, step)| step).collect();
    Some(if calls.is_empty() {
        json!({ "tools": { "max_calls": 0 } })
    } else {
        json!({ "sequence": { "mode": "exact", "steps": steps } })
    })
}

/// Everything that the agent says in a turn.
fn text(index: &TapeIndex, turn: usize) -> Option<Value> {
    let texts: Vec<&str> = index
        .texts
        .iter()
        .filter(|text| text.turn == turn)
        .map(|text| text.text.as_str())
        .collect();
    let text = texts.join("\n");
    (text.len() <= LONGEST).then(|| json!({ "text": { "equals": yaml_text(&json!(text)) } }))
}

fn with_thread(value: Value, thread_id: &str) -> Value {
    match value {
        Value::String(text) if text == thread_id => json!("${THREAD_ID}"),
        Value::Array(items) => items
            .into_iter()
            .map(|item| with_thread(item, thread_id))
            .collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, with_thread(value, thread_id)))
            .collect(),
        value => value,
    }
}
