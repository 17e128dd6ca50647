//! `every` of an entry of `tools.require`: what each call that the entry selects must satisfy.

use std::collections::{BTreeMap, BTreeSet};

use crate::collector::Collector;
use crate::describe::short;
use crate::evaluation::{
    CountedCalls, Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View,
};
use crate::rule::{Rule, RuleKind};
use crate::select::{ArgumentReading, NotMatchKeys, Selector};
use ananke_base::diagnostic::{Code, Diagnostic, Span, Spanned};
use ananke_model::model::{AssertBlock, CallSelector, EveryCall, Require, WhichCalls};
use ananke_model::variables::{Fill as _, Interpolation, Patterns};
use ananke_trace::trace::{Delta, Fact, Facts, RunEnd, ToolCall, Trace};

/// Conditions on all calls that an entry selects. A prohibition: a call that does not satisfy one violates it, and calls
/// that never come violate nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct EveryRule {
    /// The calls that the entry selects.
    selected: Selector,
    /// The calls of the name that the entry looks at.
    which: WhichCalls,
    /// The conditions, a selector of the same tool for each: every one that a call does not satisfy is a finding.
    conditions: Vec<Selector>,
    /// The beginning of the message of a failure.
    message: Option<String>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.require.as_ref());
    for entry in collector.switched(written).into_iter().flatten() {
        if let Some(every) = &entry.value.every {
            collector.add_at(entry.span, every.span, |interpolation| {
                EveryRule::compile(&entry.value, entry.span, every, interpolation)
            });
        }
    }
}

impl EveryRule {
    /// Checks and fills what the entry at `span` says of each call; `None` if something is known later or was reported.
    fn compile(
        entry: &Require,
        span: Span,
        written: &Spanned<EveryCall>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let EveryCall(every) = &written.value;
        let of_tool = CallSelector {
            name: entry.calls.name.clone(),
            name_match: entry.calls.name_match.clone(),
            ..every.calls.clone()
        };
        let unwanted = NotMatchKeys::Selects(
            every.args_not_match.as_ref(),
            every.result_not_match.as_ref(),
        );
        let selected = Selector::compile(
            &entry.calls,
            NotMatchKeys::Violates(entry.result_not_match.as_ref()),
            span,
            interpolation,
        );
        let problems = interpolation.problem_count();
        let whole = Selector::compile(&of_tool, unwanted, written.span, interpolation)?;
        let is_sound = interpolation.problem_count() == problems;
        let (selected, message) = (selected?, entry.message.fill(interpolation).ok()?);
        let conditions = whole.each_condition();
        if conditions.is_empty() {
            if !is_sound {
                return None;
            }
            let help = "add a condition, such as `args: { amount: 89.5 }`, or drop it".to_owned();
            let words = "`every` without a condition is satisfied by every call";
            interpolation.report(Code::EmptyValue, written.span, words, Some(help));
            return None;
        }
        for condition in &conditions {
            if selected.is_within(condition) {
                let words = format!(
                    "only calls with {} are selected: `every` can never fail on this",
                    condition.conditions()
                );
                let help =
                    "drop the condition next to `every`: then each call to the tool is checked";
                let source = interpolation.source().clone();
                let warning = Diagnostic::warning(Code::RequiresNothing, words);
                interpolation.add(warning.at(&source, written.span, "").help(help));
            }
        }
        Some(Self {
            selected,
            which: entry.which.unwrap_or_default(),
            conditions,
            message,
        })
    }

    fn looks_at_results(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| !condition.result.is_empty())
    }
}

impl Rule for EveryRule {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn may_look_at_calls_to(&self, name: &str) -> bool {
        self.selected.name.may_match(name)
    }

    fn may_rest_on_calls_to(&self, name: &str) -> bool {
        self.selected.name.may_match(name)
    }

    fn needs(&self) -> Facts {
        let needs = self.conditions.iter().map(Selector::needs);
        needs.fold(self.selected.needs(), |all, needs| all | needs)
    }

    fn describe(&self) -> String {
        let conditions: Vec<String> = self.conditions.iter().map(Selector::conditions).collect();
        let first = match self.which {
            WhichCalls::All => "every call",
            WhichCalls::First => "the first call",
        };
        let selected = self.selected.describe();
        format!("{first} to {selected} has {}", conditions.join(" and "))
    }

    fn selectors(&self) -> Vec<&Selector> {
        self.conditions.iter().collect()
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        if self.looks_at_results() {
            let scope = scope.words();
            return format!(
                "fails as soon as the result of such a call comes, and at the end of {scope} if none came"
            );
        }
        "fails as soon as the arguments of such a call are known".to_owned()
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let mut conditions = Vec::new();
        for condition in &self.conditions {
            conditions.push(condition.started(patterns)?);
        }
        Ok(Box::new(EveryMonitor {
            expected: self.describe(),
            selected: self.selected.started(patterns)?,
            which: self.which,
            conditions,
            calls: BTreeMap::new(),
            late: BTreeSet::new(),
            reported: BTreeSet::new(),
        }))
    }
}

/// Follows each call that the entry looks at.
struct EveryMonitor {
    expected: String,
    selected: Selector,
    which: WhichCalls,
    conditions: Vec<Selector>,
    calls: BTreeMap<usize, CallProgress>,
    /// Calls whose results may turn out to be failures by the end of the turn.
    late: BTreeSet<usize>,
    /// The conditions that calls were reported for: each once.
    reported: BTreeSet<(usize, usize)>,
}

/// The part of a call that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallProgress {
    /// Its arguments are still arriving.
    Started,
    /// The entry does not select it.
    Rejected,
    /// Its arguments are what the entry selects; its result decides.
    Waiting,
    /// The entry selects it.
    Selected,
}

/// The part of a call that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckedPart {
    Arguments,
    /// The newest result, which may turn out to be a failure by the end of the turn.
    NewResult,
    /// The result, when nothing about it changes any more in this turn.
    Result,
    /// The end of the scope: no result came.
    NoResult,
}

impl Monitor for EveryMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => {
                if view.counts(index) && self.is_looked_at(view, index) {
                    self.calls.insert(index, CallProgress::Started);
                }
                Judgement::Open
            }
            Moment::Touched(Delta::ArgsDone(index)) => {
                Judgement::open_or(self.args_known(view, index))
            }
            Moment::Touched(Delta::Answered(index)) => {
                Judgement::open_or(self.answered(view, index))
            }
            Moment::Touched(
                Delta::MessageBegan(_)
                | Delta::MessageClosed(_)
                | Delta::Aside(_)
                | Delta::ToolsDeclared
                | Delta::StateChanged
                | Delta::ModelCalled(_)
                | Delta::ModelAskedAgain(_),
            ) => Judgement::Open,
            Moment::TurnEnd => Judgement::open_or(self.turn_end(view)),
            Moment::ScopeEnd => self.scope_end(view),
            Moment::TestEnd => Judgement::open_or(self.test_end(view)).or(Judgement::Passed),
        }
    }

    fn counted_calls(&self) -> CountedCalls {
        let selected = self.of_progress(CallProgress::Selected);
        CountedCalls {
            covered: selected,
            ..CountedCalls::default()
        }
    }
}

impl EveryMonitor {
    /// Whether the entry looks at a call: of the name, and the first if only that counts.
    fn is_looked_at(&self, view: &View<'_>, index: usize) -> bool {
        let may_be_next = self.which == WhichCalls::All || self.calls.is_empty();
        may_be_next && self.selected.name.matches(&view.trace.calls[index].name)
    }

    fn of_progress(&self, progress: CallProgress) -> Vec<usize> {
        let mut found = Vec::new();
        for (index, known) in &self.calls {
            if *known == progress {
                found.push(*index);
            }
        }
        found
    }

    fn args_known(&mut self, view: &View<'_>, index: usize) -> Vec<Finding> {
        if self.calls.get(&index) != Some(&CallProgress::Started) {
            return Vec::new();
        }
        let call = &view.trace.calls[index];
        // A call that some reader of its arguments would select is one that must satisfy the conditions.
        if !self.selected.matches_args(call, ArgumentReading::Any) {
            self.calls.insert(index, CallProgress::Rejected);
            return Vec::new();
        }
        if !self.selected.result.is_empty() {
            self.calls.insert(index, CallProgress::Waiting);
            return Vec::new();
        }
        self.calls.insert(index, CallProgress::Selected);
        self.check(view, index, CheckedPart::Arguments)
    }

    /// Looks at the newest result of a call, not only at the last one (SPEC 6).
    fn answered(&mut self, view: &View<'_>, index: usize) -> Vec<Finding> {
        let is_new = !self.calls.contains_key(&index);
        if is_new && view.counts_or_was_answered(index) && self.is_looked_at(view, index) {
            self.calls.insert(index, CallProgress::Started);
        }
        let mut findings = self.args_known(view, index);
        findings.extend(self.result_known(view, index, CheckedPart::NewResult));
        self.late.insert(index);
        findings
    }

    /// Looks at a call whose result is known: the result may be what selects it.
    fn result_known(&mut self, view: &View<'_>, index: usize, part: CheckedPart) -> Vec<Finding> {
        let call = &view.trace.calls[index];
        let mut findings = Vec::new();
        if self.calls.get(&index) == Some(&CallProgress::Waiting)
            && self.selected.matches_result(call)
            && (part != CheckedPart::NewResult || !self.selected.result.is_provisional())
        {
            self.calls.insert(index, CallProgress::Selected);
            findings.extend(self.check(view, index, CheckedPart::Arguments));
        }
        if self.calls.get(&index) == Some(&CallProgress::Selected) {
            findings.extend(self.check(view, index, part));
        }
        findings
    }

    /// Looks once more at what was answered in the turn: a call may turn out to have failed after its result.
    fn turn_end(&mut self, view: &View<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for index in std::mem::take(&mut self.late) {
            findings.extend(self.result_known(view, index, CheckedPart::Result));
        }
        findings
    }

    /// A result that is still to come may decide on a call of this scope in a later turn.
    fn scope_end(&mut self, view: &View<'_>) -> Judgement {
        let mut findings = self.turn_end(view);
        for index in self.of_progress(CallProgress::Started) {
            findings.extend(self.args_known(view, index));
        }
        if !findings.is_empty() {
            return Judgement::Failed(findings);
        }
        let waits_for_results = self
            .conditions
            .iter()
            .any(|one| !one.result.is_empty() && !one.result.is_pending());
        for (index, progress) in &self.calls {
            let is_open = match progress {
                CallProgress::Waiting => true,
                CallProgress::Selected => waits_for_results,
                CallProgress::Started | CallProgress::Rejected => false,
            };
            if is_open && view.trace.calls[*index].is_pending() {
                return Judgement::Open;
            }
        }
        Judgement::Passed
    }

    /// Nothing more comes: a selected call that has no result does not satisfy a condition on it.
    fn test_end(&mut self, view: &View<'_>) -> Vec<Finding> {
        let mut findings = self.turn_end(view);
        for index in self.of_progress(CallProgress::Started) {
            findings.extend(self.args_known(view, index));
        }
        // A result that was not read may be the one that is missing: then the rule is not shown.
        if !self.may_miss_results(view) {
            return findings;
        }
        for index in self.of_progress(CallProgress::Selected) {
            let call = &view.trace.calls[index];
            if call.result().is_none() && !ended_in_error(view.trace, call.counted_in) {
                findings.extend(self.check(view, index, CheckedPart::NoResult));
            }
        }
        findings
    }

    /// Whether a result that is not there did not come: nothing that was not read may be one.
    fn may_miss_results(&self, view: &View<'_>) -> bool {
        let turn = match view.scope {
            RuleScope::Turn(turn) => Some(turn),
            RuleScope::Test => None,
        };
        let lacking = view.trace.lacking(
            turn,
            Facts::of(&[Fact::Results]),
            &|tool: &str, _: Facts| self.selected.name.may_match(tool),
        );
        lacking.is_none()
    }

    /// A finding for each condition on this part that the call does not satisfy.
    fn check(&mut self, view: &View<'_>, index: usize, part: CheckedPart) -> Vec<Finding> {
        let call = &view.trace.calls[index];
        let mut findings = Vec::new();
        for (number, condition) in self.conditions.iter().enumerate() {
            let is_about_result = !condition.result.is_empty();
            let is_due = match part {
                CheckedPart::Arguments => !is_about_result,
                // A failure of the call may still be reported: conditions on how it ended wait for the end of the turn.
                CheckedPart::NewResult => is_about_result && !condition.result.says_how_it_ended(),
                CheckedPart::Result | CheckedPart::NoResult => is_about_result,
            };
            let is_satisfied = match part {
                CheckedPart::Arguments => condition.matches_args(call, ArgumentReading::Every),
                _ => condition.matches_result(call),
            };
            if is_due && !is_satisfied && self.reported.insert((index, number)) {
                findings.push(finding(condition, &self.expected, index, call));
            }
        }
        findings
    }
}

/// The finding that a call does not satisfy `condition`.
fn finding(condition: &Selector, expected: &str, index: usize, call: &ToolCall) -> Finding {
    let mismatches = condition.mismatches(call);
    let focus = condition.focus(&mismatches);
    let name = short(&call.name);
    let words = condition.conditions();
    let message = match focus.differing(call) {
        Some(differs) => format!("`{name}` {differs}"),
        None if !condition.result.is_empty() && call.result().is_none() => {
            format!("`{name}` has no result, expected {words}")
        }
        None => format!("`{name}` was called, expected {words}"),
    };
    let mut finding = Finding::of_call(message, expected, index, call);
    finding.evidence = vec![Evidence::Call {
        index,
        focus,
        is_closest: false,
    }];
    if let Some(result) = call.result().filter(|_| !condition.result.is_empty()) {
        finding.events.push(result.event);
    }
    finding
}

/// Whether a turn ended in an error that the agent reported: what was to come in it came no more.
fn ended_in_error(trace: &Trace, turn: usize) -> bool {
    let Some(turn) = trace.turns.get(turn) else {
        return false;
    };
    let exchanges = trace
        .exchanges
        .get(turn.exchanges.clone())
        .unwrap_or_default();
    exchanges
        .iter()
        .any(|exchange| matches!(exchange.run_end, Some(RunEnd::Error { .. })))
}
