//! Limits of a test as a whole: the total of the turns that do not have a looser limit of their own (SPEC 7.1).

use super::measure::{Measure, PerMeasure};
use super::setting::Bound;
use super::{Finding, Judgement, Moment, Monitor, View};
use ananke_base::text::{duration, grouped};
use ananke_trace::outcome::Measured;
use ananke_trace::trace::{Trace, TurnRanges};

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
        let total = self.measured(parts.iter().map(|(_, part)| part).sum());
        let of_turns = Self::of_turns(count, &parts);
        if moment.is_over() {
            // A limit that applies to no turn is not evaluated; the failure of a turn says that one is exceeded.
            return if parts.is_empty() || !total.is_allowed() {
                Judgement::Open
            } else {
                Judgement::Within(total, of_turns)
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
        let message = format!("the test took {took} so far, the limit is {limit}");
        let expected = match self.measure {
            Measure::Duration => format!("a test of at most {limit}{of_turns}"),
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
    /// The amount of a turn: microseconds, or the tokens that were reported.
    fn part(&self, trace: &Trace, turn: &TurnRanges) -> u64 {
        match self.measure.tokens(trace, turn) {
            Some(tokens) => tokens.counted,
            None => trace.turn_micros(turn),
        }
    }

    fn measured(&self, part: u64) -> Measured {
        match self.measure {
            Measure::Duration => self.bound.micros(part),
            _ => self.bound.tokens(part),
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
            tokens => format!("{} {}", grouped(part), tokens.of_what()),
        }
    }
}
