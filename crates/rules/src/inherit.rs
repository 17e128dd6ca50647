//! Target → test → turn: which rules apply where (SPEC 7.1).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::block::{Block, Expectation};
use super::evaluation::Exclusions;
use super::overlay::{divide, replaced_by, replaced_on_turn};
use super::rule::{DroppedRule, ReplacedRule, Rule, RuleEntry};
use super::rule_properties::RuleSubject;
use super::snapshot::{innermost, without_turns};
use crate::evaluation::{Bound, Measure, PerMeasure, RuleOrigin, Setting};

/// The rules that apply in a test, by scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inherited {
    /// The rules whose scope is the test: the target's and the test's own, outer first.
    pub test: Vec<RuleEntry>,
    /// The rules that the target or the test defines although they applied already.
    pub dropped: Vec<DroppedRule>,
    /// The rules that the target defines and the test replaces, or one block of a level and a later one of it.
    pub replaced: Vec<ReplacedRule>,
    /// Whether calls of subagents do not count for the rules whose scope is the test.
    pub excludes_subagents: bool,
    /// The test's effective limits.
    pub limits: PerMeasure<Bound>,
    /// The rules that each turn adds.
    pub turns: Vec<TurnRules>,
}

/// The rules that apply to one turn in addition to those of the test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnRules {
    /// The rules whose scope is this turn.
    pub entries: Vec<RuleEntry>,
    /// The rules that the turn defines although they applied already.
    pub dropped: Vec<DroppedRule>,
    /// The rules of the test that do not look at this turn.
    pub left_out: Vec<ReplacedRule>,
    /// The same rules, to be found without looking at all of them.
    left_out_rules: HashSet<Arc<dyn Rule>>,
    /// The rules that one block of the turn defines and a later one replaces.
    pub replaced: Vec<ReplacedRule>,
    /// Whether calls of subagents do not count for the turn's own rules.
    pub excludes_subagents: bool,
    /// The turn's effective limits.
    pub limits: PerMeasure<Bound>,
    /// The measures of which the turn's own limit is `false` or looser than the test's: its part does not count towards the
    /// test's total.
    pub separate: Vec<Measure>,
    /// A replay turn: inherits nothing.
    pub is_replay: bool,
    /// Whether it is sent on a condition.
    pub is_conditional: bool,
}

impl TurnRules {
    /// Whether a rule of the test does not look at this turn.
    pub(crate) fn leaves_out(&self, entry: &RuleEntry) -> bool {
        self.left_out_rules.contains(&entry.rule)
    }
}

impl Inherited {
    /// The rules that apply to a turn that is not written.
    pub(crate) fn of_unwritten_turn(&self) -> TurnRules {
        let (excludes_subagents, limits) = (self.excludes_subagents, self.limits.clone());
        TurnRules {
            excludes_subagents,
            limits,
            ..TurnRules::default()
        }
    }

    /// Whether a rule needs the tools that the agent declares.
    pub fn look_at_declared_tools(&self) -> bool {
        let turns = self.turns.iter().flat_map(|turn| &turn.entries);
        self.test
            .iter()
            .chain(turns)
            .any(RuleEntry::looks_at_declared_tools)
    }

    /// The first turn that is sent on a condition, counted from 0.
    pub fn conditional_turn(&self) -> Option<usize> {
        self.turns.iter().position(|turn| turn.is_conditional)
    }

    /// Whether the turn at `index` has a run of its own and may be the last one that has.
    pub(crate) fn may_be_last(&self, index: usize) -> bool {
        let turns = self.turns.iter();
        let kinds = turns.map(|turn| (turn.is_replay, turn.is_conditional));
        last_turns(kinds).contains(&index)
    }

    /// The parts of the test that a rule of it does not look at.
    pub(crate) fn exclusions(&self, entry: &RuleEntry) -> Exclusions {
        let turns = self
            .turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.leaves_out(entry));
        let turns = turns.map(|(index, _)| index).collect();
        Exclusions {
            turns,
            subagents: self.excludes_subagents,
        }
    }
}

/// Merges the levels. Lists accumulate, outer first; a prohibition that an outer level defines already counts once;
/// limits, `max_calls`, the sequence and the outcome override inwards; `false` leaves out.
pub fn inherit(target: &Block, test: &Block, turns: &[Block]) -> Inherited {
    let (replaced, kept) = divide(&target.entries, |entry| replaced_by(entry, test));
    let mut merged = Inherited {
        test: kept,
        replaced: [target.replaced.as_slice(), &test.replaced, &replaced].concat(),
        excludes_subagents: are_subagents_excluded(&[target, test]),
        dropped: [target.dropped.as_slice(), &test.dropped].concat(),
        limits: bounds(&[target, test]),
        turns: Vec::with_capacity(turns.len()),
    };
    add_new(&mut merged.test, &mut merged.dropped, &test.entries, |_| {
        None
    });
    let kinds = turns.iter();
    let last = last_turns(kinds.map(|turn| (turn.is_replay, turn.is_conditional)));
    merged
        .test
        .extend(outcome_of_test(target, test, turns, &last));
    if let Some(entry) = innermost(&[target, test]) {
        let off = turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.snapshot == Some(Expectation::Off));
        merged
            .test
            .push(without_turns(&entry, off.map(|(index, _)| index).collect()));
    }
    let prohibitions = prohibitions(&merged.test);
    for (index, turn) in turns.iter().enumerate() {
        let position = if last.contains(&index) {
            TurnPosition::Last
        } else {
            TurnPosition::Other
        };
        let rules = turn_rules([target, test, turn], &merged, &prohibitions, position);
        merged.turns.push(rules);
    }
    // A rule that is switched off on every turn that it would look at applies nowhere.
    let is_somewhere = |entry: &RuleEntry| {
        let is_about_last = entry.is_about_last_turn();
        let turns = merged.turns.iter().enumerate();
        let mut turns = turns
            .filter(|(index, turn)| !turn.is_replay && (!is_about_last || last.contains(index)))
            .map(|(_, turn)| turn)
            .peekable();
        turns.peek().is_none() || turns.any(|turn| !turn.leaves_out(entry))
    };
    merged.test = merged
        .test
        .iter()
        .filter(|entry| is_somewhere(entry))
        .cloned()
        .collect();
    merged
}

/// The expected end of the test: that of the innermost level. The own one of the last turn overrides it, since both are about the
/// same run; `last` are the turns that may be the last.
fn outcome_of_test(
    target: &Block,
    test: &Block,
    turns: &[Block],
    last: &BTreeSet<usize>,
) -> Option<RuleEntry> {
    let mut of_last = last.iter().map(|index| &turns[*index].outcome);
    if !last.is_empty() && of_last.all(Option::is_some) {
        return None;
    }
    match test.outcome.as_ref().or(target.outcome.as_ref())? {
        Expectation::Is(entry) => Some(entry.clone()),
        Expectation::Off => None,
    }
}

/// The turns of which one is the last that has a run of its own, counted from 0: the last one that is always sent, and those after
/// it. For each turn, `kinds` says whether it is a replay, and whether it is conditional.
fn last_turns(
    kinds: impl DoubleEndedIterator<Item = (bool, bool)> + ExactSizeIterator,
) -> BTreeSet<usize> {
    let mut last = BTreeSet::new();
    for (index, (is_replay, is_conditional)) in kinds.enumerate().rev() {
        if is_replay {
            continue;
        }
        last.insert(index);
        if !is_conditional {
            break;
        }
    }
    last
}

/// The position of a turn in its test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnPosition {
    /// It may be that no turn after it has a run of its own.
    Last,
    Other,
}

fn turn_rules(
    [target, test, turn]: [&Block; 3],
    merged: &Inherited,
    prohibitions: &ProhibitionOrigins,
    position: TurnPosition,
) -> TurnRules {
    let levels: &[&Block] = if turn.is_replay {
        &[turn]
    } else {
        &[target, test, turn]
    };
    let excludes_subagents = are_subagents_excluded(levels);
    let applies_alike = |entry: &RuleEntry| {
        !turn.is_replay
            && (!entry.is_about_tools() || excludes_subagents == merged.excludes_subagents)
    };
    let is_separate = |measure: &Measure| {
        turn.is_replay || is_looser(turn.limits.get(*measure), merged.limits.get(*measure))
    };
    let is_about =
        |entry: &RuleEntry| position == TurnPosition::Last || !entry.is_about_last_turn();
    let (left_out, _) = divide(&merged.test, |entry| {
        replaced_on_turn(entry, turn).filter(|_| is_about(entry) && !turn.is_replay)
    });
    let mut own = TurnRules {
        left_out_rules: left_out
            .iter()
            .map(|replaced| Arc::clone(&replaced.entry.rule))
            .collect(),
        left_out,
        replaced: turn.replaced.clone(),
        excludes_subagents,
        dropped: turn.dropped.clone(),
        limits: bounds(levels),
        separate: Measure::ALL
            .into_iter()
            .filter(Measure::has_total)
            .filter(is_separate)
            .collect(),
        is_replay: turn.is_replay,
        is_conditional: turn.is_conditional,
        entries: Vec::new(),
    };
    if position == TurnPosition::Last && turn.outcome.is_some() {
        let of_test = merged.test.iter();
        let outcomes = of_test.filter(|entry| entry.subject() == Some(RuleSubject::End));
        own.left_out_rules
            .extend(outcomes.map(|entry| Arc::clone(&entry.rule)));
    }
    add_new(&mut own.entries, &mut own.dropped, &turn.entries, |entry| {
        prohibitions
            .get(&entry.rule)
            .filter(|_| applies_alike(entry))
    });
    if let Some(Expectation::Is(entry)) = &turn.outcome {
        own.entries.push(entry.clone());
    }
    if turn.snapshot.is_some() {
        own.entries.extend(innermost(levels));
    }
    own
}

fn are_subagents_excluded(levels: &[&Block]) -> bool {
    levels
        .iter()
        .rev()
        .find_map(|block| block.excludes_subagents())
        .unwrap_or_default()
}

/// Prohibitions that already apply, and where each is defined.
type ProhibitionOrigins = HashMap<Arc<dyn Rule>, RuleOrigin>;

fn prohibitions(entries: &[RuleEntry]) -> ProhibitionOrigins {
    let prohibitions = entries.iter().filter(|entry| entry.is_prohibition());
    prohibitions
        .map(|entry| (Arc::clone(&entry.rule), entry.origin.clone()))
        .collect()
}

/// Adds the rules of an inner level; `outer` finds a prohibition that already applies.
fn add_new<'o>(
    entries: &mut Vec<RuleEntry>,
    dropped: &mut Vec<DroppedRule>,
    more: &[RuleEntry],
    outer: impl Fn(&RuleEntry) -> Option<&'o RuleOrigin>,
) {
    let mut own = prohibitions(entries);
    for entry in more {
        if entry.is_prohibition() {
            if let Some(kept) = own.get(&entry.rule).or_else(|| outer(entry)) {
                dropped.push(DroppedRule {
                    entry: entry.clone(),
                    kept: kept.clone(),
                });
                continue;
            }
            own.insert(Arc::clone(&entry.rule), entry.origin.clone());
        }
        entries.push(entry.clone());
    }
}

/// The setting of the innermost level for a limit; outer levels first.
pub(crate) fn effective<'s>(measure: Measure, levels: &[&'s Block]) -> Option<&'s Setting> {
    levels
        .iter()
        .rev()
        .find_map(|block| block.limits.get(measure))
}

fn bounds(levels: &[&Block]) -> PerMeasure<Bound> {
    let mut bounds = PerMeasure::default();
    for measure in Measure::ALL {
        if let Some(Setting::Bound(bound)) = effective(measure, levels) {
            bounds.set(measure, Some(bound.clone()));
        }
    }
    bounds
}

fn is_looser(own: Option<&Setting>, test: Option<&Bound>) -> bool {
    match (own, test) {
        (Some(Setting::Off(_)), _) => true,
        (Some(Setting::Bound(own)), Some(test)) => own.most > test.most,
        (Some(Setting::Bound(_) | Setting::Later(..)) | None, _) => false,
    }
}
