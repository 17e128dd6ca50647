//! Looks at values when they are known, in the order in which their calls and messages started.
//!
//! What comes while the arguments of an earlier call are still arriving waits, so that a source counts only for what started
//! after it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use super::source::{ProvenanceSource, either};
use super::source_texts::{SourceText, SourceTexts, texts};
use super::traced_value::{TracedValue, scalars};
use super::tracing::{Traced, Tracing, literals};
use crate::describe::{around, literally, said, short};
use crate::evaluation::{Evidence, Finding, Judgement, Moment, Monitor, View};
use ananke_base::text::nearest;
use ananke_trace::outcome::RuleCounts;
use ananke_trace::trace::{Args, Delta, MessageKind, Origin, ToolCall, Trace};

/// The most values of sources that are compared for the nearest one.
const MOST_COMPARED: usize = 2000;

/// For how many findings that is done.
const EXPLAINED: usize = 20;

/// The most values of one call that are looked at: an agent may send a million.
const MOST_VALUES: usize = 10_000;

/// Watches values and sources.
pub(super) struct ProvenanceMonitor {
    tracing: Tracing,
    from: SourceTexts,
    not_from: SourceTexts,
    /// The values that wait for the arguments of earlier calls, by their place among all that happened.
    waiting: BTreeMap<u32, Vec<WaitingValues>>,
    unfinished: BTreeSet<u32>,
    seen_messages: usize,
    has_begun: bool,
    explained: usize,
    counts: RuleCounts,
    is_warned: bool,
    /// The messages whose values were looked at.
    read: HashSet<usize>,
    /// The texts in the states so far: a state repeats most of the one before.
    texts_of_states: HashSet<String>,
}

/// Something that is looked at in its turn.
#[derive(Clone, Copy, Debug)]
enum WaitingValues {
    Call(usize),
    Message(usize),
    Result(usize, usize),
    Said(usize),
    Id(usize),
}

impl ProvenanceMonitor {
    pub(super) fn new(tracing: Tracing) -> Self {
        Self {
            tracing,
            from: SourceTexts::default(),
            not_from: SourceTexts::default(),
            waiting: BTreeMap::new(),
            unfinished: BTreeSet::new(),
            seen_messages: 0,
            has_begun: false,
            explained: 0,
            counts: RuleCounts::default(),
            is_warned: false,
            read: HashSet::new(),
            texts_of_states: HashSet::new(),
        }
    }
}

impl Monitor for ProvenanceMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let trace = view.trace;
        self.begin(view);
        while self.seen_messages < trace.messages.len() {
            let (index, message) = (self.seen_messages, &trace.messages[self.seen_messages]);
            if message.role == MessageKind::User {
                self.wait(message.order, WaitingValues::Said(index));
            }
            self.seen_messages += 1;
        }
        if let Moment::Touched(Delta::CallStarted(index)) = moment
            && self.tracing.from.contains(&ProvenanceSource::Results {
                tool: None,
                path: None,
            })
        {
            // After the call's own values: it cannot know its id.
            self.wait(trace.calls[index].order + 1, WaitingValues::Id(index));
        }
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if self.is_traced(view, index) => {
                match trace.calls[index].args_done {
                    None => drop(self.unfinished.insert(trace.calls[index].order)),
                    Some(_) => self.wait(trace.calls[index].order, WaitingValues::Call(index)),
                }
            }
            Moment::Touched(Delta::ArgsDone(index)) => {
                if self.unfinished.remove(&trace.calls[index].order) {
                    self.wait(trace.calls[index].order, WaitingValues::Call(index));
                }
            }
            Moment::Touched(Delta::Answered(index)) => {
                let nth = trace.calls[index].results.len().saturating_sub(1);
                if let Some(result) = trace.calls[index].results.get(nth) {
                    self.wait(result.order, WaitingValues::Result(index, nth));
                }
            }
            Moment::Touched(Delta::MessageClosed(index)) => {
                self.wait(trace.messages[index].order, WaitingValues::Message(index));
            }
            Moment::Touched(Delta::StateChanged) => self.take_state(trace),
            Moment::Touched(Delta::CallStarted(_) | Delta::Aside(_) | Delta::ToolsDeclared) => {}
            Moment::TurnEnd | Moment::ScopeEnd | Moment::TestEnd => self.unfinished.clear(),
        }
        let found = self.look(view);
        if moment.is_over() {
            Judgement::open_or(found).or(Judgement::Passed)
        } else {
            Judgement::open_or(found)
        }
    }

    fn counts(&self) -> Option<RuleCounts> {
        Some(self.counts)
    }

    fn take_warning(&mut self) -> Option<String> {
        if self.counts.not_checkable == 0
            || self.tracing.is_strict
            || std::mem::replace(&mut self.is_warned, true)
        {
            return None;
        }
        Some("values that are too short to be traced were not checked: list them as a `literal`, or add `strict: true`".to_owned())
    }
}

impl ProvenanceMonitor {
    /// Takes what was there before the first moment.
    fn begin(&mut self, view: &View<'_>) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let trace = view.trace;
        if let Some(history) = trace.history() {
            self.take_all(history, Era::Before);
        }
        // A rule of a turn knows what came before the turn.
        if let Some(turn) = view.turn() {
            self.seen_messages = turn.messages.start;
            self.take_earlier(trace, [turn.messages.start, turn.calls.start], turn.began);
        }
        let of_from: Vec<Value> = literals(&self.tracing.from).cloned().collect();
        let of_not_from: Vec<Value> = literals(&self.tracing.not_from).cloned().collect();
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            event: None,
            without: &without,
        };
        for value in &of_from {
            self.from.add_value(value, of);
        }
        for value in &of_not_from {
            self.not_from.add_value(value, of);
        }
        self.take_state(trace);
    }

    fn take_all(&mut self, trace: &Trace, era: Era) {
        for index in 0..trace.messages.len() {
            self.take_said(trace, index, era);
        }
        for (index, call) in trace.calls.iter().enumerate() {
            for nth in 0..call.results.len() {
                self.take_result(trace, index, nth, era);
            }
        }
    }

    fn take_earlier(&mut self, trace: &Trace, [messages, calls]: [usize; 2], began: u32) {
        for index in 0..messages {
            self.take_said(trace, index, Era::Now);
        }
        for (index, call) in trace.calls[..calls].iter().enumerate() {
            let before = call
                .results
                .iter()
                .filter(|result| result.order < began)
                .count();
            for nth in 0..before {
                self.take_result(trace, index, nth, Era::Now);
            }
        }
    }

    fn wait(&mut self, order: u32, what: WaitingValues) {
        self.waiting.entry(order).or_default().push(what);
    }

    /// Whether the arguments of a call are looked at.
    fn is_traced(&self, view: &View<'_>, index: usize) -> bool {
        let call = &view.trace.calls[index];
        let is_live = matches!(call.origin, Origin::Streamed | Origin::SnapshotOnly);
        let Traced::Arguments { tool, .. } = &self.tracing.of else {
            return false;
        };
        is_live && view.counts(index) && tool.matches(&call.name)
    }

    /// Looks at what waits for nothing any more.
    fn look(&mut self, view: &View<'_>) -> Vec<Finding> {
        let first = self.unfinished.first().copied().unwrap_or(u32::MAX);
        let mut found = Vec::new();
        while let Some(entry) = self
            .waiting
            .first_entry()
            .filter(|entry| *entry.key() < first)
        {
            for what in entry.remove() {
                match what {
                    WaitingValues::Said(index) => self.take_said(view.trace, index, Era::Now),
                    WaitingValues::Result(index, nth) => {
                        self.take_result(view.trace, index, nth, Era::Now);
                    }
                    WaitingValues::Id(index) => self.take_id(&view.trace.calls[index]),
                    WaitingValues::Call(index) => self.look_at_call(view, index, &mut found),
                    WaitingValues::Message(index) => self.look_at_message(view, index, &mut found),
                }
            }
        }
        found
    }

    fn look_at_call(&mut self, view: &View<'_>, index: usize, found: &mut Vec<Finding>) {
        let call = &view.trace.calls[index];
        let Traced::Arguments { paths, .. } = &self.tracing.of else {
            return;
        };
        let Args::Json(args) = call.args() else {
            self.counts.triggered += 1;
            self.counts.not_checkable += 1;
            return;
        };
        let traced = |args| {
            let mut values = Vec::new();
            if paths.is_empty() {
                scalars(args, "", &mut values);
            }
            for path in paths {
                let opened = || path.find(call.opened_args()?);
                if let Some(value) = path.find(args).or_else(opened) {
                    scalars(value, path.as_str(), &mut values);
                }
            }
            values
        };
        let mut values = traced(args);
        for more in call.other_args().iter().flat_map(traced) {
            if !values.contains(&more) {
                values.push(more);
            }
        }
        let unseen = values.len().saturating_sub(MOST_VALUES) as u64;
        self.counts.triggered += unseen;
        self.counts.not_checkable += unseen;
        for (path, value) in values.into_iter().take(MOST_VALUES) {
            let Some(value) = TracedValue::of_scalar(value, &self.tracing.normaliser) else {
                continue;
            };
            if let Some((problem, events, evidence)) = self.problem(&value) {
                let message = format!(
                    "`{}` was called with `{}` as `{}`, {problem}",
                    short(&call.name),
                    literally(&value.shown),
                    short(&path)
                );
                let mut finding =
                    Finding::of_call(self.named(message), &self.tracing.expected, index, call);
                finding.events.extend(events);
                finding.evidence.extend(evidence);
                found.push(finding);
            }
        }
    }

    fn look_at_message(&mut self, view: &View<'_>, index: usize, found: &mut Vec<Finding>) {
        let message = &view.trace.messages[index];
        let Traced::Said(pattern) = &self.tracing.of else {
            return;
        };
        let is_live = matches!(message.origin, Origin::Streamed | Origin::SnapshotOnly);
        let is_by_subagent = view.exclusions.subagents && message.is_by_subagent();
        if !is_live
            || is_by_subagent
            || !view.includes_text(message)
            || !view.includes_turn(message.turn)
            || !self.read.insert(index)
        {
            return;
        }
        let values: Vec<_> = pattern
            .find_all(&message.text)
            .into_iter()
            .take(MOST_VALUES)
            .collect();
        for range in values {
            let value =
                TracedValue::of_text(&message.text[range.clone()], &self.tracing.normaliser);
            if let Some((problem, events, evidence)) = self.problem(&value) {
                let whole = view.redactor.expand_to_secret(&message.text, range);
                let shown = around(&message.text, whole);
                let message_text = format!(
                    "{} `{}`, {problem}",
                    view.trace.peer.said(),
                    literally(&value.shown)
                );
                found.push(Finding {
                    message: self.named(message_text),
                    expected: self.tracing.expected.clone(),
                    evidence: [Evidence::Words(said(&literally(&shown)))]
                        .into_iter()
                        .chain(evidence)
                        .collect(),
                    events: [message.opened].into_iter().chain(events).collect(),
                    ..Finding::default()
                });
            }
        }
    }

    fn named(&self, message: String) -> String {
        match &self.tracing.name {
            Some(name) => format!("{name}: {message}"),
            None => message,
        }
    }

    /// The problem with a value, the events that show it, and the evidence that comes nearest.
    fn problem(&mut self, value: &TracedValue) -> Option<(String, Vec<u32>, Vec<Evidence>)> {
        self.counts.triggered += 1;
        let Tracing {
            from,
            not_from,
            is_strict,
            ..
        } = &self.tracing;
        if !value.is_traceable {
            let is_settled = !from.is_empty() && self.tracing.settles(value);
            if is_settled {
                return None;
            }
            self.counts.not_checkable += 1;
            return is_strict.then(|| {
                (
                    "which is too short to be traced".to_owned(),
                    Vec::new(),
                    Vec::new(),
                )
            });
        }
        if !not_from.is_empty() {
            let whole = self
                .not_from
                .find(value)
                .map(|found| (value.text.as_str(), found));
            if let Some((part, found)) = whole.or_else(|| self.not_from.part_of(&value.text)) {
                let what = if part == value.text {
                    "comes from".to_owned()
                } else {
                    format!("contains `{}` from", literally(part))
                };
                let problem = format!("which {what} {}", either(not_from));
                return Some((problem, found.event.into_iter().collect(), Vec::new()));
            }
        }
        if from.is_empty() || self.from.find(value).is_some() {
            return None;
        }
        let problem = format!("which does not come from {}", either(from));
        let mut evidence = Vec::new();
        if self.explained < EXPLAINED {
            self.explained += 1;
            let near = nearest(&value.text, self.from.identifiers(MOST_COMPARED));
            evidence.extend(
                near.map(|near| Evidence::Words(format!("the closest value is `{}`", short(near)))),
            );
        }
        Some((problem, Vec::new(), evidence))
    }

    fn take_said(&mut self, trace: &Trace, index: usize, era: Era) {
        let message = &trace.messages[index];
        let is_user = message.role == MessageKind::User;
        let event = (era == Era::Now).then_some(message.opened);
        let wanted = |source: &ProvenanceSource| match source {
            ProvenanceSource::User => is_user,
            ProvenanceSource::History => era == Era::Before || message.origin == Origin::History,
            ProvenanceSource::State
            | ProvenanceSource::Results { .. }
            | ProvenanceSource::Literal(_) => false,
        };
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            event,
            without: &without,
        };
        if self.tracing.from.iter().any(wanted) {
            self.from.add(&message.text, of);
        }
        if self.tracing.not_from.iter().any(wanted) {
            self.not_from.add(&message.text, of);
        }
    }

    /// Takes a result; what it repeats of its call's arguments does not count.
    fn take_result(&mut self, trace: &Trace, index: usize, nth: usize, era: Era) {
        let call = &trace.calls[index];
        let result = &call.results[nth];
        let event = (era == Era::Now).then_some(result.event);
        let mut own = Vec::new();
        if let Args::Json(args) = call.args() {
            scalars(args, "", &mut own);
        }
        let values = own
            .into_iter()
            .filter_map(|(_, value)| TracedValue::of_scalar(value, &self.tracing.normaliser));
        let without: HashSet<String> = values
            .flat_map(|value| [Some(value.text), value.number])
            .flatten()
            .collect();
        let nothing = HashSet::new();
        let sides = [
            (&self.tracing.from, &mut self.from, &without),
            (&self.tracing.not_from, &mut self.not_from, &nothing),
        ];
        for (sources, texts, without) in sides {
            let of = SourceText {
                normaliser: &self.tracing.normaliser,
                event,
                without,
            };
            for source in sources {
                match source {
                    ProvenanceSource::Results { tool, path }
                        if tool.as_ref().is_none_or(|tool| tool.matches(&call.name)) =>
                    {
                        match (path, result.structured()) {
                            (None, Some(value)) => texts.add_value(value, of),
                            (None, None) => texts.add(&result.text, of),
                            (Some(path), Some(value)) => {
                                path.find(value)
                                    .into_iter()
                                    .for_each(|value| texts.add_value(value, of));
                            }
                            (Some(_), None) => {}
                        }
                    }
                    ProvenanceSource::History if era == Era::Before => texts.add(&result.text, of),
                    _ => {}
                }
            }
        }
    }

    /// Takes the id of a call: a call that asks for approval names the call that it is about.
    fn take_id(&mut self, call: &ToolCall) {
        let without = HashSet::new();
        let event = Some(call.first_event);
        self.from.add(
            &call.wire_id,
            SourceText {
                normaliser: &self.tracing.normaliser,
                event,
                without: &without,
            },
        );
    }

    /// Takes what the state contains now, and did not contain before.
    fn take_state(&mut self, trace: &Trace) {
        let sides = [
            (&self.tracing.from, &mut self.from),
            (&self.tracing.not_from, &mut self.not_from),
        ];
        let sides = sides
            .into_iter()
            .filter(|(sources, _)| sources.contains(&ProvenanceSource::State));
        let mut wanting: Vec<&mut SourceTexts> = sides.map(|(_, texts)| texts).collect();
        if wanting.is_empty() {
            return;
        }
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            event: None,
            without: &without,
        };
        let mut found = Vec::new();
        texts(trace.state.value(), &mut found);
        for text in found {
            if !self.texts_of_states.contains(text.as_ref()) {
                for texts in &mut wanting {
                    texts.add(&text, of);
                }
                self.texts_of_states.insert(text.into_owned());
            }
        }
    }
}

/// Whether something is a part of this conversation, or was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Before,
    Now,
}
