//! Looks at values when they are known, against the sources that began before their calls and messages.
//!
//! A source has its place in the order, so that it counts only for what began after it, whenever it becomes known. A value
//! without a source is looked at once more when the turn ends: a snapshot can still show one.

mod taken_sources;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::source::either;
use super::source_texts::{Brought, SourceText, SourceTexts};
use super::traced_value::{Traced, TracedValue, Tracing, literals, scalars};
use crate::describe::{around, literally, said, short};
use crate::evaluation::{Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View};
use ananke_base::text::nearest;
use ananke_trace::outcome::RuleCounts;
use ananke_trace::trace::{Args, Delta, MessageKind, Trace, TraceItem};

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
    /// The calls and messages of the turn of which a value has no source so far.
    unsourced: Vec<TraceItem>,
    /// The order up to which the log was searched for messages of the user.
    seen: u64,
    /// The order of the newest call or message whose values were looked at.
    newest: u64,
    /// Whether a source came to light that began before that.
    has_late_source: bool,
    /// The values that were reported: the order of the call or message, and the number of the value in it.
    reported: HashSet<(u64, usize)>,
    has_begun: bool,
    explained: usize,
    counts: RuleCounts,
    is_warned: bool,
    /// The messages whose values were looked at.
    read: HashSet<usize>,
    /// The texts in the states so far: a state repeats most of the one before.
    texts_of_states: HashSet<String>,
    /// The values in results that only repeat arguments of their calls, each with its place in words.
    echoes: HashMap<String, String>,
}

/// The time at which values are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// As soon as they are known.
    First,
    /// Once more, at the end of the turn.
    Again,
}

/// Where a value comes from.
enum ValueOrigin {
    /// From where it may.
    Sound,
    /// From nothing that is known so far.
    NotKnown,
    Wrong(SourceProblem),
}

/// A value has no source so far.
struct NoSourceYet;

/// What is wrong with a value.
struct SourceProblem {
    words: String,
    events: Vec<u32>,
    evidence: Vec<Evidence>,
}

impl ProvenanceMonitor {
    pub(super) fn new(tracing: Tracing) -> Self {
        Self {
            tracing,
            from: SourceTexts::default(),
            not_from: SourceTexts::default(),
            unsourced: Vec::new(),
            seen: 0,
            newest: 0,
            has_late_source: false,
            reported: HashSet::new(),
            has_begun: false,
            explained: 0,
            counts: RuleCounts::default(),
            is_warned: false,
            read: HashSet::new(),
            texts_of_states: HashSet::new(),
            echoes: HashMap::new(),
        }
    }
}

impl Monitor for ProvenanceMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let trace = view.trace;
        self.begin(view);
        for item in trace.log_after(self.seen) {
            if let TraceItem::Message(index) = *item
                && trace.messages[index].role == MessageKind::User
                && trace.messages[index].is_closed()
            {
                self.take_said(trace, index, Era::Now);
            }
        }
        self.seen = self.seen.max(trace.last_order());
        let mut found = Vec::new();
        let unsourced = self.unsourced.len();
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => {
                self.take_id(&trace.calls[index]);
            }
            Moment::Touched(Delta::ArgsDone(index)) => {
                self.look(view, TraceItem::Call(index), Look::First, &mut found);
            }
            Moment::Touched(Delta::Answered(index)) => {
                if let Some(result) = trace.last_result(index) {
                    self.take_result(trace, result, Era::Now);
                }
            }
            Moment::Touched(Delta::MessageClosed(index)) => {
                if trace.messages[index].role == MessageKind::User {
                    self.take_said(trace, index, Era::Now);
                }
                self.look(view, TraceItem::Message(index), Look::First, &mut found);
            }
            Moment::Touched(Delta::StateChanged) => self.take_state(trace, trace.last_order()),
            Moment::Touched(
                Delta::MessageBegan(_)
                | Delta::Aside(_)
                | Delta::ToolsDeclared
                | Delta::ModelCalled(_)
                | Delta::ModelAskedAgain(_),
            ) => {}
            Moment::TurnEnd | Moment::ScopeEnd | Moment::TestEnd => {
                self.look_again(view, &mut found);
            }
        }
        if moment.is_over() {
            Judgement::open_or(found).or(Judgement::Passed)
        } else if found.is_empty() && self.unsourced.len() > unsourced {
            Judgement::FailsSoFar
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
            self.seen = before.last().map_or(0, |last| last.order(trace));
        }
        let of_from: Vec<Value> = literals(&self.tracing.from).cloned().collect();
        let of_not_from: Vec<Value> = literals(&self.tracing.not_from).cloned().collect();
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            brought: Brought::default(),
            without: &without,
        };
        for value in &of_from {
            self.from.add_value(value, of);
        }
        for value in &of_not_from {
            self.not_from.add_value(value, of);
        }
        self.take_state(trace, 0);
    }

    /// Takes what was said and answered in a part of the log.
    fn take_all(&mut self, trace: &Trace, log: &[TraceItem], era: Era) {
        for item in log {
            match *item {
                TraceItem::Message(index) => self.take_said(trace, index, era),
                TraceItem::Result { .. } => self.take_result(trace, *item, era),
                TraceItem::Call(_)
                | TraceItem::Answer { .. }
                | TraceItem::State(_)
                | TraceItem::ModelCall(_) => {}
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

    /// Looks at the values of a call or a message.
    fn look(&mut self, view: &View<'_>, item: TraceItem, look: Look, found: &mut Vec<Finding>) {
        let reported = found.len();
        let lacks_source = match item {
            TraceItem::Call(index) if self.is_traced(view, index) => {
                self.look_at_call(view, index, look, found)
            }
            TraceItem::Message(index) => self.look_at_message(view, index, look, found),
            _ => return,
        };
        self.newest = self.newest.max(item.order(view.trace));
        if lacks_source && found.len() == reported {
            self.unsourced.push(item);
        }
    }

    /// Looks once more, with everything that came to light in the turn.
    fn look_again(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        let mut items = std::mem::take(&mut self.unsourced);
        if std::mem::take(&mut self.has_late_source) {
            let turn = view.trace.turns.len().saturating_sub(1);
            items = view.trace.log_of(turn).to_vec();
        }
        for item in items {
            self.look(view, item, Look::Again, found);
        }
        self.unsourced.clear();
    }

    fn look_at_call(
        &mut self,
        view: &View<'_>,
        index: usize,
        look: Look,
        found: &mut Vec<Finding>,
    ) -> bool {
        let call = &view.trace.calls[index];
        let Traced::Arguments { paths, .. } = &self.tracing.of else {
            return false;
        };
        let Args::Json(args) = call.args() else {
            self.count(look, 1, 1);
            return false;
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
        self.count(look, unseen, unseen);
        let mut lacks_source = false;
        for (number, (path, value)) in values.into_iter().take(MOST_VALUES).enumerate() {
            let Some(value) = TracedValue::of_scalar(value, &self.tracing.normaliser) else {
                continue;
            };
            match self.origin(&value, (call.order, number), look) {
                ValueOrigin::Sound => {}
                ValueOrigin::NotKnown => lacks_source = true,
                ValueOrigin::Wrong(problem) => {
                    let message = format!(
                        "`{}` was called with `{}` as `{}`, {}",
                        short(&call.name),
                        literally(&value.shown),
                        short(&path),
                        problem.words
                    );
                    let mut finding =
                        Finding::of_call(self.named(message), &self.tracing.expected, index, call);
                    finding.events.extend(problem.events);
                    finding.evidence.extend(problem.evidence);
                    found.push(finding);
                }
            }
        }
        lacks_source
    }

    fn look_at_message(
        &mut self,
        view: &View<'_>,
        index: usize,
        look: Look,
        found: &mut Vec<Finding>,
    ) -> bool {
        let message = &view.trace.messages[index];
        let Traced::Said(pattern) = &self.tracing.of else {
            return false;
        };
        if !message.origin.is_new()
            || !view.includes_author(&message.author)
            || !view.includes_text(message)
            || !view.includes_turn(message.turn)
        {
            return false;
        }
        // Some agents send more text after the end: what was counted is not counted again.
        let is_first = self.read.insert(index);
        let look = if is_first { look } else { Look::Again };
        let values: Vec<_> = pattern
            .find_all(&message.text)
            .into_iter()
            .take(MOST_VALUES)
            .collect();
        let mut lacks_source = false;
        for (number, range) in values.into_iter().enumerate() {
            let value =
                TracedValue::of_text(&message.text[range.clone()], &self.tracing.normaliser);
            match self.origin(&value, (message.order, number), look) {
                ValueOrigin::Sound => {}
                ValueOrigin::NotKnown => lacks_source = true,
                ValueOrigin::Wrong(problem) => {
                    let whole = view.redactor.expand_to_secret(&message.text, range);
                    let shown = around(&message.text, whole);
                    let message_text = format!(
                        "{} `{}`, {}",
                        view.trace.peer.said(),
                        literally(&value.shown),
                        problem.words
                    );
                    let mut evidence = vec![Evidence::Words(said(&literally(&shown)))];
                    evidence.extend(problem.evidence);
                    let mut events = vec![message.opened];
                    events.extend(problem.events);
                    found.push(Finding {
                        message: self.named(message_text),
                        expected: self.tracing.expected.clone(),
                        evidence,
                        events,
                        ..Finding::default()
                    });
                }
            }
        }
        lacks_source
    }

    fn named(&self, message: String) -> String {
        match &self.tracing.name {
            Some(name) => format!("{name}: {message}"),
            None => message,
        }
    }

    /// Counts values that are looked at for the first time.
    fn count(&mut self, look: Look, triggered: u64, not_checkable: u64) {
        if look == Look::First {
            self.counts.triggered += triggered;
            self.counts.not_checkable += not_checkable;
        }
    }

    /// Whether a value comes from where it may; `place` is the order of its call or message, and its number there.
    fn origin(&mut self, value: &TracedValue, place: (u64, usize), look: Look) -> ValueOrigin {
        let problem = match self.problem(value, place.0, look) {
            Ok(None) => return ValueOrigin::Sound,
            Ok(Some(problem)) => problem,
            Err(NoSourceYet) => return ValueOrigin::NotKnown,
        };
        if self.reported.insert(place) {
            ValueOrigin::Wrong(problem)
        } else {
            ValueOrigin::Sound
        }
    }

    /// What is wrong with a value: sources count that began before `order`.
    ///
    /// # Errors
    /// If a source is missing that may still come to light.
    fn problem(
        &mut self,
        value: &TracedValue,
        order: u64,
        look: Look,
    ) -> Result<Option<SourceProblem>, NoSourceYet> {
        let Tracing {
            from,
            not_from,
            is_strict,
            ..
        } = &self.tracing;
        let is_settled = !from.is_empty() && self.tracing.settles(value);
        if !value.is_traceable {
            let problem = (*is_strict && !is_settled).then(|| SourceProblem {
                words: "which is too short to be traced".to_owned(),
                events: Vec::new(),
                evidence: Vec::new(),
            });
            self.count(look, 1, u64::from(!is_settled));
            return Ok(problem);
        }
        if !not_from.is_empty() {
            let whole = self
                .not_from
                .find(value, order)
                .map(|found| (value.text.as_str(), found));
            let found = whole.or_else(|| self.not_from.part_of(&value.text, order));
            if let Some((part, found)) = found {
                let what = if part == value.text {
                    "comes from".to_owned()
                } else {
                    format!("contains `{}` from", literally(part))
                };
                let problem = SourceProblem {
                    words: format!("which {what} {}", either(not_from)),
                    events: found.event.into_iter().collect(),
                    evidence: Vec::new(),
                };
                self.count(look, 1, 0);
                return Ok(Some(problem));
            }
        }
        let has_source = from.is_empty() || self.from.find(value, order).is_some();
        let words = format!("which does not come from {}", either(from));
        self.count(look, 1, 0);
        if has_source {
            return Ok(None);
        }
        if look == Look::First {
            return Err(NoSourceYet);
        }
        Ok(Some(SourceProblem {
            words,
            events: Vec::new(),
            evidence: self.near_sources(value, order),
        }))
    }

    /// Things that come near to a value without a source: a result that only repeats it, and the closest value.
    fn near_sources(&mut self, value: &TracedValue, order: u64) -> Vec<Evidence> {
        let mut evidence = Vec::new();
        if let Some(place) = value.keys().find_map(|key| self.echoes.get(key)) {
            let words = format!("{place} repeats an argument of its own call, and is no source");
            evidence.push(Evidence::Words(words));
        }
        if self.explained < EXPLAINED {
            self.explained += 1;
            let near = nearest(&value.text, self.from.identifiers(order, MOST_COMPARED));
            evidence.extend(
                near.map(|near| Evidence::Words(format!("the closest value is `{}`", short(near)))),
            );
        }
        evidence
    }
}

/// Whether something is a part of this conversation, or was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Before,
    Now,
}
