//! Takes the rules of a test from what a trace does not show: nothing is known about them.
//!
//! **Invariant:** a rule is either evaluated or reported as not shown, never both and never neither.

use super::inherit::Inherited;
use super::rule::RuleEntry;
use crate::evaluation::{Bound, PerMeasure, RuleOrigin};
use ananke_trace::outcome::{Level, RuleResult};
use ananke_trace::trace::{Fact, Facts};

impl Inherited {
    /// Takes out every rule whose facts are not `shown`, and the rules of turns that a conversation of `turns` turns does not
    /// have. The rules of a replay turn are among them: nothing is replayed.
    pub fn withhold(&mut self, shown: Facts, turns: usize) -> Vec<RuleResult> {
        let mut withheld = Withheld {
            shown,
            rules: Vec::new(),
        };
        self.test.retain(|entry| withheld.keeps(entry));
        withheld.limits(&mut self.limits, None);
        let (replays, mut own): (Vec<_>, Vec<_>) = std::mem::take(&mut self.turns)
            .into_iter()
            .partition(|turn| turn.is_replay);
        for turn in replays {
            withheld.all(
                &turn.entries,
                &turn.limits,
                "a turn that replays the thread",
            );
        }
        for (turn, number) in own.split_off(turns.min(own.len())).iter().zip(turns + 1..) {
            withheld.all(&turn.entries, &turn.limits, &format!("a turn {number}"));
        }
        for turn in &mut own {
            turn.entries.retain(|entry| withheld.keeps(entry));
            withheld.limits(&mut turn.limits, Some(Level::Turn));
        }
        self.turns = own;
        while self.turns.len() < turns {
            self.turns.push(self.of_unwritten_turn());
        }
        withheld.rules
    }
}

/// The facts that a trace shows, and the rules that it does not show.
struct Withheld {
    shown: Facts,
    rules: Vec<RuleResult>,
}

/// Facts in words.
fn words(missing: &[Fact]) -> String {
    missing
        .iter()
        .map(|fact| fact.words())
        .collect::<Vec<_>>()
        .join(", nor ")
}

impl Withheld {
    /// Whether everything that `entry` rests on is shown.
    fn keeps(&mut self, entry: &RuleEntry) -> bool {
        let missing = self.shown.missing(entry.rule.needs());
        if !missing.is_empty() {
            self.add(
                entry.path,
                &entry.origin,
                entry.describe(),
                &words(&missing),
            );
        }
        missing.is_empty()
    }

    /// Takes out the limits that are not shown. Those of another level than `level`, if one is said, were reported there.
    fn limits(&mut self, limits: &mut PerMeasure<Bound>, level: Option<Level>) {
        let bounds: Vec<_> = limits
            .iter()
            .map(|(measure, bound)| (measure, bound.clone()))
            .collect();
        for (measure, bound) in bounds {
            let missing = self.shown.missing(measure.needs());
            if missing.is_empty() {
                continue;
            }
            limits.set(measure, None);
            if level.is_none_or(|level| level == bound.origin.level) {
                let wanted = bound.expectation(measure);
                self.add(measure.path(), &bound.origin, wanted, &words(&missing));
            }
        }
    }

    /// Adds all rules of a turn that there is not.
    fn all(&mut self, entries: &[RuleEntry], limits: &PerMeasure<Bound>, lacks: &str) {
        for entry in entries
            .iter()
            .filter(|entry| entry.origin.level == Level::Turn)
        {
            self.add(entry.path, &entry.origin, entry.describe(), lacks);
        }
        for (measure, bound) in limits
            .iter()
            .filter(|(_, bound)| bound.origin.level == Level::Turn)
        {
            self.add(
                measure.path(),
                &bound.origin,
                bound.expectation(measure),
                lacks,
            );
        }
    }

    fn add(&mut self, path: &'static str, origin: &RuleOrigin, wanted: String, lacks: &str) {
        let missing = format!("the trace does not show {lacks}");
        let rule = origin.not_shown(path, wanted, missing);
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }
}
