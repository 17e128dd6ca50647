//! Target → test → turn: what is in force where (SPEC 7.1).

use super::{Block, Bound, Entry, Kind, Setting};

/// What is in force in a test, by home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inherited {
    /// The rules whose home is the test: the target's and the test's own, outer first.
    pub test: Vec<Entry>,
    /// The test's effective limit of its duration.
    pub max_duration: Option<Bound>,
    /// What each turn adds.
    pub turns: Vec<TurnRules>,
}

/// What is in force on one turn beside the rules of the test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnRules {
    /// The rules whose home is this turn.
    pub entries: Vec<Entry>,
    /// The turn's effective limit of its duration.
    pub max_duration: Option<Bound>,
    /// The turn's effective limit of idle time.
    pub max_idle: Option<Bound>,
    /// Whether the turn's own limit is `false` or looser than the test's: its time is then left out of the test's.
    pub answers_for_its_duration: bool,
}

/// Merges the levels. Lists accumulate, outer first; a prohibition that an outer level wrote already counts once;
/// limits override inwards.
pub fn inherit(target: &Block, test: &Block, turns: &[Block]) -> Inherited {
    let mut entries: Vec<Entry> = target.entries.clone();
    add_new(&mut entries, &test.entries, &[]);
    let max_duration = effective(&[&target.max_duration, &test.max_duration]);
    let turns = turns
        .iter()
        .map(|turn| {
            let mut own = Vec::new();
            add_new(&mut own, &turn.entries, &entries);
            TurnRules {
                entries: own,
                max_duration: effective(&[&target.max_duration, &test.max_duration, &turn.max_duration]),
                max_idle: effective(&[&target.max_idle, &test.max_idle, &turn.max_idle]),
                answers_for_its_duration: is_looser(turn.max_duration.as_ref(), max_duration.as_ref()),
            }
        })
        .collect();
    Inherited { test: entries, max_duration, turns }
}

fn add_new(entries: &mut Vec<Entry>, more: &[Entry], outer: &[Entry]) {
    for entry in more {
        let known = entries.iter().chain(outer).any(|known| known.rule == entry.rule);
        if !(known && entry.rule.kind() == Kind::Prohibition) {
            entries.push(entry.clone());
        }
    }
}

/// The innermost word on a limit.
fn effective(levels: &[&Option<Setting>]) -> Option<Bound> {
    match levels.iter().rev().find_map(|setting| setting.as_ref()) {
        Some(Setting::Bound(bound)) => Some(bound.clone()),
        Some(Setting::Off) | None => None,
    }
}

fn is_looser(own: Option<&Setting>, test: Option<&Bound>) -> bool {
    match (own, test) {
        (Some(Setting::Off), _) => true,
        (Some(Setting::Bound(own)), Some(test)) => own.ms > test.ms,
        (Some(Setting::Bound(_)) | None, _) => false,
    }
}
