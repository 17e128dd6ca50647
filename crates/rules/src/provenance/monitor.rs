//! Looks at values when they are known, in the order in which their calls and messages started.
//!
//! What comes while the arguments of an earlier call are still arriving waits, so that a source counts only for what started
//! after it.

use std::collections::HashSet;

use serde_json::Value;

use super::source::{ProvenanceSource, either};
use super::source_texts::{SourceText, SourceTexts, texts};
use super::traced_value::{Traced, TracedValue, Tracing, literals, scalars};
use crate::describe::{around, literally, said, short};
use crate::evaluation::{
    ArgumentQueue, Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View,
};
use ananke_base::text::nearest;
use ananke_trace::outcome::RuleCounts;
use ananke_trace::trace::{Args, Delta, MessageKind, Origin, ToolCall, Trace, TraceItem};

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
    /// The values that wait for the arguments of earlier calls.
    waiting: ArgumentQueue<WaitingValues>,
    /// The number of entries of the log that were searched for messages of the user.
    seen: usize,
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
    Result(TraceItem),
    Said(usize),
    Id(usize),
}

impl ProvenanceMonitor {
    pub(super) fn new(tracing: Tracing) -> Self {
        Self {
            tracing,
            from: SourceTexts::default(),
            not_from: SourceTexts::default(),
            waiting: ArgumentQueue::default(),
            seen: 0,
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
        for item in &trace.log()[self.seen..] {
            if let TraceItem::Message(index) = *item
                && trace.messages[index].role == MessageKind::User
            {
                let order = trace.messages[index].order;
                self.waiting.push(order, WaitingValues::Said(index));
            }
        }
        self.seen = trace.log().len();
        if let Moment::Touched(Delta::CallStarted(index)) = moment
            && self.tracing.from.contains(&ProvenanceSource::Results {
                tool: None,
                path: None,
            })
        {
            // After the call's own values: it cannot know its id.
            let order = trace.calls[index].order + 1;
            self.waiting.push(order, WaitingValues::Id(index));
        }
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if self.is_traced(view, index) => {
                let call = &trace.calls[index];
                match call.args_done {
                    None => self.waiting.begin(call.order),
                    Some(_) => self.waiting.push(call.order, WaitingValues::Call(index)),
                }
            }
            Moment::Touched(Delta::ArgsDone(index)) => {
                let order = trace.calls[index].order;
                if self.waiting.finish(order) {
                    self.waiting.push(order, WaitingValues::Call(index));
                }
            }
            Moment::Touched(Delta::Answered(index)) => {
                if let Some(result) = trace.last_result(index) {
                    let order = result.order(trace);
                    self.waiting.push(order, WaitingValues::Result(result));
                }
            }
            Moment::Touched(Delta::MessageClosed(index)) => {
                let order = trace.messages[index].order;
                self.waiting.push(order, WaitingValues::Message(index));
            }
            Moment::Touched(Delta::StateChanged) => self.take_state(trace),
            Moment::Touched(Delta::CallStarted(_) | Delta::Aside(_) | Delta::ToolsDeclared) => {}
            Moment::TurnEnd | Moment::ScopeEnd | Moment::TestEnd => self.waiting.finish_all(),
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
            self.take_all(history, history.log(), Era::Before);
        }
        // A rule of a turn knows what came before the turn.
        if let RuleScope::Turn(turn) = view.scope {
            let before = trace.log_before(turn);
            self.take_all(trace, before, Era::Now);
            self.seen = before.len();
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

    /// Takes what was said and answered in a part of the log.
    fn take_all(&mut self, trace: &Trace, log: &[TraceItem], era: Era) {
        for item in log {
            match *item {
                TraceItem::Message(index) => self.take_said(trace, index, era),
                TraceItem::Result { .. } => self.take_result(trace, *item, era),
                TraceItem::Call(_) | TraceItem::Answer { .. } => {}
            }
        }
    }

    /// Whether the arguments of a call are looked at.
    fn is_traced(&self, view: &View<'_>, index: usize) -> bool {
        let call = &view.trace.calls[index];
        let Traced::Arguments { tool, .. } = &self.tracing.of else {
            return false;
        };
        call.origin.is_new() && view.counts(index) && tool.matches(&call.name)
    }

    /// Looks at what waits for nothing any more.
    fn look(&mut self, view: &View<'_>) -> Vec<Finding> {
        let mut found = Vec::new();
        while let Some(ready) = self.waiting.pop() {
            for what in ready {
                match what {
                    WaitingValues::Said(index) => self.take_said(view.trace, index, Era::Now),
                    WaitingValues::Result(result) => {
                        self.take_result(view.trace, result, Era::Now);
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
        if !message.origin.is_new()
            || !view.includes_author(&message.author)
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
    fn take_result(&mut self, trace: &Trace, item: TraceItem, era: Era) {
        let Some((call, result)) = item.call().zip(item.result(trace)) else {
            return;
        };
        let call = &trace.calls[call];
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
