//! The walks of a test, one after the other, until one does not pass; that one is shrunk.
//!
//! **Invariant:** the same seed and the same answers of the agent give the same walks and the same tries, in the same order, so
//! that a recording of them is replayed as it was run.

use crate::context::{AttemptSeries, Case, CurrentWalk, SharedWalk, WalkRoute, aborted};
use ananke_base::context::{CaseKey, lock};
use ananke_base::reduction::Reduction;
use ananke_plan::compile::WalkPlan;
use ananke_trace::outcome::{
    ActionCount, FailedWalk, InputOrigin, Outcome, RuleResult, RunEvent, Status, TokenTotals, Walks,
};

/// The number of shorter walks that are tried.
const MOST_TRIES: u32 = 200;

/// The number of warnings of all walks that are kept.
const MOST_WARNINGS: usize = 20;

/// The walks of a test.
pub(crate) struct WalkSearch {
    walks: u32,
    current: SharedWalk,
    summary: Walks,
    /// The walk that is shrunk, once there is one.
    shrinking: Option<ShrinkingWalk>,
    /// The shortest walk that failed, or the last.
    shown: Outcome,
    /// The text of its recording, if it failed and was recorded in memory.
    recording: Option<String>,
    warnings: Vec<String>,
    /// The most of them in one walk that `--deny-warnings` makes failures.
    denied_warnings: u32,
}

/// A walk that is shrunk.
struct ShrinkingWalk {
    reduction: Reduction<String>,
    /// The rule that failed first.
    failure: RuleResult,
    /// The actions that are tried.
    candidate: Vec<String>,
    /// Whether turns come before the first action.
    has_written_turns: bool,
}

impl ShrinkingWalk {
    /// The beginning of the search for a shorter walk than that of `actions`, which ended as `outcome`; `None` if no rule failed.
    fn of(outcome: &Outcome, actions: &[String]) -> Option<Self> {
        // A shorter walk must fail for the same reason, and only a failed rule can be compared: equal errors may have other
        // causes.
        if outcome.status() != Status::Failed {
            return None;
        }
        let (_, failure) = outcome.all_failures().next()?;
        let mut turns = outcome.transcript.turns.iter();
        Some(Self {
            reduction: Reduction::of(actions.to_vec()),
            failure: failure.clone(),
            candidate: Vec::new(),
            // Without written turns, a candidate needs at least one action to be a conversation.
            has_written_turns: turns.any(|turn| turn.origin != InputOrigin::Walk),
        })
    }

    /// Moves on to the next candidate; returns whether there is one.
    fn advance(&mut self) -> bool {
        while let Some(candidate) = self.reduction.next_candidate() {
            // A walk without actions and written turns is no conversation.
            if !candidate.is_empty() || self.has_written_turns {
                self.candidate = candidate;
                return true;
            }
        }
        false
    }

    /// Whether the rule fails here too.
    fn fails_alike(&self, outcome: &Outcome) -> bool {
        let mut failures = outcome.all_failures();
        outcome.status() == Status::Failed
            && failures.any(|(_, failure)| failure.is_of_same_rule(&self.failure))
    }
}

impl WalkSearch {
    /// The search among the walks of `plan`, before the first one. `current` is shared with the conversation, which reads the
    /// route of its walk from it and notes the actions that it took.
    pub(crate) fn new(plan: &WalkPlan, current: &SharedWalk) -> Self {
        let actions = plan.actions.iter().map(|name| ActionCount {
            name: name.clone(),
            taken: 0,
            possible: 0,
        });
        // The first walk explores: its actions are chosen at random.
        *lock(current) = CurrentWalk::of(WalkRoute::Explore(1));
        Self {
            walks: plan.walks,
            current: current.clone(),
            summary: Walks {
                seed: plan.seed,
                walks: plan.walks,
                actions: actions.collect(),
                ..Walks::default()
            },
            shrinking: None,
            shown: Outcome::default(),
            recording: None,
            warnings: Vec::new(),
            denied_warnings: 0,
        }
    }

    /// The one walk that takes these actions.
    pub(crate) fn again(plan: &WalkPlan, current: &SharedWalk, actions: &[String]) -> Self {
        let mut search = Self::new(plan, current);
        *lock(current) = CurrentWalk::of(WalkRoute::Given(actions.to_vec()));
        search.walks = 1;
        search.summary.walks = 1;
        search
    }

    /// Takes over what is counted of every walk.
    fn count(&mut self, outcome: &mut Outcome) {
        self.denied_warnings = self.denied_warnings.max(outcome.verdict.denied_warnings);
        for warning in std::mem::take(&mut outcome.verdict.warnings) {
            if self.warnings.len() < MOST_WARNINGS && !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        self.summary.turns += outcome.transcript.sent_turns().count();
        self.summary.tokens = self.summary.tokens + TokenTotals::of(&outcome.transcript);
    }

    /// Takes the outcome of a walk while none has failed; returns whether there is another attempt: a further walk, or a shorter
    /// one if this walk failed.
    fn take_walk(&mut self, walk: CurrentWalk, outcome: Outcome) -> bool {
        // For each action, the summary counts how often it was taken, and in how many steps it was possible.
        for action in &mut self.summary.actions {
            for name in &walk.taken {
                action.taken += u64::from(*name == action.name);
            }
            action.possible += walk.possible.get(&action.name).copied().unwrap_or_default();
        }
        if outcome.status() == Status::Passed {
            self.summary.passed += 1;
            self.shown = outcome;
            return self.summary.passed < self.walks;
        }

        // The walk failed. Actions that a recording gives are only repeated, so such a walk is not shrunk.
        if let WalkRoute::Explore(_) = walk.route {
            self.shrinking = ShrinkingWalk::of(&outcome, &walk.taken);
        }
        self.recording = walk.recording;
        // A walk that is not shrunk counts as the shortest. `try_shorter` changes that if there is a candidate.
        self.summary.failed = Some(FailedWalk {
            number: self.summary.passed + 1,
            actions: walk.taken,
            shrunk: None,
            tries: 0,
            is_shortest: true,
        });
        self.shown = outcome;
        self.try_shorter()
    }

    /// Takes the outcome of a walk that is shorter than the one that failed; returns whether an even shorter one is tried.
    fn take_shorter_walk(&mut self, walk: CurrentWalk, outcome: Outcome) -> bool {
        if let Some(failed) = &mut self.summary.failed {
            failed.tries += 1;
        }
        // A walk that had to leave its route, because an action was not possible, is not the candidate, even if it fails alike.
        if let Some(shrinking) = &mut self.shrinking
            && !walk.has_left_route
            && shrinking.fails_alike(&outcome)
        {
            shrinking.reduction.keep();
            self.shown = outcome;
            self.recording = walk.recording;
        }
        self.try_shorter()
    }

    /// Moves on to the next shorter walk; returns whether there is one and not all tries are used up.
    fn try_shorter(&mut self) -> bool {
        let Some(shrinking) = &mut self.shrinking else {
            return false;
        };
        let Some(failed) = &mut self.summary.failed else {
            return false;
        };
        let has_next = shrinking.advance();
        failed.shrunk = Some(shrinking.reduction.items());
        failed.is_shortest = !has_next;
        has_next && failed.tries < MOST_TRIES
    }
}

impl AttemptSeries for WalkSearch {
    /// Takes the outcome of a walk. If another walk follows, sets its route, counts `key` on to it and returns its event.
    fn next(&mut self, key: &mut CaseKey, mut outcome: Outcome) -> Option<RunEvent> {
        let id = outcome.test.id.clone();
        self.count(&mut outcome);
        // A walk is skipped if the run is stopped. The test then shows the walk that failed before, if there is one.
        if outcome.status() == Status::Skipped {
            if self.shrinking.is_none() {
                self.shown = outcome;
            }
            return None;
        }
        let walk = lock(&self.current).clone();
        let has_next = match self.shrinking {
            None => self.take_walk(walk, outcome),
            Some(_) => self.take_shorter_walk(walk, outcome),
        };
        if !has_next {
            return None;
        }

        // The next attempt explores the next walk, or repeats the actions of a shorter candidate. Its conversation reads the
        // route from the walk that all attempts share.
        key.run += 1;
        let mut route = WalkRoute::Explore(self.summary.passed + 1);
        let mut number = self.summary.passed + 1;
        let mut most = self.walks;
        if let Some(shrinking) = &self.shrinking
            && let Some(failed) = &self.summary.failed
        {
            route = WalkRoute::Given(shrinking.candidate.clone());
            number = failed.tries + 1;
            most = MOST_TRIES;
        }
        *lock(&self.current) = CurrentWalk::of(route);
        Some(RunEvent::NextWalk {
            id,
            is_shorter: self.shrinking.is_some(),
            number,
            of: most,
        })
    }

    /// The outcome of the test: that of the shortest walk that failed, or of the last walk, with the summary of all.
    fn finish(self: Box<Self>, case: &Case) -> Outcome {
        let Self {
            walks,
            summary,
            mut shown,
            mut warnings,
            denied_warnings,
            recording,
            ..
        } = *self;
        // A search that the run stopped before all walks must not pass, although its last walk did.
        let is_over = summary.failed.is_some() || summary.passed == walks;
        if !is_over && shown.status() != Status::Skipped {
            shown.end(aborted(case.shared.stopper.reason()));
        }

        // A search in which no walk failed warns of actions that were possible in none. A failed walk ends the search early, so
        // it shows less.
        if summary.failed.is_none() && summary.passed > 0 {
            let walks = match summary.passed {
                1 => "1 walk".to_owned(),
                passed => format!("{passed} walks"),
            };
            for action in &summary.actions {
                if action.possible == 0 {
                    let name = &action.name;
                    warnings.push(format!(
                        "the action `{name}` was never possible, in {walks}"
                    ));
                }
            }
        }

        // The seed leads to the walk that failed first, but not to the shrunk one, so the recording of that is written. An error
        // only costs the recording: it is a warning.
        if summary.is_shrunk()
            && let Some(recordings) = case.shared.answers.failed_walks()
            && let Some(text) = recording
        {
            match recordings.write(&CaseKey::first(case.entry.id()), &text) {
                Ok(file) => shown.transcript.recording = Some(file),
                Err(problem) => warnings.push(problem.message),
            }
        }
        shown.verdict.warnings = warnings;
        shown.verdict.denied_warnings = denied_warnings;
        shown.walks = Some(Box::new(summary));
        shown
    }
}
