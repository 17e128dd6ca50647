//! Changes to which calls are made, how often and in which order.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Mutation;
use super::tape_index::{TapeIndex, TapedCall};
use super::{change_site::ChangeSubject, mutation::SnapshotEdit, rule_text::pattern};
use ananke_base::context::At;
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_model::variables::{call_keys, tool_name_problem};
use ananke_trace::outcome::mutation::{MutantSeverity, MutationLevel};
use ananke_trace::trace::{Change, ResultContent};

/// A tool that destroys something, and which no project declares.
const UNDECLARED: &str = "delete_everything";

/// The id of a call that was not recorded.
const NEW_ID: &str = "ananke-mutant-call";

/// All changes to calls as a whole.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let mut found = Vec::new();
    for (number, call) in index.calls.iter().enumerate() {
        found.push(dropped(index, call));
        found.push(duplicated(index, call, items));
        let next = index
            .calls
            .get(number + 1)
            .filter(|next| next.turn == call.turn);
        if let Some(next) = next.filter(|next| (&next.name, &next.args) != (&call.name, &call.args))
        {
            found.extend(swapped(index, call, next, items));
        }
        found.extend(moved(index, call, items));
    }
    found.extend((0..index.turns.len()).filter_map(|turn| undeclared(index, turn, items)));
    found
}

/// A change of this kind to a call.
pub(super) fn about(operator: MutationOperator, call: &TapedCall, change: String) -> Mutation {
    let mutation = Mutation::new(
        operator,
        call.turn,
        call.event,
        ChangeSubject::Calls,
        change,
    );
    mutation.of_tool(&call.name).of_id(&call.id)
}

/// The level of the turn of a call.
pub(super) fn level(call: &TapedCall) -> MutationLevel {
    MutationLevel::Turn(call.turn)
}

/// The rule that requires a call to this tool, with further keys of its entry.
pub(super) fn require<const N: usize>(name: &str, keys: [(&str, Value); N]) -> Value {
    let mut entry = call_keys(name);
    entry.extend(keys.map(|(key, value)| (key.to_owned(), value)));
    json!({ "tools": { "require": [entry] } })
}

fn names(index: &TapeIndex, turn: Option<usize>) -> Vec<&str> {
    let calls = index
        .calls
        .iter()
        .filter(|call| turn.is_none_or(|turn| turn == call.turn));
    calls.map(|call| call.name.as_str()).collect()
}

fn count(index: &TapeIndex, call: &TapedCall) -> usize {
    names(index, Some(call.turn))
        .iter()
        .filter(|name| **name == call.name)
        .count()
}

fn dropped(index: &TapeIndex, call: &TapedCall) -> Mutation {
    let TapedCall { id, name, .. } = call;
    let many = count(index, call);
    let mut mutation = about(
        MutationOperator::DropCall,
        call,
        format!("the call to `{name}` is not made"),
    )
    .without(call.parts.iter().chain(&call.answers).copied())
    .in_snapshots(SnapshotEdit::NoCall(id.clone()));
    mutation.site.missing_tools.push(name.clone());
    mutation.site.data.push((
        format!("{} {}", call.args, call.result_text()),
        String::new(),
    ));
    let mutation = if many == 1 {
        mutation.noticed_by(level(call), require(name, []))
    } else {
        mutation
    };
    mutation.noticed_by(level(call), require(name, [("count", json!(many))]))
}

fn duplicated(index: &TapeIndex, call: &TapedCall, items: &[TapeItem]) -> Mutation {
    let TapedCall { name, .. } = call;
    let again = |at: &usize| renamed(&items[*at]);
    let last = call.parts.last().copied().unwrap_or_default();
    let mut mutation = about(
        MutationOperator::DuplicateCall,
        call,
        format!("the call to `{name}` is made twice"),
    )
    .of_id(NEW_ID)
    .with(last + 1, call.parts.iter().map(again).collect());
    for answer in &call.answers {
        mutation = mutation.with(answer + 1, vec![again(answer)]);
    }
    let many = json!(count(index, call));
    mutation
        .noticed_by(
            MutationLevel::Test,
            json!({ "tools": { "max_identical_calls": 1 } }),
        )
        .noticed_by(level(call), require(name, [("count", many)]))
}

/// The same item for a call that was not recorded.
fn renamed(item: &TapeItem) -> TapeItem {
    let new = || Cow::Borrowed(NEW_ID);
    match item.clone() {
        TapeItem::Answered(mut answer) => {
            NEW_ID.clone_into(&mut answer.call);
            TapeItem::Answered(answer)
        }
        TapeItem::Change(at, mut change) => {
            match &mut change {
                Change::CallOpened { id, .. }
                | Change::CallArgs { id, .. }
                | Change::CallArgsDone { id }
                | Change::CallAnswered { id, .. }
                | Change::CallExecuted { id }
                | Change::ResultFollows { id, .. }
                | Change::CallFailed { id, .. } => *id = new(),
                _ => {}
            }
            TapeItem::Change(at, change)
        }
        item => item,
    }
}

/// Two calls in a row, the other way round.
fn swapped(
    index: &TapeIndex,
    first: &TapedCall,
    second: &TapedCall,
    items: &[TapeItem],
) -> Option<Mutation> {
    let is_agents = |call: &TapedCall| {
        call.answers
            .iter()
            .all(|at| matches!(items[*at], TapeItem::Change(..)))
    };
    if !is_agents(first) || !is_agents(second) {
        return None;
    }
    let words = format!(
        "the calls to `{}` and `{}` change places",
        first.name, second.name
    );
    let moved = |call: &[usize]| call.iter().map(|at| items[*at].clone()).collect::<Vec<_>>();
    let mut mutation = about(MutationOperator::SwapCalls, first, words).of_id(&second.id);
    for (here, there) in [
        (&first.parts, &second.parts),
        (&first.answers, &second.answers),
    ] {
        mutation = mutation.without(here.iter().chain(there).copied());
        let (Some(at), Some(other)) = (
            here.first().or(first.parts.last()),
            there.first().or(second.parts.last()),
        ) else {
            continue;
        };
        mutation = mutation.with(*at, moved(there)).with(*other, moved(here));
    }
    let steps: Vec<Value> = names(index, Some(first.turn))
        .iter()
        .map(|name| json!({ "call": name }))
        .collect();
    let rule = json!({ "sequence": { "mode": "in_order", "steps": steps } });
    Some(mutation.noticed_by(level(first), rule))
}

/// A call that is made after the text that was said after it.
fn moved(index: &TapeIndex, call: &TapedCall, items: &[TapeItem]) -> Option<Mutation> {
    let turn = index.turns.get(call.turn)?;
    let end = turn.end.filter(|_| turn.is_run_end)?;
    let last = *call.parts.iter().chain(&call.answers).max()?;
    let text = index.texts.iter().find(|text| {
        text.turn == call.turn
            && text
                .parts
                .first()
                .is_some_and(|first| *first > last && *first < end)
    })?;
    if call
        .answers
        .iter()
        .any(|at| matches!(items[*at], TapeItem::Answered(_)))
    {
        return None;
    }
    let own: Vec<usize> = call.parts.iter().chain(&call.answers).copied().collect();
    let moved = own.iter().map(|at| items[*at].clone()).collect();
    let words = format!(
        "the call to `{}` is made after the text that followed it",
        call.name
    );
    let said = pattern(&text.text);
    let rule = json!({ "whenever": [{ "says": said, "preceded_by": { "call": call.name } }] });
    let mut mutation = about(MutationOperator::MoveCall, call, words).of_id(&text.id);
    mutation.site.missing_tools.push(call.name.clone());
    Some(
        mutation
            .without(own)
            .with(end, moved)
            .noticed_by(level(call), rule),
    )
}

/// A call that nothing in the project knows, at the end of a turn.
fn undeclared(index: &TapeIndex, turn: usize, items: &[TapeItem]) -> Option<Mutation> {
    let end = index.turns.get(turn)?.end?;
    let at = match &items[end] {
        TapeItem::Change(at, _) | TapeItem::Closed(at) => *at,
        _ => At::default(),
    };
    let id = || Cow::Borrowed(NEW_ID);
    let result = ResultContent::Text(Cow::Borrowed("done"));
    let changes = [
        Change::CallOpened {
            id: id(),
            name: Cow::Borrowed(UNDECLARED),
            subagent: None,
        },
        Change::CallArgs {
            id: id(),
            delta: Cow::Borrowed("{}"),
        },
        Change::CallArgsDone { id: id() },
        Change::CallAnswered {
            id: id(),
            result,
            is_error: None,
        },
    ];
    let words = format!("`{UNDECLARED}` is called, which is not one of the agent's tools");
    let mut known = names(index, None);
    known.sort_unstable();
    known.dedup();
    let mutation = Mutation::new(
        MutationOperator::UndeclaredCall,
        turn,
        index.events[end],
        ChangeSubject::Calls,
        words,
    )
    .of_tool(UNDECLARED)
    .of_id(NEW_ID)
    .severity(MutantSeverity::High)
    .with(
        end,
        changes
            .into_iter()
            .map(|change| TapeItem::Change(at, change))
            .collect(),
    );
    // A list of names cannot have those that rules refuse.
    let is_plain = known.iter().all(|name| tool_name_problem(name).is_none());
    let rule = json!({ "tools": { "allow_only": known } });
    Some(if is_plain {
        mutation.noticed_by(MutationLevel::Test, rule)
    } else {
        mutation
    })
}
