//! Selectors as people write them, and calls for them to select, for tests.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{NotMatchKeys, Selector};
use ananke_base::context::At;
use ananke_base::diagnostic::{Diagnostic, SourceFile, Span};
use ananke_base::source::{from_node, tree};
use ananke_model::model::{CallSelector, TAG_DEFAULTS};
use ananke_model::variables::{Interpolation, Mode, Patterns, Scope};
use ananke_trace::trace::{Change, Input, ResultContent, ToolCall, Trace};

/// The result of `compile` for some YAML, or the problems of it.
pub(crate) fn compile<M: DeserializeOwned, C>(
    yaml: &str,
    compile: impl FnOnce(&M, &mut Interpolation<'_>) -> Option<C>,
) -> Result<C, Vec<String>> {
    let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", yaml));
    let node = tree(&source).0.expect("a mapping");
    let written: M = from_node(&node, TAG_DEFAULTS).expect("keys of the type");
    let (scope, mut problems) = (Scope::default(), Vec::new());
    let compiled = compile(
        &written,
        &mut Interpolation::new(&scope, &source, Mode::Send, &mut problems),
    );
    let messages = || {
        problems
            .iter()
            .map(|problem: &Diagnostic| problem.message.clone())
            .collect()
    };
    compiled
        .filter(|_| problems.is_empty())
        .ok_or_else(messages)
}

/// The selector of an entry of `forbid_calls`, its patterns compiled.
pub(crate) fn selector(yaml: &str) -> Result<Selector, Vec<String>> {
    let selector = compile(yaml, |written: &CallSelector, interpolation| {
        Selector::compile(
            written,
            NotMatchKeys::Selects(None, None),
            Span::default(),
            interpolation,
        )
    })?;
    Ok(selector
        .started(&mut Patterns::default())
        .expect("small patterns"))
}

/// A call to `pay`.
pub(crate) fn call(args: &str, changes: impl IntoIterator<Item = Change<'static>>) -> ToolCall {
    let mut trace = Trace::default();
    trace.begin_turn(Input::default());
    trace.begin_exchange(At(0));
    trace.event(At(0));
    let opened = [
        Change::CallOpened {
            id: "c".into(),
            name: "pay".into(),
            subagent: None,
        },
        Change::CallArgs {
            id: "c".into(),
            delta: args.to_owned().into(),
        },
        Change::CallArgsDone { id: "c".into() },
    ];
    for change in opened.into_iter().chain(changes) {
        trace.apply(At(0), change, &mut Vec::new());
    }
    trace.calls.pop().expect("a call was opened")
}

/// Its result.
pub(crate) fn answered(text: &'static str, is_error: Option<bool>) -> Change<'static> {
    Change::CallAnswered {
        id: "c".into(),
        result: ResultContent::Text(text.into()),
        is_error,
    }
}
