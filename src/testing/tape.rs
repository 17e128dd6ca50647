//! Everything that happened in a session, so that rules can be applied to it afterwards as if they had watched.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::assertion::{Completion, Evaluator, Following, Inherited, TurnRules};
use crate::context::At;
use crate::engine::Observer;
use crate::message::{Lane, ToolAnswer};
use crate::outcome::{Failure, Problem};
use crate::redact::Redactor;
use crate::target::Wire;
use crate::trace::{Change, Delta, Input, Trace};

/// Something that happened.
#[derive(Clone, Debug)]
enum Taped {
    Turn(Input),
    Sent(At),
    Head(At, u16),
    Late(String),
    Frame(At),
    Closed(At),
    Change(At, Change<'static>),
    Answered(ToolAnswer),
    TurnEnded,
}

/// A session. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape(Arc<Mutex<Vec<Taped>>>);

/// What rules say of a turn.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// What they found.
    pub(super) failures: Vec<Failure>,
    /// Why a rule cannot be evaluated.
    pub(super) unjudged: Option<Problem>,
    /// Whether a script or a judge would have to be asked.
    pub(super) asks: bool,
}

impl Tape {
    fn lock(&self) -> MutexGuard<'_, Vec<Taped>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much has happened so far.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// A turn begins; `input` is known once it has ended, so it is put before what happened since.
    pub(super) fn turn_ended(&self, begun: usize, input: Input) {
        let mut taped = self.lock();
        taped.insert(begun, Taped::Turn(input));
        taped.push(Taped::TurnEnded);
    }

    /// The client has answered a call.
    pub(super) fn answered(&self, answer: ToolAnswer) {
        self.lock().push(Taped::Answered(answer));
    }

    /// What `rules` say of the last turn before `end`.
    pub(super) fn evaluate(
        &self,
        end: usize,
        state: serde_json::Value,
        rules: TurnRules,
    ) -> Result<Evaluation, regex::Error> {
        let taped: Vec<Taped> = self.lock()[..end].to_vec();
        let last = taped.iter().filter(|taped| matches!(taped, Taped::Turn(_))).count().saturating_sub(1);
        let mut evaluator = Evaluator::start(Inherited::default(), Redactor::default())?;
        evaluator.set_turn_rules(last, rules);
        let mut playing =
            Playing { trace: Trace::new(state), evaluator, deltas: Vec::new(), failures: Vec::new() };
        let mut turn = 0;
        for item in taped {
            match item {
                Taped::Turn(input) => {
                    playing.trace.begin_turn(input);
                    playing.evaluator.begin_turn(turn)?;
                    turn += 1;
                }
                Taped::Sent(at) => playing.trace.begin_exchange(at),
                Taped::Head(at, status) => playing.trace.head(at, status),
                Taped::Late(missing) => playing.trace.late(&missing),
                Taped::Frame(at) => playing.trace.event(at),
                Taped::Closed(at) => playing.trace.end_exchange(at),
                Taped::Change(at, change) => {
                    playing.trace.apply(at, change, &mut playing.deltas);
                    playing.feed();
                }
                Taped::Answered(answer) => {
                    playing.trace.answer_as_client(&answer, &mut playing.deltas);
                    playing.feed();
                }
                Taped::TurnEnded => playing.end_turn(),
            }
        }
        let Playing { trace, mut evaluator, mut failures, .. } = playing;
        failures.extend(evaluator.settle(&trace));
        let asks = !evaluator.take_questions().is_empty();
        Ok(Evaluation { failures, unjudged: evaluator.unjudged(), asks })
    }
}

/// The trace that grows again, with rules that watch.
struct Playing {
    trace: Trace,
    evaluator: Evaluator,
    deltas: Vec<Delta>,
    failures: Vec<Failure>,
}

impl Playing {
    fn feed(&mut self) {
        for delta in self.deltas.drain(..) {
            self.evaluator.touched(&self.trace, delta);
        }
    }

    fn end_turn(&mut self) {
        self.trace.end_turn(&mut self.deltas);
        self.feed();
        self.failures.extend(self.evaluator.end_turn(&self.trace, Completion::Complete, Following::Turns));
    }
}

/// Tapes what it sees.
impl Observer for Tape {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        let item = match wire {
            Wire::Request { .. } | Wire::Headers(_) => return,
            Wire::Sent { .. } => Taped::Sent(at),
            Wire::Head { status, .. } => Taped::Head(at, status),
            Wire::Late { missing } => Taped::Late(missing.to_owned()),
            Wire::Frame(_) => Taped::Frame(at),
            Wire::Closed => Taped::Closed(at),
        };
        self.lock().push(item);
    }

    fn change(&mut self, _: &Lane, at: At, change: &Change<'_>) {
        self.lock().push(Taped::Change(at, change.clone().into_owned()));
    }
}
