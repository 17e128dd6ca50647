//! From the keys of a step to what it wants. **Invariant:** every key that says nothing, or that belongs to another kind of
//! step, is reported at its place.

use super::StepMatcher;
use crate::select::{NotMatchKeys, Selector};
use ananke_base::diagnostic::{Code, Span};
use ananke_base::source::FreeMap;
use ananke_model::model::{
    CallSelector, CallStep, ResultMatch, ResultStep, ResultWhere, StepKeys, Text,
};
use ananke_model::variables::Interpolation;

/// The key that says what a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl StepMatcher {
    /// Checks and fills the keys of the step at `span`; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: &StepKeys,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let kind = kind(written, span, interpolation)?;
        let fits = !reports_astray(written, kind, interpolation);
        let matcher = match kind {
            StepKind::Call => {
                let nested = &**written.call.as_ref().map(|call| &call.value)?;
                compile_call(written, nested, span, interpolation)
            }
            StepKind::Result => {
                let nested = &**written.result.as_ref().map(|result| &result.value)?;
                compile_result(written, nested, span, interpolation)
            }
            StepKind::Says => {
                let by = written
                    .role
                    .as_ref()
                    .map(|role| role.value)
                    .unwrap_or_default();
                let pattern = interpolation.pattern(written.says.as_ref()?).ok();
                pattern.map(|pattern| Self::Message { pattern, by })
            }
        };
        matcher.filter(|_| fits)
    }
}

/// The kind of the step.
fn kind(written: &StepKeys, span: Span, interpolation: &mut Interpolation<'_>) -> Option<StepKind> {
    let kinds = [
        (StepKind::Call, written.call.as_ref().map(|call| call.span)),
        (
            StepKind::Result,
            written.result.as_ref().map(|result| result.span),
        ),
        (StepKind::Says, written.says.as_ref().map(|says| says.span)),
    ];
    let mut kinds = kinds
        .into_iter()
        .filter_map(|(kind, span)| Some((kind, span?)));
    match (kinds.next(), kinds.next()) {
        (Some((only, _)), None) => Some(only),
        (None, _) => {
            let help = "add one of `call`, `result` and `says`".to_owned();
            interpolation.report(
                Code::MissingKey,
                span,
                "nothing says what the step is",
                Some(help),
            );
            None
        }
        (Some(_), Some((_, second))) => {
            let message = "a step is one of `call`, `result` and `says`, not several";
            let help = "write a step for each of them, in the order in which they come";
            interpolation.report(Code::Contradiction, second, message, Some(help.to_owned()));
            None
        }
    }
}

/// The conditions that are written next to `call`, `result` or `says`, each with its place.
fn conditions(written: &StepKeys) -> impl Iterator<Item = (&'static str, Span)> {
    let StepKeys {
        args,
        exact,
        args_match,
        args_where,
        status,
        matches,
        equals,
        result_where,
        is_error,
        role,
        ..
    } = written;
    let spans = [
        ("args", args.as_ref().map(|key| key.span)),
        ("exact", exact.as_ref().map(|key| key.span)),
        ("args_match", args_match.as_ref().and_then(first_span)),
        ("args_where", args_where.as_ref().map(|key| key.span)),
        ("status", status.as_ref().map(|key| key.span)),
        ("match", matches.as_ref().map(|key| key.span)),
        ("equals", equals.as_ref().map(|key| key.span)),
        ("result_where", result_where.as_ref().map(ResultWhere::span)),
        ("is_error", is_error.as_ref().map(|key| key.span)),
        ("role", role.as_ref().map(|key| key.span)),
    ];
    spans
        .into_iter()
        .filter_map(|(key, span)| Some((key, span?)))
}

/// The kind of step that a condition of a step of this kind goes with.
fn kind_of(condition: &str, step: StepKind) -> StepKind {
    match condition {
        "args" | "exact" | "args_match" | "args_where" | "status" => StepKind::Call,
        "role" => StepKind::Says,
        "is_error" if step == StepKind::Call => StepKind::Call,
        _ => StepKind::Result,
    }
}

/// Reports the keys that go with another kind of step.
fn reports_astray(
    written: &StepKeys,
    kind: StepKind,
    interpolation: &mut Interpolation<'_>,
) -> bool {
    let mut is_any = false;
    for (key, span) in conditions(written) {
        let of = kind_of(key, kind);
        if of == kind {
            continue;
        }
        let message = format!(
            "`{key}` goes with `{}`, and this step is a `{}`",
            of.key(),
            kind.key()
        );
        let help = format!("drop it, or write a step with `{}` for it", of.key());
        interpolation.report(Code::Contradiction, span, message, Some(help));
        is_any = true;
    }
    is_any
}

fn compile_call(
    beside: &StepKeys,
    nested: &CallStep,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<StepMatcher> {
    let own = [
        ("args", nested.args.is_some()),
        ("exact", nested.exact.is_some()),
        ("args_match", nested.args_match.is_some()),
        ("args_where", nested.args_where.is_some()),
        ("status", nested.status.is_some()),
        ("is_error", nested.is_error.is_some()),
    ];
    let is_twice = reports_twice(&own, beside, StepKind::Call, interpolation);
    let args = nested.args.as_ref().or(beside.args.as_ref());
    let exact = nested.exact.as_ref().or(beside.exact.as_ref());
    let is_exact = exact.is_some_and(|exact| exact.value);
    let empty = args.filter(|args| args.entries().is_empty() && !is_exact);
    if let Some(args) = empty {
        let help = "drop it: without `args` the step takes a call with any arguments";
        let message = "`args` without a key says nothing";
        interpolation.report(Code::EmptyValue, args.span, message, Some(help.to_owned()));
    }
    let is_error = nested.is_error.as_ref().or(beside.is_error.as_ref());
    let calls = CallSelector {
        name: nested.name.clone(),
        name_match: nested.name_match.clone(),
        args: args.filter(|_| empty.is_none()).cloned(),
        exact: exact.filter(|_| empty.is_none()).cloned(),
        args_match: nested
            .args_match
            .as_ref()
            .or(beside.args_match.as_ref())
            .cloned(),
        args_where: nested
            .args_where
            .as_ref()
            .or(beside.args_where.as_ref())
            .cloned(),
        status: nested.status.as_ref().or(beside.status.as_ref()).cloned(),
        is_error: is_error.map(|is_error| is_error.value),
        ..CallSelector::default()
    };
    let selector = Selector::compile(
        &calls,
        NotMatchKeys::Selects(None, None),
        span,
        interpolation,
    )?;
    (!is_twice && empty.is_none()).then_some(StepMatcher::Call(selector))
}

fn compile_result(
    beside: &StepKeys,
    nested: &ResultStep,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<StepMatcher> {
    let own = [
        ("match", nested.matches.is_some()),
        ("equals", nested.equals.is_some()),
        ("result_where", nested.result_where.is_some()),
        ("is_error", nested.is_error.is_some()),
    ];
    let is_twice = reports_twice(&own, beside, StepKind::Result, interpolation);
    let equals = nested.equals.as_ref().or(beside.equals.as_ref());
    let is_error = nested.is_error.as_ref().or(beside.is_error.as_ref());
    let calls = CallSelector {
        name: nested.name.clone(),
        name_match: nested.name_match.clone(),
        result_match: nested
            .matches
            .as_ref()
            .or(beside.matches.as_ref())
            .cloned()
            .map(ResultMatch::Whole),
        result_where: nested
            .result_where
            .as_ref()
            .or(beside.result_where.as_ref())
            .cloned(),
        result: equals.cloned(),
        exact: equals.map(|equals| ananke_base::diagnostic::Spanned {
            value: true,
            span: equals.span,
        }),
        is_error: is_error.map(|is_error| is_error.value),
        ..CallSelector::default()
    };
    let selector = Selector::compile(
        &calls,
        NotMatchKeys::Selects(None, None),
        span,
        interpolation,
    )?;
    (!is_twice).then_some(StepMatcher::Result(selector))
}

/// Reports conditions that are written both in the mapping of `kind` and next to it; `own` says which the mapping has.
fn reports_twice(
    own: &[(&str, bool)],
    beside: &StepKeys,
    kind: StepKind,
    interpolation: &mut Interpolation<'_>,
) -> bool {
    let mut is_any = false;
    for (key, span) in conditions(beside).filter(|(key, _)| own.contains(&(*key, true))) {
        let message = format!("`{key}` is written in `{}` and next to it", kind.key());
        let help = Some("keep one of the two".to_owned());
        interpolation.report(Code::Contradiction, span, message, help);
        is_any = true;
    }
    is_any
}

fn first_span(patterns: &FreeMap<Text>) -> Option<Span> {
    patterns.into_iter().next().map(|(key, _)| key.span)
}
