//! A conversation as a static test: the test that it is of, with every turn written, and without a simulator.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::checkpoint_rules::add_rules;
use super::text_with_references::map_with_references;
use super::{HeldTest, SourceTest, written_turn};
use crate::lab_error::LabError;
use ananke_base::source::{Entry, Node, NodeValue};
use ananke_model::model::NEWEST_VERSION;
use ananke_trace::outcome::InputOrigin;

/// Keys that a static test does not have: who says what, what a row gives, and how often it runs.
const DROPPED: [&str; 8] = [
    "id",
    "skip",
    "runs",
    "cases",
    "simulate",
    "walk",
    "interactive",
    "on_missing_input",
];

/// A static test.
#[derive(Debug)]
pub(crate) struct FrozenTree {
    /// Its keys, the version among them.
    pub(crate) root: Node,
    /// The number of its turns.
    pub(crate) turns: usize,
    /// The number of them that a simulator or a person has written.
    pub(crate) said_by_others: usize,
    /// The parts of the test that are not in it, in words.
    pub(crate) notes: Vec<String>,
}

impl FrozenTree {
    /// The conversation `held` of the test `source`.
    ///
    /// # Errors
    /// If a turn cannot be written.
    pub(crate) fn of(source: &SourceTest, held: &HeldTest) -> Result<Self, LabError> {
        let mut tree = source.tree.clone();
        let simulate = tree.get("simulate").cloned();
        let mut notes = Vec::new();
        let not_needed = not_needed(held);
        for number in &not_needed {
            notes.push(format!("turn {number} is not in it: it was not needed"));
        }
        let mut turns = turns(&mut tree, held, &not_needed)?;
        let said_by_others = held
            .conversation
            .turns
            .iter()
            .filter(|turn| is_said_by_others(turn.origin))
            .count();
        if let Some(simulate) = &simulate {
            put_checkpoints(simulate, held, &not_needed, &mut turns, &mut notes);
        }
        if held.outcome.test.row.is_some() {
            refuse_secrets(&held.conversation.variables)?;
            put_variables(
                &mut tree,
                &map_with_references(&held.conversation.variables),
            );
        }
        for key in DROPPED {
            tree.remove(key);
        }
        let count = turns.len();
        put_turns(&mut tree, turns);
        let mut root = Node::of_json(&json!({ "version": NEWEST_VERSION }));
        if let (NodeValue::Map(entries), NodeValue::Map(own)) = (&mut root.value, tree.value) {
            entries.extend(own);
        }
        Ok(Self {
            root,
            turns: count,
            said_by_others,
            notes,
        })
    }

    /// Writes into the test the target that was chosen on the command line, and the variables that were given there.
    pub(crate) fn put_given(&mut self, target: Option<&str>, variables: &BTreeMap<String, String>) {
        if let Some(target) = target.filter(|_| self.root.get("target").is_none()) {
            self.put_after_name("target", Node::of_json(&json!(target)));
        }
        if variables.is_empty() {
            return;
        }
        if self.root.get("vars").is_none() {
            self.put_after_name("vars", Node::of_json(&json!({})));
        }
        for (name, value) in variables {
            let value = Node::of_json(&json!(value.replace("${", "$${")));
            self.root
                .get_mut("vars")
                .into_iter()
                .for_each(|vars| vars.set(name, value.clone()));
        }
    }

    fn put_after_name(&mut self, key: &str, value: Node) {
        let NodeValue::Map(entries) = &mut self.root.value else {
            return;
        };
        let place = entries
            .iter()
            .position(|entry| entry.key == "name")
            .map_or(0, |name| name + 1);
        entries.insert(place, Entry::new(key.to_owned(), value));
    }
}

/// Adds the rules of the checkpoints of `simulate` to the turns that reached them.
fn put_checkpoints(
    simulate: &Node,
    held: &HeldTest,
    not_needed: &BTreeSet<usize>,
    turns: &mut [Node],
    notes: &mut Vec<String>,
) {
    let checkpoints = simulate.get("checkpoints");
    for (checkpoint, outcome) in checkpoints
        .map_or(&[][..], Node::items)
        .iter()
        .zip(&held.outcome.transcript.checkpoints)
    {
        let rules = checkpoint.get("assert");
        let reached = outcome.reached_at.and_then(|turn| {
            let number = usize::try_from(turn).ok()?;
            turns.get_mut(number - 1 - not_needed.range(..number).count())
        });
        let Some((turn, rules)) = reached.zip(rules) else {
            continue;
        };
        let Some(own) = turn.get_mut("assert") else {
            turn.set("assert", rules.clone());
            continue;
        };
        if let Err(key) = add_rules(own, rules) {
            notes.push(format!(
                "the checkpoint `{}` is not in it: its turn has another `{key}`",
                outcome.id
            ));
        }
    }
}

/// Refuses variables whose values are secret: the recording does not have them, and a file must not.
fn refuse_secrets(variables: &Map<String, Value>) -> Result<(), LabError> {
    let secret = variables
        .iter()
        .find(|(_, value)| value.to_string().contains("<secret:"));
    let Some((name, _)) = secret else {
        return Ok(());
    };
    let message =
        format!("the variable `{name}` of the row is secret, and is not written into a file");
    Err(LabError::refused(
        message,
        "take it from the environment: `${ENV.NAME}`",
    ))
}

/// Whether a turn was not written in the test.
fn is_said_by_others(origin: InputOrigin) -> bool {
    !matches!(origin, InputOrigin::Static | InputOrigin::Initial)
}

/// The numbers of the turns that were not needed, counted from 1.
fn not_needed(held: &HeldTest) -> BTreeSet<usize> {
    let turns = held.outcome.transcript.turns.iter();
    turns
        .filter(|turn| turn.reason_not_needed().is_some())
        .map(|turn| turn.number as usize)
        .collect()
}

/// Every turn of the conversation, which is sent without a condition, and those that were not run. A message that was the first turn is one of them, and
/// not among the `messages` of `tree` any more.
fn turns(
    tree: &mut Node,
    held: &HeldTest,
    not_needed: &BTreeSet<usize>,
) -> Result<Vec<Node>, LabError> {
    let mut written = tree
        .get("turns")
        .map_or(&[][..], Node::items)
        .to_vec()
        .into_iter();
    let mut turns = Vec::new();
    let mut number = next_needed(0, not_needed, &mut written);
    for turn in &held.conversation.turns {
        let is_message = turn.origin == InputOrigin::Initial
            || (!is_said_by_others(turn.origin) && tree.get("turns").is_none());
        turns.push(if let Some(action) = action(tree, held, number) {
            action
        } else if is_said_by_others(turn.origin) {
            written_turn(&turn.input, number)?
        } else if is_message {
            first_message(tree)
        } else {
            let mut own = written
                .next()
                .map_or_else(|| written_turn(&turn.input, number), Ok)?;
            own.remove("if");
            own
        });
        number = next_needed(number, not_needed, &mut written);
    }
    turns.extend(written);
    Ok(turns)
}

/// The number of the first turn after `number` that was needed; the others are taken out of `written`.
fn next_needed(
    number: usize,
    not_needed: &BTreeSet<usize>,
    written: &mut impl Iterator<Item = Node>,
) -> usize {
    let mut next = number + 1;
    while not_needed.contains(&next) {
        written.next();
        next += 1;
    }
    next
}

/// The action of a walk that the turn `number`, counted from 1, took, as a turn.
fn action(tree: &Node, held: &HeldTest, number: usize) -> Option<Node> {
    let turn = held.outcome.transcript.turns.get(number - 1)?;
    let name = turn
        .id
        .as_deref()
        .filter(|_| turn.origin == InputOrigin::Walk)?;
    let mut action = tree.get("walk")?.get("actions")?.get(name)?.clone();
    action.remove("needs");
    Some(action)
}

/// Takes the last of the messages, as a turn.
fn first_message(tree: &mut Node) -> Node {
    let mut turn = Node::of_json(&json!({}));
    if let Some(Node {
        value: NodeValue::List(messages),
        ..
    }) = tree.get_mut("messages")
        && let Some(content) = messages.pop().and_then(|mut last| last.remove("content"))
    {
        turn.set("user", content);
        if messages.is_empty() {
            tree.remove("messages");
        }
    }
    turn
}

/// Puts the variables of the row where the variables are written, or the rows.
fn put_variables(tree: &mut Node, variables: &Node) {
    let is_new = tree.get("vars").is_none();
    let NodeValue::Map(entries) = &mut tree.value else {
        return;
    };
    let key = if is_new { "cases" } else { "vars" };
    for entry in entries.iter_mut().filter(|entry| entry.key == key) {
        *entry = Entry::new("vars".to_owned(), variables.clone());
    }
}

/// Puts the turns where they are written, or before the rules of the test.
fn put_turns(tree: &mut Node, turns: Vec<Node>) {
    let turns = Node {
        value: NodeValue::List(turns),
        span: tree.span,
    };
    let NodeValue::Map(entries) = &mut tree.value else {
        return;
    };
    if let Some(entry) = entries.iter_mut().find(|entry| entry.key == "turns") {
        entry.value = turns;
        return;
    }
    let place = entries
        .iter()
        .position(|entry| entry.key == "assert")
        .unwrap_or(entries.len());
    entries.insert(place, Entry::new("turns".to_owned(), turns));
}
