//! A conversation on tape, its changes, and what its rules say of one. It needs no recording.
//!
//! Flows in: a tape with its rules. Flows out: [`Mutation`]s, and their [`Fate`]s. **Invariant:** the same tape gives the same
//! mutations and fates.

use std::collections::{BTreeMap, BTreeSet};

use super::change_site::{self, ChangeSite};
use super::tape_index::TapeIndex;
use super::{Mutation, arguments, calls, results, streams, texts};
use ananke_conversation::{TapeItem, TapePlayer};
use ananke_model::variables::Patterns;
use ananke_run::TapedConversation;
use ananke_trace::outcome::RuleResult;
use ananke_trace::outcome::mutation::Fate;
use ananke_trace::trace::{EventNumber, RunEnd, Trace};

/// A conversation on tape.
#[derive(Debug)]
pub(super) struct TapedMutants {
    pub(super) taped: TapedConversation,
    pub(super) index: TapeIndex,
    /// The result that fails without a change; `None`, unless the test did not pass.
    pub(super) unchanged: Option<RuleResult>,
    /// Those of the rules: they are compiled once for all changes.
    patterns: Patterns,
}

impl TapedMutants {
    /// Plays a tape without a change.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(super) fn of(taped: TapedConversation) -> Result<Self, regex::Error> {
        let index = TapeIndex::of(&taped);
        let mut mutants = Self {
            taped,
            index,
            unchanged: None,
            patterns: Patterns::default(),
        };
        let Judged {
            failures, patterns, ..
        } = mutants.judged(&mutants.taped.items, None)?;
        (mutants.unchanged, mutants.patterns) = (failures.into_iter().next(), patterns);
        Ok(mutants)
    }

    /// The conversation as it was, without rules.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(super) fn trace(&self) -> Result<Trace, regex::Error> {
        let mut player = self.taped.player(self.patterns.clone())?;
        self.taped
            .items
            .iter()
            .cloned()
            .try_for_each(|item| player.play(item))?;
        Ok(player.trace)
    }

    /// All changes to what the tape decoded to.
    pub(super) fn mutations(&self) -> Vec<Mutation> {
        let items = &self.taped.items;
        let mut mutations = calls::mutations(&self.index, items);
        mutations.extend(arguments::mutations(&self.index, items));
        mutations.extend(results::mutations(&self.index, items));
        mutations.extend(texts::mutations(&self.index, items));
        mutations.extend(streams::mutations(&self.index, items));
        mutations
    }

    /// The fate of the conversation with this change, which is none to the bytes of a response.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(super) fn evaluate(&self, mutation: &Mutation) -> Result<Fate, regex::Error> {
        let (items, changed) = mutated(&self.taped.items, mutation);
        let judged = self.judged(&items, Some((&mutation.site, &changed)))?;
        if let Some(problem) = judged.problem {
            return Ok(Fate::KilledByProtocol(problem));
        }
        if let Some(decision) = judged.changed_decision {
            return Ok(Fate::ChangesDecision(decision));
        }
        let fate = change_site::fate(&judged.failures, &mutation.site, &judged.changed);
        Ok(match (fate, judged.not_shown) {
            (Fate::Survived, Some(lacks)) => Fate::NotShown(lacks),
            (fate, _) => fate,
        })
    }

    /// The results of the rules for these items, as in a run: it ends with the first turn that does not pass.
    fn judged(
        &self,
        items: &[TapeItem],
        change: Option<(&ChangeSite, &BTreeSet<usize>)>,
    ) -> Result<Judged, regex::Error> {
        let mut player = self.taped.player(self.patterns.clone())?;
        let mut judged = Judged::default();
        for (number, item) in items.iter().enumerate() {
            if let Some(problem) = problem(&player, item) {
                judged.problem = Some(problem);
                return Ok(judged);
            }
            let is_end = matches!(item, TapeItem::TurnEnded(_));
            player.play(item.clone())?;
            if player.changed_decision.is_some() {
                judged.changed_decision = player.changed_decision;
                return Ok(judged);
            }
            if change.is_some_and(|(site, changed)| changed.contains(&number) || site.has(item)) {
                judged.changed.insert(player.trace.newest_event());
            }
            if is_end {
                judged.not_shown = judged.not_shown.take().or(player.take_not_shown());
            }
            if is_end && !player.failures.is_empty() && number + 1 < items.len() {
                judged.failures = player.failures;
                return Ok(judged);
            }
        }
        let settled = player.evaluator.settle(&player.trace);
        judged.not_shown = judged.not_shown.take().or(player.take_not_shown());
        judged.problem = player.evaluator.overtime().map(|problem| problem.message);
        judged.failures = player.failures;
        judged.failures.extend(settled);
        judged.patterns = player.evaluator.patterns().clone();
        Ok(judged)
    }
}

/// The results of the rules for a conversation.
#[derive(Debug, Default)]
struct Judged {
    failures: Vec<RuleResult>,
    /// The reason that a rule neither passed nor failed.
    not_shown: Option<String>,
    /// The problem with which it ends without a rule.
    problem: Option<String>,
    /// The decision about a conditional turn that became another one, in words.
    changed_decision: Option<String>,
    /// The numbers of the events that show the change.
    changed: BTreeSet<EventNumber>,
    /// The compiled patterns of the rules, if they watched all of it.
    patterns: Patterns,
}

/// The problem with which a run would end before this item.
fn problem(player: &TapePlayer, item: &TapeItem) -> Option<String> {
    let end = player
        .trace
        .exchanges
        .last()
        .and_then(|exchange| exchange.run_end.as_ref());
    match (item, end) {
        (TapeItem::TurnEnded(_), Some(end @ (RunEnd::Error { .. } | RunEnd::Cancelled))) => {
            let is_replay = player
                .trace
                .exchanges
                .last()
                .is_some_and(|exchange| exchange.is_replay);
            (!is_replay && !player.evaluator.expects(end)).then(|| format!("agent error: {end}"))
        }
        (TapeItem::Turn(input, _), Some(RunEnd::Finished)) if !input.answered.is_empty() => {
            Some("the next turn answers an interrupt that there is not".to_owned())
        }
        _ => None,
    }
}

/// The items with a change, and the numbers of those that show it.
fn mutated(items: &[TapeItem], mutation: &Mutation) -> (Vec<TapeItem>, BTreeSet<usize>) {
    let mut edits: BTreeMap<usize, (bool, Vec<&TapeItem>)> = BTreeMap::new();
    for edit in &mutation.edits {
        let (removes, inserts) = edits.entry(edit.at).or_default();
        *removes |= edit.removes;
        inserts.extend(&edit.inserts);
    }
    let (mut new, mut changed) = (Vec::with_capacity(items.len() + 8), BTreeSet::new());
    for (at, item) in items.iter().enumerate() {
        let edit = edits.get(&at);
        for inserted in edit.iter().flat_map(|(_, inserts)| inserts) {
            changed.insert(new.len());
            new.push((*inserted).clone());
        }
        if edit.is_some_and(|(removes, _)| *removes) {
            // What is missing would have been in the event of what comes before it.
            changed.insert(new.len().saturating_sub(1));
            continue;
        }
        let mut item = item.clone();
        if let (Some(edit), TapeItem::Change(_, change)) = (&mutation.in_snapshots, &mut item) {
            edit.apply(change);
        }
        if let Some((from, micros)) = mutation.later {
            if at == from {
                changed.insert(new.len());
            }
            if at >= from {
                item = item.later(micros);
            }
        }
        new.push(item);
    }
    (new, changed)
}
