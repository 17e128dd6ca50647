//! The checkpoints of a conversation: each watches every turn until one reaches it. The conditions are watched alike: each
//! turn decides them from scratch.

use super::hosts::Oracle;
use ananke_rules::{
    CompiledCheckpoint, Completion, Decision, Evaluator, Following, Inherited, JudgingTime,
};
use ananke_trace::outcome::{CheckpointOutcome, Halt};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Delta, Trace};

/// The checkpoints of a conversation, and the conditions of what the user may do next.
#[derive(Debug, Default)]
pub struct Checkpoints {
    watched: Vec<WatchedCheckpoint>,
    conditions: Vec<WatchedCheckpoint>,
}

/// A checkpoint, and how far it is.
#[derive(Debug)]
struct WatchedCheckpoint {
    checkpoint: CompiledCheckpoint,
    /// Watches the running turn, as long as the checkpoint is pending.
    evaluator: Evaluator,
    reached_at: Option<u32>,
    missed: Option<String>,
}

impl Checkpoints {
    /// The same checkpoints, none of which is reached, and conditions, none of which is true; they have `time` together with
    /// the rules of the test.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn start(
        checkpoints: Vec<CompiledCheckpoint>,
        conditions: Vec<CompiledCheckpoint>,
        redactor: &Redactor,
        time: &JudgingTime,
    ) -> Result<Self, regex::Error> {
        Ok(Self {
            watched: watch(checkpoints, redactor, time)?,
            conditions: watch(conditions, redactor, time)?,
        })
    }

    /// Whether the condition `id` is true of the last turn; before the first turn, none is.
    pub fn is_met(&self, id: &str) -> bool {
        match self.condition(id) {
            Some(condition) => condition.reached_at.is_some(),
            None => false,
        }
    }

    /// The reason that the condition `id` is not true of the last turn, if that is known.
    pub fn unmet(&self, id: &str) -> Option<&str> {
        self.condition(id)?.missed.as_deref()
    }

    fn condition(&self, id: &str) -> Option<&WatchedCheckpoint> {
        self.conditions
            .iter()
            .find(|watched| watched.checkpoint.id == id)
    }

    /// The ids of the checkpoints that are reached, in the order of the test.
    pub fn reached(&self) -> Vec<&str> {
        self.ids_of(|watched| watched.reached_at.is_some())
    }

    /// The ids of the checkpoints that are not reached, in the order of the test.
    pub fn pending(&self) -> Vec<&str> {
        self.ids_of(|watched| watched.reached_at.is_none())
    }

    /// The ids of the checkpoints that are not reached and without which the test fails.
    pub fn missing(&self) -> Vec<&str> {
        self.ids_of(|watched| watched.reached_at.is_none() && watched.checkpoint.is_required)
    }

    fn ids_of(&self, is_wanted: impl Fn(&WatchedCheckpoint) -> bool) -> Vec<&str> {
        let mut ids = Vec::new();
        for watched in &self.watched {
            if is_wanted(watched) {
                ids.push(watched.checkpoint.id.as_str());
            }
        }
        ids
    }

    /// Whether the conversation has come by everything that it must come by, and there is such a thing.
    pub fn are_complete(&self) -> bool {
        let mut all = self.watched.iter();
        all.any(|watched| watched.checkpoint.is_required) && self.missing().is_empty()
    }

    /// The result of each checkpoint, with the turn that reached it.
    pub fn outcomes(self) -> Vec<CheckpointOutcome> {
        let outcomes = self.watched.into_iter().map(|watched| CheckpointOutcome {
            id: watched.checkpoint.id,
            description: watched.checkpoint.description,
            is_required: watched.checkpoint.is_required,
            reached_at: watched.reached_at,
            missed: watched.missed,
        });
        outcomes.collect()
    }

    /// Begins to watch the turn `index`, counted from 0: with the checkpoints that are not reached yet, and every condition.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(super) fn begin_turn(&mut self, index: usize) -> Result<(), regex::Error> {
        // A condition is about one turn, so its result in the turn before is forgotten.
        for condition in &mut self.conditions {
            condition.reached_at = None;
            condition.missed = None;
        }
        // An evaluator takes rules for one turn at a time. Those of a checkpoint are the same in every turn.
        for pending in self.pending_mut() {
            let rules = pending.checkpoint.rules.clone();
            pending.evaluator.set_turn_rules(index, rules);
            pending.evaluator.begin_turn(index)?;
        }
        Ok(())
    }

    /// Everything that watches the running turn.
    fn pending_mut(&mut self) -> impl Iterator<Item = &mut WatchedCheckpoint> {
        let all = self.watched.iter_mut().chain(&mut self.conditions);
        all.filter(|watched| watched.reached_at.is_none())
    }

    /// Hands on what happened in the running turn.
    pub(super) fn touched(&mut self, trace: &Trace, touch: Delta) {
        for watched in self.pending_mut() {
            watched.evaluator.touched(trace, touch);
        }
    }

    /// Decides which checkpoints the running turn reached, and which conditions are true of it. The turn has ended; its number
    /// is `turn`, counted from 1. `oracle` answers the questions of their rules.
    ///
    /// # Errors
    /// If a script or a judge that is asked cannot answer.
    pub(super) async fn end_turn(
        &mut self,
        turn: u32,
        trace: &Trace,
        oracle: &dyn Oracle,
    ) -> Result<(), Halt> {
        for index in 0..self.watched.len() {
            if self.watched[index].reached_at.is_some() {
                continue;
            }
            // One turn may reach several checkpoints in their order, so those that this turn has reached count here as well.
            let reached = self.reached();
            let mut predecessors = self.watched[index].checkpoint.after.iter();
            let waits_for = predecessors.find(|id| !reached.contains(&id.as_str()));
            let waits_for = waits_for.cloned();
            self.watched[index]
                .end_turn(turn, waits_for, trace, oracle)
                .await?;
        }
        for condition in &mut self.conditions {
            // Conditions have no order.
            let waits_for = None;
            condition.end_turn(turn, waits_for, trace, oracle).await?;
        }
        Ok(())
    }
}

/// The `checkpoints` as watched ones that are not reached yet. Each gets an evaluator of its own, which masks secrets with
/// `redactor`; all share the computing time of the test's rules.
fn watch(
    checkpoints: Vec<CompiledCheckpoint>,
    redactor: &Redactor,
    time: &JudgingTime,
) -> Result<Vec<WatchedCheckpoint>, regex::Error> {
    let mut watched = Vec::with_capacity(checkpoints.len());
    for checkpoint in checkpoints {
        // The evaluator begins without rules: those of the checkpoint are set for each turn.
        let evaluator = Evaluator::start(Inherited::default(), redactor.clone())?;
        watched.push(WatchedCheckpoint {
            checkpoint,
            evaluator: evaluator.with_time(time.clone()),
            reached_at: None,
            missed: None,
        });
    }
    Ok(watched)
}

impl WatchedCheckpoint {
    /// Decides whether the turn with the number `turn`, which has ended, reaches the checkpoint. `waits_for` is the id of a
    /// checkpoint that must be reached before it and is not: then it is not reached either.
    async fn end_turn(
        &mut self,
        turn: u32,
        waits_for: Option<String>,
        trace: &Trace,
        oracle: &dyn Oracle,
    ) -> Result<(), Halt> {
        self.missed = self.reason_missed(waits_for, trace, oracle).await?;
        if self.missed.is_none() {
            self.reached_at = Some(turn);
        }
        Ok(())
    }

    /// The reason that the turn that has ended does not reach the checkpoint: the first that is found. `None` if it does.
    async fn reason_missed(
        &mut self,
        waits_for: Option<String>,
        trace: &Trace,
        oracle: &dyn Oracle,
    ) -> Result<Option<String>, Halt> {
        // A turn reaches a checkpoint by itself, so no rule may wait for a turn that follows.
        let failures = self
            .evaluator
            .end_turn(trace, Completion::Complete, Following::Nothing);
        // Questions are taken even if they are not asked: those of this turn must not be asked after the next one.
        let questions = self.evaluator.take_questions();
        if let Some(failure) = failures.into_iter().next() {
            return Ok(Some(failure.message));
        }
        // A rule that cannot be evaluated has not failed, and has not passed either.
        if let Some(problem) = self.evaluator.unjudged() {
            return Ok(Some(problem.message));
        }
        if let Some(id) = waits_for {
            return Ok(Some(format!("it comes after `{id}`, which is not reached")));
        }

        // Scripts and judges take time and money, so they are asked last.
        for question in questions {
            let decision = match oracle.decide(&question).await {
                Ok(decision) => decision,
                // The problem of a script or judge gets the name of the rule that asked.
                Err(Halt::Broken(problem)) => {
                    return Err(Halt::Broken(question.unanswered(problem)));
                }
                Err(halt @ (Halt::Stopped | Halt::Skipped(..))) => return Err(halt),
            };
            // A judge that must not be asked in this run has confirmed nothing.
            if decision == Decision::NotAsked {
                return Ok(Some(question.not_asked()));
            }
            if let Some(failure) = self.evaluator.decide(&question, decision, trace) {
                return Ok(Some(failure.message));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConversationResult;
    use crate::fakes::{FakeAct, FakeTest, Inputs, Says, checkpoint};

    async fn held(checkpoints: Vec<CompiledCheckpoint>, answer: Decision) -> ConversationResult {
        let says = ["I ask", "I pay", "I am done"].map(FakeAct::Says);
        let mut test = FakeTest::of(&says);
        (test.checkpoints, test.oracle) = (checkpoints, Says(Ok(answer)));
        test.hold(&mut Inputs::says(&["one", "two", "three"])).await
    }

    fn reached(result: &ConversationResult) -> Vec<Option<u32>> {
        result
            .checkpoints
            .iter()
            .map(|checkpoint| checkpoint.reached_at)
            .collect()
    }

    #[tokio::test]
    async fn a_checkpoint_is_reached_in_the_first_turn_in_which_its_rules_hold() {
        let says = |id, word: &str, after| {
            checkpoint(id, &format!("{{ text: {{ contains: {word} }} }}"), after)
        };
        for (checkpoints, expected) in [
            (
                vec![
                    says("a", "ask", &[]),
                    says("b", "done", &[]),
                    says("c", "I", &[]),
                ],
                [Some(1), Some(3), Some(1)],
            ),
            // The order counts, also in one turn.
            (
                vec![
                    says("a", "pay", &[]),
                    says("b", "I", &["a"]),
                    says("c", "ask", &["a"]),
                ],
                [Some(2), Some(2), None],
            ),
            (
                vec![
                    says("b", "I", &["a"]),
                    says("a", "pay", &[]),
                    says("c", "done", &["b"]),
                ],
                [Some(3), Some(2), Some(3)],
            ),
        ] {
            let result = held(checkpoints, Decision::Confirmed).await;
            assert_eq!(reached(&result), expected);
            assert!(
                result.is_passed(),
                "what is missing is for the input source to say"
            );
        }
    }

    #[tokio::test]
    async fn what_others_decide_is_asked_last() {
        let asks = |text: &str| {
            let block = format!("{{ text: {{ contains: {text} }}, script: [{{ cmd: [check] }}] }}");
            vec![checkpoint("a", &block, &[])]
        };
        let rejected = Decision::Rejected(Some("no".to_owned()));
        assert_eq!(
            reached(&held(asks("pay"), Decision::Confirmed).await),
            [Some(2)]
        );
        let result = held(asks("pay"), rejected).await;
        assert_eq!(reached(&result), [None]);
        assert_eq!(
            result.checkpoints[0].missed.as_deref(),
            Some("nothing the agent said in this turn contains `pay`")
        );
    }
}
