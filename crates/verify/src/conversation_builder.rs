//! Puts a conversation together: turns, and in them what the agent says and does, in the order in which it comes.
//!
//! **Invariant:** what a trace does not contain is noted as not shown, never invented.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::Value;

use super::history_item::history_message;
use super::known_facts::KnownFacts;
use super::message_item::{MessageItem, is_empty_arguments, text_of};
use super::tool_end::ToolEnd;
use ananke_agents::TimedChange;
use ananke_base::message::{TurnInput, UserContent};
use ananke_base::text::truncate;
use ananke_conversation::observed::{ObservedConversation, ObservedTurn};
use ananke_trace::trace::{
    AsideSource, Change, Fact, Facts, MessageKind, ResultContent, RunEnd, Unread, UnreadForm,
    Usage, is_same_json,
};

/// The text that replaces a message of the user that a trace does not contain.
const NOT_SHOWN: &str = "(not shown)";

/// The facts that may be unread in a call without a name.
const CALL: Facts = Facts::of(&[Fact::Calls, Fact::Arguments, Fact::Results, Fact::CallEnds]);

/// The place of a change: its turn, and its index in it.
type ChangePlace = (usize, usize);

/// A conversation that is put together. Moments are microseconds from a common beginning.
#[derive(Debug)]
pub(crate) struct ConversationBuilder {
    conversation: ObservedConversation,
    /// The moment at which the conversation began.
    origin: u64,
    /// The moment at which the running turn began.
    began: u64,
    /// The calls that were made, by their ids; whether each was answered.
    calls: HashMap<String, bool>,
    /// The calls that were answered by something that says whether they failed.
    judged: HashSet<String>,
    /// The calls that something executes.
    executed: HashSet<String>,
    /// The calls of the running turn, with the names of their tools, in order.
    made: Vec<(String, Option<String>)>,
    known: KnownFacts,
    /// The places at which arguments and results are missing, by the ids of their calls.
    without_args: HashMap<String, ChangePlace>,
    without_result: HashMap<String, ChangePlace>,
    /// The places of errors that replace results.
    errors: HashMap<String, ChangePlace>,
    /// The places at which arguments are empty.
    with_empty_args: HashMap<String, ChangePlace>,
    /// What the agent said in messages that follow each other directly.
    pieces: Vec<String>,
    /// The results of each call, if another one with the same id is another result.
    results: Option<HashMap<String, Vec<Value>>>,
    /// The unread parts before the first turn.
    unread: Vec<Unread<'static>>,
    messages: usize,
    /// The facts that were found missing.
    missing: Facts,
}

impl ConversationBuilder {
    /// A conversation on this thread.
    pub(crate) fn new(thread_id: &str) -> Self {
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
            known: KnownFacts::default(),
            without_args: HashMap::new(),
            without_result: HashMap::new(),
            errors: HashMap::new(),
            with_empty_args: HashMap::new(),
            pieces: Vec::new(),
            results: None,
            unread: Vec::new(),
            messages: 0,
            missing: Facts::NONE,
        }
    }

    /// The same, which begins at this moment of Unix time.
    pub(crate) fn beginning_at(mut self, micros: u64) -> Self {
        self.origin = micros;
        self.conversation.started_unix_ms = micros / 1000;
        self
    }

    /// The same, of which every message is there once: each result is one of its own.
    pub(crate) fn of_single_messages(mut self) -> Self {
        self.results = Some(HashMap::new());
        self
    }

    /// The agent has this name.
    pub(crate) fn name_agent(&mut self, name: &str) {
        if self.conversation.agent.is_empty() {
            name.clone_into(&mut self.conversation.agent);
        }
    }

    /// Something is odd.
    pub(crate) fn warn(&mut self, warning: String) {
        if !self.conversation.warnings.contains(&warning) {
            self.conversation.warnings.push(warning);
        }
    }

    /// The trace does not show `fact`.
    pub(crate) fn lacks(&mut self, fact: Fact) {
        self.missing = self.missing | Facts::of(&[fact]);
    }

    /// Whether a turn has begun.
    pub(crate) fn has_turns(&self) -> bool {
        !self.conversation.turns.is_empty()
    }

    /// Whether a call of this id was made.
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.calls.contains_key(id)
    }

    /// The first call to this tool that nothing has answered or executes.
    pub(crate) fn open_call(&self, tool: Option<&str>) -> Option<String> {
        let mut open = self.made.iter().filter(|(id, name)| {
            name.as_deref() == tool
                && self.calls.get(id) == Some(&false)
                && !self.executed.contains(id)
        });
        open.next().map(|(id, _)| id.clone())
    }

    /// A call that something executes may be in a message too, by one of these names and arguments.
    pub(crate) fn expects_message(&mut self, id: &str, name: Option<String>, args: Option<String>) {
        self.known.executes(id.to_owned(), name, args);
    }

    /// The arguments of a call are known, if they were not, or if they were empty.
    pub(crate) fn completes(&mut self, id: &str, args: Option<String>) {
        let Some(args) = args else { return };
        let place = self.without_args.remove(id);
        let place = match place {
            None if !is_empty_arguments(&args) => self.with_empty_args.remove(id),
            place => place,
        };
        if let Some(place) = place
            && let Some(Change::CallArgs { delta, .. }) = self.change(place)
        {
            *delta = args.into();
        }
    }

    fn change(&mut self, (turn, index): ChangePlace) -> Option<&mut Change<'static>> {
        let turn = self.conversation.turns.get_mut(turn)?;
        turn.changes.get_mut(index).map(|timed| &mut timed.change)
    }

    /// The place of the next change.
    fn next_place(&self) -> ChangePlace {
        let turns = &self.conversation.turns;
        let changes = turns.last().map_or(0, |turn| turn.changes.len());
        (turns.len().saturating_sub(1), changes)
    }

    /// Whether a call was made or a text said that is the same.
    pub(crate) fn knows(&self, item: &MessageItem) -> bool {
        match item {
            MessageItem::Calls { id: Some(id), .. } if self.calls.contains_key(id) => true,
            item => self.known.has(item),
        }
    }

    /// Something is not understood.
    pub(crate) fn is_unread(&mut self, at: u64, unread: Vec<Unread<'static>>) {
        if self.has_turns() {
            for unread in unread {
                self.push(at, Change::Unread(unread));
            }
        } else {
            self.unread.extend(unread);
        }
    }

    /// Something executes a call.
    pub(crate) fn executes(&mut self, id: &str) {
        self.executed.insert(id.to_owned());
    }

    /// Whether a call waits for its answer.
    pub(crate) fn has_open_calls(&self) -> bool {
        self.calls.values().any(|is_answered| !is_answered)
    }

    /// Whether every call that was answered was answered by something that says whether it failed.
    pub(crate) fn are_answers_judged(&self) -> bool {
        let mut answered = self.calls.iter().filter(|(_, is_answered)| **is_answered);
        answered.all(|(id, _)| self.judged.contains(id))
    }

    /// Adds messages from before the first turn.
    pub(crate) fn remember(&mut self, items: Vec<MessageItem>) {
        for mut item in items {
            if let MessageItem::Calls { id, name, args } = &mut item {
                let number = self.conversation.history.len();
                let id = id.get_or_insert_with(|| format!("history-{number}"));
                self.calls.insert(id.clone(), true);
                self.judged.insert(id.clone());
                self.known.calls(name.as_deref(), args.as_deref());
            }
            self.conversation.history.extend(history_message(item));
        }
    }

    /// A turn begins in which the user says this; `None` if the trace does not contain it.
    pub(crate) fn begin_turn(&mut self, at: u64, said: Option<&str>) {
        if said.is_none() {
            self.lacks(Fact::UserText);
        }
        self.began = at;
        self.made.clear();
        self.known.end_turn();
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
        for unread in std::mem::take(&mut self.unread) {
            self.push(at, Change::Unread(unread));
        }
    }

    /// The running turn ends.
    pub(crate) fn end_turn(&mut self, at: u64, end: RunEnd) {
        self.end_message(at);
        self.push(at, Change::RunEnded(end));
    }

    /// The agent used tokens of a model.
    pub(crate) fn uses(&mut self, at: u64, usage: Usage, model: Option<String>) {
        let model = model.map(Into::into);
        self.push(at, Change::Usage { usage, model });
    }

    /// The agent, or a subagent of it, says or does these things.
    pub(crate) fn does(&mut self, at: u64, items: Vec<MessageItem>, subagent: Option<&str>) {
        for item in items {
            // Reasoning and instructions between two pieces are of another stream.
            let ends_message = matches!(
                item,
                MessageItem::Asks(_) | MessageItem::Calls { .. } | MessageItem::Answers { .. }
            );
            if ends_message {
                self.end_message(at);
            }
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
                    match self
                        .known
                        .executed(id.as_deref(), name.as_deref(), args.as_deref())
                    {
                        Some(known) => self.completes(&known, args),
                        None => {
                            self.calls(at, id, name, args, subagent);
                        }
                    }
                }
                MessageItem::Unread(unread) => self.is_unread(at, vec![unread]),
                MessageItem::Answers {
                    id,
                    name,
                    result,
                    end,
                } => {
                    self.answers_open(at, id, name, result, end, subagent);
                }
            }
        }
        if self.results.is_none() {
            // The messages of the next span do not continue these.
            self.end_message(at);
        }
    }

    /// Nothing continues the last messages: text prohibitions see them as one, since they may be pieces of one (SPEC 13).
    fn end_message(&mut self, at: u64) {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces.len() > 1 {
            let (text, source) = (pieces.concat().into(), AsideSource::Pieces);
            self.push(at, Change::Aside { text, source });
        }
    }

    fn says(&mut self, at: u64, text: String, subagent: Option<&str>) {
        if text.is_empty() {
            return;
        }
        self.known.says(&text);
        self.pieces.push(text.clone());
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

    /// A tool is called; without a `name`, which one is unread. Returns the id of the call.
    pub(crate) fn calls(
        &mut self,
        at: u64,
        id: Option<String>,
        name: Option<String>,
        args: Option<String>,
        subagent: Option<&str>,
    ) -> String {
        let id = id.filter(|id| !id.is_empty() && !self.calls.contains_key(id));
        let id = id.unwrap_or_else(|| self.next_id(KnownFacts::MADE_ID));
        self.calls.insert(id.clone(), false);
        self.made.push((id.clone(), name.clone()));
        self.known.calls(name.as_deref(), args.as_deref());
        let call = || id.clone().into();
        if name.is_none() {
            let unread = Unread {
                name: format!("name:{id}").into(),
                facts: CALL,
                form: UnreadForm::Known { tool: None },
                detail: "the call has no name".into(),
                violates: None,
            };
            self.push(at, Change::Unread(unread));
        }
        let name = name.unwrap_or_default().into();
        let subagent = owned(subagent);
        self.push(
            at,
            Change::CallOpened {
                id: call(),
                name,
                subagent,
            },
        );
        match &args {
            None => {
                self.without_args.insert(id.clone(), self.next_place());
            }
            Some(args) if is_empty_arguments(args) => {
                self.with_empty_args.insert(id.clone(), self.next_place());
            }
            Some(_) => {}
        }
        let delta = args.unwrap_or_default().into();
        self.push(at, Change::CallArgs { id: call(), delta });
        self.push(at, Change::CallArgsDone { id: call() });
        id
    }

    /// A message answers a call, unless something else has answered it. A result without its call that names its tool proves the
    /// call; any other is unread.
    fn answers_open(
        &mut self,
        at: u64,
        id: Option<String>,
        name: Option<String>,
        result: Option<Value>,
        end: Option<ToolEnd>,
        subagent: Option<&str>,
    ) {
        let known = match &id {
            Some(id) => Some(self.known.own_id(id.clone())),
            None => name
                .as_deref()
                .and_then(|name| self.open_call_of(name))
                .or_else(|| self.only_open_call(name.as_deref())),
        };
        let known = known.filter(|id| self.calls.contains_key(id));
        let id = match (known, name) {
            (Some(id), _) => id,
            (None, Some(name)) => {
                let why = "the call is missing: only its result is there";
                let unread = Unread::arguments(name.clone(), why).into_owned();
                let id = self.calls(at, id, Some(name), None, subagent);
                self.without_args.remove(&id);
                self.push(at, Change::Unread(unread));
                id
            }
            (None, None) => {
                let id = id.unwrap_or_default();
                let quote = result.as_ref().map(text_of).unwrap_or_default();
                let why = format!("its call is missing: {quote}");
                let unread = Unread::results(&id, truncate::bytes(&why, Unread::QUOTED_BYTES));
                return self.is_unread(at, vec![unread.into_owned()]);
            }
        };
        if self.calls.get(&id) == Some(&true) {
            return self.answers_again(at, &id, result, end);
        }
        if end.is_some() {
            self.judged.insert(id.clone());
        }
        self.answers(at, &id, result, end);
    }

    /// A call has another result, or the one that was missing.
    fn answers_again(&mut self, at: u64, id: &str, result: Option<Value>, end: Option<ToolEnd>) {
        let Some(result) = result else { return };
        let place = self
            .without_result
            .remove(id)
            .or_else(|| self.errors.remove(id));
        if let Some(place) = place {
            if let Some(Change::CallAnswered {
                result: missing, ..
            }) = self.change(place)
            {
                *missing = content(Some(result));
            }
            return;
        }
        let earlier = self.results.as_ref().and_then(|results| results.get(id));
        if earlier
            .is_some_and(|earlier| !earlier.iter().any(|earlier| is_same_json(earlier, &result)))
        {
            self.answers(at, id, Some(result), end);
        }
    }

    /// The first call to this tool that has no result.
    fn open_call_of(&self, tool: &str) -> Option<String> {
        let mut open = self.made.iter().filter(|(id, name)| {
            name.as_deref() == Some(tool) && self.calls.get(id) == Some(&false)
        });
        open.next().map(|(id, _)| id.clone())
    }

    /// The only call without a result, unless it is one to another tool than `tool`.
    fn only_open_call(&self, tool: Option<&str>) -> Option<String> {
        let mut open = self.calls.iter().filter(|(_, is_answered)| !**is_answered);
        let (id, _) = open.next()?;
        if open.next().is_some() {
            return None;
        }
        let mut made = self.made.iter().filter(|(made, _)| made == id);
        let own = made.find_map(|(_, name)| name.as_deref());
        let is_other = own.zip(tool).is_some_and(|(own, tool)| own != tool);
        (!is_other).then(|| id.clone())
    }

    /// A tool was executed: its call is answered, and it is known whether it failed.
    pub(crate) fn executed(&mut self, at: u64, id: &str, result: Option<Value>, end: ToolEnd) {
        self.judged.insert(id.to_owned());
        self.answers(at, id, result, Some(end));
    }

    /// A tool failed with this error, which is its result if no message has the one that the model read.
    pub(crate) fn executed_with_error(&mut self, at: u64, id: &str, message: String) {
        self.errors.insert(id.to_owned(), self.next_place());
        self.executed(at, id, Some(message.into()), ToolEnd::Failed);
    }

    fn answers(&mut self, at: u64, id: &str, result: Option<Value>, end: Option<ToolEnd>) {
        self.calls.insert(id.to_owned(), true);
        match &result {
            None => {
                self.without_result.insert(id.to_owned(), self.next_place());
            }
            Some(result) => {
                if let Some(results) = &mut self.results {
                    results
                        .entry(id.to_owned())
                        .or_default()
                        .push(result.clone());
                }
            }
        }
        let result = content(result);
        self.push(
            at,
            Change::CallAnswered {
                id: id.to_owned().into(),
                result,
                is_error: end.map(|end| end != ToolEnd::Succeeded),
            },
        );
        if end == Some(ToolEnd::Denied) {
            let (id, is_denied) = (id.to_owned().into(), true);
            self.push(at, Change::CallFailed { id, is_denied });
        }
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
    pub(crate) fn finish(mut self, shown: Facts) -> ObservedConversation {
        if !self.without_args.is_empty() {
            self.lacks(Fact::Arguments);
        }
        if !self.without_result.is_empty() {
            self.lacks(Fact::Results);
        }
        ObservedConversation {
            shown: shown.except(self.missing),
            ..self.conversation
        }
    }
}

fn content(result: Option<Value>) -> ResultContent<'static> {
    match result {
        None => ResultContent::Text("".into()),
        Some(Value::String(text)) => ResultContent::Text(text.into()),
        Some(value) => ResultContent::Json(value),
    }
}

fn owned(name: Option<&str>) -> Option<std::borrow::Cow<'static, str>> {
    name.map(|name| name.to_owned().into())
}
