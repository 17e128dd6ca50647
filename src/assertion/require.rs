//! `tools.require`: calls that must happen.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;

use super::describe::{around, short, times};
use super::selector::{Selecting, tool_name};
use super::{Counted, Finding, Home, Judgement, Moment, Scope, Seen, Selector};
use crate::model::Require;
use crate::trace::Touch;
use crate::variables::{Filling, Late, Pattern, Patterns};

/// How many candidates' events a failure cites.
const CITED_CANDIDATES: usize = 100;

/// How many candidates a failure shows.
const SHOWN_CANDIDATES: usize = 5;

/// Calls that must happen: selected by conditions, counted, and bound to results and an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Required {
    /// Which calls are selected.
    pub selector: Selector,
    /// How many there must be.
    pub count: Counted,
    /// The count as it is written, where it is known later: nothing is held against it until then.
    pub count_written: Option<String>,
    /// What no result of a call with this name and these arguments may match.
    pub result_not_match: Option<Pattern>,
    /// The tool of which every selected call needs an earlier call.
    pub after: Option<String>,
}

impl Required {
    pub(super) fn compile(entry: &Require, filling: &mut Filling<'_>) -> Option<Self> {
        let Require { name, count, args_match, result_match, result_not_match, after } = entry;
        let selector = Selector::compile(name, args_match.as_ref(), result_match.as_ref(), filling);
        let count_written = count.as_ref().and_then(|count| Counted::as_written(count, filling));
        let count = match count {
            Some(count) => Counted::compile(count, count.span, filling)
                .or_else(|| count_written.as_ref().map(|_| Counted::ANY)),
            None => Some(Counted::AT_LEAST_ONE),
        };
        let result_not_match = result_not_match.as_ref().map(|text| filling.pattern(text).ready());
        let after = after.as_ref().map(|text| tool_name(text, filling)).map(Late::ready);
        Some(Self {
            selector: selector?,
            count: count?,
            count_written,
            result_not_match: result_not_match.map_or(Some(None), |pattern| pattern.map(Some))?,
            after: after.map_or(Some(None), |name| name.map(Some))?,
        })
    }

    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor {
            expected: self.describe(),
            conditions: self.selector.describe(),
            selecting: self.selector.start(patterns)?,
            count: self.count,
            clean: self.result_not_match.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?,
            after: self.after.clone(),
            candidates: BTreeMap::new(),
            selected: 0,
        })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let none = self.count.max == Some(0);
        let article = if none { "no" } else { "a" };
        let mut words = vec![format!("{article} call of {}", self.selector.describe())];
        if let Some(written) = &self.count_written {
            words.push(written.clone());
        } else if self.count != Counted::AT_LEAST_ONE && !none {
            words.push(self.count.describe());
        }
        if let Some(pattern) = &self.result_not_match {
            words.push(format!("with no result matching `{}`", short(pattern.as_str())));
        }
        if let Some(after) = &self.after {
            words.push(format!("after a call of `{after}`"));
        }
        words.join(", ")
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        let home = home.words();
        let early = [
            (self.count.max == Some(0), "such a call"),
            (self.count.max.is_some_and(|max| max > 0), "a call too many"),
            (self.result_not_match.is_some(), "such a result"),
            (self.after.is_some(), "a call out of order"),
        ];
        let early: Vec<&str> = early.into_iter().filter_map(|(is, words)| is.then_some(words)).collect();
        if early.is_empty() {
            return format!("settled at the end of {home}");
        }
        format!("settled at the end of {home}, broken at once by {}", early.join(" or "))
    }
}

/// Follows each call of the name; settled at once when it can no longer hold.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    conditions: String,
    selecting: Selecting,
    count: Counted,
    clean: Option<Arc<Regex>>,
    after: Option<String>,
    candidates: BTreeMap<usize, Candidate>,
    /// How many of the candidates are selected.
    selected: u64,
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
    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Touch::CallStarted(index)) => self.started(scope, index),
            Moment::Touched(Touch::ArgsDone(index)) => self.args_known(scope, index),
            Moment::Touched(Touch::Answered(index)) => self.answered(scope, index),
            Moment::Touched(Touch::MessageClosed(_)) | Moment::TurnEnd => Judgement::Open,
            Moment::HomeEnd => self.home_end(scope),
            Moment::TestEnd => self.settle(scope),
        }
    }

    fn started(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if !scope.counts(index) || scope.trace.calls[index].name != self.selecting.name {
            return Judgement::Open;
        }
        self.mark(index, Candidate::Started);
        if self.selecting.has_args() { Judgement::Open } else { self.args_known(scope, index) }
    }

    fn args_known(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        if self.candidates.get(&index) != Some(&Candidate::Started) {
            return Judgement::Open;
        }
        let call = &scope.trace.calls[index];
        if self.selecting.args_misfit(call).is_some() {
            self.mark(index, Candidate::Rejected);
            return Judgement::Open;
        }
        self.mark(index, Candidate::Waiting);
        if self.selecting.result.is_some() { Judgement::Open } else { self.select(scope, index) }
    }

    fn answered(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        let call = &scope.trace.calls[index];
        if !self.candidates.contains_key(&index)
            && call.name == self.selecting.name
            && scope.counts_or_answered(index)
        {
            // A call of an earlier turn that is answered in this one (SPEC 6).
            let fits = self.selecting.args_misfit(call).is_none();
            self.mark(index, if fits { Candidate::Waiting } else { Candidate::Rejected });
            if fits
                && self.selecting.result.is_none()
                && let broken @ Judgement::Broken(_) = self.select(scope, index)
            {
                return broken;
            }
        }
        match self.candidates.get(&index) {
            None | Some(Candidate::Started | Candidate::Rejected) => return Judgement::Open,
            Some(Candidate::Waiting | Candidate::Selected) => {}
        }
        if let Some(broken) = self.unclean(scope, index) {
            return broken;
        }
        if self.selecting.result.is_none() {
            return Judgement::Open;
        }
        if self.selecting.result_misfit(call).is_none() {
            return self.select(scope, index);
        }
        // The last result is the call's result: an earlier one no longer selects it.
        self.mark(index, Candidate::Waiting);
        Judgement::Open
    }

    /// One clean call does not excuse a bad one; every result of a call is looked at when it comes.
    fn unclean(&self, scope: &Scope<'_>, index: usize) -> Option<Judgement> {
        let call = &scope.trace.calls[index];
        let regex = self.clean.as_ref()?;
        let result = call.result()?;
        let found = regex.find(&result.text)?;
        Some(Judgement::broken(Finding {
            message: format!(
                "a result of `{}` matches `{}`: `{}`",
                self.selecting.name,
                short(regex.as_str()),
                around(&result.text, scope.redactor.widen(&result.text, found.range()))
            ),
            expected: self.expected.clone(),
            seen: vec![Seen::Call { index, misfit: None }],
            events: vec![call.first_event, result.event],
        }))
    }

    fn select(&mut self, scope: &Scope<'_>, index: usize) -> Judgement {
        self.mark(index, Candidate::Selected);
        let call = &scope.trace.calls[index];
        if let Some(after) = &self.after
            && scope.first_call(after).is_none_or(|first| first >= index)
        {
            return Judgement::broken(Finding {
                message: format!("`{}` was called without an earlier call of `{after}`", self.selecting.name),
                expected: self.expected.clone(),
                seen: order(scope, index),
                events: vec![call.first_event],
            });
        }
        let count = self.selected;
        if self.count.exceeded_by(count) {
            return Judgement::broken(self.miscounted(scope, count));
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
        let count = self.selected;
        let unanswered = |index: &usize| scope.trace.calls[*index].results.is_empty();
        let waiting = self.candidates.iter().filter(|(index, candidate)| {
            matches!(candidate, Candidate::Waiting | Candidate::Selected) && unanswered(index)
        });
        let waiting = waiting.count() as u64;
        let on_result = self.selecting.result.is_some();
        let undecided = waiting > 0 && (on_result || self.clean.is_some());
        let reachable = if on_result { count + waiting } else { count };
        if !undecided || reachable < self.count.min {
            return self.settle(scope);
        }
        Judgement::Open
    }

    fn settle(&mut self, scope: &Scope<'_>) -> Judgement {
        let count = self.selected;
        if self.count.allows(count) {
            Judgement::Holds
        } else {
            Judgement::broken(self.miscounted(scope, count))
        }
    }

    fn miscounted(&self, scope: &Scope<'_>, count: u64) -> Finding {
        let home = match scope.home {
            // A rule that waited for a result is settled when other turns have come and gone.
            Home::Turn(turn) if turn + 1 < scope.trace.turns.len() => format!("in turn {}", turn + 1),
            Home::Turn(_) => "in this turn".to_owned(),
            Home::Test => "in the test".to_owned(),
        };
        let wanted = self.count.describe();
        let at_least_one = self.count == Counted::AT_LEAST_ONE;
        let expected = if at_least_one { String::new() } else { format!(", expected {wanted}") };
        let message = if count > 0 {
            format!("{} was called {} {home}, expected {wanted}", self.conditions, times(count))
        } else if self.candidates.is_empty() {
            format!("`{}` was not called {home}{expected}", self.selecting.name)
        } else {
            format!("no call of {} {home}{expected}", self.conditions)
        };
        let candidates = self.candidates.keys().map(|index| &scope.trace.calls[*index]);
        let events = candidates.take(CITED_CANDIDATES).map(|call| call.first_event).collect();
        let seen = if self.candidates.is_empty() { self.others(scope) } else { self.shown(scope) };
        Finding { message, expected: self.expected.clone(), seen, events }
    }

    /// The candidates, with what each one lacks.
    fn shown(&self, scope: &Scope<'_>) -> Vec<Seen> {
        let shown = self.candidates.keys().take(SHOWN_CANDIDATES).map(|index| {
            let call = &scope.trace.calls[*index];
            let misfit = self.selecting.args_misfit(call).or_else(|| self.selecting.result_misfit(call));
            Seen::Call { index: *index, misfit }
        });
        let mut lines: Vec<Seen> = shown.collect();
        if self.candidates.len() > SHOWN_CANDIDATES {
            lines.push(Seen::Words(format!("and {} more", self.candidates.len() - SHOWN_CANDIDATES)));
        }
        lines
    }

    /// What was called instead.
    fn others(&self, scope: &Scope<'_>) -> Vec<Seen> {
        let calls = (0..scope.trace.calls.len()).filter(|index| scope.counts(*index));
        let names: Vec<&str> = calls.map(|index| scope.trace.calls[index].name.as_str()).collect();
        if names.is_empty() {
            return vec![Seen::Words("no tool was called".to_owned())];
        }
        let mut lines = vec![Seen::Words(format!("called: {}", listed(&names)))];
        let nearest = names.iter().map(|name| (likeness(&self.selecting.name, name), name));
        let nearest =
            nearest.filter(|(likeness, _)| *likeness > 0.85).max_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, name)) = nearest {
            lines.push(Seen::Words(format!("did you mean `{}`?", short(name))));
        }
        lines
    }
}

/// How alike two names of tools are; names that differ in upper and lower case alone are the same slip of the pen.
fn likeness(sought: &str, called: &str) -> f64 {
    if sought.eq_ignore_ascii_case(called) { 1.0 } else { strsim::jaro_winkler(sought, called) }
}

/// The calls up to the one that came too early.
fn order(scope: &Scope<'_>, index: usize) -> Vec<Seen> {
    let names: Vec<&str> = (0..=index)
        .filter(|call| scope.sees(*call))
        .map(|call| scope.trace.calls[call].name.as_str())
        .collect();
    vec![Seen::Call { index, misfit: None }, Seen::Words(format!("called so far: {}", listed(&names)))]
}

/// Names in order, the newest last, bounded.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names.iter().rev().take(SHOWN).rev().map(|name| short(name)).collect();
    let more = if names.len() > SHOWN { format!("{} more, ", names.len() - SHOWN) } else { String::new() };
    format!("{more}{}", shown.join(", "))
}
