//! What is in force where, as a value that people can be shown: by home, with who wrote it and what it replaced.
//!
//! Merged blocks flow in, an [`Explanation`] comes out. Its words are those of the rules themselves, and what it says
//! to be in force is what [`inherit`] merged: nothing is decided here.

use super::block::{Block, Setting};
use super::inherit::effective;
use super::inherit::inherit;
use super::rule::{Entry, Kind, Origin};
use crate::assertion::judge::Home;
use crate::assertion::limits::Measure;

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
    /// What outer levels wrote and this home does not look at.
    pub switched_off: Vec<SwitchedOff>,
    /// Whether calls of subagents are left out, where this home says so, and who does.
    pub subagents: Option<(bool, Origin)>,
    /// Of a turn: what of it is left out of the test's sum.
    pub answers_for: Vec<Measure>,
    /// Of a turn: whether it is told what was before, so that nothing of the test is in force on it.
    pub is_replay: bool,
}

/// One prohibition or obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedRule {
    /// Its kind.
    pub kind: Kind,
    /// When it is settled.
    pub settled: String,
    /// What it wants.
    pub words: String,
    /// Who wrote it.
    pub origin: Origin,
}

/// A prohibition or an obligation that is not in force here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchedOff {
    /// What it wants.
    pub words: String,
    /// Who wrote it.
    pub origin: Origin,
    /// Who says otherwise.
    pub by: Origin,
}

/// One limit of one home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedLimit {
    /// What is limited.
    pub measure: Measure,
    /// What is in force, which may be that there is no limit.
    pub words: String,
    /// Who says so.
    pub origin: Origin,
    /// What this home replaced or switched off, the nearest level first.
    pub replaced: Vec<(String, Origin)>,
}

/// Explains what the levels say together.
pub fn explain(target: &Block, test: &Block, turns: &[Block]) -> Explanation {
    let merged = inherit(target, test, turns);
    let of_test = |measure: Measure| {
        let mut limit = limit(measure, &[target, test])?;
        if matches!(effective(measure, &[target, test]), Some(Setting::Bound(_) | Setting::Later(..))) {
            let held: Vec<bool> = merged
                .turns
                .iter()
                .zip(turns)
                .map(|(rules, block)| {
                    if measure.is_summed() {
                        !rules.answers_for.contains(&measure)
                    } else {
                        block.limits.get(measure).is_none() && !block.is_replay
                    }
                })
                .collect();
            let (word, together) = if measure.is_summed() { ("for", " together") } else { ("on", "") };
            limit.words.push_str(&listed(&held, word, together));
        }
        Some(limit)
    };
    let whole = Part {
        rules: rules(&merged.test, Home::Test),
        limits: Measure::ALL.into_iter().filter_map(of_test).collect(),
        dropped: dropped(&merged.dropped),
        switched_off: switched_off(&merged.replaced),
        subagents: test
            .subagents
            .clone()
            .or_else(|| target.subagents.clone().filter(|_| test.leaves_subagents_out().is_none())),
        answers_for: Vec::new(),
        is_replay: false,
    };
    let of_turn = |(number, (own, block))| {
        let (own, block): (&super::TurnRules, &Block) = (own, block);
        // What an outer level says is not in force on a turn that is told what was before.
        let levels: &[&Block] = if own.is_replay { &[block] } else { &[target, test, block] };
        let answers = own.answers_for.iter().copied();
        let answers = answers.filter(|measure| merged.limits.get(*measure).is_some() && !own.is_replay);
        Part {
            rules: rules(&own.entries, Home::Turn(number)),
            limits: Measure::ALL.into_iter().filter_map(|measure| limit(measure, levels)).collect(),
            dropped: dropped(&own.dropped),
            switched_off: switched_off([own.replaced.as_slice(), &own.left_out].concat().as_slice()),
            subagents: block.subagents.clone(),
            answers_for: answers.collect(),
            is_replay: own.is_replay,
        }
    };
    let turns = merged.turns.iter().zip(turns).enumerate().map(of_turn).collect();
    Explanation { test: whole, turns }
}

/// Which turns a limit of the test is about, behind its number.
fn listed(turns: &[bool], word: &str, together: &str) -> String {
    let held = turns.iter().zip(1_usize..).filter(|(held, _)| **held);
    let numbers: Vec<String> = held.map(|(_, number)| number.to_string()).collect();
    match numbers.as_slice() {
        [] => format!(" {word} no turn: each says its own"),
        [_] if turns.len() == 1 => String::new(),
        all if all.len() == turns.len() => format!(" {word} all turns{together}"),
        [one] => format!(" {word} turn {one}"),
        [first @ .., last] => format!(" {word} turns {} and {last}{together}", first.join(", ")),
    }
}

fn rules(entries: &[Entry], home: Home) -> Vec<ExplainedRule> {
    let explained = |Entry { rule, origin }: &Entry| ExplainedRule {
        kind: rule.kind(),
        settled: rule.settled(home),
        words: rule.describe(),
        origin: origin.clone(),
    };
    entries.iter().map(explained).collect()
}

fn switched_off(replaced: &[super::Replaced]) -> Vec<SwitchedOff> {
    let told = replaced.iter().map(|super::Replaced { entry, by }| SwitchedOff {
        words: entry.rule.describe(),
        origin: entry.origin.clone(),
        by: by.clone(),
    });
    told.collect()
}

fn dropped(dropped: &[super::Dropped]) -> Vec<(String, Origin, Origin)> {
    let told = dropped.iter();
    told.map(|one| (one.entry.rule.describe(), one.entry.origin.clone(), one.kept.clone())).collect()
}

/// What the blocks of a level say about a limit, the last one first.
fn said(measure: Measure, block: &Block) -> impl Iterator<Item = &Setting> {
    let replaced = block.replaced_limits.iter().rev().filter(move |(other, _)| *other == measure);
    block.limits.get(measure).into_iter().chain(replaced.map(|(_, setting)| setting))
}

/// The limit in force, outer levels first. What was replaced is told by the home that replaces it, and by it alone.
fn limit(measure: Measure, levels: &[&Block]) -> Option<ExplainedLimit> {
    let mut said = levels.iter().rev().flat_map(|block| said(measure, block));
    let setting = said.next()?;
    let outer: Vec<&Setting> = said.collect();
    if matches!(setting, Setting::Off(_)) && outer.is_empty() {
        // A `false` in the place of a whole block has nothing to switch off here.
        return None;
    }
    let is_own = levels.last()?.limits.get(measure).is_some();
    let outer = outer.into_iter().filter(|_| is_own);
    let words = setting.describe(measure);
    let (words, instead) = match setting {
        Setting::Off(_) => (format!("{words}: `false`"), "switches off"),
        Setting::Bound(_) | Setting::Later(..) => (format!("at most {words}"), "instead of"),
    };
    let instead =
        |outer: &Setting| (format!("{instead} {}", outer.describe(measure)), outer.origin().clone());
    Some(ExplainedLimit {
        measure,
        words,
        origin: setting.origin().clone(),
        replaced: outer.map(instead).collect(),
    })
}
