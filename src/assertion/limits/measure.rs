//! What limits are about: the numbers of a turn that `timing` and `usage` bound.

use crate::trace::{Tokens, Trace, Turn};

/// Something that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `timing.max_duration_ms`
    Duration,
    /// `timing.max_idle_ms`
    Idle,
    /// `timing.max_first_token_ms`
    FirstToken,
    /// `timing.max_tool_ms`
    Tool,
    /// `usage.max_input_tokens`
    InputTokens,
    /// `usage.max_output_tokens`
    OutputTokens,
    /// `usage.max_total_tokens`
    TotalTokens,
}

impl Measure {
    /// Every one, in the order in which people read them.
    pub const ALL: [Self; 7] = [
        Self::Duration,
        Self::Idle,
        Self::FirstToken,
        Self::Tool,
        Self::InputTokens,
        Self::OutputTokens,
        Self::TotalTokens,
    ];

    /// Its limit's path in an assert block.
    pub fn path(self) -> &'static str {
        match self {
            Self::Duration => "timing.max_duration_ms",
            Self::Idle => "timing.max_idle_ms",
            Self::FirstToken => "timing.max_first_token_ms",
            Self::Tool => "timing.max_tool_ms",
            Self::InputTokens => "usage.max_input_tokens",
            Self::OutputTokens => "usage.max_output_tokens",
            Self::TotalTokens => "usage.max_total_tokens",
        }
    }

    /// The key of its limit.
    pub fn key(self) -> &'static str {
        let path = self.path();
        path.split_once('.').map_or(path, |(_, key)| key)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Idle => "idle",
            Self::FirstToken => "first text",
            Self::Tool => "tool",
            Self::InputTokens => "input",
            Self::OutputTokens => "output",
            Self::TotalTokens => "total",
        }
    }

    /// What it is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Duration | Self::Idle | Self::FirstToken | Self::Tool => "ms",
            Self::InputTokens | Self::OutputTokens | Self::TotalTokens => "tokens",
        }
    }

    /// What it is counted in, and which of them: `ms`, `input tokens`.
    pub fn of_what(self) -> &'static str {
        match self {
            Self::InputTokens => "input tokens",
            Self::OutputTokens => "output tokens",
            other => other.unit(),
        }
    }

    /// Whether a test is held to the sum of its turns (SPEC 7.1).
    pub fn is_summed(&self) -> bool {
        matches!(self, Self::Duration | Self::InputTokens | Self::OutputTokens | Self::TotalTokens)
    }

    /// The tokens of this kind that a turn took; none where this is no kind of tokens.
    pub(crate) fn tokens(self, trace: &Trace, turn: &Turn) -> Option<Tokens> {
        let usage = trace.turn_usage(turn);
        let of_usage =
            |tokens: fn(crate::trace::Usage) -> Tokens| Some(usage.map_or(Tokens::UNKNOWN, tokens));
        match self {
            Self::Duration | Self::Idle | Self::FirstToken | Self::Tool => None,
            Self::InputTokens => of_usage(|usage| usage.input),
            Self::OutputTokens => of_usage(|usage| usage.output),
            Self::TotalTokens => of_usage(|usage| usage.total),
        }
    }
}

/// Up to one thing for each measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerMeasure<T>([Option<T>; Measure::ALL.len()]);

impl<T> Default for PerMeasure<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| None))
    }
}

impl<T> PerMeasure<T> {
    /// What there is for a measure.
    pub fn get(&self, measure: Measure) -> Option<&T> {
        self.0[measure as usize].as_ref()
    }

    /// Everything there is, in the order of the measures.
    pub fn iter(&self) -> impl Iterator<Item = (Measure, &T)> {
        Measure::ALL.into_iter().filter_map(|measure| Some((measure, self.get(measure)?)))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub(crate) fn set(&mut self, measure: Measure, thing: Option<T>) {
        self.0[measure as usize] = thing;
    }
}
