//! `tools.require`: calls that must happen.

use super::monitor::{Calls, RequireMonitor};
use crate::collector::Collector;
use crate::describe::short;
use crate::evaluation::{Monitor, RuleScope};
use crate::rule::{Claim, Rule};
use crate::select::{CallCount, NotMatchKeys, PathPatterns, RuleTool, Selector, WrittenName};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::text::any_of;
use ananke_model::model::{self, AssertBlock, EveryCall, WhichCalls};
use ananke_model::variables::{Fill as _, Interpolation, Pattern, Patterns};
use ananke_trace::trace::{Fact, Facts};

/// Calls that must happen: selected by conditions, counted, and bound to arguments, results and an order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RequireRule {
    /// The calls that are selected.
    selector: Selector,
    /// The calls of the name that are looked at.
    which: WhichCalls,
    /// The required number of calls.
    count: CallCount,
    /// Whether a number is written.
    is_counting: bool,
    /// Whether each of the calls has conditions of its own.
    has_every: bool,
    /// The count as it is written, if it is known later: until then nothing violates it.
    count_written: Option<String>,
    /// The patterns that no argument of a call with this name and these arguments may match.
    args_not_match: PathPatterns,
    /// The pattern that no result of a call with this name and these arguments may match.
    result_not_match: Option<Pattern>,
    /// The tool of which every selected call needs an earlier call.
    after: Option<WrittenName>,
    /// The tool of which every selected call needs a call that was answered before it.
    after_result: Option<WrittenName>,
    /// The beginning of the message of a failure.
    message: Option<String>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let written = block.tools().and_then(|tools| tools.require.as_ref());
    for entry in collector.switched(written).into_iter().flatten() {
        let underlined = entry.value.calls.name_span().unwrap_or(entry.span);
        collector.add_at(entry.span, underlined, |interpolation| {
            RequireRule::compile(entry, interpolation)
        });
    }
}

impl RequireRule {
    fn compile(entry: &model::RequireEntry, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let model::Require {
            calls,
            which,
            count,
            every,
            args_not_match,
            result_not_match,
            after,
            after_result,
            message,
        } = &entry.value.0;
        let selector = Selector::compile(
            calls,
            NotMatchKeys::Violates(result_not_match.as_ref()),
            entry.span,
            interpolation,
        );
        let count_written = count
            .as_ref()
            .and_then(|count| CallCount::as_written(count, interpolation))
            .map(|words| format!("{words} times"));
        let written_count = count;
        let count = match count {
            Some(count) => CallCount::compile(count, count.span, interpolation)
                .or_else(|| count_written.as_ref().map(|_| CallCount::ANY)),
            None => Some(CallCount::AT_LEAST_ONE),
        };
        if count.is_some_and(|count: CallCount| count.max == Some(0)) {
            for value in calls.values() {
                interpolation.check_prohibited(&value);
            }
        }
        check_every(every.as_ref(), count, count_written.as_ref(), interpolation);
        let args_not_match = PathPatterns::compile(args_not_match.as_ref(), interpolation);
        let result_not_match = result_not_match.fill(interpolation);
        let [after, after_result] = [after, after_result].map(|text| {
            text.as_ref()
                .map(|text| WrittenName::compile(text, interpolation))
                .transpose()
        });
        let message = message.fill(interpolation);
        Some(Self {
            selector: selector?,
            which: which.unwrap_or_default(),
            is_counting: written_count.is_some(),
            has_every: every.is_some(),
            count: count?,
            count_written,
            args_not_match: args_not_match?,
            result_not_match: result_not_match.ok()?,
            after: after.ok()?,
            after_result: after_result.ok()?,
            message: message.ok()?,
        })
    }

    /// Whether any number of calls will do.
    fn requires_nothing(&self) -> bool {
        self.count == CallCount::ANY
            && self.count_written.is_none()
            && !self.has_every
            && self.args_not_match.is_empty()
            && self.result_not_match.is_none()
            && self.after.is_none()
            && self.after_result.is_none()
    }
}

/// Reports `every` next to a count of none: there is no call that it could look at.
fn check_every(
    every: Option<&Spanned<EveryCall>>,
    count: Option<CallCount>,
    later: Option<&String>,
    interpolation: &mut Interpolation<'_>,
) {
    let is_none = later.is_none() && count.is_some_and(|count| count.max == Some(0));
    if let Some(every) = every
        && is_none
    {
        let help = "drop one of them; `count: { min: 0 }` allows that no call comes".to_owned();
        let message = "no call may come, and `every` looks at calls";
        interpolation.report(Code::Contradiction, every.span, message, Some(help));
    }
}

impl Rule for RequireRule {
    fn is_exhaustive(&self) -> bool {
        self.count.max.is_some()
            || self.which == WhichCalls::First
            || self.result_not_match.is_some()
            || !self.args_not_match.is_empty()
    }

    fn may_look_at_calls_to(&self, name: &str) -> bool {
        let is_later = self.after.is_some() || self.after_result.is_some();
        self.selector.name.may_match(name) || is_later
    }

    fn may_rest_on_calls_to(&self, name: &str) -> bool {
        let is_about = self.selector.name.may_match(name)
            && (self.result_not_match.is_some() || !self.selector.result.is_execution_alone());
        is_about || self.after_result.is_some()
    }

    fn needs(&self) -> Facts {
        let has_result = self.result_not_match.is_some() || self.after_result.is_some();
        let needs = self
            .selector
            .needs()
            .with(has_result.then_some(Fact::Results));
        needs.with((!self.args_not_match.is_empty()).then_some(Fact::Arguments))
    }

    fn describe(&self) -> String {
        let none = self.count.max == Some(0);
        let article = if none { "no" } else { "a" };
        let selector = self.selector.describe();
        let mut words = vec![match (self.which, none) {
            (WhichCalls::All, _) => format!("{article} call to {selector}"),
            (WhichCalls::First, false) => format!("a first call to {selector}"),
            (WhichCalls::First, true) => format!("no first call to {selector}"),
        }];
        if let Some(written) = &self.count_written {
            words.push(written.clone());
        } else if self.count != CallCount::AT_LEAST_ONE && !none {
            words.push(self.count.describe());
        }
        let unwanted: Vec<String> = self.args_not_match.describe("matching").collect();
        if !unwanted.is_empty() {
            words.push(format!("with no {}", unwanted.join(" and no ")));
        }
        if let Some(pattern) = &self.result_not_match {
            words.push(format!(
                "with no result matching `{}`",
                short(pattern.as_str())
            ));
        }
        if let Some(after) = &self.after {
            words.push(format!("after a call to `{after}`"));
        }
        if let Some(after) = &self.after_result {
            words.push(format!("after a result of `{after}`"));
        }
        words.join(", ")
    }

    fn only_prohibits(&self) -> bool {
        self.count.max == Some(0)
    }

    fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        let is_provisional = self.selector.result.is_provisional();
        let is_pending = self.selector.result.is_pending();
        let of_selected = [
            (self.count.max == Some(0), "such a call"),
            (self.count.max.is_some_and(|max| max > 0), "a call too many"),
            (
                self.after.is_some() || self.after_result.is_some(),
                "a call out of order",
            ),
        ];
        let of_all = [
            (!self.args_not_match.is_empty(), "such arguments"),
            (self.result_not_match.is_some(), "such a result"),
        ];
        let words = |list: &[(bool, &'static str)]| -> Vec<&'static str> {
            list.iter()
                .filter_map(|(applies, words)| applies.then_some(*words))
                .collect()
        };
        let (of_selected, mut at_once) = (words(&of_selected), words(&of_all));
        // What a call turns out to be is known when the turn is over; that it stays without a result, when its scope is.
        let late =
            is_provisional && !is_pending && scope == RuleScope::Test && !of_selected.is_empty();
        let late = if late {
            format!(", fails at the end of a turn on {}", any_of(&of_selected))
        } else {
            String::new()
        };
        if !is_provisional {
            at_once.splice(0..0, of_selected);
        }
        let scope = scope.words();
        if at_once.is_empty() {
            return format!("evaluated at the end of {scope}{late}");
        }
        format!(
            "evaluated at the end of {scope}{late}, fails at once on {}",
            any_of(&at_once)
        )
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let mut monitor = RequireMonitor {
            expected: self.describe(),
            conditions: self.selector.describe(),
            selector: self.selector.started(patterns)?,
            which: self.which,
            count: self.count,
            unwanted_args: self.args_not_match.clone(),
            unwanted_result: self.result_not_match.clone(),
            after: self.after.clone(),
            after_result: self.after_result.clone(),
            calls: Calls::default(),
            warning: None,
            is_counting: self.is_counting
                || !self.selector.args.is_empty()
                || !self.selector.result.is_empty(),
            left_out: Vec::new(),
            near: Vec::new(),
        };
        monitor.unwanted_args.start(patterns)?;
        if let Some(pattern) = &mut monitor.unwanted_result {
            pattern.start(patterns)?;
        }
        Ok(Box::new(monitor))
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        let after = self
            .after
            .as_ref()
            .or(self.after_result.as_ref())
            .map(|after| after.as_str());
        let requires = Claim::Requires {
            selector: &self.selector,
            min: self.count.min,
            after,
        };
        let nothing = self
            .requires_nothing()
            .then_some(Claim::RequiresNothing(&self.selector.name));
        [requires].into_iter().chain(nothing).collect()
    }

    fn selectors(&self) -> Vec<&Selector> {
        vec![&self.selector]
    }

    fn named_tools(&self) -> Vec<RuleTool<'_>> {
        let mut tools = match self.count.min {
            0 => self.selector.named_tools(),
            _ => Vec::new(),
        };
        let before = [&self.after, &self.after_result].into_iter().flatten();
        tools.extend(before.map(|after| RuleTool::exact(after, Some(after.span))));
        tools
    }
}
