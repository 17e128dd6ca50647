//! A number of calls that must not be exceeded. What is written flows in, a number that can be compared comes out;
//! **invariant:** a number that is known later is violated by nothing until then.

use std::fmt;

use crate::collector::Collector;
use crate::rule::Rule;
use ananke_base::diagnostic::{Span, Spanned};
use ananke_model::model::Limit;
use ananke_model::variables::Interpolation;

/// The most calls that pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallLimit {
    /// The number; the largest there is until it is known.
    pub(super) most: u64,
    /// The number as it is written, if it is known later.
    written: Option<String>,
}

impl CallLimit {
    /// Adds the rule that `rule` makes of what is written; `false` disables that of outer levels.
    pub(super) fn collect<R: Rule>(
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

    /// The number, unless it is known later.
    pub(super) fn known(&self) -> Option<u64> {
        self.written.is_none().then_some(self.most)
    }

    /// Whether `inner` surely allows more.
    pub(super) fn is_loosened_by(&self, inner: &Self) -> bool {
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
