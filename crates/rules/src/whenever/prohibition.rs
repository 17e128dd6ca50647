//! Triggers with steps that must come before, or must not come: violated as soon as that is known.
//!
//! A trigger is looked at when everything that began before it is complete: a call has its place where it starts, a message where
//! its first text is. What must come before it and did not is known when the turn ends: a snapshot can still show it. So is
//! what may still turn out to be a failure.

use std::collections::HashSet;

use super::beginning_queue::BeginningQueue;
use super::finding::{Findings, TriggerViolation};
use super::happening::Happening;
use super::memory::{Memory, MemoryKey, OpenTriggers};
use super::related_steps::{Relation, RunningRule};
use super::tied_step::TiedStep;
use crate::evaluation::{CodedWarning, Finding, Judgement, Moment, Monitor, RuleScope, View};
use crate::select::ArgumentReading;
use crate::steps::StepMatcher;
use ananke_trace::outcome::RuleCounts;
use ananke_trace::trace::{Delta, MessageKind, Origin, Trace, TraceItem};

/// Watches for triggers, and for what must not follow them.
pub(super) struct Prohibition {
    parts: RunningRule,
    steps: Vec<WatchedStep>,
    findings: Findings,
    /// Triggers that wait for what began before them.
    waiting: BeginningQueue<Happening>,
    /// The triggers of the turn, with their patterns, before which something is missing so far.
    missing: Vec<(usize, Happening)>,
    /// Whether the text of the agent's messages decides anything.
    reads_messages: bool,
    /// The things that may turn out to be failures by the end of the turn: triggers, and calls and results that must not
    /// follow one.
    late: Vec<Happening>,
    /// Triggers that were looked at.
    triggered: HashSet<TraceItem>,
    /// Violations that were reported: the pattern, and the place of the trigger.
    reported: HashSet<(usize, u64)>,
    not_checkable: u64,
    /// The calls that are nearly the trigger, if there was none.
    near: Vec<CodedWarning>,
    /// The order up to which the log was seen; `None` before the first moment.
    seen: Option<u64>,
}

/// A step, and what it matched.
struct WatchedStep {
    pattern: usize,
    relation: Relation,
    step: TiedStep,
    memory: Memory,
    open: OpenTriggers,
}

impl WatchedStep {
    /// Whether what matches may no longer do so when its turn is over.
    fn is_revocable(&self) -> bool {
        self.step.step().is_some_and(StepMatcher::is_revocable)
    }

    /// Whether only the end of the scope shows what matches.
    fn is_pending(&self) -> bool {
        self.step.step().is_some_and(StepMatcher::is_pending)
    }
}

impl Prohibition {
    pub(super) fn new(parts: RunningRule) -> Self {
        let mut steps = Vec::new();
        let reads_messages = parts.reads_messages();
        for (pattern, written) in parts.patterns.iter().enumerate() {
            steps.extend(written.steps().map(|step| WatchedStep {
                pattern,
                relation: written.relation,
                step: step.clone(),
                memory: Memory::default(),
                open: OpenTriggers::default(),
            }));
        }
        Self {
            parts,
            steps,
            findings: Findings::default(),
            waiting: BeginningQueue::default(),
            missing: Vec::new(),
            reads_messages,
            late: Vec::new(),
            triggered: HashSet::new(),
            reported: HashSet::new(),
            not_checkable: 0,
            near: Vec::new(),
            seen: None,
        }
    }
}

impl Monitor for Prohibition {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let mut found = Vec::new();
        self.catch_up(view, &mut found);
        let trace = view.trace;
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => {
                if self.parts.needs_args(&trace.calls[index].name)
                    && trace.calls[index].args_done.is_none()
                {
                    self.waiting.begin(trace.calls[index].order);
                } else {
                    self.take_item(view, TraceItem::Call(index), &mut found);
                }
            }
            Moment::Touched(Delta::ArgsDone(index)) => {
                if self.waiting.finish(trace.calls[index].order) {
                    self.take_item(view, TraceItem::Call(index), &mut found);
                }
            }
            Moment::Touched(Delta::Answered(index)) => {
                self.take_item(view, TraceItem::Call(index), &mut found);
                if let Some(result) = trace.last_result(index) {
                    self.take_item(view, result, &mut found);
                }
            }
            Moment::Touched(Delta::MessageBegan(index)) => {
                let message = &trace.messages[index];
                if self.reads_messages && message.role == MessageKind::Assistant {
                    self.waiting.begin(message.order);
                }
            }
            Moment::Touched(Delta::MessageClosed(index)) => {
                self.waiting.finish(trace.messages[index].order);
                self.take_item(view, TraceItem::Message(index), &mut found);
            }
            Moment::Touched(
                Delta::Aside(_)
                | Delta::ToolsDeclared
                | Delta::StateChanged
                | Delta::ModelCalled(_)
                | Delta::ModelAskedAgain(_),
            ) => {}
            Moment::TurnEnd => self.end_turn(view, &mut found),
            Moment::ScopeEnd | Moment::TestEnd => {
                self.end_turn(view, &mut found);
                self.end_scope(view, &mut found);
                if self.triggered.is_empty() {
                    self.near = self.parts.near_triggers(view);
                }
                return Judgement::open_or(found).or(Judgement::Passed);
            }
        }
        let missing = self.missing.len();
        self.decide_waiting(view, &mut found);
        if found.is_empty() && self.missing.len() > missing {
            return Judgement::FailsSoFar;
        }
        Judgement::open_or(found)
    }

    fn counts(&self) -> Option<RuleCounts> {
        let triggered = self.triggered.len() as u64;
        Some(RuleCounts {
            triggered,
            not_checkable: self.not_checkable,
        })
    }

    fn take_warning(&mut self) -> Option<String> {
        self.findings.take_warning(self.not_checkable)
    }

    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        std::mem::take(&mut self.near)
    }
}

impl Prohibition {
    /// Takes what no moment reports: what was there before, messages of the user, and answers to interrupts.
    fn catch_up(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        let trace = view.trace;
        let seen = self.seen.unwrap_or_else(|| self.remember_earlier(view));
        for item in trace.log_after(seen).iter().copied() {
            let is_history = item.origin(trace) == Some(Origin::History);
            match item {
                TraceItem::Message(_) | TraceItem::Call(_) if is_history => {
                    if let Some(happening) = Happening::of(trace, item) {
                        self.remember(view, trace, happening.before_all());
                    }
                }
                TraceItem::Message(index) => {
                    let message = &trace.messages[index];
                    if message.role == MessageKind::User && message.is_closed() {
                        self.take_item(view, item, found);
                    }
                }
                TraceItem::Answer { .. } => self.take_item(view, item, found),
                TraceItem::Call(_)
                | TraceItem::Result { .. }
                | TraceItem::State(_)
                | TraceItem::ModelCall(_) => {}
            }
        }
        self.seen = Some(seen.max(trace.last_order()));
    }

    /// Takes the history and the turns before the scope, as causes alone; the order up to which these reach.
    fn remember_earlier(&mut self, view: &View<'_>) -> u64 {
        let trace = view.trace;
        if let Some(history) = trace.history() {
            for happening in Happening::all(history, history.log()) {
                self.remember(view, history, happening.before_all());
            }
        }
        let RuleScope::Turn(first) = view.scope else {
            return 0;
        };
        let before = trace.log_before(first);
        for happening in Happening::all(trace, before) {
            self.remember(view, trace, happening);
        }
        before.last().map_or(0, |last| last.order(trace))
    }

    /// Takes something of the log, unless it is a message that no step is about.
    fn take_item(&mut self, view: &View<'_>, item: TraceItem, found: &mut Vec<Finding>) {
        if let Some(happening) = Happening::of(view.trace, item) {
            self.take(view, happening, found);
        }
    }

    /// Takes something that happened: as a cause, as something that must not follow, and as a trigger.
    fn take(&mut self, view: &View<'_>, happening: Happening, found: &mut Vec<Finding>) {
        if !happening.includes_author(view, view.trace) {
            return;
        }
        self.remember(view, view.trace, happening);
        let is_late = self.steps.iter().any(|step| {
            step.relation == Relation::ForbiddenAfter
                && step.is_revocable()
                && step
                    .step
                    .matches(view.trace, &happening, step.relation.reading())
        });
        if is_late {
            self.late.push(happening);
        }
        for step in 0..self.steps.len() {
            if !self.steps[step].is_revocable() && !self.steps[step].is_pending() {
                self.follows(view, step, happening, found);
            }
            self.precedes(view, step, happening, found);
        }
        if self.is_trigger(view, happening) {
            let is_revocable = self.parts.trigger.is_revocable();
            if is_revocable || self.parts.trigger.is_pending() {
                self.late.push(happening);
            } else {
                self.waiting.push(happening.order, happening);
                self.triggered.insert(happening.item);
            }
        }
    }

    /// Whether something is a trigger that was not looked at.
    fn is_trigger(&self, view: &View<'_>, happening: Happening) -> bool {
        happening.is_live(view.trace)
            && view.includes_turn(happening.turn)
            && happening.is(&self.parts.trigger, view.trace, ArgumentReading::Any)
            && !self.triggered.contains(&happening.item)
    }

    /// Takes something as a cause.
    fn remember(&mut self, view: &View<'_>, trace: &Trace, happening: Happening) {
        if !happening.includes_author(view, trace) {
            return;
        }
        for watched in &mut self.steps {
            let WatchedStep {
                step,
                relation,
                memory,
                ..
            } = watched;
            let position = if relation.is_before() {
                step.counts_from(trace, &happening)
            } else {
                happening.order
            };
            let matched = || {
                step.matches(trace, &happening, relation.reading())
                    .then(|| step.tie.of_step(trace, &happening))
                    .flatten()
            };
            let matched = matched().map(|key| ((self.parts.turn_of(&happening), key), position));
            let is_message = matches!(happening.item, TraceItem::Message(_));
            let is_provisional = step.step().is_some_and(StepMatcher::looks_at_outcome);
            match matched {
                // The text of a message may go on after its end.
                matched if (is_provisional || is_message) && happening.order > 0 => {
                    memory.update(happening.order, matched);
                }
                Some((place, position)) => memory.add(place, position),
                None => {}
            }
        }
    }

    /// Looks at the triggers that something must not follow.
    fn follows(
        &mut self,
        view: &View<'_>,
        step: usize,
        happening: Happening,
        found: &mut Vec<Finding>,
    ) {
        let WatchedStep {
            relation,
            step: wanted,
            open,
            pattern,
            ..
        } = &mut self.steps[step];
        if *relation != Relation::ForbiddenAfter
            || open.is_empty()
            || !view.includes_turn(happening.turn)
            || !wanted.matches(view.trace, &happening, relation.reading())
        {
            return;
        }
        let Some(key) = wanted.tie.of_step(view.trace, &happening) else {
            self.not_checkable += 1;
            return;
        };
        let place = (self.parts.turn_of(&happening), key);
        let pattern = *pattern;
        let triggers = open.take_before(&place, happening.order);
        self.report_triggers(view, (pattern, step), triggers, happening, found);
    }

    /// Looks at the triggers that something must not precede, and that were looked at before it came to light.
    fn precedes(
        &mut self,
        view: &View<'_>,
        step: usize,
        happening: Happening,
        found: &mut Vec<Finding>,
    ) {
        let WatchedStep {
            relation,
            step: wanted,
            open,
            pattern,
            ..
        } = &mut self.steps[step];
        if *relation != Relation::ForbiddenBefore || open.is_empty() {
            return;
        }
        let position = wanted.counts_from(view.trace, &happening);
        if !open.may_have_after(position)
            || !wanted.matches(view.trace, &happening, relation.reading())
        {
            return;
        }
        let Some(key) = wanted.tie.of_step(view.trace, &happening) else {
            return;
        };
        let pattern = *pattern;
        let place = (self.parts.turn_of(&happening), key);
        let triggers = open.take_after(&place, position);
        self.report_triggers(view, (pattern, step), triggers, happening, found);
    }

    /// Reports the triggers that something comes before or after though it must not.
    fn report_triggers(
        &mut self,
        view: &View<'_>,
        (pattern, step): (usize, usize),
        triggers: Vec<Happening>,
        cause: Happening,
        found: &mut Vec<Finding>,
    ) {
        for trigger in triggers {
            if self.reported.insert((pattern, trigger.order)) {
                let violation = TriggerViolation {
                    trigger,
                    pattern,
                    step: self.steps[step].step.clone(),
                    cause: Some(cause),
                };
                found.push(self.findings.finding(view, &self.parts, &violation));
            }
        }
    }

    /// Looks at the triggers that wait for nothing any more.
    fn decide_waiting(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        while let Some(ready) = self.waiting.pop() {
            for trigger in ready {
                self.decide(view, trigger, found);
            }
        }
    }

    /// Looks at one trigger.
    fn decide(&mut self, view: &View<'_>, trigger: Happening, found: &mut Vec<Finding>) {
        let mut is_checkable = true;
        for pattern in 0..self.parts.patterns.len() {
            let relation = self.parts.patterns[pattern].relation;
            let violation = match relation {
                Relation::RequiredBefore => {
                    if self.missing_before(view.trace, pattern, trigger).is_some() {
                        self.missing.push((pattern, trigger));
                    }
                    None
                }
                Relation::ForbiddenBefore | Relation::ForbiddenAfter => {
                    self.unwanted(view.trace, pattern, trigger, &mut is_checkable)
                }
                Relation::RequiredAfter => None,
            };
            if let Some(violation) = violation
                && self.reported.insert((pattern, trigger.order))
            {
                found.push(self.findings.finding(view, &self.parts, &violation));
            }
        }
        self.not_checkable += u64::from(!is_checkable);
    }

    /// The first group of which no step came before.
    fn missing_before(
        &self,
        trace: &Trace,
        pattern: usize,
        trigger: Happening,
    ) -> Option<TriggerViolation> {
        let mut steps = self.steps.iter().filter(|step| step.pattern == pattern);
        let groups = &self.parts.patterns[pattern].groups;
        for group in groups {
            let of_group: Vec<&WatchedStep> = steps.by_ref().take(group.len()).collect();
            let is_there = of_group.iter().any(|watched| {
                let place = watched
                    .step
                    .tie
                    .of_trigger(trace, &trigger)
                    .map(|key| (self.parts.turn_of(&trigger), key));
                place.is_some_and(|place| watched.memory.is_before(&place, trigger.order))
            });
            if !is_there {
                let step = of_group.first()?.step.clone();
                return Some(TriggerViolation {
                    trigger,
                    pattern,
                    step,
                    cause: None,
                });
            }
        }
        None
    }

    /// The first step that came though it must not; a trigger that nothing followed yet stays open.
    fn unwanted(
        &mut self,
        trace: &Trace,
        pattern: usize,
        trigger: Happening,
        is_checkable: &mut bool,
    ) -> Option<TriggerViolation> {
        let turn = self.parts.turn_of(&trigger);
        let mut found = None;
        for (index, watched) in self
            .steps
            .iter_mut()
            .enumerate()
            .filter(|(_, step)| step.pattern == pattern)
        {
            let Some(key) = watched.step.tie.of_trigger(trace, &trigger) else {
                *is_checkable &= watched.relation != Relation::ForbiddenAfter;
                continue;
            };
            let place: MemoryKey = (turn, key);
            let is_there = if watched.relation.is_before() {
                watched.memory.is_before(&place, trigger.order)
            } else {
                !watched.is_revocable()
                    && !watched.is_pending()
                    && watched.memory.is_after(&place, trigger.order)
            };
            if is_there {
                found.get_or_insert(index);
            } else {
                watched.open.add(place, trigger);
            }
        }
        let step = self.steps[found?].step.clone();
        Some(TriggerViolation {
            trigger,
            pattern,
            step,
            cause: None,
        })
    }

    /// Looks at everything that is known when the turn is over.
    fn end_turn(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        self.waiting.finish_all();
        self.decide_waiting(view, found);
        self.decide_late(view, found);
        self.report_missing(view, found);
    }

    /// Reports the triggers before which something is still missing.
    fn report_missing(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        for (pattern, trigger) in std::mem::take(&mut self.missing) {
            if let Some(violation) = self.missing_before(view.trace, pattern, trigger)
                && self.reported.insert((pattern, trigger.order))
            {
                found.push(self.findings.finding(view, &self.parts, &violation));
            }
        }
    }

    /// Looks at what may have turned out to be a failure.
    fn decide_late(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        let mut late = std::mem::take(&mut self.late);
        // A call whose result came late began before others that were known earlier.
        late.sort_by_key(|happening| happening.order);
        for happening in late {
            for step in 0..self.steps.len() {
                if self.steps[step].is_revocable() && !self.steps[step].is_pending() {
                    self.follows(view, step, happening, found);
                }
            }
            if self.parts.trigger.is_pending()
                && happening.is(&self.parts.trigger, view.trace, ArgumentReading::Any)
            {
                self.late.push(happening);
            } else if self.parts.trigger.is_revocable() && self.is_trigger(view, happening) {
                self.triggered.insert(happening.item);
                self.decide(view, happening, found);
            }
        }
    }

    /// Looks at the calls that have no result when the scope is over.
    fn end_scope(&mut self, view: &View<'_>, found: &mut Vec<Finding>) {
        for happening in std::mem::take(&mut self.late) {
            if self.is_trigger(view, happening) {
                self.triggered.insert(happening.item);
                self.decide(view, happening, found);
            }
        }
        self.report_missing(view, found);
        let mut violations = Vec::new();
        for watched in self
            .steps
            .iter()
            .filter(|step| step.relation == Relation::ForbiddenAfter)
        {
            for (place, trigger) in watched.open.all() {
                if watched.memory.is_after(place, trigger.order)
                    && self.reported.insert((watched.pattern, trigger.order))
                {
                    let (pattern, step) = (watched.pattern, watched.step.clone());
                    violations.push(TriggerViolation {
                        trigger: *trigger,
                        pattern,
                        step,
                        cause: None,
                    });
                }
            }
        }
        violations.sort_unstable_by_key(|violation| (violation.trigger.order, violation.pattern));
        found.extend(
            violations
                .iter()
                .map(|violation| self.findings.finding(view, &self.parts, violation)),
        );
    }
}
