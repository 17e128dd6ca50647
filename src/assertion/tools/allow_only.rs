//! `tools.allow_only`: the only tools that may be called.

use crate::assertion::describe::short;
use crate::assertion::judge::{Finding, Judgement, Moment, Scope, Seen};
use crate::assertion::select::tool_name;
use crate::model::Text;
use crate::trace::Delta;
use crate::variables::Filling;

/// The only tools that may be called. Every level that says so is a rule of its own: all of them must name a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowOnly {
    /// Their exact names, in the order of the file; each once.
    pub names: Vec<String>,
}

impl AllowOnly {
    pub(crate) fn compile(written: &[Text], filling: &mut Filling<'_>) -> Option<Self> {
        let names: Vec<Option<String>> =
            written.iter().map(|name| tool_name(name, filling).ready()).collect();
        let mut known = Vec::new();
        for name in names.into_iter().collect::<Option<Vec<_>>>()? {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        Some(Self { names: known })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => "no call of any tool".to_owned(),
            [only] => format!("no call but of {only}"),
            [first @ .., last] => format!("no call but of {} and {last}", first.join(", ")),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self) -> &'static str {
        "broken as soon as another tool is called"
    }

    pub(crate) fn start(&self) -> Monitor {
        Monitor { expected: self.describe(), names: self.names.clone() }
    }
}

/// Looks at the start of every call.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    names: Vec<String>,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::CallStarted(index)) if scope.counts(index) => {
                let call = &scope.trace.calls[index];
                if self.names.contains(&call.name) {
                    return Judgement::Open;
                }
                Judgement::broken(Finding {
                    message: format!("`{}` was called, which is not allowed here", short(&call.name)),
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
