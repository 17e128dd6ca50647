//! The setting of a level for a limit.

use super::measure::Measure;
use super::rule_origin::RuleOrigin;
use ananke_base::text::{Usd, duration, grouped};
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
            Self::Later(written, _) => format!("{written} {}", measure.unit().as_str()),
        }
    }
}

/// A limit in milliseconds, tokens or parts of a dollar; a value equal to it passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The largest number that passes.
    pub most: u64,
    /// The place where it is written.
    pub origin: RuleOrigin,
}

impl Bound {
    /// The allowed amount, as reports write it: `1.5 s`, `$0.05`.
    pub(crate) fn shown(&self, measure: Measure) -> String {
        match measure.unit() {
            MeasuredUnit::Milliseconds => self.time(),
            MeasuredUnit::Dollars => Usd(self.most).exact(),
            unit => format!("{} {}", grouped(self.most), unit.as_str()),
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
            Measure::Cost => "a cost of ",
            Measure::Rounds => return format!("at most {} to the model", self.shown(measure)),
            Measure::Duration | Measure::TotalTokens => "",
        };
        format!("{of_what}at most {}", self.shown(measure))
    }

    /// The time that the limit allows, in words.
    pub(crate) fn time(&self) -> String {
        duration::exact(self.most.saturating_mul(1000))
    }

    /// So many of this unit, and this limit.
    pub(crate) fn counted(&self, actual: u64, unit: MeasuredUnit) -> Measured {
        Measured {
            actual,
            limit: self.most,
            unit,
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
