//! One step of a sequence: a call, a result or a message.

use super::item::Item;
use crate::assertion::describe::short;
use crate::assertion::select::{Mismatches, NotMatchKeys, Selector};
use crate::diagnostic::{Code, Span, Spanned};
use crate::model::{CallSelector, MessageRole, ResultMatch, SequenceMode, SequenceStep, Text};
use crate::trace::Trace;
use crate::variables::{Interpolation, Pattern, Patterns};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    /// What it wants.
    pub(super) matcher: StepMatcher,
    /// Whether it may be missing.
    pub(super) is_optional: bool,
}

/// What a step wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepMatcher {
    /// A call that is selected by name and arguments.
    Call(Selector),
    /// The result of a call that is selected by name and result.
    Result(Selector),
    /// A message.
    Message {
        /// What its text must match.
        pattern: Pattern,
        /// Whose it is.
        by: MessageRole,
    },
}

/// The key that says what a step is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepKind {
    Call,
    Result,
    Says,
}

impl StepKind {
    fn key(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Result => "result",
            Self::Says => "says",
        }
    }
}

impl Step {
    pub(super) fn compile(
        written: &Spanned<SequenceStep>,
        mode: SequenceMode,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let SequenceStep { call, args, args_match, result, matches, is_error, says, role, optional } =
            &written.value;
        let kinds = [(StepKind::Call, call), (StepKind::Result, result), (StepKind::Says, says)];
        let mut kinds = kinds.into_iter().filter_map(|(kind, text)| Some((kind, text.as_ref()?)));
        let (kind, text) = match (kinds.next(), kinds.next()) {
            (Some(only), None) => only,
            (None, _) => {
                let help = "add one of `call`, `result` and `says`".to_owned();
                interpolation.report(
                    Code::MissingKey,
                    written.span,
                    "nothing says what the step is",
                    Some(help),
                );
                return None;
            }
            (Some(_), Some((_, second))) => {
                let message = "a step is one of `call`, `result` and `says`, not several";
                let help = "write a step for each of them, in the order in which they come";
                interpolation.report(Code::Contradiction, second.span, message, Some(help.to_owned()));
                return None;
            }
        };
        let of = [
            ("args", StepKind::Call, args.as_ref().map(|args| args.span)),
            ("args_match", StepKind::Call, args_match.as_ref().and_then(first_span)),
            ("match", StepKind::Result, matches.as_ref().map(|text| text.span)),
            ("is_error", StepKind::Result, is_error.as_ref().map(|is_error| is_error.span)),
            ("role", StepKind::Says, role.as_ref().map(|role| role.span)),
        ];
        let astray = of.into_iter().filter_map(|(key, of, span)| Some((key, of, span?)));
        let astray: Vec<(&str, StepKind, Span)> = astray.filter(|(_, of, _)| *of != kind).collect();
        for (key, of, span) in &astray {
            let message = format!("`{key}` goes with `{}`, and this step is a `{}`", of.key(), kind.key());
            let help = format!("drop it, or write a step with `{}` for it", of.key());
            interpolation.report(Code::Contradiction, *span, message, Some(help));
        }
        let empty = args.as_ref().filter(|args| kind == StepKind::Call && args.entries().is_empty());
        if let Some(args) = empty {
            let help = "drop it: without `args` the step takes a call with any arguments";
            interpolation.report(
                Code::EmptyValue,
                args.span,
                "`args` without a key says nothing",
                Some(help.to_owned()),
            );
        }
        let is_optional = match optional {
            Some(Spanned { value: true, span }) => {
                check_optional(mode, *span, interpolation)?;
                true
            }
            Some(_) | None => false,
        };
        let selector = |name: &Text, interpolation: &mut Interpolation<'_>| {
            let calls = CallSelector {
                name: Some(name.clone()),
                args: args.clone().filter(|_| empty.is_none()),
                args_match: args_match.clone(),
                result_match: matches.clone().map(ResultMatch::Whole),
                is_error: is_error.as_ref().map(|is_error| is_error.value),
                ..CallSelector::default()
            };
            Selector::compile(&calls, NotMatchKeys::Selects(None, None), written.span, interpolation)
        };
        let matcher = match kind {
            StepKind::Call => StepMatcher::Call(selector(text, interpolation)?),
            StepKind::Result => StepMatcher::Result(selector(text, interpolation)?),
            StepKind::Says => {
                let by = role.as_ref().map(|role| role.value).unwrap_or_default();
                StepMatcher::Message { pattern: interpolation.pattern(text).ok()?, by }
            }
        };
        (astray.is_empty() && empty.is_none()).then_some(Self { matcher, is_optional })
    }

    /// What is wanted, in words.
    pub(super) fn describe(&self) -> String {
        let wanted = match &self.matcher {
            StepMatcher::Call(selector) => format!("a call to {}", selector.describe()),
            StepMatcher::Result(Selector { name, result, .. }) => {
                let matching = result.matching.as_ref();
                let matching = matching.map(|pattern| format!(" matching `{}`", short(pattern.as_str())));
                let error = match result.is_error {
                    Some(true) => ", an error",
                    Some(false) => ", no error",
                    None => "",
                };
                format!("a result of {}{}{error}", name.describe(), matching.unwrap_or_default())
            }
            StepMatcher::Message { pattern, by } => {
                let whose = match by {
                    MessageRole::Assistant => "",
                    MessageRole::User => " of the user",
                };
                format!("a message{whose} matching `{}`", short(pattern.as_str()))
            }
        };
        if self.is_optional { format!("{wanted}, optional") } else { wanted }
    }

    /// The same step with its patterns compiled.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let matcher = match &self.matcher {
            StepMatcher::Call(selector) => StepMatcher::Call(selector.started(patterns)?),
            StepMatcher::Result(selector) => StepMatcher::Result(selector.started(patterns)?),
            StepMatcher::Message { pattern, by } => {
                let mut pattern = pattern.clone();
                pattern.start(patterns)?;
                StepMatcher::Message { pattern, by: *by }
            }
        };
        Ok(Self { matcher, ..*self })
    }

    /// Whether the step is about such a thing, whatever its conditions.
    pub(super) fn is_about(&self, trace: &Trace, item: Item) -> bool {
        match (&self.matcher, item) {
            (StepMatcher::Call(selector), Item::Call(call))
            | (StepMatcher::Result(selector), Item::Result(call)) => {
                selector.name.matches(&trace.calls[call].name)
            }
            (StepMatcher::Message { by, .. }, Item::Message { by: who, .. }) => *by == who,
            _ => false,
        }
    }

    /// Whether it is what the step wants.
    pub(super) fn matches(&self, trace: &Trace, item: Item) -> bool {
        match (&self.matcher, item) {
            (StepMatcher::Message { pattern, .. }, Item::Message { index, .. }) => {
                self.is_about(trace, item) && pattern.is_match(&trace.messages[index].text)
            }
            _ => self.mismatches(trace, item).is_some_and(|mismatches| mismatches.count() == 0),
        }
    }

    /// What such a thing lacks to be what the step wants; `None` where it is another thing altogether.
    pub(super) fn mismatches(&self, trace: &Trace, item: Item) -> Option<Mismatches> {
        if !self.is_about(trace, item) {
            return None;
        }
        match (&self.matcher, item) {
            (
                StepMatcher::Call(selector) | StepMatcher::Result(selector),
                Item::Call(call) | Item::Result(call),
            ) => Some(selector.mismatches(&trace.calls[call])),
            (StepMatcher::Message { pattern, .. }, Item::Message { .. }) => {
                let mut mismatches = Mismatches::default();
                if !self.matches(trace, item) {
                    mismatches.add(format!("does not match `{}`", short(pattern.as_str())));
                }
                Some(mismatches)
            }
            _ => None,
        }
    }

    /// Whether the arguments of a call decide.
    pub(super) fn has_args(&self) -> bool {
        matches!(&self.matcher, StepMatcher::Call(selector) if !selector.args.is_empty())
    }

    /// Whether a result that matches may no longer do so at the end of its turn, or the other way round.
    pub(super) fn is_provisional(&self) -> bool {
        matches!(&self.matcher, StepMatcher::Result(selector) if selector.result.is_error.is_some())
    }
}

fn first_span(patterns: &crate::source::FreeMap<Text>) -> Option<Span> {
    patterns.into_iter().next().map(|(key, _)| key.span)
}

/// `optional` means something only if everything that comes must be a step, or must come in its place.
fn check_optional(mode: SequenceMode, span: Span, interpolation: &mut Interpolation<'_>) -> Option<()> {
    let (message, help) = match mode {
        SequenceMode::Exact | SequenceMode::AnyOrder | SequenceMode::InOrder => return Some(()),
        SequenceMode::AtLeast => (
            "with `at_least` an optional step says nothing: other things may come anyway",
            "drop the step, or `optional` where it must come",
        ),
        SequenceMode::Only => (
            "with `only` every step is optional: it says what may come, not what must",
            "drop `optional`; for what must come there are the other modes, and `require`",
        ),
    };
    interpolation.report(Code::Contradiction, span, message, Some(help.to_owned()));
    None
}
