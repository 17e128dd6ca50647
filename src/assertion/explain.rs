//! What is in force where, as a value that people can be shown: by home, with who wrote it and what it replaced.
//!
//! Merged blocks flow in, an [`Explanation`] comes out. Its words are those of the rules themselves, and what it says
//! to be in force is what [`inherit`] merged: nothing is decided here.

use super::inherit::effective;
use super::{Block, Entry, Home, Kind, Later, Origin, Setting, TurnRules, inherit};

/// What is in force in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What has the test as its home.
    pub test: Part,
    /// What has a turn as its home, turn by turn.
    pub turns: Vec<Part>,
}

/// What is settled with one home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Prohibitions and obligations, outer levels first.
    pub rules: Vec<ExplainedRule>,
    /// The limits in force.
    pub limits: Vec<ExplainedLimit>,
    /// What was written again, and where it stood already.
    pub dropped: Vec<(String, Origin, Origin)>,
    /// Of a turn: whether its time is left out of the test's.
    pub answers_for_its_duration: bool,
}

/// One prohibition or obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedRule {
    /// Its kind.
    pub kind: Kind,
    /// When it is settled; nothing where that is known later.
    pub settled: String,
    /// What it wants.
    pub words: String,
    /// Who wrote it.
    pub origin: Origin,
}

/// One limit of one home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedLimit {
    /// What is limited: `duration`, `idle`.
    pub name: &'static str,
    /// What is in force, which may be that there is no limit.
    pub words: String,
    /// Who says so.
    pub origin: Origin,
    /// What this home replaced, the nearest level first.
    pub replaced: Vec<(String, Origin)>,
}

/// Explains what the levels say together.
pub fn explain(target: &Block, test: &Block, turns: &[Block]) -> Explanation {
    let merged = inherit(target, test, turns);
    let alone: Vec<usize> = (0..merged.turns.len())
        .filter(|turn| !merged.turns.get(*turn).is_some_and(|turn| turn.answers_for_its_duration))
        .collect();
    let mut limits = Vec::new();
    limits.extend(limit(
        "duration",
        &[&target.max_duration, &test.max_duration],
        &together(&alone, turns.len()),
    ));
    limits.extend(limit("idle", &[&target.max_idle, &test.max_idle], " on each turn"));
    let whole = Part {
        rules: rules(&merged.test, &merged.later, Home::Test),
        limits,
        dropped: dropped(&merged.dropped),
        answers_for_its_duration: false,
    };
    let of_turn = |(number, (own, block)): (usize, (&TurnRules, &Block))| {
        let durations = [&target.max_duration, &test.max_duration, &block.max_duration];
        let idles = [&target.max_idle, &test.max_idle, &block.max_idle];
        let limits = limit("duration", &durations, "").into_iter().chain(limit("idle", &idles, ""));
        Part {
            rules: rules(&own.entries, &own.later, Home::Turn(number)),
            limits: limits.collect(),
            dropped: dropped(&own.dropped),
            answers_for_its_duration: own.answers_for_its_duration && merged.max_duration.is_some(),
        }
    };
    let turns = merged.turns.iter().zip(turns).enumerate().map(of_turn).collect();
    Explanation { test: whole, turns }
}

/// Which turns the limit of the test is about; `turns` are those that do not answer for themselves.
fn together(turns: &[usize], of: usize) -> String {
    let numbers: Vec<String> = turns.iter().map(|turn| (turn + 1).to_string()).collect();
    match numbers.as_slice() {
        [] => " for no turn: each answers for itself".to_owned(),
        [_] if of == 1 => String::new(),
        numbers if numbers.len() == of => " for all turns together".to_owned(),
        [one] => format!(" for turn {one}"),
        [first @ .., last] => format!(" for turns {} and {last} together", first.join(", ")),
    }
}

fn rules(entries: &[Entry], later: &[Later], home: Home) -> Vec<ExplainedRule> {
    let known = entries.iter().map(|Entry { rule, origin }| ExplainedRule {
        kind: rule.kind(),
        settled: rule.settled(home),
        words: rule.describe(),
        origin: origin.clone(),
    });
    let unknown = later.iter().map(|later| ExplainedRule {
        kind: later.kind,
        settled: "filled in when the test starts".to_owned(),
        words: format!("{}: {}", later.path, later.written),
        origin: later.origin.clone(),
    });
    known.chain(unknown).collect()
}

fn dropped(dropped: &[super::Dropped]) -> Vec<(String, Origin, Origin)> {
    let told = dropped.iter();
    told.map(|one| (one.entry.rule.describe(), one.entry.origin.clone(), one.kept.clone())).collect()
}

/// The limit in force, outer levels first. What was replaced is told by the home that replaces it, and by it alone.
fn limit(name: &'static str, levels: &[&Option<Setting>], of: &str) -> Option<ExplainedLimit> {
    let setting = effective(levels)?;
    let (own, outer) = levels.split_last()?;
    // The test speaks for the target too: it has no place of its own.
    let is_own = own.is_some();
    let outer = outer.iter().rev().filter_map(|setting| setting.as_ref()).filter(|_| is_own);
    let of = if matches!(setting, Setting::Off(_)) { "" } else { of };
    Some(ExplainedLimit {
        name,
        words: format!("{}{of}", setting.describe()),
        origin: setting.origin().clone(),
        replaced: outer.map(|setting| (setting.describe(), setting.origin().clone())).collect(),
    })
}
