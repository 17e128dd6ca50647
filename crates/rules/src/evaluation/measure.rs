//! The measures of limits: the numbers of a turn that `timing` and `usage` bound.

use ananke_trace::trace::{Fact, Facts, Tokens, Trace, TurnRanges, Usage};

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

/// The words for a measure, and how it is counted.
struct Spec {
    path: &'static str,
    name: &'static str,
    of_what: &'static str,
    /// Whether a limit of a test is about the total of its turns (SPEC 7.1).
    has_total: bool,
    /// The tokens that are counted; `None` for times.
    tokens: Option<fn(Usage) -> Tokens>,
    /// The facts that its limit rests on.
    needs: Facts,
}

const fn time(path: &'static str, name: &'static str, needs: Facts) -> Spec {
    Spec {
        path,
        name,
        of_what: "ms",
        has_total: false,
        tokens: None,
        needs,
    }
}

const fn usage(
    path: &'static str,
    name: &'static str,
    of_what: &'static str,
    tokens: fn(Usage) -> Tokens,
) -> Spec {
    Spec {
        path,
        name,
        of_what,
        has_total: true,
        tokens: Some(tokens),
        needs: Facts::of(&[Fact::Usage]),
    }
}

/// In the order of [`Measure::ALL`].
const SPECS: [Spec; Measure::ALL.len()] = [
    Spec {
        has_total: true,
        ..time(
            "timing.max_duration_ms",
            "duration",
            Facts::of(&[Fact::TurnTimes]),
        )
    },
    time(
        "timing.max_idle_ms",
        "idle",
        Facts::of(&[Fact::Calls, Fact::TurnTimes, Fact::CallTimes]),
    ),
    time(
        "timing.max_first_token_ms",
        "first text",
        Facts::of(&[Fact::FirstText]),
    ),
    time(
        "timing.max_tool_ms",
        "tool",
        Facts::of(&[Fact::Calls, Fact::CallTimes]),
    ),
    usage("usage.max_input_tokens", "input", "input tokens", |usage| {
        usage.input
    }),
    usage(
        "usage.max_output_tokens",
        "output",
        "output tokens",
        |usage| usage.output,
    ),
    usage("usage.max_total_tokens", "total", "tokens", |usage| {
        usage.total
    }),
];

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

    fn spec(self) -> &'static Spec {
        &SPECS[self as usize]
    }

    /// Its limit's path in an assert block.
    pub fn path(self) -> &'static str {
        self.spec().path
    }

    /// The facts that its limit rests on.
    pub(crate) fn needs(self) -> Facts {
        self.spec().needs
    }

    /// The key of its limit.
    pub fn key(self) -> &'static str {
        let path = self.path();
        path.split_once('.').map_or(path, |(_, key)| key)
    }

    /// The name of the measure.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Its unit: `ms` or `tokens`.
    pub fn unit(self) -> &'static str {
        if self.spec().tokens.is_some() {
            "tokens"
        } else {
            "ms"
        }
    }

    /// Its unit, and which of them: `ms`, `input tokens`.
    pub fn of_what(self) -> &'static str {
        self.spec().of_what
    }

    /// Whether a limit of a test is about the total of its turns (SPEC 7.1).
    pub fn has_total(&self) -> bool {
        self.spec().has_total
    }

    /// The tokens of this kind that a turn took; `None` for times.
    pub(crate) fn tokens(self, trace: &Trace, turn: &TurnRanges) -> Option<Tokens> {
        Some(
            trace
                .turn_usage(turn)
                .map_or(Tokens::UNKNOWN, self.spec().tokens?),
        )
    }
}

/// Up to one value for each measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerMeasure<T>([Option<T>; Measure::ALL.len()]);

impl<T> Default for PerMeasure<T> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| None))
    }
}

impl<T> PerMeasure<T> {
    /// The value of a measure.
    pub fn get(&self, measure: Measure) -> Option<&T> {
        self.0[measure as usize].as_ref()
    }

    /// All values, in the order of the measures.
    pub fn iter(&self) -> impl Iterator<Item = (Measure, &T)> {
        Measure::ALL
            .into_iter()
            .filter_map(|measure| Some((measure, self.get(measure)?)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub(crate) fn set(&mut self, measure: Measure, value: Option<T>) {
        self.0[measure as usize] = value;
    }
}
