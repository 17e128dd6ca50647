//! `tools.forbid`: a tool that must not be called at all.

use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::assertion::select::tool_name;
use crate::model::Text;
use crate::trace::Delta;
use crate::variables::Filling;

/// A tool that must not be called, by exact name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbid {
    /// The tool's name.
    pub name: String,
}

impl Forbid {
    pub(crate) fn compile(name: &Text, filling: &mut Filling<'_>) -> Option<Self> {
        Some(Self { name: tool_name(name, filling).ready()? })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("no call of `{}`", self.name)
    }

    /// When it is settled, in words.
    pub fn settled(&self) -> &'static str {
        "broken as soon as the tool is called"
    }

    pub(crate) fn start(&self) -> Monitor {
        Monitor { expected: self.describe(), name: self.name.clone() }
    }
}

/// Looks at the start of every call: a forbidden one is found even when it never finishes.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    name: String,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if scope.counts(index) => {
                let call = &scope.trace.calls[index];
                if call.name != self.name {
                    return Judgement::Open;
                }
                Judgement::broken(Finding {
                    message: format!("`{}` was called, which is forbidden", self.name),
                    expected: self.expected.clone(),
                    seen: vec![Seen::Call { index, misfit: None }],
                    events: vec![call.first_event],
                })
            }
            Moment::HomeEnd | Moment::TestEnd => Judgement::Holds,
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}
