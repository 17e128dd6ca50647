//! Which calls a rule is about: by name, arguments and result.

use super::argument_patterns::ArgumentPatterns;
use super::arguments::{Arguing, ArgumentConditions};
use super::json_subset::Partial;
use super::mismatch::Misfits;
use super::result::{Answering, ResultConditions};
use super::tool_name::{Naming, ToolName};
use crate::diagnostic::{Code, Span, Spanned};
use crate::model::{CallStatus, Text};
use crate::source::{FreeMap, Node};
use crate::trace::ToolCall;
use crate::variables::{Filling, Late, Patterns};

/// The conditions of a `require` or `forbid_calls` entry; all must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The tool's name.
    pub name: ToolName,
    /// What is said of the arguments.
    pub args: ArgumentConditions,
    /// What is said of the result.
    pub result: ResultConditions,
}

/// The keys of an entry that select calls.
pub(crate) struct Written<'m> {
    /// Where the entry stands.
    pub(crate) span: Span,
    pub(crate) name: Option<&'m Text>,
    pub(crate) name_match: Option<&'m Text>,
    pub(crate) args: Option<&'m Node>,
    pub(crate) args_match: Option<&'m FreeMap<Text>>,
    pub(crate) args_not_match: Option<&'m FreeMap<Text>>,
    pub(crate) result: Option<&'m Node>,
    pub(crate) result_match: Option<&'m Text>,
    pub(crate) result_not_match: Option<&'m Text>,
    pub(crate) exact: Option<Spanned<bool>>,
    pub(crate) is_error: Option<bool>,
    pub(crate) status: Option<Spanned<CallStatus>>,
    /// Whether the keys with `not` select as well, as in `forbid_calls`; in `require` they rule out.
    pub(crate) selects_not: bool,
}

impl Written<'_> {
    /// Reports what cannot be meant together.
    fn check(&self, filling: &mut Filling<'_>) {
        let mut report = |code, span, message: &str, help: &str| {
            filling.report(code, span, message, Some(help.to_owned()));
        };
        let is_exact = self.exact.as_ref().is_some_and(|exact| exact.value);
        if let Some(exact) = &self.exact
            && self.args.is_none()
            && self.result.is_none()
        {
            let message = "`exact` stands beside neither `args` nor `result`";
            report(Code::Contradiction, exact.span, message, "drop it, or add the value that must be equal");
        }
        if let Some(args) = self.args.filter(|args| args.entries().is_empty() && !is_exact) {
            let help = "add `exact: true` where calls without arguments are meant, or drop it";
            report(Code::EmptyValue, args.span, "`args` without a key selects every call", help);
        }
        let Some(status) = &self.status else { return };
        let on_result = [
            ("result", self.result.is_some()),
            ("result_match", self.result_match.is_some()),
            ("result_not_match", self.result_not_match.is_some()),
            ("is_error", self.is_error.is_some()),
        ];
        if let (CallStatus::Pending, Some((key, _))) =
            (status.value, on_result.into_iter().find(|(_, is_there)| *is_there))
        {
            let message = format!("a pending call has no result, which `{key}` looks at");
            report(Code::Contradiction, status.span, &message, "keep one of the two");
        }
        if status.value == CallStatus::Denied && self.is_error == Some(false) {
            let message = "the result of a denied call is an error, which `is_error: false` excludes";
            report(Code::Contradiction, status.span, message, "keep one of the two");
        }
    }
}

impl Selector {
    /// Checks and fills the conditions; `None` where something is known later or was reported.
    pub(crate) fn compile(written: &Written<'_>, filling: &mut Filling<'_>) -> Option<Self> {
        written.check(filling);
        let exact = written.exact.as_ref().is_some_and(|exact| exact.value);
        let name = ToolName::compile(written.name, written.name_match, written.span, filling);
        let args = Partial::compile(written.args, exact, filling);
        let args_match = ArgumentPatterns::compile(written.args_match, filling);
        let args_not_match =
            ArgumentPatterns::compile(written.args_not_match.filter(|_| written.selects_not), filling);
        let result = Partial::compile(written.result, exact, filling);
        let mut pattern = |text: Option<&Text>| Late::optional(text.map(|text| filling.pattern(text)));
        let matching = pattern(written.result_match);
        let not_matching = pattern(written.result_not_match.filter(|_| written.selects_not));
        let args =
            ArgumentConditions { json: args.ready()?, matching: args_match?, not_matching: args_not_match? };
        let result = ResultConditions {
            json: result.ready()?,
            matching: matching.ready()?,
            not_matching: not_matching.ready()?,
            is_error: written.is_error,
            status: written.status.as_ref().map(|status| status.value),
        };
        Some(Self { name: name?, args, result })
    }

    /// Whether every call that is selected here is surely selected by `wider`.
    pub(crate) fn is_within(&self, wider: &Self) -> bool {
        wider.name.surely_includes(&self.name)
            && self.args.include(&wider.args)
            && self.result.include(&wider.result)
    }

    /// Starts selecting.
    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Selecting, regex::Error> {
        Ok(Selecting {
            name: self.name.start(patterns)?,
            args: self.args.start(patterns)?,
            result: self.result.start(patterns)?,
        })
    }

    /// The conditions in words: `` `charge_card` with `amount` matching `^10` ``.
    pub fn describe(&self) -> String {
        let conditions = [self.args.describe(), self.result.describe()].concat();
        let with = if conditions.is_empty() { "" } else { " with " };
        format!("{}{with}{}", self.name.describe(), conditions.join(" and "))
    }
}

/// A selector at work.
#[derive(Debug)]
pub(crate) struct Selecting {
    pub(crate) name: Naming,
    args: Arguing,
    result: Answering,
}

impl Selecting {
    pub(crate) fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Whether the result of a call, or that there is none, decides as well.
    pub(crate) fn on_result(&self) -> bool {
        !self.result.conditions.is_empty()
    }

    /// Whether only calls without a result are selected.
    pub(crate) fn is_pending(&self) -> bool {
        self.result.conditions.is_pending()
    }

    /// Whether a call that is selected may be so no more when the turn is over.
    pub(crate) fn is_provisional(&self) -> bool {
        self.result.conditions.is_provisional()
    }

    /// Whether the call's arguments are selected.
    pub(crate) fn takes_args(&self, call: &ToolCall) -> bool {
        let mut misfits = Misfits::default();
        self.args.misfits(call, &mut misfits);
        misfits.count() == 0
    }

    /// Whether the call's result is selected.
    pub(crate) fn takes_result(&self, call: &ToolCall) -> bool {
        let mut misfits = Misfits::default();
        self.result.misfits(call, &mut misfits);
        misfits.count() == 0
    }

    /// In which ways the call is not selected; whoever it is, it has the name.
    pub(crate) fn misfits(&self, call: &ToolCall) -> Misfits {
        let mut misfits = Misfits::default();
        self.args.misfits(call, &mut misfits);
        self.result.misfits(call, &mut misfits);
        misfits
    }
}
