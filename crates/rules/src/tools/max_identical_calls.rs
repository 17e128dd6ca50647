//! `tools.max_identical_calls`: how often a tool may be called with the same arguments.
//!
//! Calls are compared when their arguments are complete. **Invariant:** two calls are identical exactly if their names are
//! equal and their arguments are the same JSON, whatever the order of keys and however numbers are written; arguments that
//! are not JSON are compared as text.

use std::collections::HashMap;

use crate::call_limit::CallLimit;
use crate::collector::Collector;
use crate::describe::{short, times};
use crate::evaluation::{Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View};
use crate::rule::{Rule, RuleKind};
use ananke_base::diagnostic::Code;
use ananke_model::model::AssertBlock;
use ananke_model::variables::Patterns;
use ananke_trace::outcome::{Measured, MeasuredUnit};
use ananke_trace::trace::{Args, Delta, Fact, Facts, ToolCall, json_key};

/// The most calls that are shown and cited.
const SHOWN: usize = 5;

/// The most calls to one tool with the same arguments. An inner level overrides it for its own scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MaxIdenticalCalls(CallLimit);

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block
        .tools()
        .and_then(|tools| tools.max_identical_calls.as_ref());
    CallLimit::collect(written, collector, |limit, span, interpolation| {
        if limit.known() == Some(0) {
            let message = "`max_identical_calls: 0` forbids every call";
            let help = "write `max_calls: 0` if no tool may be called, or a number from 1";
            interpolation.report(Code::BadValue, span, message, Some(help.to_owned()));
            return None;
        }
        Some(MaxIdenticalCalls(limit))
    });
}

impl Rule for MaxIdenticalCalls {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Calls, Fact::Arguments])
    }

    fn describe(&self) -> String {
        match self.0.known() {
            Some(1) => "no two identical calls".to_owned(),
            _ => format!("at most {} identical calls", self.0),
        }
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        format!(
            "fails as soon as there is an identical call too many in {}",
            scope.words()
        )
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let (expected, limit) = (self.describe(), self.0.most);
        Ok(Box::new(IdenticalCalls {
            expected,
            limit,
            most: 0,
            calls: HashMap::new(),
        }))
    }

    /// A tighter limit of a turn applies in addition to that of the test.
    fn is_loosened_by(&self, inner: &dyn Rule) -> bool {
        inner
            .downcast_ref::<Self>()
            .is_some_and(|inner| self.0.is_loosened_by(&inner.0))
    }
}

/// Counts the calls of its scope by name and arguments; fails once for each of these, at the first call too many.
struct IdenticalCalls {
    expected: String,
    limit: u64,
    /// The largest number of identical calls so far.
    most: u64,
    calls: HashMap<String, Identical>,
}

/// The calls with one name and the same arguments.
#[derive(Default)]
struct Identical {
    count: u64,
    /// The first of them.
    first: Vec<usize>,
}

impl Monitor for IdenticalCalls {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::ArgsDone(index)) if view.counts(index) => self
                .counted(view, index)
                .map_or(Judgement::Open, Judgement::failed),
            Moment::ScopeEnd | Moment::TestEnd => {
                Judgement::within(self.measured(self.most), Vec::new())
            }
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}

impl IdenticalCalls {
    fn measured(&self, actual: u64) -> Measured {
        Measured {
            actual,
            limit: self.limit,
            unit: MeasuredUnit::Calls,
        }
    }

    /// Counts a call; the finding if it is the first too many.
    fn counted(&mut self, view: &View<'_>, index: usize) -> Option<Finding> {
        let call = &view.trace.calls[index];
        let identical = self.calls.entry(identity(call)).or_default();
        identical.count += 1;
        if identical.first.len() < SHOWN {
            identical.first.push(index);
        }
        let count = identical.count;
        self.most = self.most.max(count);
        if count != self.limit.saturating_add(1) {
            return None;
        }
        let mut shown = identical.first.clone();
        if !shown.contains(&index) {
            shown.push(index);
        }
        let (scope, expected) = (view.scope.this(), &self.expected);
        let name = short(&call.name);
        Some(Finding {
            message: format!(
                "`{name}` was called {} with the same arguments in {scope}, expected {expected}",
                times(count)
            ),
            expected: format!("{expected} in {scope}"),
            events: shown
                .iter()
                .map(|call| view.trace.calls[*call].first_event)
                .collect(),
            evidence: shown.into_iter().map(Evidence::call).collect(),
            measured: Some(self.measured(count)),
            ..Finding::default()
        })
    }
}

/// The identity of a call that identical calls have in common: name and arguments.
fn identity(call: &ToolCall) -> String {
    let args = match call.args() {
        Args::Json(args) => json_key(args),
        Args::Malformed(_) => format!("malformed {}", call.args_text),
    };
    format!("{}\n{args}", call.name)
}
