//! `tools.forbid_calls`: calls that must not happen, by name, arguments and result.

use std::collections::BTreeMap;

use crate::collector::Collector;
use crate::describe::short;
use crate::evaluation::{
    CodedWarning, Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View,
};
use crate::near_values::near_values;
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{ArgumentReading, Mismatches, NotMatchKeys, RuleTool, Selector};
use ananke_model::model::AssertBlock;
use ananke_model::variables::{Fill as _, Patterns};
use ananke_trace::trace::{Delta, Facts};

/// Forbids the calls that satisfy all conditions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ForbidCallsRule {
    selector: Selector,
    /// The beginning of the message of a failure.
    message: Option<String>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.forbid_calls.as_ref());
    for entry in collector.switched(written).into_iter().flatten() {
        let calls = &entry.value.calls;
        collector.add_at(
            entry.span,
            calls.name_span().unwrap_or(entry.span),
            |interpolation| {
                for node in calls.values() {
                    interpolation.check_prohibited(&node);
                }
                let unwanted = (
                    entry.value.args_not_match.as_ref(),
                    entry.value.result_not_match.as_ref(),
                );
                let unwanted = NotMatchKeys::Selects(unwanted.0, unwanted.1);
                let message = entry.value.message.fill(interpolation);
                let selector = Selector::compile(calls, unwanted, entry.span, interpolation)?;
                let message = message.ok()?;
                let message = message.or_else(|| selector.message().map(str::to_owned));
                Some(ForbidCallsRule { selector, message })
            },
        );
    }
}

impl Rule for ForbidCallsRule {
    fn may_look_at_calls_to(&self, name: &str) -> bool {
        self.selector.name.may_match(name)
    }

    fn may_rest_on_calls_to(&self, name: &str) -> bool {
        self.selector.name.may_match(name) && !self.selector.result.is_execution_alone()
    }

    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        self.selector.needs()
    }

    fn describe(&self) -> String {
        format!("no call to {}", self.selector.describe())
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        let result = &self.selector.result;
        let words = match (self.selector.args.is_empty(), result.is_empty()) {
            _ if result.is_pending() => {
                return format!(
                    "fails at the end of {} if a call has no result",
                    scope.words()
                );
            }
            _ if result.is_provisional() => {
                "fails at the end of the turn in which such a result comes, in a later turn too"
            }
            (_, false) => "fails as soon as such a result comes, in a later turn too",
            (false, true) => "fails as soon as the arguments of such a call are known",
            (true, true) => "fails as soon as the tool is called",
        };
        words.to_owned()
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(ForbidCallsMonitor {
            expected: self.describe(),
            selector: self.selector.started(patterns)?,
            candidates: BTreeMap::new(),
            provisional: Vec::new(),
            has_found: false,
            near: Vec::new(),
        }))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::ForbidsCalls(&self.selector)]
    }

    fn selectors(&self) -> Vec<&Selector> {
        vec![&self.selector]
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        self.selector.named_tools()
    }
}

/// Follows each call of the name until it is reported or can no longer be.
struct ForbidCallsMonitor {
    expected: String,
    selector: Selector,
    candidates: BTreeMap<usize, ForbiddenCandidate>,
    /// Those whose results match, but may turn out to be failures by the end of the turn.
    provisional: Vec<usize>,
    /// Whether a call was reported.
    has_found: bool,
    /// The calls that are nearly forbidden, when the rule has passed.
    near: Vec<CodedWarning>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForbiddenCandidate {
    /// Its arguments are still arriving.
    Started,
    /// Its arguments match; its result decides.
    ArgsMatch,
    /// Reported, or allowed for good.
    Decided,
}

impl Monitor for ForbidCallsMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        let judgement = self.judge(view, moment);
        if judgement == Judgement::Passed && !self.has_found {
            self.near = near_values(view, &self.selector);
        }
        judgement
    }

    fn take_coded_warnings(&mut self) -> Vec<CodedWarning> {
        std::mem::take(&mut self.near)
    }
}

impl ForbidCallsMonitor {
    fn judge(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) => {
                if view.counts(index) && self.selector.name.matches(&view.trace.calls[index].name) {
                    self.candidates.insert(index, ForbiddenCandidate::Started);
                    if self.selector.args.is_empty() {
                        return self.args_known(view, index);
                    }
                }
                Judgement::Open
            }
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
            Moment::TurnEnd => {
                let provisional = std::mem::take(&mut self.provisional);
                self.report_all(view, provisional)
            }
            Moment::ScopeEnd | Moment::TestEnd if self.selector.result.is_pending() => {
                let open = self.open().collect();
                self.report_all(view, open).or(Judgement::Passed)
            }
            // A result that is still to come may decide on a call of this scope in a later turn.
            Moment::ScopeEnd if self.open().next().is_some() => Judgement::Open,
            Moment::ScopeEnd | Moment::TestEnd => Judgement::Passed,
        }
    }
}

impl ForbidCallsMonitor {
    /// The calls whose result decides.
    fn open(&self) -> impl Iterator<Item = usize> {
        let open = self
            .candidates
            .iter()
            .filter(|(_, candidate)| **candidate == ForbiddenCandidate::ArgsMatch);
        open.map(|(index, _)| *index)
    }

    fn args_known(&mut self, view: &View<'_>, index: usize) -> Judgement {
        if self.candidates.get(&index) != Some(&ForbiddenCandidate::Started) {
            return Judgement::Open;
        }
        if !self
            .selector
            .matches_args(&view.trace.calls[index], ArgumentReading::Any)
        {
            self.candidates.insert(index, ForbiddenCandidate::Decided);
            return Judgement::Open;
        }
        if !self.selector.result.is_empty() {
            self.candidates.insert(index, ForbiddenCandidate::ArgsMatch);
            return Judgement::Open;
        }
        Judgement::failed(self.report(view, index))
    }

    /// Every result counts, not only the last (SPEC 6).
    fn answered(&mut self, view: &View<'_>, index: usize) -> Judgement {
        if !self.is_match(view, index) {
            return Judgement::Open;
        }
        if self.selector.result.is_provisional() {
            self.provisional.push(index);
            return Judgement::Open;
        }
        Judgement::failed(self.report(view, index))
    }

    fn is_match(&self, view: &View<'_>, index: usize) -> bool {
        self.candidates.get(&index) == Some(&ForbiddenCandidate::ArgsMatch)
            && self
                .selector
                .matches_result_as(&view.trace.calls[index], ArgumentReading::Any)
    }

    /// Reports those that still match.
    fn report_all(&mut self, view: &View<'_>, calls: Vec<usize>) -> Judgement {
        let mut findings = Vec::new();
        for index in calls {
            if self.is_match(view, index) {
                findings.push(self.report(view, index));
            }
        }
        Judgement::open_or(findings)
    }

    fn report(&mut self, view: &View<'_>, index: usize) -> Finding {
        self.candidates.insert(index, ForbiddenCandidate::Decided);
        self.has_found = true;
        let call = &view.trace.calls[index];
        let what = match (
            self.selector.args.is_empty(),
            self.selector.result.is_empty(),
        ) {
            _ if self.selector.result.is_pending() => {
                "was called and has no result, which is forbidden"
            }
            (true, true) => "was called",
            (false, true) => "was called with arguments that are forbidden",
            (true, false) => "was called and had a result that is forbidden",
            (false, false) => "was called with arguments and a result that are forbidden together",
        };
        let message = format!("`{}` {what}", short(&call.name));
        let mut finding = Finding::of_call(message, &self.expected, index, call);
        let focus = self.selector.focus(&Mismatches::default());
        finding.evidence = vec![Evidence::Call {
            index,
            focus,
            is_closest: false,
        }];
        if let Some(result) = call.result().filter(|_| !self.selector.result.is_empty()) {
            let forms = result.forms().skip(1);
            let words = forms.map(|form| format!("text of the result: {}", short(&form.text)));
            finding.evidence.extend(words.map(Evidence::Words));
        }
        finding
            .events
            .extend(call.result().map(|result| result.event));
        finding
    }
}
