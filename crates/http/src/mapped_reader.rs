//! Reads the events of one turn's response by the mapping of its target, and reports what they mean.
//!
//! **Invariant:** text and calls are reported in the order of their places; what looks like a call and was not found is unread.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::agent_errors::{error_in, looks_like_error};
use super::agent_messages::AgentMessages;
use super::calls::{KnownCalls, TurnCalls, text_in, value_in};
use super::event::{self, JsonLike, ResponseEvent};
use super::found_item::{FoundItem, claimed_places};
use super::framing::KnownForm;
use super::mapping::ResponseMapping;
use super::modes::{StreamForm, TextMode};
use super::path::{HitPlace, Searched};
use super::request::{CapturedFrom, ResponseCapture};
use super::seen_keys::SeenKeys;
use super::sink_report::SinkReport;
use super::taken::taken_words;
use super::unread::UnclaimedCalls;
use super::usage::UsageSoFar;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TakenWords, TargetError, Wire};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::Oddities;
use ananke_trace::trace::{Change, Facts, Interrupt, RunEnd, Unread, facts_of_item};

/// The time for which a stream is read after what ends it.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// Reads the response of a turn, which may be those of several requests.
pub(crate) struct MappedReader<'a> {
    mapping: &'a ResponseMapping,
    /// The form of the response that is read now.
    form: KnownForm,
    ids: &'a dyn Ids,
    known: &'a mut KnownCalls,
    calls: TurnCalls,
    messages: AgentMessages,
    interrupts: Vec<Interrupt>,
    /// The ids of `interrupts`, each of which is reported once however often a response repeats it.
    interrupt_ids: HashSet<String>,
    usage: UsageSoFar,
    error: Option<String>,
    has_begun: bool,
    has_found_text: bool,
    is_done: bool,
    seen: SeenKeys,
    /// What is captured of the response that is read now.
    captures: Vec<ResponseCapture>,
    captured: Vec<(String, Value)>,
    unclaimed: UnclaimedCalls,
    /// Events of which no path found anything, if they may be text.
    unread: Vec<Unread<'static>>,
    last: At,
}

/// The end of a turn.
pub(crate) enum ReplyEnd {
    /// The response is complete: the texts of its messages.
    Complete(Vec<String>),
    /// The agent reported an error, or waits for an answer.
    Ended,
    /// The sink wants no more.
    Stopped,
}

impl<'a> MappedReader<'a> {
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
            messages: AgentMessages::default(),
            interrupts: Vec::new(),
            interrupt_ids: HashSet::new(),
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

    /// Says that another response is waited for: what ended an earlier one of the turn, such as a status, does not end this one.
    pub(crate) fn begin_request(&mut self) {
        self.is_done = false;
    }

    /// Says that the next events are those of a response whose form `form` gets.
    pub(crate) fn begin_response(&mut self, form: KnownForm) {
        self.form = form;
    }

    /// Says what is captured of the events that follow.
    pub(crate) fn look_for(&mut self, captures: &[ResponseCapture]) {
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
    pub(crate) fn error_of(&self, event: &ResponseEvent) -> Option<String> {
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
        self.calls.complete_all(&mut |change| {
            let _over = sink.change(at, change);
        });
        self.unread
            .extend(self.unclaimed.unread(self.known, &self.calls));
        for unread in self.unread {
            let _over = sink.change(at, Change::Unread(unread));
        }
    }

    /// Ends the turn.
    ///
    /// # Errors
    /// If a turn that ended well has no text.
    pub(crate) fn finish(mut self, sink: &mut dyn Sink) -> Result<ReplyEnd, TargetError> {
        let mut report = SinkReport {
            at: self.last,
            sink,
            flow: ControlFlow::Continue(()),
        };
        self.begin(&mut report);
        self.calls.complete_all(&mut |change| report.change(change));
        self.messages.close(&mut report);
        let unclaimed = std::mem::take(&mut self.unclaimed);
        self.unread
            .extend(unclaimed.unread(self.known, &self.calls));
        for unread in std::mem::take(&mut self.unread) {
            report.change(Change::Unread(unread));
        }
        if let Some(usage) = self.usage.reported() {
            let model = self.usage.model().map(Cow::Borrowed);
            report.change(Change::Usage { usage, model });
        }

        // A call whose result is not shown was executed all the same, unless the agent waits for an answer about it.
        let is_in_calls = match &self.mapping.calls {
            Some(calls) => calls.result.is_some(),
            None => false,
        };
        let shows_results = is_in_calls || self.mapping.results.is_some();
        let is_waiting = !self.interrupts.is_empty();
        let asked: HashSet<&str> = self
            .interrupts
            .iter()
            .filter_map(|it| it.call.as_deref())
            .collect();
        for key in self.calls.unanswered() {
            let may_wait = asked.contains(key) || is_waiting && shows_results;
            if !may_wait {
                self.known.close(key);
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
            Ok(ReplyEnd::Stopped)
        } else if is_complete {
            Ok(ReplyEnd::Complete(self.messages.into_texts()))
        } else {
            Ok(ReplyEnd::Ended)
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
            .with_help("correct the path; if the agent says here that it has failed, `response.error` reads it; if a turn may have no text, write `text: { path: …, optional: true }`")
    }

    fn begin(&mut self, report: &mut SinkReport<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            report.change(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
    }

    fn read(&mut self, event: &ResponseEvent, report: &mut SinkReport<'_>) -> Result<(), String> {
        warn_of_oddities(&event.oddities, report);
        let searched = event.searched();
        // The words are made only for `--debug`, because they search the event once more.
        report.sink.wire(
            report.at,
            Wire::Taken(TakenWords::new(&|| taken_words(self.mapping, searched))),
        );
        self.note(event, report);
        let mut passed_by = Vec::new();
        let found = self.find(searched, &mut passed_by);
        let claimed = claimed_places(&found, passed_by, &|item| match &self.mapping.calls {
            Some(calls) => TurnCalls::is_about_call(event.item(item), calls),
            None => false,
        });
        let has_found = !found.is_empty();
        let mut cumulative = match self.text_mode() {
            TextMode::Cumulative => Some(self.joined_text(&found)?),
            TextMode::Whole | TextMode::Delta => None,
        };
        // The keys of an object have no order, so that the results in it may come before the calls.
        let mut early_results = Vec::new();
        for (_, found) in found {
            if self.is_early(&found, event) {
                early_results.push(found);
            } else {
                self.apply(found, event, &mut cumulative, report)?;
            }
        }
        for result in early_results {
            self.apply(result, event, &mut cumulative, report)?;
        }
        if let Some(usage) = &self.mapping.usage {
            self.usage.count(usage, searched);
        }
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

    /// Notes what an event has apart from the conversation: its keys, what is captured of it, and an error.
    fn note(&mut self, event: &ResponseEvent, report: &mut SinkReport<'_>) {
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
        } else if self.mapping.error.is_none() && looks_like_error(event) {
            // Everything that is missing may be missing because of it.
            let reason = "it looks like an error, and no `response.error` says that it is one";
            report.change(Change::Unread(Unread::anything("event:error", reason)));
        }
    }

    /// All that the paths find in an event, in the order of the places.
    fn find<'v>(
        &self,
        searched: Searched<'v>,
        passed_by: &mut Vec<HitPlace>,
    ) -> Vec<(HitPlace, FoundItem<'v>)> {
        let mapping = self.mapping;
        let mut found = Vec::new();
        for hit in mapping.text.pick.find(searched, passed_by) {
            found.push((hit.place, FoundItem::Text(hit.value)));
        }
        if let Some(reasoning) = &mapping.reasoning {
            for hit in reasoning.find(searched, passed_by) {
                found.push((hit.place, FoundItem::Reasoning(hit.value)));
            }
        }
        if let Some(calls) = &mapping.calls {
            for hit in calls.at.find(searched, passed_by) {
                found.push((hit.place, FoundItem::Call(hit.value)));
            }
        }
        if let Some(results) = &mapping.results {
            for hit in results.at.find(searched, passed_by) {
                found.push((hit.place, FoundItem::Result(hit.value)));
            }
        }
        if let Some(interrupts) = &mapping.interrupts {
            for hit in interrupts.at.find(searched, passed_by) {
                found.push((hit.place, FoundItem::Interrupt(hit.value)));
            }
        }
        // What one path finds is in order already, and what is at one place keeps the order from above.
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found
    }

    /// Whether this is a result whose call was not read yet.
    fn is_early(&self, found: &FoundItem<'_>, event: &ResponseEvent) -> bool {
        let Some(results) = &self.mapping.results else {
            return false;
        };
        match found {
            FoundItem::Result(value) => {
                !TurnCalls::is_result_known(event.item(value), results, self.known)
            }
            _ => false,
        }
    }

    /// The texts of an event as one.
    fn joined_text(&self, found: &[(HitPlace, FoundItem<'_>)]) -> Result<String, String> {
        let mut joined = String::new();
        for (_, item) in found {
            if let FoundItem::Text(value) = item
                && let Some(text) = self.text_of(value)?
            {
                joined.push_str(text);
            }
        }
        Ok(joined)
    }

    /// Reports what a path found. `cumulative` is all of the text so far, if the event has it; it is taken at the place of the first
    /// text, so that it comes before a call that follows it.
    fn apply(
        &mut self,
        found: FoundItem<'_>,
        event: &ResponseEvent,
        cumulative: &mut Option<String>,
        report: &mut SinkReport<'_>,
    ) -> Result<(), String> {
        let halves = event.halves();
        match found {
            FoundItem::Text(value) => {
                self.has_found_text = true;
                let Some(text) = self.text_of(&value)? else {
                    return Ok(());
                };
                match self.text_mode() {
                    TextMode::Whole => {
                        self.messages.close(report);
                        self.messages.add(text, halves, self.ids, report);
                        self.messages.close(report);
                    }
                    TextMode::Delta => self.messages.add(text, halves, self.ids, report),
                    TextMode::Cumulative => {
                        if let Some(all) = cumulative.take() {
                            self.messages.replace(&all, self.ids, report);
                        }
                    }
                }
            }
            FoundItem::Call(value) => {
                let messages = &mut self.messages;
                if let Some(calls) = &self.mapping.calls {
                    self.calls.take(
                        event.item(&value),
                        calls,
                        halves,
                        self.known,
                        self.ids,
                        &mut |change| report_of_call(change, messages, report),
                    )?;
                }
            }
            FoundItem::Result(value) => {
                let messages = &mut self.messages;
                if let Some(results) = &self.mapping.results {
                    self.calls.take_result(
                        event.item(&value),
                        results,
                        self.known,
                        &mut |change| report_of_call(change, messages, report),
                    );
                }
            }
            FoundItem::Interrupt(value) => self.add_interrupt(event.item(&value)),
            FoundItem::Reasoning(value) => {
                if let Value::String(text) = &*value {
                    self.messages.add_reasoning(text, halves, self.ids, report);
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
        // Servers send the state again and again with the interrupts in it, so that the same one comes several times.
        if self.interrupt_ids.insert(interrupt.id.clone()) {
            self.interrupts.push(interrupt);
        }
    }
}

/// Reports a change of a call. A call that begins, or its result, ends the message before it. More of a call that has begun does
/// not: servers send its arguments, or all of it once more, in the middle of a text.
fn report_of_call(change: Change<'_>, messages: &mut AgentMessages, report: &mut SinkReport<'_>) {
    if matches!(
        change,
        Change::CallOpened { .. } | Change::CallAnswered { .. }
    ) {
        messages.close(report);
    }
    report.change(change);
}

fn warn_of_oddities(oddities: &Oddities, report: &mut SinkReport<'_>) {
    for words in oddities.of_values() {
        report.change(Change::Warning(words));
    }
    if let Some(key) = &oddities.duplicate_key {
        report.change(Change::Unread(Unread::duplicate_key(key, Facts::OF_AGENT)));
    }
}

impl EventReader for MappedReader<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.last = at;
        let json_like = if self.mapping.text.pick.takes_whole_event() {
            JsonLike::Taken
        } else {
            JsonLike::Checked
        };
        let events = event::read(self.form.get(), data, json_like)?;
        let mut report = SinkReport {
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

impl StreamReader for MappedReader<'_> {
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
