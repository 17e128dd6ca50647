//! The answers of a model in one turn: each but the last ends with calls that the client executes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::served::{TimedChange, result_text};
use crate::session::Action;
use ananke_base::message::ToolDeclaration;
use ananke_trace::trace::{Change, FinishReason, MessageKind, RunEnd, Usage};

/// One answer of the model.
#[derive(Debug, Default, PartialEq)]
pub struct Round {
    /// The parts of the answer, in their order, each with its time after the request.
    pub parts: Vec<(Duration, RoundPart)>,
    /// The tokens, if they are reported.
    pub usage: Option<Usage>,
    /// The moment at which it is over.
    pub ended: Duration,
    /// The number of calls that the client executes.
    pub calls: usize,
    /// The end of the run, if it is the last answer of the turn and not simply done.
    pub end: Option<RunEnd>,
    /// The reason for its end, as a model states it.
    pub finish: FinishReason,
}

/// A part of an answer.
#[derive(Debug, PartialEq)]
pub enum RoundPart {
    /// A piece of what the model says to the user.
    Text(String),
    /// A piece of the model's reasoning.
    Reasoning(String),
    /// A call begins that the client executes: its place among them, its id and the tool.
    Call(usize, String, String),
    /// A piece of the arguments of the call at this place.
    Arguments(usize, String),
    /// A step of a call that the agent executes itself, with the id of the call.
    Own(String, OwnCallStep),
}

/// A step of a call that an agent executes itself.
#[derive(Debug, PartialEq)]
pub enum OwnCallStep {
    /// The beginning, with the name of the tool.
    Begins(String),
    /// A piece of the JSON text of the arguments.
    Arguments(String),
    /// The result, and whether that is an error.
    Ends(String, bool),
}

/// The calls that an agent executes itself, as an API has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCalls {
    /// No client sees them.
    Hidden,
    /// A response contains them.
    Shown,
}

/// The answer to a request with these `actions` of its conversation, of which `runs` has one run of the agent each. `tools` are
/// the tools of the client.
pub fn round_of_request(
    actions: &[Action],
    runs: &[Vec<TimedChange>],
    tools: &[ToolDeclaration],
    own_calls: OwnCalls,
) -> Round {
    // The turn began with the last action that is no results. Each action after it has the results of one round of calls, so that
    // their number is the number of the round to answer with, from 0. Without such an action, the turn began with the first one.
    let mut from_start = actions.iter();
    let turn_start = from_start.rposition(|action| !matches!(action, Action::ToolResults(_)));
    let turn_start = turn_start.unwrap_or_default();
    let number = actions.len().saturating_sub(1 + turn_start);
    let mut names = HashSet::new();
    for tool in tools {
        names.insert(tool.name.as_str());
    }
    let (earlier, of_turn) = runs.split_at(turn_start.min(runs.len()));
    let mut reader = RoundReader::new(&names, own_calls);
    reader.note_own_calls(earlier);
    reader.read_all(of_turn);
    reader.into_round(number)
}

impl Round {
    /// The error that ended it: the message, and a code.
    pub fn error(&self) -> Option<(&str, Option<&str>)> {
        match &self.end {
            Some(RunEnd::Error { message, code }) => Some((message, code.as_deref())),
            _ => None,
        }
    }
}

/// Splits a turn into its answers. An answer ends with calls of the client's tools, and the client sends a new request with their
/// results.
struct RoundReader<'t> {
    tools: &'t HashSet<&'t str>,
    own_calls: OwnCalls,
    /// The calls of the agent's own in earlier turns that may go on in this one: each with its steps so far.
    earlier_calls: HashMap<String, Vec<OwnCallStep>>,
    rounds: Vec<Round>,
    /// The ids of the calls of the last round.
    calls: Vec<String>,
    /// Whether the calls of the last round are complete, so that further calls and tokens are for the next round.
    is_over: bool,
    /// Whether the last round has text.
    has_text: bool,
}

impl<'t> RoundReader<'t> {
    /// A reader of a turn of a conversation with these tools of the client: the agent executes its other tools itself.
    fn new(tools: &'t HashSet<&'t str>, own_calls: OwnCalls) -> Self {
        Self {
            tools,
            own_calls,
            earlier_calls: HashMap::new(),
            rounds: vec![Round::default()],
            calls: Vec::new(),
            is_over: false,
            has_text: false,
        }
    }

    /// Notes the calls of the agent's own in earlier turns: one that waited for an approval goes on in a later turn.
    fn note_own_calls(&mut self, runs: &[Vec<TimedChange>]) {
        // Only the beginning and the arguments are needed, since a result ends the call in its own turn.
        for TimedChange { change, .. } in runs.iter().flatten() {
            match change {
                Change::CallOpened { id, name, .. } => {
                    let begins = OwnCallStep::Begins(name.to_string());
                    self.earlier_calls.insert(id.to_string(), vec![begins]);
                }
                Change::CallArgs { id, delta } => {
                    if let Some(steps) = self.earlier_calls.get_mut(&**id) {
                        steps.push(OwnCallStep::Arguments(delta.to_string()));
                    }
                }
                _ => {}
            }
        }
    }

    fn read_all(&mut self, runs: &[Vec<TimedChange>]) {
        for TimedChange { after, change } in runs.iter().flatten() {
            self.read(*after, change);
        }
    }

    /// The answer with this number, from 0.
    fn into_round(mut self, number: usize) -> Round {
        // The times of changes are from the start of the turn, but those of a response are from its request. The time until the end
        // of the round before has passed then, since that round was a response of its own.
        let passed = match number.checked_sub(1) {
            Some(previous) if previous < self.rounds.len() => self.rounds[previous].ended,
            // The first round has none before it.
            _ => Duration::ZERO,
        };
        // An agent that is done before this round answers nothing more.
        let Some(round) = self.rounds.get_mut(number) else {
            return Round::default();
        };
        let mut round = std::mem::take(round);
        for (after, _) in &mut round.parts {
            *after = after.saturating_sub(passed);
        }
        round.ended = round.ended.saturating_sub(passed);
        round
    }

    /// Adds a change of the agent, at the time `after` from the start, to the last round, or to a new one. A round ends with its
    /// calls: text, reasoning and errors after a call are for the next round, while more calls may follow until one is answered.
    fn read(&mut self, after: Duration, change: &Change<'static>) {
        match change {
            Change::MessageOpened {
                role: MessageKind::Assistant,
                ..
            } if self.has_text && !self.has_calls() => {
                // An answer has one text, so that a blank line separates the messages of the agent. After calls, the next round
                // begins with the text instead.
                self.part(after, RoundPart::Text("\n\n".to_owned()));
            }
            Change::MessageText { delta, .. } => {
                self.begin_after_calls();
                self.part(after, RoundPart::Text(delta.to_string()));
                self.has_text = true;
            }
            Change::Reasoning { delta, .. } => {
                self.begin_after_calls();
                self.part(after, RoundPart::Reasoning(delta.to_string()));
            }
            Change::CallOpened { .. }
            | Change::CallArgs { .. }
            | Change::CallAnswered { .. }
            | Change::CallFailed { .. } => self.read_call(after, change),
            Change::Usage { usage, .. } => {
                if self.is_over {
                    self.begin_after_calls();
                }
                // An agent may ask its model several times in one round, and each time reports tokens.
                let round = self.last();
                round.usage = match round.usage {
                    Some(sum) => Some(sum + *usage),
                    None => Some(*usage),
                };
            }
            Change::RunEnded(end) => {
                // A run that ends with calls waits for their results.
                self.is_over |= self.has_calls();
                if *end != RunEnd::Finished {
                    self.begin_after_calls();
                    self.last().end = Some(end.clone());
                }
            }
            // A chat completion has no form for any other change.
            _ => {}
        }
        // Every change counts for the time of the round, also one that is not in it.
        let round = self.last();
        round.ended = round.ended.max(after);
    }

    /// Adds a step of a call: of the client, or of the agent's own.
    fn read_call(&mut self, after: Duration, change: &Change<'static>) {
        match change {
            // A call is the first of a new round if the calls of the last one are complete, since no answer follows its results.
            Change::CallOpened { id, name, .. } if self.tools.contains(&**name) => {
                if self.is_over {
                    self.begin_after_calls();
                }
                self.part(
                    after,
                    RoundPart::Call(self.calls.len(), id.to_string(), name.to_string()),
                );
                self.calls.push(id.to_string());
            }
            // Calls of other tools are the agent's own, and part of an answer only where the API has them.
            Change::CallOpened { id, name, .. } => {
                self.own(after, id, OwnCallStep::Begins(name.to_string()));
            }
            Change::CallArgs { id, delta } => match self.place(id) {
                Some(place) => self.part(after, RoundPart::Arguments(place, delta.to_string())),
                None => self.own(after, id, OwnCallStep::Arguments(delta.to_string())),
            },
            // The result of a call of the client comes with its next request, so that the round was complete before it.
            Change::CallAnswered {
                id,
                result,
                is_error,
            } => {
                if self.place(id).is_some() {
                    self.is_over = true;
                } else {
                    let ends = OwnCallStep::Ends(
                        result_text(result).into_owned(),
                        *is_error == Some(true),
                    );
                    self.own(after, id, ends);
                }
            }
            // The failure of a result is a change of its own, which follows the result.
            Change::CallFailed { id, .. } => self.own_failed(id),
            _ => {}
        }
    }

    /// Whether the last round has calls.
    fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Begins the next round if calls came before.
    fn begin_after_calls(&mut self) {
        if self.has_calls() {
            let ended = self.last().ended;
            self.rounds.push(Round {
                ended,
                ..Round::default()
            });
            self.calls.clear();
            self.is_over = false;
            self.has_text = false;
        }
    }

    /// Adds a step of a call of the agent's own to the last round, or to a new one, if the API has such calls.
    fn own(&mut self, after: Duration, id: &str, step: OwnCallStep) {
        if self.own_calls == OwnCalls::Hidden {
            return;
        }
        self.begin_after_calls();
        // A call of an earlier turn begins again here, because each answer is read by itself.
        let earlier = self.earlier_calls.remove(id).unwrap_or_default();
        if !matches!(step, OwnCallStep::Begins(_)) {
            for step in earlier {
                self.part(after, RoundPart::Own(id.to_owned(), step));
            }
        }
        self.part(after, RoundPart::Own(id.to_owned(), step));
    }

    /// Marks the last result of a call of the agent's own as an error: the round that has it goes on until a call of the client.
    fn own_failed(&mut self, id: &str) {
        for (_, part) in self.last().parts.iter_mut().rev() {
            if let RoundPart::Own(own, OwnCallStep::Ends(_, is_error)) = part
                && own == id
            {
                *is_error = true;
                return;
            }
        }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.calls.iter().position(|call| call == id)
    }

    fn part(&mut self, after: Duration, part: RoundPart) {
        let is_call = matches!(part, RoundPart::Call(..));
        let round = self.last();
        round.calls += usize::from(is_call);
        round.parts.push((after, part));
    }

    fn last(&mut self) -> &mut Round {
        if self.rounds.is_empty() {
            self.rounds.push(Round::default());
        }
        let last = self.rounds.len() - 1;
        &mut self.rounds[last]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use ananke_trace::trace::ResultContent;

    fn say(id: &'static str, text: &'static str) -> Vec<Change<'static>> {
        let role = MessageKind::Assistant;
        let opened = Change::MessageOpened {
            id: id.into(),
            role,
            subagent: None,
        };
        vec![
            opened,
            Change::MessageText {
                id: id.into(),
                delta: text.into(),
            },
            Change::MessageClosed { id: id.into() },
        ]
    }

    fn call(id: &'static str, tool: &'static str, result: bool) -> Vec<Change<'static>> {
        let mut changes = vec![
            Change::CallOpened {
                id: id.into(),
                name: tool.into(),
                subagent: None,
            },
            Change::CallArgs {
                id: id.into(),
                delta: "{}".into(),
            },
            Change::CallArgsDone { id: id.into() },
        ];
        let result = result.then(|| Change::CallAnswered {
            id: id.into(),
            result: ResultContent::Json(json!("ok")),
            is_error: None,
        });
        changes.extend(result);
        changes
    }

    #[test]
    fn a_failure_after_a_result_is_part_of_it() {
        let failed = Change::CallFailed {
            id: "a".into(),
            is_denied: false,
        };
        let runs = [call("a", "f", true), call("b", "f", true), vec![failed]];
        let tools = HashSet::new();
        let mut reader = RoundReader::new(&tools, OwnCalls::Shown);
        for change in runs.concat() {
            reader.read(Duration::ZERO, &change);
        }
        let mut ends = Vec::new();
        for (_, part) in reader.into_round(0).parts {
            if let RoundPart::Own(id, OwnCallStep::Ends(_, is_error)) = part {
                ends.push((id, is_error));
            }
        }
        assert_eq!(ends, [("a".to_owned(), true), ("b".to_owned(), false)]);
    }

    fn texts(changes: &[Vec<Change<'static>>], tools: &[&str], number: usize) -> Vec<String> {
        let changes = changes.concat().into_iter();
        let changes = changes
            .map(|change| TimedChange {
                after: Duration::ZERO,
                change,
            })
            .collect();
        let tools = tools.iter().copied().collect();
        let mut reader = RoundReader::new(&tools, OwnCalls::Hidden);
        reader.read_all(&[changes]);
        let round = reader.into_round(number);
        let parts = round.parts.into_iter().map(|(_, part)| match part {
            RoundPart::Text(text) | RoundPart::Reasoning(text) => text,
            RoundPart::Call(place, id, tool) => format!("{place} {id} {tool}"),
            RoundPart::Arguments(place, text) => format!("{place} {text}"),
            RoundPart::Own(id, step) => format!("{id}: {step:?}"),
        });
        parts.collect()
    }

    #[test]
    fn a_round_ends_with_the_calls_that_the_client_executes() {
        let turn = || {
            vec![
                say("m1", "Let me see."),
                call("a", "look", true),
                call("b", "own", true),
                call("c", "pay", false),
                call("d", "pay", false),
                say("m2", "Done."),
                say("m3", "Bye."),
            ]
        };
        let tools = ["look", "pay"];
        assert_eq!(
            texts(&turn(), &tools, 0),
            ["Let me see.", "0 a look", "0 {}"]
        );
        assert_eq!(
            texts(&turn(), &tools, 1),
            ["0 c pay", "0 {}", "1 d pay", "1 {}"]
        );
        assert_eq!(texts(&turn(), &tools, 2), ["Done.", "\n\n", "Bye."]);
        assert_eq!(texts(&turn(), &tools, 3), [""; 0]);
        assert_eq!(
            texts(&turn(), &[], 0),
            ["Let me see.", "\n\n", "Done.", "\n\n", "Bye."]
        );
    }
}
