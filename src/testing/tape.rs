//! Everything that happened in a session, so that rules can be applied to it afterwards as if they had watched.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::session_requests::SessionRequests;
use super::testing_error::TestingError;
use ananke_agents::Wire;
use ananke_base::context::At;
use ananke_base::message::{Lane, ToolAnswer};
use ananke_engine::engine::{Observer, TapeItem, TapePlayer};
use ananke_rules::{Evaluator, Following, Inherited, Question, TurnRules};
use ananke_trace::outcome::RuleResult;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Change, Input, Trace};

/// A session. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape(Arc<Mutex<Vec<TapeItem>>>);

/// What rules say of a turn.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// What they found.
    failures: Vec<RuleResult>,
    /// What they ask, if nothing was found.
    questions: Vec<Question>,
    evaluator: Evaluator,
    trace: Trace,
}

impl Evaluation {
    /// What they found, after scripts and judges have decided what the rules ask. As in a YAML test, these are asked only if
    /// nothing was found.
    pub(super) async fn findings(
        self,
        requests: &SessionRequests,
    ) -> Result<Vec<RuleResult>, TestingError> {
        let Self {
            mut failures,
            questions,
            mut evaluator,
            trace,
        } = self;
        if let Some(problem) = evaluator.overtime() {
            return Err(TestingError::of_judging(problem));
        }
        if let Some(problem) = evaluator.unjudged() {
            return Err(TestingError::usage(problem.message));
        }
        let questions = if failures.is_empty() {
            questions
        } else {
            Vec::new()
        };
        for question in &questions {
            let decision = requests.decide(question).await?;
            failures.extend(evaluator.decide(question, decision, &trace));
        }
        Ok(failures)
    }
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Vec<TapeItem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much has happened so far.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// A turn begins; `input` is known once it has ended, so it is put before what happened since.
    pub(super) fn turn_ended(&self, begun: usize, input: Input) {
        let mut taped = self.lock();
        taped.insert(begun, TapeItem::Turn(input, None));
        taped.push(TapeItem::TurnEnded(Following::Turns));
    }

    /// The client has answered a call.
    pub(super) fn answered(&self, answer: ToolAnswer) {
        self.lock().push(TapeItem::Answered(answer));
    }

    /// What `rules` say of the last turn before `end`.
    pub(super) fn evaluate(
        &self,
        end: usize,
        state: serde_json::Value,
        rules: TurnRules,
        redactor: Redactor,
    ) -> Result<Evaluation, regex::Error> {
        let taped: Vec<TapeItem> = self.lock()[..end].to_vec();
        let last = taped
            .iter()
            .filter(|item| matches!(item, TapeItem::Turn(..)))
            .count()
            .saturating_sub(1);
        let mut evaluator = Evaluator::start(Inherited::default(), redactor)?;
        evaluator.set_turn_rules(last, rules);
        let mut player = TapePlayer::new(Trace::new(state), evaluator);
        taped.into_iter().try_for_each(|item| player.play(item))?;
        let TapePlayer {
            trace,
            mut evaluator,
            mut failures,
            ..
        } = player;
        failures.extend(evaluator.settle(&trace));
        let questions = evaluator.take_questions();
        Ok(Evaluation {
            failures,
            questions,
            evaluator,
            trace,
        })
    }
}

/// Tapes what it sees.
impl Observer for Tape {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        self.lock().extend(TapeItem::of_wire(at, wire));
    }

    fn change(&mut self, _: &Lane, at: At, change: &Change<'_>) {
        self.lock()
            .push(TapeItem::Change(at, change.clone().into_owned()));
    }
}
