//! The answers of a model in one turn: each but the last ends with calls that the client executes.

use std::collections::HashSet;
use std::time::Duration;

use ananke_agents::TimedChange;
use ananke_trace::trace::{Change, MessageKind, RunEnd, Usage};

/// One answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Round {
    /// The parts of the answer, in their order.
    pub(super) parts: Vec<(Duration, RoundPart)>,
    /// The tokens, if they are reported.
    pub(super) usage: Option<Usage>,
    /// The moment at which it is over.
    pub(super) ended: Duration,
    pub(super) calls: usize,
    /// The error that ended it: the message, and a code.
    pub(super) error: Option<(String, Option<String>)>,
}

/// A part of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RoundPart {
    /// More of the text.
    Text(String),
    /// More of what the model thinks.
    Reasoning(String),
    /// A call begins: its place among the calls, its id and the tool.
    Call(usize, String, String),
    /// More of the arguments of the call at this place.
    Arguments(usize, String),
}

/// One answer of a turn. A chat completion ends with calls of the client's tools, and the client sends a new request with their
/// results. So a turn of the agent is split into rounds after such calls, and `number` is the round that is answered, from 0.
/// `tools` are the tools of the client: the agent executes its other tools itself, and no client sees them.
pub(super) fn round(runs: &[Vec<TimedChange>], tools: &HashSet<&str>, number: usize) -> Round {
    let mut reader = RoundReader {
        tools,
        rounds: vec![Round::default()],
        calls: Vec::new(),
        is_over: false,
        has_text: false,
    };
    for TimedChange { after, change } in runs.iter().flatten() {
        reader.read(*after, change);
    }
    let mut rounds = reader.rounds;
    // The times of changes are from the start of the turn, but those of a response are from its request. The time until the end
    // of the round before has passed then, since that round was a response of its own.
    let passed = match number.checked_sub(1) {
        Some(previous) if previous < rounds.len() => rounds[previous].ended,
        // The first round has none before it.
        _ => Duration::ZERO,
    };
    // An agent that is done before this round answers nothing more.
    let Some(round) = rounds.get_mut(number) else {
        return Round::default();
    };
    let mut round = std::mem::take(round);
    for (after, _) in &mut round.parts {
        *after = after.saturating_sub(passed);
    }
    round.ended = round.ended.saturating_sub(passed);
    round
}

struct RoundReader<'t> {
    tools: &'t HashSet<&'t str>,
    rounds: Vec<Round>,
    /// The ids of the calls of the last round.
    calls: Vec<String>,
    /// Whether the calls of the last round are complete, so that further calls and tokens are for the next round.
    is_over: bool,
    /// Whether the last round has text.
    has_text: bool,
}

impl RoundReader<'_> {
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
            // Calls of other tools are the agent's own: neither they nor their arguments and results are in any round. A call is
            // the first of a new round if the calls of the last one are complete (`is_over`).
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
            Change::CallArgs { id, delta } => {
                // The place is among the calls of this round: `None` for a call of the agent's own.
                if let Some(place) = self.place(id) {
                    self.part(after, RoundPart::Arguments(place, delta.to_string()));
                }
            }
            // The result of a call of the client comes with its next request, so that the round was complete before it.
            Change::CallAnswered { id, .. } => self.is_over |= self.place(id).is_some(),
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
                if let RunEnd::Error { message, code } = end {
                    self.begin_after_calls();
                    self.last().error = Some((message.clone(), code.clone()));
                }
            }
            // A chat completion has no form for any other change.
            _ => {}
        }
        // Every change counts for the time of the round, also one that is not in it.
        let round = self.last();
        round.ended = round.ended.max(after);
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

    fn texts(changes: &[Vec<Change<'static>>], tools: &[&str], number: usize) -> Vec<String> {
        let changes = changes.concat().into_iter();
        let changes = changes
            .map(|change| TimedChange {
                after: Duration::ZERO,
                change,
            })
            .collect();
        let round = round(&[changes], &tools.iter().copied().collect(), number);
        let parts = round.parts.into_iter().map(|(_, part)| match part {
            RoundPart::Text(text) | RoundPart::Reasoning(text) => text,
            RoundPart::Call(place, id, tool) => format!("{place} {id} {tool}"),
            RoundPart::Arguments(place, text) => format!("{place} {text}"),
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
