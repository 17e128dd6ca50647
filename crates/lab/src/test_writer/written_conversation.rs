//! A conversation as a test: the test that it is of, with every turn written, and without a simulator.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::checkpoint_rules::add_rules;
use super::conversation_rules::rules_of;
use super::recorded_turns::{written_request, written_turn};
use super::text_with_references::map_with_references;
use super::text_with_references::{has_unreferenced_secret, text_with_references};
use super::written_test::WrittenTest;
use crate::lab_error::LabError;
use ananke_agents::Capabilities;
use ananke_base::context::At;
use ananke_base::source::{Entry, Node, NodeValue};
use ananke_plan::Selection;
use ananke_plan::project::AgentChoice;
use ananke_run::{LoggedConversation, LoggedTurn};
use ananke_trace::outcome::{CheckpointOutcome, InputOrigin, Outcome};
use ananke_trace::trace::{Input, Trace};

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

/// The origin of the rules of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenRules {
    /// The rules of the test that was held.
    OfTest,
    /// The rules of the test that was held, and proposals for each turn without rules: about what such a target shows.
    Proposed(Capabilities),
}

/// The facts of a conversation that a test is written from.
#[derive(Clone, Debug)]
pub(crate) struct WrittenConversation<'a> {
    /// The keys of the test that was held; without one, a [`blank_test`].
    pub(crate) test: &'a Node,
    /// The turns that were sent, with what the agent did in each.
    pub(crate) conversation: LoggedConversation,
    /// The outcome of the conversation.
    pub(crate) outcome: &'a Outcome,
    /// The target that was chosen on the command line.
    pub(crate) target: Option<&'a str>,
    /// The variables of the command line, but for secrets.
    pub(crate) given: BTreeMap<String, String>,
    /// The origin of the rules.
    pub(crate) rules: WrittenRules,
}

/// The keys of a test of this name without turns, with these client-side tools, as a test writes them.
pub(crate) fn blank_test(name: &str, client_tools: &[Value]) -> Node {
    let mut keys = Node::of_json(&json!({ "name": name }));
    if !client_tools.is_empty() {
        keys.set("client_tools", Node::of_json(&json!(client_tools)));
    }
    keys
}

/// The `target` that the command line chose, if it did. It may have named an agent, and a test names its target; the test of
/// an assistant may be written outside of its directory.
pub(crate) fn chosen_target<'a>(selection: &Selection, target: &'a str) -> Option<&'a str> {
    match selection.target {
        AgentChoice::Named(_) | AgentChoice::OfAssistant => Some(target),
        AgentChoice::OfConfig => None,
    }
}

impl<'a> WrittenConversation<'a> {
    /// The facts of a conversation of a test with these keys, whose rules it keeps.
    pub(crate) fn of(
        test: &'a Node,
        conversation: &LoggedConversation,
        outcome: &'a Outcome,
    ) -> Self {
        Self {
            test,
            conversation: conversation.clone(),
            outcome,
            target: None,
            given: BTreeMap::new(),
            rules: WrittenRules::OfTest,
        }
    }

    /// The conversation as a test whose turns are all written.
    ///
    /// # Errors
    /// If a turn cannot be written.
    pub(crate) fn written(&self) -> Result<WrittenTest, LabError> {
        let mut keys = self.test.clone();
        let mut notes = Vec::new();
        let not_needed = self.not_needed();
        for number in &not_needed {
            notes.push(format!("turn {number} is not in it: it was not needed"));
        }
        let mut turns = self.written_turns(&mut keys, &not_needed, &mut notes)?;
        if let Some(simulate) = self.test.get("simulate") {
            let checkpoints = &self.outcome.transcript.checkpoints;
            put_checkpoints(simulate, checkpoints, &not_needed, &mut turns, &mut notes);
        }
        let shown = match self.rules {
            WrittenRules::OfTest => None,
            WrittenRules::Proposed(shown) => Some(shown),
        };
        let seen = TurnFacts::of(&self.conversation.turns, shown);
        let mut has_proposals = false;
        for (turn, seen) in turns.iter_mut().zip(&seen) {
            if turn.get("assert").is_none() && !seen.rules.entries().is_empty() {
                turn.set("assert", seen.rules.clone());
                has_proposals = true;
            }
        }
        if self.outcome.test.row.is_some() {
            refuse_secrets(&self.conversation.variables)?;
            put_variables(
                &mut keys,
                &map_with_references(&self.conversation.variables),
            );
        }
        for key in DROPPED {
            keys.remove(key);
        }
        let count = turns.len();
        put_turns(&mut keys, turns);
        self.put_given(&mut keys);
        let sent = self.conversation.turns.iter();
        let by_others = sent.filter(|turn| is_said_by_others(turn.origin));
        Ok(WrittenTest {
            keys,
            said: seen.into_iter().map(|turn| turn.said).collect(),
            turns: count,
            said_by_others: by_others.count(),
            notes,
            has_proposals,
        })
    }

    /// Writes into the test the target and the variables of the command line.
    fn put_given(&self, keys: &mut Node) {
        if !self.given.is_empty() && keys.get("vars").is_none() {
            put_after_name(keys, "vars", Node::of_json(&json!({})));
        }
        if let Some(vars) = keys.get_mut("vars") {
            for (name, value) in &self.given {
                vars.set(name, Node::of_json(&json!(text_with_references(value))));
            }
        }
        if let Some(target) = self.target
            && keys.get("target").is_none()
        {
            put_after_name(keys, "target", Node::of_json(&json!(target)));
        }
    }

    /// The numbers of the turns that were not needed, counted from 1.
    fn not_needed(&self) -> BTreeSet<usize> {
        let turns = self.outcome.transcript.turns.iter();
        turns
            .filter(|turn| turn.reason_not_needed().is_some())
            .map(|turn| turn.number as usize)
            .collect()
    }

    /// Every turn of the conversation, which is sent without a condition, and those that were not run. A message that was
    /// the first turn is one of them, and not among the `messages` of `keys` any more.
    fn written_turns(
        &self,
        keys: &mut Node,
        not_needed: &BTreeSet<usize>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Node>, LabError> {
        let has_turns = keys.get("turns").is_some();
        let mut written = keys
            .get("turns")
            .map_or(&[][..], Node::items)
            .to_vec()
            .into_iter();
        let mut turns = Vec::new();
        let mut number = next_needed(0, not_needed, &mut written);
        for turn in &self.conversation.turns {
            let is_by_others = is_said_by_others(turn.origin);
            if let Some(action) = self.action(number) {
                turns.push(action);
            } else if is_by_others {
                if has_unreferenced_secret(&turn.input.describe())
                    || has_unreferenced_secret(
                        &written_request(&turn.request).to_json().to_string(),
                    )
                {
                    notes.push(format!(
                        "turn {number} has a marker instead of a secret that no variable has: it can only be replayed"
                    ));
                }
                turns.push(whole_turn(turn, number)?);
            } else if turn.origin == InputOrigin::Initial || !has_turns {
                turns.push(first_message(keys));
            } else {
                let mut own = match written.next() {
                    Some(own) => own,
                    None => whole_turn(turn, number)?,
                };
                own.remove("if");
                turns.push(own);
            }
            number = next_needed(number, not_needed, &mut written);
        }
        turns.extend(written);
        Ok(turns)
    }

    /// The action of a walk that the turn `number`, counted from 1, took, as a turn.
    fn action(&self, number: usize) -> Option<Node> {
        let turn = self.outcome.transcript.turns.get(number - 1)?;
        if turn.origin != InputOrigin::Walk {
            return None;
        }
        let actions = self.test.get("walk")?.get("actions")?;
        let mut action = actions.get(turn.id.as_deref()?)?.clone();
        action.remove("needs");
        Some(action)
    }
}

/// A turn with what its request has in addition.
fn whole_turn(turn: &LoggedTurn, number: usize) -> Result<Node, LabError> {
    let mut written = written_turn(&turn.input, number)?;
    if !turn.request.is_empty() {
        written.set("request", written_request(&turn.request));
    }
    Ok(written)
}

/// The facts of one turn, for its reader and its rules.
struct TurnFacts {
    /// The rules that are proposed for it.
    rules: Node,
    /// The text of the agent in it.
    said: String,
}

impl TurnFacts {
    /// The facts of each of `turns`, from a trace of their changes. Rules are about what is `shown`; without it, there are none.
    fn of(turns: &[LoggedTurn], shown: Option<Capabilities>) -> Vec<Self> {
        let mut trace = Trace::new(Value::Null);
        let mut at = 0_u64;
        let mut deltas = Vec::new();
        let mut said = Vec::new();
        let mut facts = Vec::new();
        for turn in turns {
            let text = turn.input.describe();
            said.push(text.clone());
            trace.begin_turn(Input {
                shown: text.clone(),
                text,
                ..Input::default()
            });
            trace.begin_exchange(At(at));
            for logged in &turn.changes {
                at = at.saturating_add(logged.after_us);
                trace.apply(At(at), logged.change.clone(), &mut deltas);
                deltas.clear();
            }
            trace.end_exchange(At(at));
            trace.end_turn(&mut deltas);
            if let Some(ranges) = trace.turns.last() {
                let rules = match shown {
                    Some(shown) => rules_of(&trace, ranges, &said, shown),
                    None => Node::of_json(&json!({})),
                };
                facts.push(Self {
                    rules,
                    said: trace.turn_text(ranges),
                });
            }
        }
        facts
    }
}

fn put_after_name(keys: &mut Node, key: &str, value: Node) {
    let NodeValue::Map(entries) = &mut keys.value else {
        return;
    };
    let place = entries
        .iter()
        .position(|entry| entry.key == "name")
        .map_or(0, |name| name + 1);
    entries.insert(place, Entry::new(key.to_owned(), value));
}

/// Adds the rules of the checkpoints of `simulate` to the turns that reached them.
fn put_checkpoints(
    simulate: &Node,
    outcomes: &[CheckpointOutcome],
    not_needed: &BTreeSet<usize>,
    turns: &mut [Node],
    notes: &mut Vec<String>,
) {
    let checkpoints = simulate.get("checkpoints");
    for (checkpoint, outcome) in checkpoints
        .map_or(&[][..], Node::items)
        .iter()
        .zip(outcomes)
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

/// True for a turn that a simulator, a walk, a person or a program has said.
fn is_said_by_others(origin: InputOrigin) -> bool {
    !matches!(origin, InputOrigin::Static | InputOrigin::Initial)
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
