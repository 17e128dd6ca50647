//! A requirement while a test runs: it follows each call of the name, and fails as soon as it can no longer pass.

use std::collections::BTreeMap;

use super::miss::{CountMiss, calls_so_far};
use crate::describe::{around, short};
use crate::evaluation::{CodedWarning, CountedCalls, Finding, Judgement, Moment, Monitor, View};
use crate::near_values::near_values;
use crate::select::{ArgumentReading, CallCount, PathPatterns, Selector, WrittenName};
use ananke_model::model::WhichCalls;
use ananke_model::variables::Pattern;
use ananke_trace::trace::{Args, CallPhase, Delta};

/// Follows each call of the name.
pub(super) struct RequireMonitor {
    pub(super) expected: String,
    /// The selector in words.
    pub(super) conditions: String,
    pub(super) selector: Selector,
    pub(super) which: WhichCalls,
    pub(super) count: CallCount,
    /// The patterns that no argument may match.
    pub(super) unwanted_args: PathPatterns,
    /// The pattern that no result may match.
    pub(super) unwanted_result: Option<Pattern>,
    pub(super) after: Option<WrittenName>,
    pub(super) after_result: Option<WrittenName>,
    pub(super) calls: Calls,
    /// The warning that a person should see although the rule passes.
    pub(super) warning: Option<String>,
    /// Whether the entry has conditions or a number: the calls that it selects are counted on purpose.
    pub(super) is_counting: bool,
    /// The calls to the tool that a number of selected ones does not include, when the rule has passed.
    pub(super) left_out: Vec<(usize, String)>,
    /// The calls that are nearly selected though none may be, when the rule has passed.
    pub(super) near: Vec<CodedWarning>,
}

/// The calls of the name so far.
#[derive(Default)]
pub(super) struct Calls {
    candidates: BTreeMap<usize, Candidate>,
    /// The number of candidates that are selected.
    selected: u64,
    /// Selected ones that may no longer be so at the end of the turn, or that lack what must come before them so far: their order is
    /// checked then.
    provisional: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Candidate {
    /// Its arguments are still arriving.
    Started,
    /// Its arguments do not match.
    Rejected,
    /// Its arguments match; its result decides.
    Waiting,
    /// Selected.
    Selected,
}

impl Monitor for RequireMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => self.started(view, index),
            Moment::Touched(Delta::ArgsDone(index)) => self.args_known(view, index),
            Moment::Touched(Delta::Answered(index)) => self.answered(view, index),
            Moment::Touched(
                Delta::MessageBegan(_)
                | Delta::MessageClosed(_)
                | Delta::Aside(_)
                | Delta::ToolsDeclared
                | Delta::StateChanged
                | Delta::ModelCalled(_)
                | Delta::ModelAskedAgain(_),
            ) => Judgement::Open,
            Moment::TurnEnd if self.selector.result.is_pending() => Judgement::Open,
            Moment::TurnEnd => self.confirm(view),
            Moment::ScopeEnd => self.scope_end(view),
            Moment::TestEnd => self.settle(view),
        }
    }

    fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }

    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        std::mem::take(&mut self.near)
    }

    fn counted_calls(&self) -> CountedCalls {
        let mut counted = CountedCalls {
            left_out: self.left_out.clone(),
            ..CountedCalls::default()
        };
        if self.is_counting {
            counted.covered.extend(self.calls.of(Candidate::Selected));
        }
        counted
    }
}

impl Calls {
    /// The candidates of one kind.
    fn of(&self, kind: Candidate) -> impl Iterator<Item = usize> {
        let candidates = self.candidates.iter();
        candidates.filter_map(move |(index, known)| (*known == kind).then_some(*index))
    }
}

impl RequireMonitor {
    fn started(&mut self, view: &View<'_>, index: usize) -> Judgement {
        self.forget_later_first(view, index);
        if !view.counts(index) || !self.is_looked_at(view, index) {
            return Judgement::Open;
        }
        self.mark(index, Candidate::Started);
        if !self.selector.args.is_empty() || !self.unwanted_args.is_empty() {
            return Judgement::Open;
        }
        self.args_known(view, index)
    }

    /// Whether a call is one that conditions are about: of the name, and the first if only that is looked at.
    fn is_looked_at(&self, view: &View<'_>, index: usize) -> bool {
        let is_first = || self.calls.candidates.is_empty();
        self.selector.name.matches(&view.trace.calls[index].name)
            && (self.which == WhichCalls::All || is_first())
    }

    /// Forgets the first call of the name if a snapshot shows an earlier one.
    fn forget_later_first(&mut self, view: &View<'_>, index: usize) {
        let call = &view.trace.calls[index];
        let is_earlier = |first: &usize| call.order < view.trace.calls[*first].order;
        if self.which == WhichCalls::First
            && view.counts(index)
            && self.selector.name.matches(&call.name)
            && self.calls.candidates.keys().any(is_earlier)
        {
            self.calls = Calls::default();
        }
    }

    fn args_known(&mut self, view: &View<'_>, index: usize) -> Judgement {
        if self.calls.candidates.get(&index) != Some(&Candidate::Started) {
            return Judgement::Open;
        }
        self.consider(view, index)
    }

    /// Looks at a candidate whose arguments are known for the first time.
    fn consider(&mut self, view: &View<'_>, index: usize) -> Judgement {
        let call = &view.trace.calls[index];
        if !self.selector.matches_args(call, ArgumentReading::Last) {
            self.mark(index, Candidate::Rejected);
            return Judgement::Open;
        }
        self.mark(index, Candidate::Waiting);
        if let Some(failed) = self.check_args(view, index) {
            return failed;
        }
        if self.selector.matches_result(call) {
            self.select(view, index)
        } else {
            Judgement::Open
        }
    }

    fn answered(&mut self, view: &View<'_>, index: usize) -> Judgement {
        let call = &view.trace.calls[index];
        if !self.calls.candidates.contains_key(&index)
            && self.is_looked_at(view, index)
            && view.counts_or_was_answered(index)
            // A call of an earlier turn that is answered in this one (SPEC 6).
            && let failed @ Judgement::Failed(_) = self.consider(view, index)
        {
            return failed;
        }
        match self.calls.candidates.get(&index) {
            None | Some(Candidate::Started | Candidate::Rejected) => return Judgement::Open,
            Some(Candidate::Waiting | Candidate::Selected) => {}
        }
        if let Some(failed) = self.check_result(view, index) {
            return failed;
        }
        if self.selector.result.is_empty() {
            return Judgement::Open;
        }
        if self.selector.matches_result(call) {
            return self.select(view, index);
        }
        // The last result is the call's result: an earlier one no longer selects it.
        self.mark(index, Candidate::Waiting);
        Judgement::Open
    }

    fn check_args(&self, view: &View<'_>, index: usize) -> Option<Judgement> {
        if self.unwanted_args.is_empty() {
            return None;
        }
        let call = &view.trace.calls[index];
        let Args::Json(args) = call.args() else {
            return None;
        };
        let mut readings = std::iter::once(args)
            .chain(call.opened_args())
            .chain(call.other_args());
        let hit = readings.find_map(|args| self.unwanted_args.hits(args).next())?;
        let message = format!("`{}` was called, and {}", short(&call.name), hit.words);
        Some(Judgement::failed(Finding::of_call(
            message,
            &self.expected,
            index,
            call,
        )))
    }

    /// One clean call does not excuse a bad one; every result of a call is looked at when it comes.
    fn check_result(&self, view: &View<'_>, index: usize) -> Option<Judgement> {
        let call = &view.trace.calls[index];
        let pattern = self.unwanted_result.as_ref()?;
        let result = call.result()?;
        let (result, found) = result
            .forms()
            .find_map(|form| Some((form, pattern.find(&form.text)?)))?;
        let message = format!(
            "a result of `{}` matches `{}`: `{}`",
            short(&call.name),
            short(pattern.as_str()),
            around(
                &result.text,
                view.redactor.expand_to_secret(&result.text, found)
            )
        );
        let mut finding = Finding::of_call(message, &self.expected, index, call);
        finding.events.push(result.event);
        Some(Judgement::failed(finding))
    }

    fn select(&mut self, view: &View<'_>, index: usize) -> Judgement {
        self.mark(index, Candidate::Selected);
        if self.selector.result.is_provisional() {
            self.calls.provisional.push(index);
            return Judgement::Open;
        }
        let too_many = self.too_many(view);
        if too_many == Judgement::Open && self.out_of_order(view, index).is_some() {
            // A snapshot can still show what must come before it.
            self.calls.provisional.push(index);
            return Judgement::FailsSoFar;
        }
        too_many
    }

    /// Looks at those that were selected in a turn that is over now.
    fn confirm(&mut self, view: &View<'_>) -> Judgement {
        let selected =
            |index: &usize| self.calls.candidates.get(index) == Some(&Candidate::Selected);
        let confirmed: Vec<usize> = std::mem::take(&mut self.calls.provisional)
            .into_iter()
            .filter(selected)
            .collect();
        match confirmed
            .into_iter()
            .find_map(|index| self.out_of_order(view, index))
        {
            Some(finding) => Judgement::failed(finding),
            None => self.too_many(view),
        }
    }

    fn out_of_order(&self, view: &View<'_>, index: usize) -> Option<Finding> {
        let call = &view.trace.calls[index];
        let is_before = |name: &str, what| {
            view.first(name, what)
                .is_some_and(|first| first < call.order)
        };
        let called = self
            .after
            .as_ref()
            .filter(|after| !is_before(after, CallPhase::Called));
        let answered = self
            .after_result
            .as_ref()
            .filter(|after| !is_before(after, CallPhase::Answered));
        let missing = match (called, answered) {
            (Some(after), _) => format!("an earlier call to `{after}`"),
            (None, Some(after)) => format!("an earlier result of `{after}`"),
            (None, None) => return None,
        };
        Some(Finding {
            message: format!("`{}` was called without {missing}", short(&call.name)),
            expected: self.expected.clone(),
            evidence: calls_so_far(view, index, answered.map(|after| after.as_str())),
            events: vec![call.first_event],
            ..Finding::default()
        })
    }

    fn too_many(&self, view: &View<'_>) -> Judgement {
        if self.count.exceeded_by(self.calls.selected) {
            return Judgement::failed(self.miscounted(view));
        }
        Judgement::Open
    }

    fn mark(&mut self, index: usize, candidate: Candidate) {
        let before = self.calls.candidates.insert(index, candidate);
        self.calls.selected -= u64::from(before == Some(Candidate::Selected));
        self.calls.selected += u64::from(candidate == Candidate::Selected);
    }

    /// At the end of a turn, calls whose results are still to come keep a condition on results open.
    fn scope_end(&mut self, view: &View<'_>) -> Judgement {
        if self.selector.result.is_pending() {
            return self.settle(view);
        }
        let count = self.calls.selected;
        let unanswered = |index: &usize| view.trace.calls[*index].is_pending();
        let waiting = self.calls.candidates.iter().filter(|(index, candidate)| {
            matches!(candidate, Candidate::Waiting | Candidate::Selected) && unanswered(index)
        });
        let waiting = waiting.count() as u64;
        let on_result = !self.selector.result.is_empty();
        let undecided = waiting > 0 && (on_result || self.unwanted_result.is_some());
        let reachable = if on_result { count + waiting } else { count };
        if !undecided || reachable < self.count.min {
            return self.settle(view);
        }
        Judgement::Open
    }

    fn settle(&mut self, view: &View<'_>) -> Judgement {
        if let failed @ Judgement::Failed(_) = self.confirm(view) {
            return failed;
        }
        if !self.count.allows(self.calls.selected) {
            return Judgement::failed(self.miscounted(view));
        }
        self.warning = self.only_failures(view);
        self.left_out = self.left_out(view);
        if self.count.max == Some(0) {
            self.near = near_values(view, &self.selector);
        }
        let measured = self.count.measured(self.calls.selected);
        measured.map_or(Judgement::Passed, |measured| {
            Judgement::within(measured, Vec::new())
        })
    }

    /// The warning that no selected call did its work, though the entry does not say that this is meant.
    fn only_failures(&self, view: &View<'_>) -> Option<String> {
        if self.selector.result.says_how_it_ended() || self.count.min == 0 {
            return None;
        }
        let (mut failed, mut denied) = (false, false);
        for index in self.calls.of(Candidate::Selected) {
            let result = view.trace.calls[index].result()?;
            match (result.is_denied, result.is_error) {
                (true, _) => denied = true,
                (false, Some(true)) => failed = true,
                (false, _) => return None,
            }
        }
        let which = match (failed, denied) {
            (true, true) => "failed or denied calls",
            (true, false) => "failed calls",
            (false, true) => "denied calls",
            (false, false) => return None,
        };
        let conditions = &self.conditions;
        Some(format!(
            "only {which} to {conditions} satisfy it: add `status: executed` and `is_error: false`, or the `status` or `is_error` that is meant"
        ))
    }

    /// The calls to the tool that a number of selected ones does not include, each with what differs: a call that differs only
    /// in how it ended is none of them.
    fn left_out(&self, view: &View<'_>) -> Vec<(usize, String)> {
        let has_conditions = !self.selector.args.is_empty() || !self.selector.result.is_empty();
        let is_bounded = self.count.min > 0 && self.count.max.is_some();
        if !has_conditions || !is_bounded {
            return Vec::new();
        }
        let wider = self.selector.without_end();
        let mut left_out = Vec::new();
        for (index, candidate) in &self.calls.candidates {
            let call = &view.trace.calls[*index];
            let mismatches = wider.mismatches(call);
            if *candidate == Candidate::Selected || mismatches.count() == 0 || !view.counts(*index)
            {
                continue;
            }
            let name = short(&call.name);
            let differs = wider.focus(&mismatches).differing(call);
            let words =
                differs.unwrap_or_else(|| format!("was called without {}", wider.conditions()));
            left_out.push((*index, format!("`{name}` {words}")));
        }
        left_out
    }

    fn miscounted(&self, view: &View<'_>) -> Finding {
        let candidates = self.calls.candidates.keys().copied().collect();
        CountMiss {
            expected: &self.expected,
            conditions: &self.conditions,
            selector: &self.selector,
            count: self.count,
            selected: self.calls.selected,
            candidates,
        }
        .finding(view)
    }
}
