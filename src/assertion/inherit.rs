//! Target → test → turn: what is in force where (SPEC 7.1).

use super::{Block, Bound, Entry, Kind, Origin, Setting};

/// What is in force in a test, by home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inherited {
    /// The rules whose home is the test: the target's and the test's own, outer first.
    pub test: Vec<Entry>,
    /// What the target or the test wrote though it was in force already.
    pub dropped: Vec<Dropped>,
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
    /// What the turn wrote though it was in force already.
    pub dropped: Vec<Dropped>,
    /// The turn's effective limit of its duration.
    pub max_duration: Option<Bound>,
    /// The turn's effective limit of idle time.
    pub max_idle: Option<Bound>,
    /// Whether the turn's own limit is `false` or looser than the test's: its time is then left out of the test's.
    pub answers_for_its_duration: bool,
    /// Whether it is told what was before: nothing of the outer levels is in force on it.
    pub is_replay: bool,
}

/// A rule that was written again.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// What was written again.
    pub entry: Entry,
    /// Where it stood already.
    pub kept: Origin,
}

/// Merges the levels. Lists accumulate, outer first; a prohibition that an outer level wrote already counts once;
/// limits override inwards.
pub fn inherit(target: &Block, test: &Block, turns: &[Block]) -> Inherited {
    let mut merged = Inherited {
        test: target.entries.clone(),
        dropped: [target.dropped.as_slice(), &test.dropped].concat(),
        max_duration: bound(effective(&[&target.max_duration, &test.max_duration])),
        turns: Vec::with_capacity(turns.len()),
    };
    add_new(&mut merged.test, &mut merged.dropped, &test.entries, &[]);
    let nothing = Block::default();
    for turn in turns {
        let (target, test) = if turn.is_replay { (&nothing, &nothing) } else { (target, test) };
        let outer: &[Entry] = if turn.is_replay { &[] } else { &merged.test };
        let mut own = TurnRules {
            dropped: turn.dropped.clone(),
            max_duration: bound(effective(&[&target.max_duration, &test.max_duration, &turn.max_duration])),
            max_idle: bound(effective(&[&target.max_idle, &test.max_idle, &turn.max_idle])),
            answers_for_its_duration: turn.is_replay
                || is_looser(turn.max_duration.as_ref(), merged.max_duration.as_ref()),
            is_replay: turn.is_replay,
            entries: Vec::new(),
        };
        add_new(&mut own.entries, &mut own.dropped, &turn.entries, outer);
        merged.turns.push(own);
    }
    merged
}

fn add_new(entries: &mut Vec<Entry>, dropped: &mut Vec<Dropped>, more: &[Entry], outer: &[Entry]) {
    for entry in more {
        let known = entries.iter().chain(outer).find(|known| known.rule == entry.rule);
        match known.filter(|_| entry.rule.kind() == Kind::Prohibition) {
            Some(known) => {
                dropped.push(Dropped { entry: entry.clone(), kept: known.origin.clone() });
            }
            None => entries.push(entry.clone()),
        }
    }
}

/// The innermost word on a limit; outer levels first.
pub(super) fn effective<'s>(levels: &[&'s Option<Setting>]) -> Option<&'s Setting> {
    levels.iter().rev().find_map(|setting| setting.as_ref())
}

fn bound(setting: Option<&Setting>) -> Option<Bound> {
    match setting {
        Some(Setting::Bound(bound)) => Some(bound.clone()),
        Some(Setting::Off(_) | Setting::Later(..)) | None => None,
    }
}

fn is_looser(own: Option<&Setting>, test: Option<&Bound>) -> bool {
    match (own, test) {
        (Some(Setting::Off(_)), _) => true,
        (Some(Setting::Bound(own)), Some(test)) => own.ms > test.ms,
        (Some(Setting::Bound(_) | Setting::Later(..)) | None, _) => false,
    }
}
