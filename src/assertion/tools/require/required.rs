//! `tools.require`: calls that must happen.

use crate::assertion::describe::short;
use crate::assertion::judge::Home;
use crate::assertion::select::Written;
use crate::assertion::select::tool_name;
use crate::assertion::select::{ArgumentPatterns, Counted, Selector};
use crate::diagnostic::Spanned;
use crate::model::Require;
use crate::variables::{Filling, Late, Pattern, Patterns};

use super::monitor::Monitor;

/// Calls that must happen: selected by conditions, counted, and bound to arguments, results and an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Required {
    /// Which calls are selected.
    pub selector: Selector,
    /// How many there must be.
    pub count: Counted,
    /// The count as it is written, where it is known later: nothing is held against it until then.
    pub count_written: Option<String>,
    /// What no argument of a call with this name and these arguments may match.
    pub args_not_match: ArgumentPatterns,
    /// What no result of a call with this name and these arguments may match.
    pub result_not_match: Option<Pattern>,
    /// The tool of which every selected call needs an earlier call.
    pub after: Option<String>,
    /// The tool of which every selected call needs a call that was answered before it.
    pub after_result: Option<String>,
}

impl Required {
    pub(crate) fn compile(entry: &Spanned<Require>, filling: &mut Filling<'_>) -> Option<Self> {
        let Require {
            name,
            name_match,
            count,
            args,
            args_match,
            args_not_match,
            result,
            result_match,
            result_not_match,
            exact,
            is_error,
            status,
            after,
            after_result,
        } = &entry.value;
        let written = Written {
            span: entry.span,
            name: name.as_ref(),
            name_match: name_match.as_ref(),
            args: args.as_ref(),
            args_match: args_match.as_ref(),
            args_not_match: args_not_match.as_ref(),
            result: result.as_ref(),
            result_match: result_match.as_ref(),
            result_not_match: result_not_match.as_ref(),
            exact: exact.clone(),
            is_error: *is_error,
            status: status.clone(),
            selects_not: false,
        };
        let selector = Selector::compile(&written, filling);
        let count_written = count.as_ref().and_then(|count| Counted::as_written(count, filling));
        let count = match count {
            Some(count) => Counted::compile(count, count.span, filling)
                .or_else(|| count_written.as_ref().map(|_| Counted::ANY)),
            None => Some(Counted::AT_LEAST_ONE),
        };
        let args_not_match = ArgumentPatterns::compile(args_not_match.as_ref(), filling);
        let result_not_match = Late::optional(result_not_match.as_ref().map(|text| filling.pattern(text)));
        let [after, after_result] = [after, after_result]
            .map(|text| Late::optional(text.as_ref().map(|text| tool_name(text, filling))));
        Some(Self {
            selector: selector?,
            count: count?,
            count_written,
            args_not_match: args_not_match?,
            result_not_match: result_not_match.ready()?,
            after: after.ready()?,
            after_result: after_result.ready()?,
        })
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Monitor::start(self, patterns)
    }

    /// Whether any number of calls is enough, whatever they are.
    pub(crate) fn requires_nothing(&self) -> bool {
        self.count == Counted::ANY
            && self.count_written.is_none()
            && self.args_not_match.is_empty()
            && self.result_not_match.is_none()
            && self.after.is_none()
            && self.after_result.is_none()
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let none = self.count.max == Some(0);
        let article = if none { "no" } else { "a" };
        let mut words = vec![format!("{article} call of {}", self.selector.describe())];
        if let Some(written) = &self.count_written {
            words.push(written.clone());
        } else if self.count != Counted::AT_LEAST_ONE && !none {
            words.push(self.count.describe());
        }
        let unwanted: Vec<String> = self.args_not_match.describe("matching").collect();
        if !unwanted.is_empty() {
            words.push(format!("with no {}", unwanted.join(" and no ")));
        }
        if let Some(pattern) = &self.result_not_match {
            words.push(format!("with no result matching `{}`", short(pattern.as_str())));
        }
        if let Some(after) = &self.after {
            words.push(format!("after a call of `{after}`"));
        }
        if let Some(after) = &self.after_result {
            words.push(format!("after a result of `{after}`"));
        }
        words.join(", ")
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        let is_provisional = self.selector.result.is_provisional();
        let is_pending = self.selector.result.is_pending();
        let of_selected = [
            (self.count.max == Some(0), "such a call"),
            (self.count.max.is_some_and(|max| max > 0), "a call too many"),
            (self.after.is_some() || self.after_result.is_some(), "a call out of order"),
        ];
        let of_all = [
            (!self.args_not_match.is_empty(), "such arguments"),
            (self.result_not_match.is_some(), "such a result"),
        ];
        let told = |list: &[(bool, &'static str)]| -> Vec<&'static str> {
            list.iter().filter_map(|(is, words)| is.then_some(*words)).collect()
        };
        let (of_selected, mut at_once) = (told(&of_selected), told(&of_all));
        // What a call turns out to be is known when the turn is over; that it stays without a result, when its home is.
        let late = is_provisional && !is_pending && home == Home::Test && !of_selected.is_empty();
        let late = if late {
            format!(", broken at the end of a turn by {}", of_selected.join(" or "))
        } else {
            String::new()
        };
        if !is_provisional {
            at_once.splice(0..0, of_selected);
        }
        let home = home.words();
        if at_once.is_empty() {
            return format!("settled at the end of {home}{late}");
        }
        format!("settled at the end of {home}{late}, broken at once by {}", at_once.join(" or "))
    }
}
