//! A recorded test that passes, its changes, and what its rules say of one.
//!
//! Flows in: a recording, and the selection that it was made with. Flows out: [`Mutation`]s and their [`Fate`]s.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{Mutation, change_site, streams, tape_index::TapeIndex, taped_mutants::TapedMutants};
use crate::freeze::run_test;
use crate::lab_error::LabError;
use ananke_base::context::Context;
use ananke_conversation::TurnDecision;
use ananke_model::model::MutationOperator;
use ananke_plan::{CaseEntry, Plan};
use ananke_recording::KeptRecording;
use ananke_trace::outcome::mutation::Fate;
use ananke_trace::outcome::{Outcome, Status};
use ananke_trace::process::in_one_line;
use ananke_trace::trace::Trace;

/// The number of changes of one test that are evaluated: the first ones.
const MOST_MUTATIONS: usize = 5000;

/// A recorded test that passes, in memory.
#[derive(Debug)]
pub struct RecordedConversation {
    /// The test.
    pub case: CaseEntry,
    pub(super) mutants: TapedMutants,
    plan: Plan,
    recording: Arc<KeptRecording>,
}

impl RecordedConversation {
    /// Replays a recording, which messages call `shown`, of one of the tests of `plan`.
    ///
    /// # Errors
    /// If its test does not exist any more or is wrong, or does not pass: only what passes can be changed.
    pub async fn replay(
        context: &Context,
        plan: &Plan,
        recording: Arc<KeptRecording>,
        shown: &str,
    ) -> Result<Self, LabError> {
        let id = recording.key().test.clone();
        let Some(case) = plan.cases.iter().find(|case| case.id() == id).cloned() else {
            let message = format!("there is no test `{id}`, which the recording `{shown}` is of");
            let help =
                "was the test renamed or deleted? record it again with `ananke run --record`";
            return Err(LabError::refused(message, help));
        };
        let plan = plan.of_one(context, &case);
        let held = run_test(context, &plan, Some(&recording)).await?;
        if held.outcome.status() != Status::Passed {
            let why = reason(&held.outcome);
            let message = format!("`{id}` does not pass before it is changed: {why} (`{shown}`)");
            let remedy = "mutate recordings of tests that pass; if the test or the agent changed, record it again";
            return Err(LabError::refused(message, remedy));
        }
        let mutants = TapedMutants::of(held.taped).map_err(|error| regex_error(&error))?;
        if let Some(failure) = &mutants.unchanged {
            let message = format!(
                "the recording `{shown}` of `{id}` cannot be changed: without an agent, `{}` fails: {}",
                failure.rule, failure.message
            );
            return Err(LabError::refused(
                message,
                "exclude it, and report it to the authors of ananke",
            ));
        }
        Ok(Self {
            case,
            mutants,
            plan,
            recording,
        })
    }

    /// The test's id.
    pub fn id(&self) -> &str {
        &self.recording.key().test
    }

    /// The conversation as it was, without rules.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn trace(&self) -> Result<Trace, regex::Error> {
        self.mutants.trace()
    }

    /// The fate of the conversation with this change. Changes to the bytes of a response need [`Self::evaluate_bytes`].
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn evaluate(&self, mutation: &Mutation) -> Result<Fate, regex::Error> {
        self.mutants.evaluate(mutation)
    }

    /// All changes to it, in the order of their kinds and of what happened. They depend on nothing but the recording.
    pub fn mutations(&self) -> Vec<Mutation> {
        let of_bytes = streams::of_bytes(&self.recording, &self.mutants.index);
        let has_bytes = |turn| {
            of_bytes
                .iter()
                .any(|same| same.operator == MutationOperator::ErrorEvent && same.turn == turn)
        };
        let mut mutations = self.mutants.mutations();
        mutations.retain(|mutation| {
            mutation.operator != MutationOperator::ErrorEvent || !has_bytes(mutation.turn)
        });
        mutations.extend(of_bytes);
        mutations.sort_by_key(|mutation| mutation.operator);
        mutations.truncate(MOST_MUTATIONS);
        mutations
    }

    /// Its fate with a change to the bytes of a response: it is replayed as a whole.
    ///
    /// # Errors
    /// If it does not run.
    pub async fn evaluate_bytes(
        &self,
        context: &Context,
        mutation: &Mutation,
    ) -> Result<Fate, LabError> {
        let faulty = mutation
            .stream
            .and_then(|(number, fault)| self.recording.with_fault(number, fault));
        let Some(faulty) = faulty else {
            return Ok(Fate::Survived);
        };
        let held = run_test(context, &self.plan, Some(&Arc::new(faulty))).await?;
        let decisions = self.mutants.taped.decisions();
        let mut changed = decisions.zip(held.taped.decisions());
        if let Some((_, now)) =
            changed.find(|(then, now)| discriminant(*then) != discriminant(*now))
        {
            let words = match now {
                TurnDecision::Needed => "a turn is sent that was not needed",
                TurnDecision::NotNeeded(_) | TurnDecision::Undecided(_) => "a turn is not sent",
            };
            return Ok(Fate::ChangesDecision(words.to_owned()));
        }
        if let Some((_, problem)) = held.outcome.first_problem() {
            return Ok(Fate::KilledByProtocol(problem.message.clone()));
        }
        let status = held.outcome.status();
        let (site, changed) = streams::difference(
            &self.mutants.index,
            &TapeIndex::of(&held.taped),
            mutation.turn,
        );
        let failures = held.outcome.all_failures().map(|(_, failure)| failure);
        Ok(match change_site::fate(failures, &site, &changed) {
            Fate::Survived if status == Status::NotShown => {
                Fate::NotShown(status.words().to_owned())
            }
            Fate::Survived if status != Status::Passed => {
                Fate::KilledByProtocol(status.as_str().to_owned())
            }
            fate => fate,
        })
    }

    /// All changes with their fates, evaluated by so many threads, and in the same order however many there are.
    ///
    /// # Errors
    /// If one cannot be evaluated.
    pub async fn fates(
        &self,
        context: &Context,
        threads: NonZeroUsize,
    ) -> Result<Vec<(Mutation, Fate)>, LabError> {
        let mutations = self.mutations();
        let next = AtomicUsize::new(0);
        // A thread that is free takes the next one: some take longer than others.
        let evaluate = || {
            let mut fates = Vec::new();
            while let Some((at, mutation)) = take_next(&mutations, &next) {
                if mutation.stream.is_none() {
                    fates.push((at, self.evaluate(mutation)?));
                }
            }
            Ok(fates)
        };
        let evaluated = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.get().min(mutations.len()))
                .map(|_| scope.spawn(evaluate))
                .collect();
            threads
                .into_iter()
                .map(ScopedJoinHandle::join)
                .collect::<Vec<_>>()
        });
        let mut fates = BTreeMap::new();
        for part in evaluated {
            let stopped = |_| {
                LabError::refused(
                    "the evaluation of a change was stopped",
                    "report it to the authors of ananke",
                )
            };
            let part: Result<Vec<(usize, Fate)>, regex::Error> = part.map_err(stopped)?;
            fates.extend(part.map_err(|error| regex_error(&error))?);
        }
        let of_bytes = mutations
            .iter()
            .enumerate()
            .filter(|(_, mutation)| mutation.stream.is_some());
        let of_bytes = of_bytes.map(async |(at, mutation)| {
            self.evaluate_bytes(context, mutation)
                .await
                .map(|fate| (at, fate))
        });
        let of_bytes = stream::iter(of_bytes).buffer_unordered(threads.get());
        fates.extend(of_bytes.try_collect::<Vec<_>>().await?);
        Ok(mutations.into_iter().zip(fates.into_values()).collect())
    }
}

/// The next change that no thread has taken, with its number.
fn take_next<'m>(mutations: &'m [Mutation], next: &AtomicUsize) -> Option<(usize, &'m Mutation)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, mutations.get(at)?))
}

/// The reason that a test does not pass, in words.
fn reason(outcome: &Outcome) -> String {
    let problem = outcome
        .first_problem()
        .map(|(_, problem)| problem.message.clone());
    let failure = || {
        outcome
            .all_failures()
            .next()
            .map(|(_, failure)| failure.message.clone())
    };
    let why = problem.or_else(failure);
    why.map_or_else(
        || format!("it is `{}`", outcome.status().as_str()),
        |why| in_one_line(&why),
    )
}

fn regex_error(error: &regex::Error) -> LabError {
    LabError::Refused {
        message: error.to_string(),
        help: None,
    }
}
