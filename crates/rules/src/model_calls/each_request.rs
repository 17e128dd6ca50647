//! The watch over requests to a model, one by one.
//!
//! Flows in: a check of one request. Flows out: a judgement as soon as a request decides it.
//! **Invariant:** a violation is reported once, since later requests repeat the messages of earlier ones.

use super::counted::{CONTENTS, OfModel, lacking};
use crate::evaluation::{Evidence, Finding, Judgement, Moment, Monitor, RuleScope, View};
use ananke_model::model::WhichRequests;
use ananke_trace::trace::{Delta, LoggedModelCall};

/// The demand of a rule on the requests of its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Demand {
    /// No request may violate it; none need be made.
    Never,
    /// There must be a request, and these must satisfy it.
    Must(WhichRequests),
}

impl Demand {
    /// The moment of the decision, in words.
    pub(super) fn when_decided(self, scope: RuleScope) -> String {
        let scope = scope.words();
        match self {
            Self::Never => "fails at the first request that violates it".to_owned(),
            Self::Must(WhichRequests::Every) => format!(
                "fails at the first request that does not satisfy it, or at the end of {scope} without a request"
            ),
            Self::Must(WhichRequests::Any) => format!("evaluated at the end of {scope}"),
        }
    }

    /// The requests in words, after what they must contain.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Never | Self::Must(WhichRequests::Every) => "every request",
            Self::Must(WhichRequests::Any) => "at least one request",
        }
    }
}

/// A check of one request: the way in which it fails the rule, or `None` if it satisfies it.
pub(super) type RequestCheck =
    Box<dyn Fn(&View<'_>, &LoggedModelCall) -> Option<Finding> + Send + Sync>;

/// Watches the requests of its scope.
pub(super) struct EachRequest {
    pub(super) of: OfModel,
    pub(super) demand: Demand,
    /// The expectation, in the words of the rule.
    pub(super) expected: String,
    pub(super) check: RequestCheck,
    /// The last request that did not satisfy it.
    pub(super) nearest: Option<Finding>,
    pub(super) has_failed: bool,
}

impl Monitor for EachRequest {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::ModelCalled(index)) => match self.of.call(view, index) {
                // One failure is enough, since a later request repeats the messages, and the failure with them.
                Some(logged) if logged.has_contents && !self.has_failed => self.judge(view, logged),
                _ => Judgement::Open,
            },
            Moment::ScopeEnd | Moment::TestEnd => self.end(view),
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}

impl EachRequest {
    fn judge(&mut self, view: &View<'_>, logged: &LoggedModelCall) -> Judgement {
        let finding = (self.check)(view, logged);
        match (self.demand, finding) {
            (Demand::Must(WhichRequests::Any), None) => Judgement::Passed,
            (Demand::Must(WhichRequests::Any), found) => {
                self.nearest = found;
                Judgement::Open
            }
            (Demand::Never | Demand::Must(WhichRequests::Every), Some(finding)) => {
                self.has_failed = true;
                Judgement::failed(finding)
            }
            (Demand::Never | Demand::Must(WhichRequests::Every), None) => Judgement::Open,
        }
    }

    fn end(&mut self, view: &View<'_>) -> Judgement {
        let has_request = self.of.calls(view).next().is_some();
        let is_satisfied = match self.demand {
            Demand::Never => true,
            Demand::Must(WhichRequests::Every) => has_request,
            Demand::Must(WhichRequests::Any) => false,
        };
        if is_satisfied {
            return Judgement::Passed;
        }
        // Nothing is decided yet, because a request that was not read may be the one that is missing.
        if let Some(reason) = lacking(view, CONTENTS) {
            return Judgement::Unknown(reason);
        }
        if let Some(nearest) = self.nearest.take() {
            return Judgement::failed(nearest);
        }
        let model = self.of.words();
        let scope = view.scope.this();
        let message = format!("no request to {model} was made in {scope}");
        let help =
            Some("the model is asked at the address in the variables of `models`".to_owned());
        Judgement::failed(Finding {
            help,
            ..Finding::in_words(message, self.expected.clone(), Vec::<Evidence>::new())
        })
    }
}
