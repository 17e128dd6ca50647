//! A number of calls that must not be exceeded. What is written flows in, a number that can be compared comes out;
//! **invariant:** a number that is known later is violated by nothing until then.

use std::fmt;

use crate::collector::Collector;
use crate::rule::Rule;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::text::Usd;
use ananke_model::model::{CostLimit, Limit};
use ananke_model::variables::Interpolation;

/// The most calls that pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallLimit {
    /// The number; the largest there is until it is known.
    pub(crate) most: u64,
    /// The number as it is written, if it is known later.
    written: Option<String>,
}

impl CallLimit {
    /// Adds the rule that `rule` makes of what is written; `false` disables that of outer levels.
    pub(crate) fn collect<R: Rule>(
        written: Option<&Spanned<Limit>>,
        collector: &mut Collector<'_, '_>,
        rule: impl FnOnce(Self, Span, &mut Interpolation<'_>) -> Option<R>,
    ) {
        match written {
            Some(Spanned {
                value: Limit::Most(given),
                span,
            }) => {
                let given = Spanned {
                    value: given.clone(),
                    span: *span,
                };
                collector.add(*span, |interpolation| {
                    let written = interpolation.written_number(&given);
                    let later = written.as_ref().map(|_| u64::MAX);
                    let most = interpolation.number(&given).ok().or(later)?;
                    rule(Self { most, written }, given.span, interpolation)
                });
            }
            Some(Spanned {
                value: Limit::Off,
                span,
            }) => collector.disable(*span),
            None => {}
        }
    }

    /// The same for an amount of US dollars, in parts of which it is compared.
    pub(crate) fn collect_cost<R: Rule>(
        written: Option<&Spanned<CostLimit>>,
        collector: &mut Collector<'_, '_>,
        rule: impl FnOnce(Self, Span, &mut Interpolation<'_>) -> Option<R>,
    ) {
        let Some(written) = written else {
            return;
        };
        let span = written.span;
        let CostLimit::Most(given) = &written.value else {
            return collector.disable(span);
        };
        let given = Spanned {
            value: given.clone(),
            span,
        };
        collector.add(span, |interpolation| {
            let later = interpolation.written_number(&given);
            let most = match interpolation.decimal(&given) {
                Ok(number) => match Usd::of(&number) {
                    Ok(most) => most.0,
                    Err(wrong) => {
                        let message = format!("`max_cost_usd` {wrong}");
                        interpolation.report(Code::BadValue, span, message, None);
                        return None;
                    }
                },
                // An amount that is known later is violated by nothing until then.
                Err(_) if later.is_some() => u64::MAX,
                Err(_) => return None,
            };
            let limit = Self {
                most,
                written: later,
            };
            rule(limit, span, interpolation)
        });
    }

    /// The number, unless it is known later.
    pub(crate) fn known(&self) -> Option<u64> {
        self.written.is_none().then_some(self.most)
    }

    /// Whether `inner` surely allows more.
    pub(crate) fn is_loosened_by(&self, inner: &Self) -> bool {
        matches!((self.known(), inner.known()), (Some(own), Some(inner)) if inner > own)
    }
}

impl fmt::Display for CallLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(written) => formatter.write_str(written),
            None => write!(formatter, "{}", self.most),
        }
    }
}
