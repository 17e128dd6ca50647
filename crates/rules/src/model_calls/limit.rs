//! Numbers that requests to a model must not exceed: `model.max_calls`, `attempts`, `same_request`, `max_prompt_chars`, `offered.max`,
//! and the limits of `usage`.
//!
//! **Invariant:** a limit is violated at the first request with which it is exceeded, and tokens are never estimated.

use super::counted::{CALLS, CONTENTS, OfModel, last_words};
use super::offered::{offered_names, switched};
use super::prompt::text_of;
use crate::call_limit::CallLimit;
use crate::collector::Collector;
use crate::describe::listed;
use crate::evaluation::{Finding, Judgement, Moment, Monitor, RuleScope, View};
use crate::rule::{Rule, RuleKind};
use ananke_base::diagnostic::Spanned;
use ananke_base::text::{Usd, grouped};
use ananke_model::model::{AssertBlock, Limit, ModelRules, ModelUsageLimits};
use ananke_model::variables::Patterns;
use ananke_trace::outcome::{Measured, MeasuredUnit};
use ananke_trace::trace::{CostGap, Delta, Facts, LoggedModelCall};

/// The number that a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Quantity {
    /// Calls, in the whole scope.
    Calls,
    /// Requests with those that were repeated, in the whole scope.
    Attempts,
    /// Tokens that the model read, in the whole scope.
    InputTokens,
    /// Tokens that the model wrote, in the whole scope.
    OutputTokens,
    /// Parts of a US dollar, in the whole scope.
    Cost,
    /// Calls with the same request.
    SameRequests,
    /// Characters of the messages of one request.
    PromptChars,
    /// Tools that one request offers.
    OfferedTools,
}

/// The amount of one request.
enum RequestAmount {
    Known(u64),
    /// At least so much, for this reason.
    Partial(u64, String),
}

/// The most of something that requests may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RequestLimit {
    of_model: OfModel,
    quantity: Quantity,
    limit: CallLimit,
}

pub(crate) fn compile_calls(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        let written = rules.value.max_calls.as_ref();
        add(Quantity::Calls, &rules.value, written, collector);
    }
}

pub(crate) fn compile_attempts(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        if let Some(attempts) = collector.switched(rules.value.attempts.as_ref()) {
            add(
                Quantity::Attempts,
                &rules.value,
                Some(&attempts.max),
                collector,
            );
        }
    }
}

pub(crate) fn compile_same_request(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        if let Some(same) = collector.switched(rules.value.same_request.as_ref()) {
            add(
                Quantity::SameRequests,
                &rules.value,
                Some(&same.max),
                collector,
            );
        }
    }
}

pub(crate) fn compile_prompt_chars(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for rules in block.model() {
        let written = rules.value.max_prompt_chars.as_ref();
        add(Quantity::PromptChars, &rules.value, written, collector);
    }
}

pub(crate) fn compile_offered(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, offered) in switched(block, collector) {
        add(
            Quantity::OfferedTools,
            model,
            offered.max.as_ref(),
            collector,
        );
    }
}

pub(crate) fn compile_input_tokens(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, usage) in usage(block, collector) {
        let written = usage.max_input_tokens.as_ref();
        add(Quantity::InputTokens, model, written, collector);
    }
}

pub(crate) fn compile_output_tokens(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, usage) in usage(block, collector) {
        let written = usage.max_output_tokens.as_ref();
        add(Quantity::OutputTokens, model, written, collector);
    }
}

pub(crate) fn compile_cost(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for (model, usage) in usage(block, collector) {
        CallLimit::collect_cost(usage.max_cost_usd.as_ref(), collector, |limit, _, inner| {
            Some(RequestLimit {
                of_model: OfModel::compile(model, inner)?,
                quantity: Quantity::Cost,
                limit,
            })
        });
    }
}

/// The limits of usage of each entry. `usage: false` switches off what outer levels say of the rule that is read.
fn usage<'m>(
    block: &'m AssertBlock,
    collector: &mut Collector<'_, '_>,
) -> Vec<(&'m ModelRules, &'m ModelUsageLimits)> {
    let mut found = Vec::new();
    for rules in block.model() {
        if let Some(usage) = collector.switched(rules.value.usage.as_ref()) {
            found.push((&rules.value, usage));
        }
    }
    found
}

fn add(
    quantity: Quantity,
    model: &ModelRules,
    written: Option<&Spanned<Limit>>,
    collector: &mut Collector<'_, '_>,
) {
    CallLimit::collect(written, collector, |limit, _, interpolation| {
        Some(RequestLimit {
            of_model: OfModel::compile(model, interpolation)?,
            quantity,
            limit,
        })
    });
}

impl Rule for RequestLimit {
    fn kind(&self) -> RuleKind {
        RuleKind::Prohibition
    }

    fn needs(&self) -> Facts {
        match self.quantity {
            Quantity::Calls
            | Quantity::Attempts
            | Quantity::InputTokens
            | Quantity::OutputTokens
            | Quantity::Cost => CALLS,
            Quantity::SameRequests | Quantity::PromptChars | Quantity::OfferedTools => CONTENTS,
        }
    }

    fn describe(&self) -> String {
        let most = match self.quantity {
            Quantity::Cost => match self.limit.known() {
                Some(most) => Usd(most).exact(),
                None => self.limit.to_string(),
            },
            _ => self.limit.to_string(),
        };
        let noun = self.quantity.noun(self.limit.known());
        let model = self.of_model.words();
        match self.quantity {
            Quantity::Calls | Quantity::Attempts => format!("at most {most} {noun} to {model}"),
            Quantity::SameRequests => {
                format!("at most {most} {noun} with the same request to {model}")
            }
            Quantity::Cost => format!("calls to {model} that cost at most {most}"),
            Quantity::InputTokens | Quantity::OutputTokens => {
                format!("at most {most} {noun} of {model}")
            }
            Quantity::PromptChars | Quantity::OfferedTools => {
                format!("at most {most} {noun} in every request to {model}")
            }
        }
    }

    fn when_decided(&self, _: RuleScope) -> String {
        "fails at the first request with which it is exceeded".to_owned()
    }

    fn of_model(&self) -> Option<&str> {
        self.of_model.name()
    }

    /// A tighter limit of a turn applies in addition to that of the test.
    fn is_loosened_by(&self, inner: &dyn Rule) -> bool {
        let Some(inner) = inner.downcast_ref::<Self>() else {
            return false;
        };
        self.quantity == inner.quantity
            && self.of_model == inner.of_model
            && self.limit.is_loosened_by(&inner.limit)
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        Ok(Box::new(LimitMonitor {
            rule: self.clone(),
            total: 0,
            not_known: None,
            has_failed: false,
        }))
    }
}

impl Quantity {
    fn noun(self, count: Option<u64>) -> &'static str {
        let is_one = count == Some(1);
        match self {
            Self::Calls | Self::SameRequests if is_one => "call",
            Self::Calls | Self::SameRequests => "calls",
            Self::Attempts if is_one => "attempt",
            Self::Attempts => "attempts",
            Self::InputTokens => "input tokens",
            Self::OutputTokens => "output tokens",
            Self::Cost => "US dollars",
            Self::PromptChars if is_one => "character",
            Self::PromptChars => "characters",
            Self::OfferedTools if is_one => "tool",
            Self::OfferedTools => "tools",
        }
    }

    /// Whether the amounts of the requests are added up.
    fn is_sum(self) -> bool {
        match self {
            Self::Calls | Self::Attempts | Self::InputTokens | Self::OutputTokens | Self::Cost => {
                true
            }
            Self::SameRequests | Self::PromptChars | Self::OfferedTools => false,
        }
    }

    /// The unit of reports; `None` for what they have no unit for.
    fn unit(self) -> Option<MeasuredUnit> {
        match self {
            Self::Calls | Self::SameRequests => Some(MeasuredUnit::Calls),
            Self::Attempts => Some(MeasuredUnit::Requests),
            Self::InputTokens | Self::OutputTokens => Some(MeasuredUnit::Tokens),
            Self::Cost => Some(MeasuredUnit::Dollars),
            Self::PromptChars | Self::OfferedTools => None,
        }
    }
}

/// Adds up or compares the amounts of requests.
struct LimitMonitor {
    rule: RequestLimit,
    /// The sum so far, or the largest amount of one request.
    total: u64,
    /// The reason why some of the amount is not known.
    not_known: Option<String>,
    has_failed: bool,
}

impl Monitor for LimitMonitor {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(Delta::ModelAskedAgain(_))
                if self.rule.quantity != Quantity::Attempts =>
            {
                Judgement::Open
            }
            Moment::Touched(Delta::ModelCalled(index) | Delta::ModelAskedAgain(index)) => {
                let Some(logged) = self.rule.of_model.call(view, index) else {
                    return Judgement::Open;
                };
                self.add(view, logged);
                // One failure is enough, because later requests would exceed it again by the same cause.
                if self.has_failed || self.total <= self.rule.limit.most {
                    return Judgement::Open;
                }
                self.has_failed = true;
                Judgement::failed(self.finding(view, logged))
            }
            Moment::ScopeEnd | Moment::TestEnd => match (self.not_known.take(), self.measured()) {
                (Some(reason), _) => Judgement::Unknown(reason),
                (None, Some(measured)) => Judgement::within(measured, Vec::new()),
                (None, None) => Judgement::Passed,
            },
            Moment::Touched(_) | Moment::TurnEnd => Judgement::Open,
        }
    }
}

impl LimitMonitor {
    fn add(&mut self, view: &View<'_>, logged: &LoggedModelCall) {
        let known = match self.amount(view, logged) {
            RequestAmount::Known(known) => known,
            RequestAmount::Partial(known, reason) => {
                self.not_known.get_or_insert(reason);
                known
            }
        };
        self.total = if self.rule.quantity.is_sum() {
            self.total.saturating_add(known)
        } else {
            self.total.max(known)
        };
    }

    fn amount(&self, view: &View<'_>, logged: &LoggedModelCall) -> RequestAmount {
        let request = &logged.call.request;
        let amount = match self.rule.quantity {
            // Each attempt is looked at when it is made.
            Quantity::Calls | Quantity::Attempts => 1,
            Quantity::InputTokens | Quantity::OutputTokens | Quantity::Cost => {
                return self.usage(view, logged);
            }
            Quantity::SameRequests => {
                let calls = self.rule.of_model.calls(view);
                let same = calls.filter(|earlier| {
                    earlier.order <= logged.order
                        && earlier.has_contents
                        && earlier.call.request.is_same(request)
                });
                same.count() as u64
            }
            Quantity::PromptChars => {
                let lengths = request
                    .messages
                    .iter()
                    .map(|message| text_of(message).chars().count());
                lengths.sum::<usize>() as u64
            }
            Quantity::OfferedTools => offered_names(logged).len() as u64,
        };
        RequestAmount::Known(amount)
    }

    /// The tokens of a call, or their cost. Only scripts and recordings are believed: nothing is estimated.
    fn usage(&self, view: &View<'_>, logged: &LoggedModelCall) -> RequestAmount {
        let call = self.rule.of_model.call_in_words(view, logged);
        let reason = format!("the tokens of {call} are neither recorded nor part of a script");
        let Some(usage) = logged.usage else {
            return RequestAmount::Partial(0, reason);
        };
        let tokens = match self.rule.quantity {
            Quantity::Cost => {
                if !usage.cost.is_partial {
                    return RequestAmount::Known(usage.cost.known.0);
                }
                let reason = match &logged.cost_gap {
                    Some(CostGap::NoTokens) => reason,
                    Some(gap) => gap.to_string(),
                    None => CostGap::NO_PRICES.to_owned(),
                };
                return RequestAmount::Partial(usage.cost.known.0, reason);
            }
            Quantity::OutputTokens => usage.output,
            _ => usage.input,
        };
        match tokens.whole() {
            Some(known) => RequestAmount::Known(known),
            None => RequestAmount::Partial(tokens.counted, reason),
        }
    }

    fn measured(&self) -> Option<Measured> {
        Some(Measured {
            actual: self.total,
            limit: self.rule.limit.most,
            unit: self.rule.quantity.unit()?,
        })
    }

    fn finding(&self, view: &View<'_>, logged: &LoggedModelCall) -> Finding {
        let rule = &self.rule;
        let call = rule.of_model.call_in_words(view, logged);
        let expected = rule.describe();
        let noun = rule.quantity.noun(Some(self.total));
        let total = grouped(self.total);
        let most = &rule.limit;
        let message = match rule.quantity {
            Quantity::Calls => format!("{call} is one too many, expected {expected}"),
            Quantity::Attempts => format!("attempt {total} is for {call}, expected {expected}"),
            Quantity::SameRequests => {
                format!(
                    "{call} has the same request as {} before it",
                    grouped(self.total - 1)
                )
            }
            Quantity::Cost => format!(
                "with {call} the calls cost {}, the limit is {}",
                Usd(self.total).exact(),
                Usd(most.most).exact()
            ),
            Quantity::InputTokens | Quantity::OutputTokens => {
                format!("with {call} the calls took {total} {noun}, the limit is {most}")
            }
            Quantity::PromptChars => format!("{call} has {total} {noun}, the limit is {most}"),
            Quantity::OfferedTools => format!("{call} offers {total} {noun}, the limit is {most}"),
        };
        let lines = match rule.quantity {
            Quantity::OfferedTools => {
                let names = offered_names(logged);
                let plain: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                vec![format!("offered: {}", listed(&plain))]
            }
            Quantity::SameRequests => vec![format!("asked: {}", last_words(logged))],
            Quantity::PromptChars => longest_messages(logged),
            _ => rule.of_model.listed(view),
        };
        Finding {
            measured: self.measured(),
            ..Finding::in_words(message, expected, lines)
        }
    }
}

/// The longest messages of a request with their lengths, the longest first.
fn longest_messages(logged: &LoggedModelCall) -> Vec<String> {
    const SHOWN: usize = 3;
    let messages = logged.call.request.messages.iter().enumerate();
    let mut lengths: Vec<(usize, usize)> = messages
        .map(|(index, message)| (text_of(message).chars().count(), index))
        .collect();
    lengths.sort_by_key(|(length, index)| (usize::MAX - length, *index));
    let longest = lengths.iter().take(SHOWN);
    longest
        .map(|(length, index)| format!("messages[{index}]: {} characters", grouped(*length as u64)))
        .collect()
}
