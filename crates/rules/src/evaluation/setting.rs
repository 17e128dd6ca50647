//! The setting of a level for a limit.

use super::measure::Measure;
use super::rule_origin::RuleOrigin;
use ananke_base::text::{duration, grouped};
use ananke_trace::outcome::{Measured, MeasuredUnit};

/// The setting of a level for a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `false`: what outer levels say does not apply.
    Off(RuleOrigin),
    /// This limit applies.
    Bound(Bound),
    /// A limit that is known later, as it is written.
    Later(String, RuleOrigin),
}

impl Setting {
    /// The place where it is written.
    pub fn origin(&self) -> &RuleOrigin {
        match self {
            Self::Off(origin) | Self::Later(_, origin) => origin,
            Self::Bound(bound) => &bound.origin,
        }
    }

    /// The allowed amount, in words.
    pub fn describe(&self, measure: Measure) -> String {
        match self {
            Self::Off(_) => "no limit".to_owned(),
            Self::Bound(bound) => bound.shown(measure),
            Self::Later(written, _) => format!("{written} {}", measure.unit()),
        }
    }
}

/// A limit in milliseconds or tokens; a value equal to it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The largest number that passes.
    pub most: u64,
    /// The place where it is written.
    pub origin: RuleOrigin,
}

impl Bound {
    /// The allowed amount, as reports write it: `1.5 s`.
    pub(crate) fn shown(&self, measure: Measure) -> String {
        if measure.unit() == "ms" {
            self.time()
        } else {
            format!("{} {}", grouped(self.most), measure.unit())
        }
    }

    /// The expectation of a turn or a test: `at most 1.5 s`, `idle at most 4 s`.
    pub(crate) fn expectation(&self, measure: Measure) -> String {
        let of_what = match measure {
            Measure::Idle => "idle ",
            Measure::FirstToken => "first text after ",
            Measure::Tool => "each tool call ",
            Measure::InputTokens | Measure::OutputTokens => {
                return format!("at most {} {}", grouped(self.most), measure.of_what());
            }
            Measure::Duration | Measure::TotalTokens => "",
        };
        format!("{of_what}at most {}", self.shown(measure))
    }

    /// The time that the limit allows, in words.
    pub(crate) fn time(&self) -> String {
        duration::exact(self.most.saturating_mul(1000))
    }

    /// So many tokens, and this limit.
    pub(crate) fn tokens(&self, actual: u64) -> Measured {
        Measured {
            actual,
            limit: self.most,
            unit: MeasuredUnit::Tokens,
        }
    }

    /// A time of so many microseconds, and this limit.
    pub(crate) fn micros(&self, actual: u64) -> Measured {
        Measured {
            actual,
            limit: self.most,
            unit: MeasuredUnit::Milliseconds,
        }
    }
}
