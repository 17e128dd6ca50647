//! Every limit, one line each: its key, and how it is evaluated for a turn.
//!
//! **Why:** Limits are a table of their own, because inner levels override them one by one, which other rules do not
//! do. All of them are read, merged and reported alike, and differ only in what a turn is measured by.

use crate::evaluation::{
    Bound, Measure, Monitor, max_cost, max_duration, max_first_token, max_idle, max_rounds,
    max_tokens, max_tool,
};
use ananke_base::diagnostic::Spanned;
use ananke_model::model::{AssertBlock, CostLimit, Limit};

/// A limit as it is written.
pub(crate) enum WrittenLimit<'m> {
    /// A whole number.
    Count(&'m Spanned<Limit>),
    /// An amount of US dollars.
    Cost(&'m Spanned<CostLimit>),
}

/// A limit: what it is about, its key, and the monitor of one turn.
pub(crate) type RegisteredLimit = (
    Measure,
    for<'m> fn(&'m AssertBlock) -> Option<WrittenLimit<'m>>,
    fn(Bound) -> Box<dyn Monitor>,
);

pub(crate) const LIMITS: [RegisteredLimit; Measure::ALL.len()] = [
    (
        Measure::Duration,
        |block| count(block.timing()?.max_duration_ms.as_ref()),
        max_duration,
    ),
    (
        Measure::Idle,
        |block| count(block.timing()?.max_idle_ms.as_ref()),
        max_idle,
    ),
    (
        Measure::FirstToken,
        |block| count(block.timing()?.max_first_token_ms.as_ref()),
        max_first_token,
    ),
    (
        Measure::Tool,
        |block| count(block.timing()?.max_tool_ms.as_ref()),
        max_tool,
    ),
    (
        Measure::InputTokens,
        |block| count(block.usage()?.max_input_tokens.as_ref()),
        |bound| max_tokens(Measure::InputTokens, bound),
    ),
    (
        Measure::OutputTokens,
        |block| count(block.usage()?.max_output_tokens.as_ref()),
        |bound| max_tokens(Measure::OutputTokens, bound),
    ),
    (
        Measure::TotalTokens,
        |block| count(block.usage()?.max_total_tokens.as_ref()),
        |bound| max_tokens(Measure::TotalTokens, bound),
    ),
    (
        Measure::Cost,
        |block| cost(block.usage()?.max_cost_usd.as_ref()),
        max_cost,
    ),
    (
        Measure::Rounds,
        |block| count(block.usage()?.max_rounds.as_ref()),
        max_rounds,
    ),
];

fn count(written: Option<&Spanned<Limit>>) -> Option<WrittenLimit<'_>> {
    Some(WrittenLimit::Count(written?))
}

fn cost(written: Option<&Spanned<CostLimit>>) -> Option<WrittenLimit<'_>> {
    Some(WrittenLimit::Cost(written?))
}

/// Judges one turn.
pub(crate) fn monitor(measure: Measure, bound: Bound) -> Box<dyn Monitor> {
    (LIMITS[measure as usize].2)(bound)
}
