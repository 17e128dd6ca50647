//! Which calls a rule is about: by name, arguments and result.

use super::arguments::ArgumentConditions;
use super::mismatch::Mismatches;
use super::result::{ResultConditions, check_status};
use super::tool_name::ToolName;
use crate::diagnostic::{Code, Span};
use crate::model::{CallSelector, Text};
use crate::source::FreeMap;
use crate::trace::ToolCall;
use crate::variables::{Interpolation, Patterns};

/// The conditions that select calls; all must match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    /// The tool's name.
    pub(crate) name: ToolName,
    /// The conditions on the arguments.
    pub(crate) args: ArgumentConditions,
    /// The conditions on the result.
    pub(crate) result: ResultConditions,
}

/// The keys with `not_match` of an entry.
#[derive(Clone, Copy)]
pub(crate) enum Unwanted<'m> {
    /// They select too: the calls that do not match.
    Selects(Option<&'m FreeMap<Text>>, Option<&'m Text>),
    /// A selected call that matches violates the rule, which checks it itself.
    Violates(Option<&'m Text>),
}

impl Selector {
    /// Checks and fills the conditions of the entry at `span`; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: &CallSelector,
        unwanted: Unwanted<'_>,
        span: Span,
        filling: &mut Interpolation<'_>,
    ) -> Option<Self> {
        if let Some(exact) = &written.exact
            && written.args.is_none()
            && written.result.is_none()
        {
            let message = "`exact` stands beside neither `args` nor `result`";
            let help = "drop it, or add the value that must be equal".to_owned();
            filling.report(Code::Contradiction, exact.span, message, Some(help));
        }
        let name = ToolName::compile(written.name.as_ref(), written.name_match.as_ref(), span, filling);
        let (unwanted_args, unwanted_result) = match unwanted {
            Unwanted::Selects(args, result) => (args, result),
            Unwanted::Violates(_) => (None, None),
        };
        let args = ArgumentConditions::compile(written, unwanted_args, filling);
        let (Unwanted::Selects(_, on_result) | Unwanted::Violates(on_result)) = unwanted;
        check_status(written, on_result, filling);
        let result = ResultConditions::compile(written, unwanted_result, filling);
        Some(Self { name: name?, args: args?, result: result? })
    }

    /// Whether every call that is selected here is surely selected by `wider`.
    pub(crate) fn is_within(&self, wider: &Self) -> bool {
        wider.name.surely_includes(&self.name)
            && self.args.include(&wider.args)
            && self.result.include(&wider.result)
    }

    /// The same selector with its patterns compiled.
    pub(crate) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        started.name.start(patterns)?;
        started.args.start(patterns)?;
        started.result.start(patterns)?;
        Ok(started)
    }

    /// The conditions in words: `` `charge_card` with `amount` matching `^10` ``.
    pub(crate) fn describe(&self) -> String {
        let conditions = [self.args.describe(), self.result.describe()].concat();
        let with = if conditions.is_empty() { "" } else { " with " };
        format!("{}{with}{}", self.name.describe(), conditions.join(" and "))
    }

    /// Whether the call's arguments match.
    pub(crate) fn matches_args(&self, call: &ToolCall) -> bool {
        let mut mismatches = Mismatches::default();
        self.args.mismatches(call, &mut mismatches);
        mismatches.count() == 0
    }

    /// Whether the call's result matches.
    pub(crate) fn matches_result(&self, call: &ToolCall) -> bool {
        let mut mismatches = Mismatches::default();
        self.result.mismatches(call, &mut mismatches);
        mismatches.count() == 0
    }

    /// In which ways a call of this name is not selected.
    pub(crate) fn mismatches(&self, call: &ToolCall) -> Mismatches {
        let mut mismatches = Mismatches::default();
        self.args.mismatches(call, &mut mismatches);
        self.result.mismatches(call, &mut mismatches);
        mismatches
    }
}
