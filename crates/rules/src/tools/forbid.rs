//! `tools.forbid`: a tool that must not be called at all.

use crate::collector::Collector;
use crate::evaluation::{Finding, Monitor, RuleScope, at_each_call};
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{RuleTool, tool_name};
use ananke_model::model::AssertBlock;
use ananke_model::variables::Patterns;
use ananke_trace::trace::{Fact, Facts};

/// A tool that must not be called, by exact name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Forbid {
    name: String,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.forbid.as_ref());
    for name in collector.switched(written).into_iter().flatten() {
        collector.add(name.span, |interpolation| {
            Some(Forbid {
                name: tool_name(name, interpolation).ok()?,
            })
        });
    }
}

impl Rule for Forbid {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn may_look_at_calls_to(&self, name: &str) -> bool {
        self.name == name
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Calls])
    }

    fn describe(&self) -> String {
        format!("no call to `{}`", self.name)
    }

    fn when_decided(&self, _: RuleScope) -> String {
        "fails as soon as the tool is called".to_owned()
    }

    /// Checks the start of every call: a forbidden one is found even if it never finishes.
    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let (expected, name) = (self.describe(), self.name.clone());
        Ok(at_each_call(move |view, index| {
            let call = view
                .trace
                .calls
                .get(index)
                .filter(|call| call.name == name)?;
            let message = format!("`{name}` was called, which is forbidden");
            Some(Finding::of_call(message, &expected, index, call))
        }))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::ForbidsTool(&self.name)]
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        vec![RuleTool::exact(&self.name, None)]
    }
}
