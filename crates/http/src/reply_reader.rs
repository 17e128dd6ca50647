//! Reads the events of one turn's response by the mapping of its target, and reports what they mean.
//!
//! **Invariant:** text and calls are reported in the order of their places; what looks like a call and was not found is unread.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::calls::{KnownCalls, TurnCalls, finds_something, text_in, value_in};
use super::event::{self, Event};
use super::framing::KnownForm;
use super::mapping::{CompiledPick, ResponseMapping, UsageMapping};
use super::path::{Hit, Place, Searched};
use super::request::{Capture, CapturedFrom};
use super::response_config::{StreamForm, TextMode};
use super::seen_keys::SeenKeys;
use super::unread::UnclaimedCalls;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::{HalfJoiner, Halves, Oddities, SentText};
use ananke_trace::trace::{
    Change, Facts, Interrupt, MessageKind, RunEnd, Tokens, Unread, Usage, facts_of_item,
};

/// The time for which a stream is read after what ends it.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// Reads the response of a turn, which may be those of several requests.
pub(crate) struct ReplyReader<'a> {
    mapping: &'a ResponseMapping,
    /// The form of the response that is read now.
    form: KnownForm,
    ids: &'a dyn Ids,
    known: &'a mut KnownCalls,
    calls: TurnCalls,
    message: Option<OpenMessage>,
    /// The texts of all messages that are complete.
    texts: Vec<String>,
    reasoning: Option<(String, HalfJoiner)>,
    interrupts: Vec<Interrupt>,
    usage: UsageSoFar,
    error: Option<String>,
    has_begun: bool,
    has_found_text: bool,
    is_done: bool,
    seen: SeenKeys,
    /// What is captured of the response that is read now.
    captures: Vec<Capture>,
    captured: Vec<(String, Value)>,
    unclaimed: UnclaimedCalls,
    /// Events of which no path found anything, if they may be text.
    unread: Vec<Unread<'static>>,
    last: At,
}

/// A message whose text may go on.
struct OpenMessage {
    id: String,
    text: String,
    joiner: HalfJoiner,
}

/// The tokens that were reported so far.
#[derive(Default)]
struct UsageSoFar {
    input: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
}

/// Something that a path found in an event.
enum Found<'v> {
    Text(Cow<'v, Value>),
    Call(Cow<'v, Value>),
    Result(Cow<'v, Value>),
    Interrupt(Cow<'v, Value>),
    Reasoning(Cow<'v, Value>),
}

/// The end of a turn.
pub(crate) enum TurnEnd {
    /// The response is complete: the texts of its messages.
    Complete(Vec<String>),
    /// The agent reported an error, or waits for an answer.
    Ended,
    /// The sink wants no more.
    Stopped,
}

/// A report to the sink, until it wants no more.
struct Report<'a> {
    at: At,
    sink: &'a mut dyn Sink,
    flow: ControlFlow<Stop>,
}

impl Report<'_> {
    fn change(&mut self, change: Change<'_>) {
        if self.flow.is_continue() {
            self.flow = self.sink.change(self.at, change);
        }
    }
}

impl<'a> ReplyReader<'a> {
    /// A reader of a turn that adds its calls to `known`, and makes ids with `ids`.
    pub(crate) fn new(
        mapping: &'a ResponseMapping,
        known: &'a mut KnownCalls,
        ids: &'a dyn Ids,
    ) -> Self {
        Self {
            mapping,
            form: KnownForm::default(),
            ids,
            known,
            calls: TurnCalls::default(),
            message: None,
            texts: Vec::new(),
            reasoning: None,
            interrupts: Vec::new(),
            usage: UsageSoFar::default(),
            error: None,
            has_begun: false,
            has_found_text: false,
            is_done: false,
            seen: SeenKeys::default(),
            captures: Vec::new(),
            captured: Vec::new(),
            unclaimed: UnclaimedCalls::default(),
            unread: Vec::new(),
            last: At::default(),
        }
    }

    /// Says that the next events are those of a response whose form `form` gets.
    pub(crate) fn begin_response(&mut self, form: KnownForm) {
        self.form = form;
    }

    /// Says what is captured of the events that follow.
    pub(crate) fn look_for(&mut self, captures: &[Capture]) {
        self.captures = captures.to_vec();
    }

    /// The values that were captured: name and value, the newest last.
    pub(crate) fn take_captured(&mut self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.captured)
    }

    /// Whether the agent reported an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// The keys of the events so far.
    pub(crate) fn seen(&self) -> &SeenKeys {
        &self.seen
    }

    /// The error of the agent's status: a 4xx in which `response.error` finds something.
    pub(crate) fn error_of(&self, event: &Event) -> Option<String> {
        error_in(self.mapping.error.as_ref(), event.searched())
    }

    /// Takes an error of the agent that is no event of a response.
    pub(crate) fn fail(&mut self, message: String) {
        self.error.get_or_insert(message);
    }

    /// Whether nothing but the rest of a stream is missing.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_done || self.error.is_some()
    }

    /// Reports what has arrived of a turn that is not complete, and is no longer read.
    pub(crate) fn abandon(mut self, sink: &mut dyn Sink) {
        let at = self.last;
        // A sink that wants no more gets the rest all the same, so that a report shows what had arrived.
        let mut change = |change: Change<'_>| {
            let _over = sink.change(at, change);
        };
        self.calls.complete_all(&mut change);
        for unread in self.unclaimed.unread(self.known) {
            change(Change::Unread(unread));
        }
    }

    /// Ends the turn.
    ///
    /// # Errors
    /// If a turn that ended well has no text.
    pub(crate) fn finish(mut self, sink: &mut dyn Sink) -> Result<TurnEnd, TargetError> {
        let mut report = Report {
            at: self.last,
            sink,
            flow: ControlFlow::Continue(()),
        };
        self.begin(&mut report);
        self.calls.complete_all(&mut |change| report.change(change));
        self.close_message(&mut report);
        let unclaimed = std::mem::take(&mut self.unclaimed);
        self.unread.extend(unclaimed.unread(self.known));
        for unread in std::mem::take(&mut self.unread) {
            report.change(Change::Unread(unread));
        }
        if let Some(usage) = self.usage.reported() {
            report.change(Change::Usage(usage));
        }

        // A call whose result is not shown was executed all the same, unless the agent waits for an answer about it.
        let shows_results = self.mapping.results.is_some()
            || self
                .mapping
                .calls
                .as_ref()
                .is_some_and(|calls| calls.result.is_some());
        let is_waiting = !self.interrupts.is_empty();
        for key in self.calls.unanswered() {
            let is_asked = self
                .interrupts
                .iter()
                .any(|it| it.call.as_deref() == Some(key));
            if !(is_asked || is_waiting && shows_results) {
                report.change(Change::CallExecuted { id: key.into() });
            }
        }

        let has_failed = self.error.is_some();
        let is_complete = !has_failed && !is_waiting;
        if is_complete && !self.has_found_text && !self.mapping.text.is_optional {
            return Err(self.without_text());
        }
        report.change(Change::RunEnded(match self.error {
            Some(message) => RunEnd::Error {
                message,
                code: None,
            },
            None if is_waiting => RunEnd::Interrupted(self.interrupts),
            None => RunEnd::Finished,
        }));
        if report.flow.is_break() {
            Ok(TurnEnd::Stopped)
        } else if is_complete {
            Ok(TurnEnd::Complete(self.texts))
        } else {
            Ok(TurnEnd::Ended)
        }
    }

    /// The error of a turn in which `response.text` found nothing, which would pass every prohibition on text.
    fn without_text(&self) -> TargetError {
        let paths = self.mapping.text.pick.words();
        let message = format!(
            "`response.text`: {paths} found nothing in the response. {}",
            self.seen.words(paths.trim_matches('"'))
        );
        TargetError::new(message)
            .with_help("correct the path; if a turn may have no text, write `text: { path: …, optional: true }`")
    }

    fn begin(&mut self, report: &mut Report<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            report.change(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
    }

    /// Reads one event.
    fn read(&mut self, event: &Event, report: &mut Report<'_>) -> Result<(), String> {
        warn_of_oddities(&event.oddities, report);
        let searched = event.searched();
        if !self.has_found_text || !self.captures.is_empty() {
            self.seen.add(event);
        }
        for capture in &self.captures {
            if let CapturedFrom::Body(pick) = &capture.source
                && let Some(hit) = pick.first(searched)
            {
                self.captured
                    .push((capture.name.clone(), hit.value.into_owned()));
            }
        }
        // The first error counts: servers repeat it, or report that the stream ends because of it.
        if let Some(error) = error_in(self.mapping.error.as_ref(), searched) {
            self.error.get_or_insert(error);
        }
        let mut passed_by = Vec::new();
        let found = self.find(searched, &mut passed_by);
        let mut claimed = passed_by;
        for (place, found) in &found {
            if !matches!(found, Found::Reasoning(_)) {
                claimed.push(place.clone());
            }
        }
        let has_found = !found.is_empty();
        let mut cumulative = None;
        for (_, found) in found {
            self.apply(found, event, &mut cumulative, report)?;
        }
        if let Some(text) = cumulative {
            self.replace_text(&text, report);
        }
        self.count(searched);
        if let Some(state) = &self.mapping.state
            && let Some(state) = value_in(Some(state), searched)
        {
            report.change(Change::StateReplaced(state));
        }
        self.unclaimed.search(&event.value, &claimed);
        if self.mapping.is_strict && !has_found && facts_of_item(&event.value) != Facts::NONE {
            let name = event.name.as_deref().unwrap_or("message");
            self.unread
                .push(Unread::item(format!("event:{name}"), &event.value));
        }
        if let Some(done) = &self.mapping.done
            && done.first(searched).is_some()
        {
            self.is_done = true;
        }
        // Nothing comes after a document, so that its calls are complete.
        if self.form.get() == StreamForm::Json {
            self.calls.complete_all(&mut |change| report.change(change));
        }
        Ok(())
    }

    /// All that the paths find in an event, in the order of the places.
    fn find<'v>(
        &self,
        searched: Searched<'v>,
        passed_by: &mut Vec<Place>,
    ) -> Vec<(Place, Found<'v>)> {
        let mut found: Vec<(Place, Found<'v>)> = Vec::new();
        let mut add = |pick: Option<&CompiledPick>, kind: fn(Cow<'v, Value>) -> Found<'v>| {
            let hits: Vec<Hit<'v>> = match pick {
                Some(pick) => pick.find(searched, passed_by),
                None => Vec::new(),
            };
            found.extend(hits.into_iter().map(|hit| (hit.place, kind(hit.value))));
        };
        let mapping = self.mapping;
        add(Some(&mapping.text.pick), Found::Text);
        add(mapping.reasoning.as_ref(), Found::Reasoning);
        add(mapping.calls.as_ref().map(|calls| &calls.at), Found::Call);
        add(
            mapping.results.as_ref().map(|results| &results.at),
            Found::Result,
        );
        add(
            mapping.interrupts.as_ref().map(|interrupts| &interrupts.at),
            Found::Interrupt,
        );
        // What one path finds is in order already, and what is at one place keeps the order from above.
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found
    }

    /// Reports what a path found. Texts of an event that has all of the text so far go to `cumulative`.
    fn apply(
        &mut self,
        found: Found<'_>,
        event: &Event,
        cumulative: &mut Option<String>,
        report: &mut Report<'_>,
    ) -> Result<(), String> {
        let item = |value| Searched {
            value,
            event: event.name.as_deref(),
        };
        let halves = event.halves();
        match found {
            Found::Text(value) => {
                self.has_found_text = true;
                let Some(text) = self.text_of(&value)? else {
                    return Ok(());
                };
                match self.text_mode() {
                    TextMode::Whole => {
                        self.close_message(report);
                        self.add_text(text, halves, report);
                        self.close_message(report);
                    }
                    TextMode::Delta => self.add_text(text, halves, report),
                    TextMode::Cumulative => cumulative.get_or_insert_default().push_str(text),
                }
            }
            Found::Call(value) => {
                self.close_message(report);
                if let Some(calls) = &self.mapping.calls {
                    let mut change = |change: Change<'_>| report.change(change);
                    self.calls.take(
                        item(&value),
                        calls,
                        halves,
                        self.known,
                        self.ids,
                        &mut change,
                    )?;
                }
            }
            Found::Result(value) => {
                self.close_message(report);
                if let Some(results) = &self.mapping.results {
                    let mut change = |change: Change<'_>| report.change(change);
                    self.calls
                        .take_result(item(&value), results, self.known, &mut change);
                }
            }
            Found::Interrupt(value) => self.add_interrupt(item(&value)),
            Found::Reasoning(value) => {
                if let Value::String(text) = &*value {
                    self.add_reasoning(text, halves, report);
                }
            }
        }
        Ok(())
    }

    /// The text that was found; `None` if it is null.
    fn text_of<'v>(&self, value: &'v Value) -> Result<Option<&'v str>, String> {
        let kind = match value {
            Value::Null => return Ok(None),
            Value::String(text) => return Ok(Some(text)),
            Value::Bool(_) => "a Boolean",
            Value::Number(_) => "a number",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let paths = self.mapping.text.pick.words();
        Err(format!(
            "has {kind} where `response.text` ({paths}) expects text"
        ))
    }

    fn text_mode(&self) -> TextMode {
        let default = match self.form.get() {
            StreamForm::Json => TextMode::Whole,
            _ => TextMode::Delta,
        };
        self.mapping.text.mode.unwrap_or(default)
    }

    /// Adds text to the message that is open, or begins one.
    fn add_text(&mut self, text: &str, halves: Halves, report: &mut Report<'_>) {
        if text.is_empty() {
            return;
        }
        let message = match &mut self.message {
            Some(message) => message,
            none => {
                let id = self.ids.next("message");
                report.change(Change::MessageOpened {
                    id: Cow::Borrowed(&id),
                    role: MessageKind::Assistant,
                    subagent: None,
                });
                none.insert(OpenMessage {
                    id,
                    text: String::new(),
                    joiner: HalfJoiner::default(),
                })
            }
        };
        let (delta, is_lone) = message.joiner.join(SentText::new(text, halves));
        if is_lone {
            report.change(Change::Warning(Oddities::HALF.into()));
        }
        message.text.push_str(&delta);
        report.change(Change::MessageText {
            id: Cow::Borrowed(&message.id),
            delta,
        });
    }

    /// Takes all of the text so far, of which the open message has the start.
    fn replace_text(&mut self, text: &str, report: &mut Report<'_>) {
        let known = match &self.message {
            Some(message) => message.text.len(),
            None => 0,
        };
        let is_longer = match &self.message {
            Some(message) => text.starts_with(&message.text),
            None => true,
        };
        if is_longer {
            return self.add_text(&text[known..], Halves::Replaced, report);
        }
        // What was said cannot be taken back, so that rules look at both texts.
        let words = "text-replaced: the agent replaced the text that it had sent";
        report.change(Change::Warning(words.into()));
        self.close_message(report);
        self.add_text(text, Halves::Replaced, report);
    }

    fn close_message(&mut self, report: &mut Report<'_>) {
        let Some(mut message) = self.message.take() else {
            return;
        };
        if let Some(lone) = message.joiner.finish() {
            message.text.push(lone);
            report.change(Change::MessageText {
                id: Cow::Borrowed(&message.id),
                delta: lone.to_string().into(),
            });
        }
        report.change(Change::MessageClosed {
            id: Cow::Borrowed(&message.id),
        });
        self.texts.push(message.text);
    }

    fn add_reasoning(&mut self, text: &str, halves: Halves, report: &mut Report<'_>) {
        let ids = self.ids;
        let (id, joiner) = self
            .reasoning
            .get_or_insert_with(|| (ids.next("reasoning"), HalfJoiner::default()));
        let (delta, _) = joiner.join(SentText::new(text, halves));
        report.change(Change::Reasoning {
            id: Cow::Borrowed(id),
            delta,
            subagent: None,
        });
    }

    fn add_interrupt(&mut self, item: Searched<'_>) {
        let Some(interrupts) = &self.mapping.interrupts else {
            return;
        };
        let id = text_in(interrupts.id.as_ref(), item);
        let call = text_in(interrupts.call.as_ref(), item);
        let interrupt = Interrupt {
            id: id.unwrap_or_else(|| self.ids.next("interrupt")),
            reason: None,
            message: text_in(interrupts.message.as_ref(), item),
            call: call.map(|id| TurnCalls::key_of(&id, self.known).unwrap_or(id)),
        };
        // Servers send the state again and again, with the interrupts in it.
        if !self.interrupts.iter().any(|known| known.id == interrupt.id) {
            self.interrupts.push(interrupt);
        }
    }

    /// Counts the tokens that an event reports.
    fn count(&mut self, searched: Searched<'_>) {
        let Some(UsageMapping {
            input,
            output,
            total,
            adds,
        }) = &self.mapping.usage
        else {
            return;
        };
        for (pick, counted) in [
            (input, &mut self.usage.input),
            (output, &mut self.usage.output),
            (total, &mut self.usage.total),
        ] {
            let Some(reported) = tokens_in(pick.as_ref(), searched) else {
                continue;
            };
            let before = if *adds { counted.unwrap_or(0) } else { 0 };
            *counted = Some(before.saturating_add(reported));
        }
    }
}

impl UsageSoFar {
    fn reported(&self) -> Option<Usage> {
        let Self {
            input,
            output,
            total,
        } = *self;
        if input.is_none() && output.is_none() && total.is_none() {
            return None;
        }
        let sum = match (input, output) {
            (Some(input), Some(output)) => Some(input.saturating_add(output)),
            _ => None,
        };
        Some(Usage {
            input: Tokens::from(input),
            output: Tokens::from(output),
            total: Tokens::from(total.or(sum)),
        })
    }
}

/// The sum of the numbers that `pick` finds.
fn tokens_in(pick: Option<&CompiledPick>, searched: Searched<'_>) -> Option<u64> {
    let mut sum: Option<u64> = None;
    for hit in pick?.find(searched, &mut Vec::new()) {
        if let Some(number) = hit.value.as_u64() {
            sum = Some(sum.unwrap_or(0).saturating_add(number));
        }
    }
    sum
}

/// The words of an error that `pick` finds.
fn error_in(pick: Option<&CompiledPick>, searched: Searched<'_>) -> Option<String> {
    let pick = pick?;
    if !finds_something(pick, searched) {
        return None;
    }
    let value = pick.first(searched)?.value.into_owned();
    let words = value.get("message").or_else(|| value.get("detail"));
    Some(match (&value, words) {
        (Value::String(text), _) => text.clone(),
        (_, Some(Value::String(text))) => text.clone(),
        _ => value.to_string(),
    })
}

fn warn_of_oddities(oddities: &Oddities, report: &mut Report<'_>) {
    for words in oddities.of_values() {
        report.change(Change::Warning(words));
    }
    if let Some(key) = &oddities.duplicate_key {
        report.change(Change::Unread(Unread::duplicate_key(key, Facts::ALL)));
    }
}

impl EventReader for ReplyReader<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.last = at;
        let takes_any = self.mapping.text.pick.takes_whole_event();
        let events = event::read(self.form.get(), data, takes_any)?;
        let mut report = Report {
            at,
            sink,
            flow: ControlFlow::Continue(()),
        };
        self.begin(&mut report);
        for event in events {
            self.read(&event, &mut report)?;
        }
        Ok(report.flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.is_ended() {
            Some(Rest::AfterEnd(AFTER_THE_END))
        } else {
            None
        }
    }
}

impl StreamReader for ReplyReader<'_> {
    fn may_end(&self) -> bool {
        let needs_end = self.mapping.done.is_some() && self.form.get() != StreamForm::Json;
        self.is_ended() || !needs_end && self.has_begun
    }

    fn is_nothing(&self, data: &[u8]) -> bool {
        match self.form.get() {
            // Whitespace is a piece of a text.
            StreamForm::Text => false,
            StreamForm::Sse => event::is_silent_block(data),
            _ => data.trim_ascii().is_empty(),
        }
    }

    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        match &self.mapping.done {
            Some(done) if self.has_begun => {
                let words = done.words();
                response
                    .error(format!(
                        "the response ended without what `response.done` ({words}) waits for"
                    ))
                    .with_help("the agent may have crashed: see its logs; or correct the path")
            }
            _ => response
                .error("the response is empty")
                .with_help("does the agent answer at another address, or with another method?"),
        }
    }
}
