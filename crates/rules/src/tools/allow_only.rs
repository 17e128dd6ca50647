//! `tools.allow_only`: the only tools that may be called.

use crate::collector::Collector;
use crate::describe::short;
use crate::evaluation::{Finding, Monitor, RuleScope, at_each_call};
use crate::rule::{Claim, Rule, RuleKind};
use crate::select::{RuleTool, WrittenName};
use ananke_model::model::{AssertBlock, Text};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::trace::{Fact, Facts};

/// The only tools that may be called. Every level that defines this is a rule of its own: all of them must name a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AllowOnly {
    /// Their exact names, in the order of the file; each once.
    names: Vec<WrittenName>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.allow_only.as_ref());
    if let (Some(names), Some(written)) = (collector.switched(written), written) {
        collector.add(written.span, |interpolation| {
            AllowOnly::compile(names, interpolation)
        });
    }
}

impl AllowOnly {
    fn compile(written: &[Text], interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let names: Vec<Option<WrittenName>> = written
            .iter()
            .map(|name| WrittenName::compile(name, interpolation).ok())
            .collect();
        let mut known = Vec::new();
        for name in names.into_iter().collect::<Option<Vec<_>>>()? {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        Some(Self { names: known })
    }
}

impl Rule for AllowOnly {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::Calls])
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => "no call to any tool".to_owned(),
            [only] => format!("no call but to {only}"),
            [first @ .., last] => format!("no call but to {} and {last}", first.join(", ")),
        }
    }

    fn when_decided(&self, _: RuleScope) -> String {
        "fails as soon as another tool is called".to_owned()
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let (expected, names) = (self.describe(), self.names.clone());
        Ok(at_each_call(move |view, index| {
            let call = view
                .trace
                .calls
                .get(index)
                .filter(|call| !names.iter().any(|name| call.name == **name))?;
            let message = format!(
                "`{}` was called, which is not allowed here",
                short(&call.name)
            );
            Some(Finding::of_call(message, &expected, index, call))
        }))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        vec![Claim::AllowsOnly(&self.names)]
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        self.names
            .iter()
            .map(|name| RuleTool::exact(name, Some(name.span)))
            .collect()
    }
}
