//! Puts a conversation together: turns, and in them what the agent says and does, in the order in which it comes.
//!
//! **Invariant:** what a trace does not contain is noted as not shown, never invented.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::Value;

use super::message_items::{MessageItem, text_of};
use ananke_agents::TimedChange;
use ananke_base::message::{HistoryCall, HistoryMessage, Role, TurnInput, UserContent};
use ananke_engine::observed::{ObservedConversation, ObservedTurn};
use ananke_trace::trace::{Change, Fact, Facts, MessageKind, ResultContent, RunEnd, Usage};

/// What is said instead of a message of the user that a trace does not contain.
const NOT_SHOWN: &str = "(not shown)";

/// How the execution of a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::verify) enum ToolEnd {
    Succeeded,
    Failed,
}

/// A conversation that is put together. Moments are microseconds from a common beginning.
#[derive(Debug)]
pub(in crate::verify) struct ConversationBuilder {
    conversation: ObservedConversation,
    /// When the conversation began.
    origin: u64,
    /// When the running turn began.
    began: u64,
    /// The calls that were made, by their ids; whether each was answered.
    calls: HashMap<String, bool>,
    /// The calls that were answered by something that says whether they failed.
    judged: HashSet<String>,
    /// The calls that something executes.
    executed: HashSet<String>,
    /// The calls of the running turn, with the names of their tools, in order.
    made: Vec<(String, String)>,
    messages: usize,
    /// What was found missing.
    missing: Facts,
}

impl ConversationBuilder {
    /// A conversation on this thread.
    pub(in crate::verify) fn new(thread_id: &str) -> Self {
        let conversation = ObservedConversation {
            thread_id: thread_id.to_owned(),
            ..ObservedConversation::default()
        };
        Self {
            conversation,
            origin: 0,
            began: 0,
            calls: HashMap::new(),
            judged: HashSet::new(),
            executed: HashSet::new(),
            made: Vec::new(),
            messages: 0,
            missing: Facts::NONE,
        }
    }

    /// The same, which begins at this moment of Unix time.
    pub(in crate::verify) fn beginning_at(mut self, micros: u64) -> Self {
        self.origin = micros;
        self.conversation.started_unix_ms = micros / 1000;
        self
    }

    /// The agent has this name.
    pub(in crate::verify) fn name_agent(&mut self, name: &str) {
        if self.conversation.agent.is_empty() {
            name.clone_into(&mut self.conversation.agent);
        }
    }

    /// Something is odd.
    pub(in crate::verify) fn warn(&mut self, warning: String) {
        if !self.conversation.warnings.contains(&warning) {
            self.conversation.warnings.push(warning);
        }
    }

    /// The trace does not show `fact`.
    pub(in crate::verify) fn lacks(&mut self, fact: Fact) {
        self.missing = self.missing | Facts::of(&[fact]);
    }

    /// Whether a turn has begun.
    pub(in crate::verify) fn has_turns(&self) -> bool {
        !self.conversation.turns.is_empty()
    }

    /// Whether a call of this id was made.
    pub(in crate::verify) fn knows_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// The first call to this tool that nothing has answered or executes.
    pub(in crate::verify) fn open_call(&self, tool: &str) -> Option<String> {
        let is_open = |id: &&(String, String)| {
            id.1 == tool && self.calls.get(&id.0) == Some(&false) && !self.executed.contains(&id.0)
        };
        self.made.iter().find(is_open).map(|(id, _)| id.clone())
    }

    /// Something executes a call.
    pub(in crate::verify) fn executes(&mut self, id: &str) {
        self.executed.insert(id.to_owned());
    }

    /// Whether a call waits for its answer.
    pub(in crate::verify) fn has_open_calls(&self) -> bool {
        self.calls.values().any(|is_answered| !is_answered)
    }

    /// Whether every call that was answered was answered by something that says whether it failed.
    pub(in crate::verify) fn are_answers_judged(&self) -> bool {
        let mut answered = self.calls.iter().filter(|(_, is_answered)| **is_answered);
        answered.all(|(id, _)| self.judged.contains(id))
    }

    /// Adds messages from before the first turn.
    pub(in crate::verify) fn remember(&mut self, items: Vec<MessageItem>) {
        for item in items {
            let message = |role| HistoryMessage {
                role,
                id: None,
                name: None,
                content: None,
                calls: Vec::new(),
                answers: None,
            };
            let text = |text: String| Some(UserContent::Text(text.into()));
            let history = &mut self.conversation.history;
            match item {
                MessageItem::Instructs
                | MessageItem::Reasons(_)
                | MessageItem::Asks(None)
                | MessageItem::Says(None) => {}
                MessageItem::Asks(Some(said)) => {
                    history.push(HistoryMessage {
                        content: text(said),
                        ..message(Role::User)
                    });
                }
                MessageItem::Says(Some(said)) => {
                    history.push(HistoryMessage {
                        content: text(said),
                        ..message(Role::Assistant)
                    });
                }
                MessageItem::Calls { id, name, args } => {
                    let id = id.unwrap_or_else(|| format!("history-{}", history.len()));
                    self.calls.insert(id.clone(), true);
                    self.judged.insert(id.clone());
                    let calls = vec![HistoryCall {
                        id,
                        name,
                        arguments: args.unwrap_or_else(|| "{}".to_owned()),
                    }];
                    history.push(HistoryMessage {
                        calls,
                        ..message(Role::Assistant)
                    });
                }
                MessageItem::Answers { id, result, .. } => {
                    let content = text(result.as_ref().map(text_of).unwrap_or_default());
                    history.push(HistoryMessage {
                        content,
                        answers: id,
                        ..message(Role::Tool)
                    });
                }
            }
        }
    }

    /// A turn begins in which the user says this; `None` if the trace does not contain it.
    pub(in crate::verify) fn begin_turn(&mut self, at: u64, said: Option<&str>) {
        if said.is_none() {
            self.lacks(Fact::UserText);
        }
        self.began = at;
        self.made.clear();
        let input = TurnInput::User(UserContent::Text(said.unwrap_or(NOT_SHOWN).into()));
        let after = Duration::from_micros(at.saturating_sub(self.origin));
        let mut turn = ObservedTurn {
            input,
            after,
            changes: Vec::new(),
        };
        let started = Change::RunStarted {
            run_id: None,
            thread_id: None,
            is_replay: false,
        };
        turn.changes.push(TimedChange {
            after: Duration::ZERO,
            change: started,
        });
        self.conversation.turns.push(turn);
    }

    /// The running turn ends.
    pub(in crate::verify) fn end_turn(&mut self, at: u64, end: RunEnd) {
        self.push(at, Change::RunEnded(end));
    }

    /// The agent used tokens.
    pub(in crate::verify) fn uses(&mut self, at: u64, usage: Usage) {
        self.push(at, Change::Usage(usage));
    }

    /// The agent, or a subagent of it, says or does these things.
    pub(in crate::verify) fn does(
        &mut self,
        at: u64,
        items: Vec<MessageItem>,
        subagent: Option<&str>,
    ) {
        for item in items {
            match item {
                MessageItem::Instructs | MessageItem::Asks(_) => {}
                MessageItem::Says(Some(text)) => self.says(at, text, subagent),
                MessageItem::Says(None) => self.lacks(Fact::Text),
                MessageItem::Reasons(text) => {
                    let id = self.next_id("reasoning").into();
                    self.push(
                        at,
                        Change::Reasoning {
                            id,
                            delta: text.into(),
                            subagent: owned(subagent),
                        },
                    );
                }
                MessageItem::Calls { id, name, args } => {
                    self.calls(at, id, name, args, subagent);
                }
                MessageItem::Answers {
                    id,
                    name,
                    result,
                    is_error,
                } => {
                    self.answers_open(at, id.as_deref(), name.as_deref(), result, is_error);
                }
            }
        }
    }

    fn says(&mut self, at: u64, text: String, subagent: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let id = self.next_id("message");
        self.push(
            at,
            Change::MessageOpened {
                id: id.clone().into(),
                role: MessageKind::Assistant,
                subagent: owned(subagent),
            },
        );
        self.push(
            at,
            Change::MessageText {
                id: id.clone().into(),
                delta: text.into(),
            },
        );
        self.push(at, Change::MessageClosed { id: id.into() });
    }

    /// A tool is called. Returns the id of the call.
    pub(in crate::verify) fn calls(
        &mut self,
        at: u64,
        id: Option<String>,
        name: String,
        args: Option<String>,
        subagent: Option<&str>,
    ) -> String {
        if args.is_none() {
            self.lacks(Fact::Arguments);
        }
        let id = id.filter(|id| !id.is_empty() && !self.calls.contains_key(id));
        let id = id.unwrap_or_else(|| self.next_id("call"));
        self.calls.insert(id.clone(), false);
        self.made.push((id.clone(), name.clone()));
        let call = || id.clone().into();
        self.push(
            at,
            Change::CallOpened {
                id: call(),
                name: name.into(),
                subagent: owned(subagent),
            },
        );
        if let Some(args) = args.filter(|args| !args.is_empty()) {
            self.push(
                at,
                Change::CallArgs {
                    id: call(),
                    delta: args.into(),
                },
            );
        }
        self.push(at, Change::CallArgsDone { id: call() });
        id
    }

    /// A message answers a call, unless something else has answered it.
    fn answers_open(
        &mut self,
        at: u64,
        id: Option<&str>,
        name: Option<&str>,
        result: Option<Value>,
        is_error: Option<bool>,
    ) {
        let Some(id) = id.map(str::to_owned).or_else(|| self.only_open_call()) else {
            let tool = name.map(|name| format!(" of `{name}`")).unwrap_or_default();
            return self.warn(format!("a result{tool} has no call"));
        };
        match self.calls.get(&id) {
            Some(true) => {}
            Some(false) => {
                if is_error.is_some() {
                    self.judged.insert(id.clone());
                }
                self.answers(at, &id, result, is_error);
            }
            None => self.warn(format!("the result of `{id}` has no call")),
        }
    }

    fn only_open_call(&self) -> Option<String> {
        let mut open = self.calls.iter().filter(|(_, is_answered)| !**is_answered);
        open.next()
            .map(|(id, _)| id.clone())
            .filter(|_| open.next().is_none())
    }

    /// A tool was executed: its call is answered, and it is known whether it failed.
    pub(in crate::verify) fn executed(
        &mut self,
        at: u64,
        id: &str,
        result: Option<Value>,
        end: ToolEnd,
    ) {
        self.judged.insert(id.to_owned());
        self.answers(at, id, result, Some(end == ToolEnd::Failed));
    }

    fn answers(&mut self, at: u64, id: &str, result: Option<Value>, is_error: Option<bool>) {
        self.calls.insert(id.to_owned(), true);
        if result.is_none() {
            self.lacks(Fact::Results);
        }
        let result = match result {
            None => ResultContent::Text("".into()),
            Some(Value::String(text)) => ResultContent::Text(text.into()),
            Some(value) => ResultContent::Json(value),
        };
        self.push(
            at,
            Change::CallAnswered {
                id: id.to_owned().into(),
                result,
                is_error,
            },
        );
    }

    fn next_id(&mut self, what: &str) -> String {
        self.messages += 1;
        format!("{what}-{}", self.messages)
    }

    fn push(&mut self, at: u64, change: Change<'static>) {
        let after = Duration::from_micros(at.saturating_sub(self.began));
        if let Some(turn) = self.conversation.turns.last_mut() {
            let after = turn
                .changes
                .last()
                .map_or(after, |last| last.after.max(after));
            turn.changes.push(TimedChange { after, change });
        }
    }

    /// The conversation, of which `shown` is known but for what was found missing.
    pub(in crate::verify) fn finish(self, shown: Facts) -> ObservedConversation {
        ObservedConversation {
            shown: shown.except(self.missing),
            ..self.conversation
        }
    }
}

fn owned(name: Option<&str>) -> Option<std::borrow::Cow<'static, str>> {
    name.map(|name| name.to_owned().into())
}
