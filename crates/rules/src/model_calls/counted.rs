//! The requests that a rule looks at, and the words for them.
//!
//! **Invariant:** a request has the same number in every message about it: its place among those that the rule looks at.

use crate::describe::{listed, short};
use crate::evaluation::View;
use ananke_model::model::ModelRules;
use ananke_model::variables::{Fill as _, Interpolation};
use ananke_trace::trace::{Fact, Facts, LoggedModelCall, PromptMessage};

/// The facts of rules about the number of calls, and about what they use.
pub(super) const CALLS: Facts = Facts::of(&[Fact::ModelCalls]);

/// The facts of rules about the contents of requests.
pub(super) const CONTENTS: Facts = Facts::OF_MODEL;

/// The most calls that a failure lists.
const MOST_LISTED: usize = 5;

/// The model that a rule is about; without a name it is about all models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct OfModel(Option<String>);

impl OfModel {
    pub(super) fn compile(
        written: &ModelRules,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        Some(Self(written.of_model.fill(interpolation).ok()?))
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The model in words.
    pub(super) fn words(&self) -> String {
        match &self.0 {
            Some(name) => format!("the model `{}`", short(name)),
            None => "the model".to_owned(),
        }
    }

    /// The call at `index` of the trace, if the rule looks at it.
    pub(super) fn call<'t>(&self, view: &View<'t>, index: usize) -> Option<&'t LoggedModelCall> {
        let logged = view.trace.model_calls.get(index)?;
        self.includes(view, logged).then_some(logged)
    }

    /// The calls that the rule looks at, in their order.
    pub(super) fn calls<'v, 't>(
        &'v self,
        view: &'v View<'t>,
    ) -> impl DoubleEndedIterator<Item = &'t LoggedModelCall> + 'v {
        let calls = view.trace.model_calls.iter();
        calls.filter(|logged| self.includes(view, logged))
    }

    fn includes(&self, view: &View<'_>, logged: &LoggedModelCall) -> bool {
        let is_of_model = match &self.0 {
            Some(name) => logged.call.name == *name,
            None => true,
        };
        is_of_model && view.includes_turn(logged.turn)
    }

    /// The number of a call among those of the rule, counted from 1.
    pub(super) fn number(&self, view: &View<'_>, logged: &LoggedModelCall) -> usize {
        let calls = self.calls(view);
        calls.filter(|other| other.order <= logged.order).count()
    }

    /// A call in words: `call 2 to the model of this turn`.
    pub(super) fn call_in_words(&self, view: &View<'_>, logged: &LoggedModelCall) -> String {
        let number = self.number(view, logged);
        format!("call {number} to {} of {}", self.words(), view.scope.this())
    }

    /// What the model was asked for in the calls of the rule, one line each; the first are omitted if there are many.
    pub(super) fn listed(&self, view: &View<'_>) -> Vec<String> {
        let mut lines: Vec<String> = self
            .calls(view)
            .rev()
            .take(MOST_LISTED)
            .map(|logged| {
                let number = self.number(view, logged);
                format!("call {number}: {} → {}", last_words(logged), answer(logged))
            })
            .collect();
        lines.reverse();
        lines
    }
}

/// The last message of a request, in words.
pub(super) fn last_words(logged: &LoggedModelCall) -> String {
    match logged.call.request.messages.last() {
        Some(PromptMessage::Result { content, .. }) => {
            let text = match content.as_str() {
                Some(text) => text.to_owned(),
                None => content.to_string(),
            };
            format!("result {}", short(&text))
        }
        Some(PromptMessage::User { text, .. }) => format!("user: {}", short(text)),
        Some(PromptMessage::System(text)) => format!("system: {}", short(text)),
        Some(PromptMessage::Assistant { text, .. }) => format!("assistant: {}", short(text)),
        Some(PromptMessage::Approval { .. }) => "an approval".to_owned(),
        None => "a request without messages".to_owned(),
    }
}

/// The answer of the model, in words.
fn answer(logged: &LoggedModelCall) -> String {
    let answer = &logged.call.answer;
    let names: Vec<&str> = answer.calls.iter().map(|call| call.tool.as_str()).collect();
    if names.is_empty() {
        format!("say {}", short(&answer.text))
    } else {
        format!("call {}", listed(&names))
    }
}

/// The reason why `facts` of the scope are not all known, if there is one.
pub(super) fn lacking(view: &View<'_>, facts: Facts) -> Option<String> {
    let turn = view.turn().map(|turn| turn.index);
    view.trace.lacking(turn, facts, &|_, _| true)
}
