//! The search for a smaller conversation: candidates in, the smallest that violates the rule out.
//!
//! Turns first, then calls with their results and other steps, then single steps and rules, until nothing changes; then parts of
//! steps, and what nothing refers to any more.

use std::collections::HashMap;
use std::path::PathBuf;

use super::test_candidate::{CandidateFiles, TestCandidate};
use super::violated_rule::ViolatedRule;
use crate::freeze::{HeldTest, planned, run_test};
use crate::lab_error::LabError;
use ananke_base::context::Context;
use ananke_base::reduction::Reduction;
use ananke_plan::Selection;

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShrinkProgress {
    /// The number of candidates that were run.
    pub tried: usize,
    /// The number of turns of the smallest one.
    pub turns: usize,
    /// The number of steps of its agent.
    pub steps: usize,
}

/// Runs candidates.
pub(super) struct ShrinkSearch<'a> {
    pub(super) context: &'a Context,
    /// The paths of the config and the test.
    pub(super) files: [PathBuf; 2],
    /// The id that the test would have.
    pub(super) id: String,
    pub(super) most_tries: usize,
    pub(super) tried: usize,
    pub(super) known: HashMap<CandidateFiles, bool>,
    pub(super) report: &'a mut (dyn FnMut(ShrinkProgress) + Send),
}

impl ShrinkSearch<'_> {
    /// The result of a candidate; `None` if its conversation is not one.
    ///
    /// # Errors
    /// If its files are not a test.
    pub(super) async fn held(
        &self,
        candidate: &TestCandidate,
    ) -> Result<Option<HeldTest>, LabError> {
        let Some(files) = candidate.files() else {
            return Ok(None);
        };
        let [config, test] = &self.files;
        let unsaved = self
            .context
            .files
            .with_unsaved(config.clone(), &files.config);
        let context = Context {
            files: unsaved.with_unsaved(test.clone(), &files.test),
            ..self.context.clone()
        };
        let selection = Selection {
            config: Some(config.clone()),
            paths: vec![test.clone()],
            ..Selection::default()
        };
        let plan = planned(&context, &selection, &self.id)?;
        run_test(&context, &plan, None).await.map(Some)
    }

    /// Whether a candidate violates the rule. After too many tries none does.
    async fn violates(&mut self, candidate: &TestCandidate, rule: &ViolatedRule) -> bool {
        let Some(files) = candidate.files() else {
            return false;
        };
        if let Some(known) = self.known.get(&files) {
            return *known;
        }
        if self.tried >= self.most_tries {
            return false;
        }
        self.tried += 1;
        let held = self.held(candidate).await.ok().flatten();
        let violates = held.is_some_and(|held| rule.found_in(&held.outcome).is_some());
        self.known.insert(files, violates);
        violates
    }

    /// The smallest part of `items` with which `make` still makes a candidate that violates the rule.
    async fn reduce<T: Clone>(
        &mut self,
        from: TestCandidate,
        rule: &ViolatedRule,
        items: Vec<T>,
        make: impl Fn(&TestCandidate, &[T]) -> TestCandidate,
    ) -> TestCandidate {
        let mut reduction = Reduction::of(items);
        let mut best = from.clone();
        while let Some(kept) = reduction.next_candidate() {
            let candidate = make(&from, &kept);
            if self.violates(&candidate, rule).await {
                reduction.keep();
                best = candidate;
            }
            (self.report)(ShrinkProgress {
                tried: self.tried,
                turns: best.turns.len(),
                steps: best.steps(),
            });
            if self.tried >= self.most_tries {
                break;
            }
        }
        best
    }

    /// The smallest conversation that violates the rule.
    pub(super) async fn smallest(
        &mut self,
        from: TestCandidate,
        rule: &ViolatedRule,
    ) -> TestCandidate {
        let mut best = from;
        loop {
            let before = best.size();
            let turns = (0..best.turns.len()).collect();
            best = self
                .reduce(best, rule, turns, TestCandidate::with_turns)
                .await;
            let groups = best.groups();
            best = self
                .reduce(best, rule, groups, |from, kept| {
                    from.with_steps(&kept.concat())
                })
                .await;
            let places = best.places();
            best = self
                .reduce(best, rule, places, TestCandidate::with_steps)
                .await;
            // A turn whose own rules fail is the last one: without these rules, fewer steps may be enough.
            let rules = (0..best.rules()).collect();
            best = self
                .reduce(best, rule, rules, TestCandidate::with_rules)
                .await;
            if best.size() == before || self.tried >= self.most_tries {
                break;
            }
        }
        let parts = best.parts();
        best = self
            .reduce(best, rule, parts, TestCandidate::with_parts)
            .await;
        self.without_definitions(best, rule).await
    }

    /// The same without what nothing refers to.
    async fn without_definitions(
        &mut self,
        mut best: TestCandidate,
        rule: &ViolatedRule,
    ) -> TestCandidate {
        let mut index = 0;
        while let Some(candidate) = best.without_definitions().into_iter().nth(index) {
            if self.violates(&candidate, rule).await {
                best = candidate;
            } else {
                index += 1;
            }
        }
        best
    }
}
