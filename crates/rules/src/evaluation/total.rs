//! Limits of a test as a whole: the total of the turns that do not have a looser limit of their own (SPEC 7.1).

use super::measure::{Measure, PerMeasure};
use super::setting::Bound;
use super::turn_limits::cost_not_known;
use super::{Finding, Judgement, Moment, Monitor, View};
use ananke_base::text::{Usd, duration, grouped};
use ananke_trace::outcome::Measured;
use ananke_trace::trace::{Trace, TurnRanges};

/// The schema version from which on a limit of what is not known is not shown. Before, it is an error of its turn.
pub(crate) const NOT_SHOWN: (u32, u32) = (1, 4);

/// Checks the total at the end of every turn, so that no further turn is sent once the limit is exceeded.
pub(crate) fn total(measure: Measure, bound: Bound) -> Box<dyn Monitor> {
    Box::new(Total {
        measure,
        bound,
        turns: Vec::new(),
    })
}

struct Total {
    measure: Measure,
    bound: Bound,
    turns: Vec<TurnShare>,
}

/// The share of a turn in the total.
#[derive(Clone, Copy, Default)]
struct TurnShare {
    /// Whether it does not count: the turn's own limit is `false` or looser.
    is_separate: bool,
    /// Whether this limit applies to the turn too: then its own failure says it already.
    has_same_limit: bool,
}

impl Monitor for Total {
    fn watch(&mut self, view: &View<'_>, moment: Moment) -> Judgement {
        if matches!(moment, Moment::Touched(_)) {
            return Judgement::Open;
        }
        let share = |turn: usize| self.turns.get(turn).copied().unwrap_or_default();
        let sent = view.trace.turns.iter().enumerate();
        let sent = sent.filter(|(_, data)| !data.input.is_not_needed);
        let count = sent.clone().count();
        let parts: Vec<(usize, u64)> = sent
            .filter(|(turn, _)| !share(*turn).is_separate)
            .map(|(turn, data)| (turn, self.part(view.trace, data)))
            .collect();
        let sum = parts
            .iter()
            .fold(0_u64, |sum, (_, part)| sum.saturating_add(*part));
        let total = self.measured(sum);
        let of_turns = Self::of_turns(count, &parts);
        if moment.is_over() {
            // A limit that applies to no turn is not evaluated; the failure of a turn says that one is exceeded.
            return if parts.is_empty() || !total.is_allowed() {
                Judgement::Open
            } else {
                self.at_end(view.trace, &parts, total, of_turns)
            };
        }
        let is_reported = parts.last().is_some_and(|(turn, part)| {
            share(*turn).has_same_limit
                && !self.measured(*part).is_allowed()
                && *turn + 1 == view.trace.turns.len()
        });
        if total.is_allowed() || is_reported {
            return Judgement::Open;
        }
        let parts: Vec<String> = parts
            .iter()
            .map(|(turn, part)| format!("turn {}: {}", turn + 1, self.shown(*part)))
            .collect();
        let took = self.shown(total.actual);
        let limit = self.bound.shown(self.measure);
        let verb = match self.measure {
            Measure::Cost => "cost",
            _ => "took",
        };
        let message = format!("the test {verb} {took} so far, the limit is {limit}");
        let expected = match self.measure {
            Measure::Duration => format!("a test of at most {limit}{of_turns}"),
            Measure::Cost => format!("a test that costs at most {limit}{of_turns}"),
            tokens => format!(
                "a test of at most {} {}{of_turns}",
                grouped(self.bound.most),
                tokens.of_what()
            ),
        };
        let measured = Some(total);
        Judgement::failed(Finding {
            measured,
            ..Finding::in_words(message, expected, [parts.join(", ")])
        })
    }

    fn set_turn_rules(&mut self, turn: usize, limits: &PerMeasure<Bound>, separate: &[Measure]) {
        if self.turns.len() <= turn {
            self.turns.resize_with(turn + 1, TurnShare::default);
        }
        self.turns[turn] = TurnShare {
            is_separate: separate.contains(&self.measure),
            has_same_limit: limits.get(self.measure) == Some(&self.bound),
        };
    }
}

impl Total {
    /// The judgement at the end, of a total that is allowed. A part that is not known may be what exceeds the limit. Files of older
    /// versions have an error in that turn.
    fn at_end(
        &self,
        trace: &Trace,
        parts: &[(usize, u64)],
        total: Measured,
        of_turns: String,
    ) -> Judgement {
        let mut turns = parts.iter().map(|(turn, _)| &trace.turns[*turn]);
        match turns.find_map(|turn| self.not_known(trace, turn)) {
            Some(why) if self.bound.origin.source.is_since(NOT_SHOWN) => Judgement::Unknown(why),
            Some(_) | None => Judgement::Within(total, of_turns),
        }
    }

    /// The amount of a turn: microseconds, or what is known of its usage.
    fn part(&self, trace: &Trace, turn: &TurnRanges) -> u64 {
        match self.measure.amount(trace, turn) {
            Some(amount) => amount.known,
            None => trace.turn_micros(turn),
        }
    }

    /// The reason why some of the amount of a turn is not known; `None` if all of it is.
    fn not_known(&self, trace: &Trace, turn: &TurnRanges) -> Option<String> {
        let amount = self.measure.amount(trace, turn)?;
        if !amount.is_partial {
            return None;
        }
        if self.measure == Measure::Cost {
            return Some(cost_not_known(trace, turn));
        }
        // A run that failed does not have to report its usage.
        trace.turn_usage(turn)?;
        let of_what = self.measure.of_what();
        Some(format!("the agent did not report its {of_what}"))
    }

    fn measured(&self, part: u64) -> Measured {
        match self.measure {
            Measure::Duration => self.bound.micros(part),
            measure => self.bound.counted(part, measure.unit()),
        }
    }

    /// The turns that it is about, in words; empty if it is about all of them.
    fn of_turns(turns: usize, parts: &[(usize, u64)]) -> String {
        let numbers: Vec<String> = parts
            .iter()
            .map(|(turn, _)| (turn + 1).to_string())
            .collect();
        match numbers.as_slice() {
            all if all.len() == turns => String::new(),
            [only] => format!(" in turn {only}"),
            several => format!(" in turns {}", several.join(", ")),
        }
    }

    fn shown(&self, part: u64) -> String {
        match self.measure {
            Measure::Duration => duration::exact(part),
            Measure::Cost => Usd(part).exact(),
            tokens => format!("{} {}", grouped(part), tokens.of_what()),
        }
    }
}
