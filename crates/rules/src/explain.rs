//! The rules that apply at each scope, as a value that people can be shown: with the origin of each and the rules that it
//! replaces.
//!
//! Merged blocks flow in, an [`Explanation`] comes out. Its words are those of the rules, and what it says to apply is what
//! [`inherit`] merged: nothing is decided here.

use super::block::Block;
use super::evaluation::RuleScope;
use super::inherit::{Inherited, TurnRules, effective, inherit};
use super::rule::{DroppedRule, ReplacedRule, RuleEntry};
use crate::evaluation::{Measure, RuleOrigin, Setting};

/// The rules that apply in a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Those whose scope is the test.
    pub test: ScopeRules,
    /// Those whose scope is a turn, turn by turn.
    pub turns: Vec<ScopeRules>,
}

/// The rules of one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRules {
    /// The scope.
    pub scope: RuleScope,
    /// Prohibitions and requirements, outer levels first.
    pub rules: Vec<RuleEntry>,
    /// The limits that apply.
    pub limits: Vec<ExplainedLimit>,
    /// Duplicates.
    pub dropped: Vec<DroppedRule>,
    /// The rules that outer levels define and this scope switches off.
    pub switched_off: Vec<ReplacedRule>,
    /// Whether calls of subagents are excluded, if this scope says so, and where.
    pub subagents: Option<(bool, RuleOrigin)>,
    /// The measures of a turn that do not count towards the test's total; empty for a test.
    pub separate: Vec<Measure>,
    /// A replay turn: inherits nothing.
    pub is_replay: bool,
}

/// One limit of one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedLimit {
    /// The measure that is limited.
    pub measure: Measure,
    /// The limit in words, which may be that there is none.
    pub words: String,
    /// The turns to which a limit of the test applies, to be read after its words; may be empty.
    pub turns: String,
    /// The place where it is defined.
    pub origin: RuleOrigin,
    /// The limits that this scope replaces or switches off, the nearest level first.
    pub replaced: Vec<(String, RuleOrigin)>,
}

/// Explains what the levels say together.
pub fn explain(target: &Block, test: &Block, turns: &[Block]) -> Explanation {
    let merged = inherit(target, test, turns);
    let of_turns = merged.turns.iter().zip(turns).enumerate();
    let of_turns = of_turns.map(|(number, (own, block))| {
        // What an outer level says does not apply to a replay turn.
        let levels: &[&Block] = if own.is_replay {
            &[block]
        } else {
            &[target, test, block]
        };
        of_turn(number, own, block, levels, &merged)
    });
    Explanation {
        test: of_test(target, test, turns, &merged),
        turns: of_turns.collect(),
    }
}

/// The rules of the test.
fn of_test(target: &Block, test: &Block, turns: &[Block], merged: &Inherited) -> ScopeRules {
    let limits = Measure::ALL.into_iter().filter_map(|measure| {
        let mut limit = limit(measure, &[target, test])?;
        if matches!(
            effective(measure, &[target, test]),
            Some(Setting::Bound(_) | Setting::Later(..))
        ) {
            limit.turns = limited_turns(measure, turns, merged);
        }
        Some(limit)
    });
    ScopeRules {
        scope: RuleScope::Test,
        rules: merged.test.clone(),
        limits: limits.collect(),
        dropped: merged.dropped.clone(),
        switched_off: merged.replaced.clone(),
        subagents: test.subagents.clone().or_else(|| {
            target
                .subagents
                .clone()
                .filter(|_| test.excludes_subagents().is_none())
        }),
        separate: Vec::new(),
        is_replay: false,
    }
}

/// The turns to which a limit of the test applies, in words.
fn limited_turns(measure: Measure, turns: &[Block], merged: &Inherited) -> String {
    let applies = merged.turns.iter().zip(turns).map(|(rules, block)| {
        if measure.has_total() {
            !rules.separate.contains(&measure)
        } else {
            block.limits.get(measure).is_none() && !block.is_replay
        }
    });
    let (word, together) = if measure.has_total() {
        ("for", " together")
    } else {
        ("on", "")
    };
    listed(&applies.collect::<Vec<_>>(), word, together)
}

/// The rules of the turn `number`, counted from 0, to which `levels` apply.
fn of_turn(
    number: usize,
    own: &TurnRules,
    block: &Block,
    levels: &[&Block],
    merged: &Inherited,
) -> ScopeRules {
    let answers = own.separate.iter().copied();
    let answers = answers.filter(|measure| merged.limits.get(*measure).is_some() && !own.is_replay);
    ScopeRules {
        scope: RuleScope::Turn(number),
        rules: own.entries.clone(),
        limits: Measure::ALL
            .into_iter()
            .filter_map(|measure| limit(measure, levels))
            .collect(),
        dropped: own.dropped.clone(),
        switched_off: [own.replaced.as_slice(), &own.left_out].concat(),
        subagents: block.subagents.clone(),
        separate: answers.collect(),
        is_replay: own.is_replay,
    }
}

/// The turns that a limit of the test is about, after its number.
fn listed(turns: &[bool], word: &str, together: &str) -> String {
    let counted = turns.iter().zip(1_usize..).filter(|(applies, _)| **applies);
    let numbers: Vec<String> = counted.map(|(_, number)| number.to_string()).collect();
    match numbers.as_slice() {
        [] => format!(" {word} no turn: each says its own"),
        [_] if turns.len() == 1 => String::new(),
        all if all.len() == turns.len() => format!(" {word} all turns{together}"),
        [one] => format!(" {word} turn {one}"),
        [first @ .., last] => format!(" {word} turns {} and {last}{together}", first.join(", ")),
    }
}

/// The settings of a limit in the blocks of a level, the last one first.
fn said(measure: Measure, block: &Block) -> impl Iterator<Item = &Setting> {
    let replaced = block
        .replaced_limits
        .iter()
        .rev()
        .filter(move |(other, _)| *other == measure);
    block
        .limits
        .get(measure)
        .into_iter()
        .chain(replaced.map(|(_, setting)| setting))
}

/// The limit that applies, outer levels first. What was replaced is reported by the scope that replaces it alone.
fn limit(measure: Measure, levels: &[&Block]) -> Option<ExplainedLimit> {
    let mut said = levels.iter().rev().flat_map(|block| said(measure, block));
    let setting = said.next()?;
    let outer: Vec<&Setting> = said.collect();
    if matches!(setting, Setting::Off(_)) && outer.is_empty() {
        // A `false` instead of a whole block has nothing to switch off here.
        return None;
    }
    let is_own = levels.last()?.limits.get(measure).is_some();
    let outer = outer.into_iter().filter(|_| is_own);
    let words = setting.describe(measure);
    let (words, instead) = match setting {
        Setting::Off(_) => (format!("{words}: `false`"), "switches off"),
        Setting::Bound(_) | Setting::Later(..) => (format!("at most {words}"), "instead of"),
    };
    let instead = |outer: &Setting| {
        (
            format!("{instead} {}", outer.describe(measure)),
            outer.origin().clone(),
        )
    };
    Some(ExplainedLimit {
        turns: String::new(),
        measure,
        words,
        origin: setting.origin().clone(),
        replaced: outer.map(instead).collect(),
    })
}
