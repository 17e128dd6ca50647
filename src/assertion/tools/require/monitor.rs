//! A requirement that is watching: it follows each call of the name, and is settled at once when it can no longer hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;

use super::miss::Miss;
use super::required::Required;
use crate::assertion::describe::{around, short};
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::assertion::select::Selecting;
use crate::assertion::select::{Counted, Matching};
use crate::trace::{Args, Delta, First};
use crate::variables::Patterns;

/// Follows each call of the name.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    conditions: String,
    selecting: Selecting,
    count: Counted,
    clean_args: Matching,
    clean_result: Option<Arc<Regex>>,
    after: Option<String>,
    after_result: Option<String>,
    candidates: BTreeMap<usize, Candidate>,
    /// How many of the candidates are selected.
    selected: u64,
    /// Those that were selected but may be so no more at the end of the turn: their order is looked at then.
    provisional: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Candidate {
    /// Its arguments are still coming.
    Started,
    /// Its arguments do not fit.
    Rejected,
    /// Its arguments fit; its result decides.
    Waiting,
    /// Selected.
    Selected,
}

impl Monitor {
    pub(crate) fn start(required: &Required, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let unclean = required.result_not_match.as_ref();
        Ok(Self {
            expected: required.describe(),
            conditions: required.selector.describe(),
            selecting: required.selector.start(patterns)?,
            count: required.count,
            clean_args: required.args_not_match.start(patterns)?,
            clean_result: unclean.map(|pattern| patterns.compile(pattern)).transpose()?,
            after: required.after.clone(),
            after_result: required.after_result.clone(),
            candidates: BTreeMap::new(),
            selected: 0,
            provisional: Vec::new(),
        })
    }

    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => self.started(scope, index),
            Moment::Touched(Delta::ArgsDone(index)) => self.args_known(scope, index),
            Moment::Touched(Delta::Answered(index)) => self.answered(scope, index),
            Moment::Touched(Delta::MessageClosed(_)) => Judgement::Open,
            Moment::TurnEnd if self.selecting.is_pending() => Judgement::Open,
            Moment::TurnEnd => self.confirm(scope),
            Moment::HomeEnd => self.home_end(scope),
            Moment::TestEnd => self.settle(scope),
        }
    }

    fn started(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if !scope.counts(index) || !self.selecting.name.means(&scope.trace.calls[index].name) {
            return Judgement::Open;
        }
        self.mark(index, Candidate::Started);
        if self.selecting.has_args() || !self.clean_args.is_empty() {
            return Judgement::Open;
        }
        self.args_known(scope, index)
    }

    fn args_known(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if self.candidates.get(&index) != Some(&Candidate::Started) {
            return Judgement::Open;
        }
        self.consider(scope, index)
    }

    /// Looks at a candidate whose arguments are known for the first time.
    fn consider(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        let call = &scope.trace.calls[index];
        if !self.selecting.takes_args(call) {
            self.mark(index, Candidate::Rejected);
            return Judgement::Open;
        }
        self.mark(index, Candidate::Waiting);
        if let Some(broken) = self.unclean_args(scope, index) {
            return broken;
        }
        if self.selecting.takes_result(call) { self.select(scope, index) } else { Judgement::Open }
    }

    fn answered(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        let call = &scope.trace.calls[index];
        if !self.candidates.contains_key(&index)
            && self.selecting.name.means(&call.name)
            && scope.counts_or_answered(index)
            // A call of an earlier turn that is answered in this one (SPEC 6).
            && let broken @ Judgement::Broken(_) = self.consider(scope, index)
        {
            return broken;
        }
        match self.candidates.get(&index) {
            None | Some(Candidate::Started | Candidate::Rejected) => return Judgement::Open,
            Some(Candidate::Waiting | Candidate::Selected) => {}
        }
        if let Some(broken) = self.unclean_result(scope, index) {
            return broken;
        }
        if !self.selecting.on_result() {
            return Judgement::Open;
        }
        if self.selecting.takes_result(call) {
            return self.select(scope, index);
        }
        // The last result is the call's result: an earlier one no longer selects it.
        self.mark(index, Candidate::Waiting);
        Judgement::Open
    }

    fn unclean_args(&self, scope: &Scope<'_>, index: usize) -> Option<Judgement> {
        let call = &scope.trace.calls[index];
        let Args::Json(args) = call.args() else { return None };
        let hit = self.clean_args.hits(args).next()?;
        Some(Judgement::broken(Finding {
            message: format!("`{}` was called, and {hit}", short(&call.name)),
            expected: self.expected.clone(),
            seen: vec![Seen::Call { index, misfit: None }],
            events: vec![call.first_event],
        }))
    }

    /// One clean call does not excuse a bad one; every result of a call is looked at when it comes.
    fn unclean_result(&self, scope: &Scope<'_>, index: usize) -> Option<Judgement> {
        let call = &scope.trace.calls[index];
        let regex = self.clean_result.as_ref()?;
        let result = call.result()?;
        let found = regex.find(&result.text)?;
        Some(Judgement::broken(Finding {
            message: format!(
                "a result of `{}` matches `{}`: `{}`",
                short(&call.name),
                short(regex.as_str()),
                around(&result.text, scope.redactor.expand_to_secret(&result.text, found.range()))
            ),
            expected: self.expected.clone(),
            seen: vec![Seen::Call { index, misfit: None }],
            events: vec![call.first_event, result.event],
        }))
    }

    fn select(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        self.mark(index, Candidate::Selected);
        if self.selecting.is_provisional() {
            self.provisional.push(index);
            return Judgement::Open;
        }
        match self.out_of_order(scope, index) {
            Some(finding) => Judgement::broken(finding),
            None => self.too_many(scope),
        }
    }

    /// Looks at those that were selected in a turn that is over now.
    fn confirm(&mut self, scope: &Scope<'_>) -> Judgement {
        let selected = |index: &usize| self.candidates.get(index) == Some(&Candidate::Selected);
        let confirmed: Vec<usize> =
            std::mem::take(&mut self.provisional).into_iter().filter(selected).collect();
        match confirmed.into_iter().find_map(|index| self.out_of_order(scope, index)) {
            Some(finding) => Judgement::broken(finding),
            None => self.too_many(scope),
        }
    }

    fn out_of_order(&self, scope: &Scope<'_>, index: usize) -> Option<Finding> {
        let call = &scope.trace.calls[index];
        let is_before = |name: &str, what| scope.first(name, what).is_some_and(|first| first < call.order);
        let called = self.after.as_ref().filter(|after| !is_before(after, First::Called));
        let answered = self.after_result.as_ref().filter(|after| !is_before(after, First::Answered));
        let missing = match (called, answered) {
            (Some(after), _) => format!("an earlier call of `{after}`"),
            (None, Some(after)) => format!("an earlier result of `{after}`"),
            (None, None) => return None,
        };
        Some(Finding {
            message: format!("`{}` was called without {missing}", short(&call.name)),
            expected: self.expected.clone(),
            seen: Miss::order(scope, index, answered.map(String::as_str)),
            events: vec![call.first_event],
        })
    }

    fn too_many(&self, scope: &Scope<'_>) -> Judgement {
        if self.count.exceeded_by(self.selected) {
            return Judgement::broken(self.miscounted(scope));
        }
        Judgement::Open
    }

    fn mark(&mut self, index: usize, candidate: Candidate) {
        let before = self.candidates.insert(index, candidate);
        self.selected -= u64::from(before == Some(Candidate::Selected));
        self.selected += u64::from(candidate == Candidate::Selected);
    }

    /// At the end of a turn, calls whose results are still to come keep a condition on results open.
    fn home_end(&mut self, scope: &Scope<'_>) -> Judgement {
        if self.selecting.is_pending() {
            return self.settle(scope);
        }
        let count = self.selected;
        let unanswered = |index: &usize| scope.trace.calls[*index].results.is_empty();
        let waiting = self.candidates.iter().filter(|(index, candidate)| {
            matches!(candidate, Candidate::Waiting | Candidate::Selected) && unanswered(index)
        });
        let waiting = waiting.count() as u64;
        let on_result = self.selecting.on_result();
        let undecided = waiting > 0 && (on_result || self.clean_result.is_some());
        let reachable = if on_result { count + waiting } else { count };
        if !undecided || reachable < self.count.min {
            return self.settle(scope);
        }
        Judgement::Open
    }

    fn settle(&mut self, scope: &Scope<'_>) -> Judgement {
        if let broken @ Judgement::Broken(_) = self.confirm(scope) {
            return broken;
        }
        if self.count.allows(self.selected) {
            Judgement::Holds
        } else {
            Judgement::broken(self.miscounted(scope))
        }
    }

    fn miscounted(&self, scope: &Scope<'_>) -> Finding {
        let candidates = self.candidates.keys().copied().collect();
        Miss {
            expected: &self.expected,
            conditions: &self.conditions,
            selecting: &self.selecting,
            count: self.count,
            selected: self.selected,
            candidates,
        }
        .finding(scope)
    }
}
