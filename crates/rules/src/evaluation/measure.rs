//! The measures of limits: the numbers of a turn that `timing` and `usage` bound.

use ananke_trace::outcome::MeasuredUnit;
use ananke_trace::trace::{Cost, Fact, Facts, Tokens, Trace, TurnRanges, Usage};

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
    /// `usage.max_cost_usd`
    Cost,
    /// `usage.max_rounds`
    Rounds,
}

/// The amount that a turn took of something that is not time, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    /// The number that is known: tokens, or parts of a dollar.
    pub(crate) known: u64,
    /// Whether some of it is not known.
    pub(crate) is_partial: bool,
}

impl From<Tokens> for Amount {
    fn from(tokens: Tokens) -> Self {
        Self {
            known: tokens.counted,
            is_partial: tokens.is_partial,
        }
    }
}

impl From<Cost> for Amount {
    fn from(cost: Cost) -> Self {
        Self {
            known: cost.known.0,
            is_partial: cost.is_partial,
        }
    }
}

/// The words for a measure, and how it is counted.
struct Spec {
    path: &'static str,
    name: &'static str,
    of_what: &'static str,
    unit: MeasuredUnit,
    /// Whether a limit of a test is about the total of its turns (SPEC 7.1).
    has_total: bool,
    /// The part of the usage that is counted; `None` for times.
    amount: Option<fn(Usage) -> Amount>,
    /// The facts that its limit rests on.
    needs: Facts,
}

const fn time(path: &'static str, name: &'static str, needs: Facts) -> Spec {
    Spec {
        path,
        name,
        of_what: "ms",
        unit: MeasuredUnit::Milliseconds,
        has_total: false,
        amount: None,
        needs,
    }
}

const fn usage(
    path: &'static str,
    name: &'static str,
    of_what: &'static str,
    amount: fn(Usage) -> Amount,
) -> Spec {
    Spec {
        path,
        name,
        of_what,
        unit: MeasuredUnit::Tokens,
        has_total: true,
        amount: Some(amount),
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
        usage.input.into()
    }),
    usage(
        "usage.max_output_tokens",
        "output",
        "output tokens",
        |usage| usage.output.into(),
    ),
    usage("usage.max_total_tokens", "total", "tokens", |usage| {
        usage.total.into()
    }),
    Spec {
        unit: MeasuredUnit::Dollars,
        ..usage("usage.max_cost_usd", "cost", "cost", |usage| {
            usage.cost.into()
        })
    },
    Spec {
        unit: MeasuredUnit::Requests,
        ..time("usage.max_rounds", "rounds", Facts::of(&[Fact::Calls]))
    },
];

impl Measure {
    /// Every one, in the order in which people read them.
    pub const ALL: [Self; 9] = [
        Self::Duration,
        Self::Idle,
        Self::FirstToken,
        Self::Tool,
        Self::InputTokens,
        Self::OutputTokens,
        Self::TotalTokens,
        Self::Cost,
        Self::Rounds,
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

    /// The unit of its numbers.
    pub fn unit(self) -> MeasuredUnit {
        self.spec().unit
    }

    /// Its unit, and which of them: `ms`, `input tokens`.
    pub fn of_what(self) -> &'static str {
        self.spec().of_what
    }

    /// Whether a limit of a test is about the total of its turns (SPEC 7.1).
    pub fn has_total(&self) -> bool {
        self.spec().has_total
    }

    /// The amount of this that a turn took; `None` for times.
    pub(crate) fn amount(self, trace: &Trace, turn: &TurnRanges) -> Option<Amount> {
        let amount = self.spec().amount?;
        let usage = trace.turn_usage(turn).unwrap_or(Usage::UNKNOWN);
        Some(amount(usage))
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
