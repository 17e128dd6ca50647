//! The sink of a conversation: what a session reports goes to the observers, into the trace, and to the rules at once.

use std::ops::ControlFlow;

use futures_util::future::BoxFuture;

use super::checkpoints::Checkpoints;
use super::conditional_turn::{ConditionalTurn, TurnDecision};
use super::hosts::RequestHost;
use super::observer::Observer;
use ananke_agents::{Sink, Stop, TargetError, Wire};
use ananke_base::context::At;
use ananke_base::message::{Lane, ServerAnswer, ServerAnswers, ServerRequest, ToolAnswer};
use ananke_model::settings::RunSettings;
use ananke_rules::{Evaluator, Following, TurnRules};
use ananke_trace::trace::{Change, Delta, Input, Trace};

/// A trace that rules watch while it grows.
pub(super) struct TraceSink<'a> {
    lane: Lane,
    pub(super) trace: Trace,
    pub(super) evaluator: Evaluator,
    pub(super) checkpoints: Checkpoints,
    requests: &'a mut dyn RequestHost,
    /// The answers that the running turn gives a server by itself.
    pub(super) answers: ServerAnswers,
    observers: Vec<Box<dyn Observer + 'a>>,
    deltas: Vec<Delta>,
    /// The moment at which the last bytes of the running response came, events or not.
    pub(super) heard: Option<At>,
    settings: &'a RunSettings,
    stopped: bool,
}

impl<'a> TraceSink<'a> {
    /// A sink for the conversation in `lane`, before its first turn.
    pub(super) fn new(
        lane: Lane,
        trace: Trace,
        evaluator: Evaluator,
        checkpoints: Checkpoints,
        requests: &'a mut dyn RequestHost,
        observers: Vec<Box<dyn Observer + 'a>>,
        settings: &'a RunSettings,
    ) -> Self {
        Self {
            lane,
            trace,
            evaluator,
            checkpoints,
            requests,
            answers: ServerAnswers::default(),
            observers,
            deltas: Vec::new(),
            heard: None,
            settings,
            stopped: false,
        }
    }

    /// Decides whether a conditional turn is sent.
    pub(super) fn decide(&mut self, turn: &ConditionalTurn) -> Result<TurnDecision, regex::Error> {
        let decision = turn.decide(&self.trace, &mut self.evaluator)?;
        for observer in &mut self.observers {
            observer.decided(turn, &decision);
        }
        Ok(decision)
    }

    /// Begins a turn. `rules` are its rules if they were not known when the conversation began.
    pub(super) fn begin_turn(&mut self, input: Input, rules: Option<&TurnRules>) {
        for observer in &mut self.observers {
            observer.turn_began(&self.trace, &input, rules);
        }
        self.trace.begin_turn(input);
    }

    /// An exchange came to nothing.
    pub(super) fn failed(&mut self, error: &TargetError) {
        for observer in &mut self.observers {
            observer.failed(error);
        }
    }

    /// The agent completed its response.
    pub(super) fn completed(&mut self) {
        for observer in &mut self.observers {
            observer.completed();
        }
    }

    /// The agent began to respond, and was silent then until the time was up.
    pub(super) fn fell_silent(&mut self) {
        for observer in &mut self.observers {
            observer.fell_silent();
        }
    }

    /// An exchange timed out before it is known whether the agent responds.
    pub(super) fn hurried(&mut self) {
        for observer in &mut self.observers {
            observer.hurried();
        }
    }

    /// Closes what is still open in the turn that has ended, so that rules see complete calls and messages.
    pub(super) fn end_turn(&mut self, following: Following) {
        for observer in &mut self.observers {
            observer.turn_ended(following);
        }
        self.trace.end_turn(&mut self.deltas);
        self.evaluate();
    }

    /// Adds the answers of the client to the trace. `Break` if the turn ends here, because a rule failed.
    pub(super) fn answer(&mut self, answers: &[ToolAnswer]) -> ControlFlow<Stop> {
        for answer in answers {
            for observer in &mut self.observers {
                observer.answered(answer);
            }
            self.trace.answer_as_client(answer, &mut self.deltas);
        }
        self.feed()
    }

    /// Whether a turn was stopped because a rule failed, or the rules took too long.
    pub(super) fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// The step while the turn goes on: `Break` if a rule failed that is to stop it, or the rules took too long.
    fn feed(&mut self) -> ControlFlow<Stop> {
        let has_failed = self.evaluate();
        if self.evaluator.is_given_up() || has_failed && self.settings.stop_early {
            self.stopped = true;
            return ControlFlow::Break(Stop);
        }
        ControlFlow::Continue(())
    }

    /// Hands the rules what is new, and returns whether one failed.
    fn evaluate(&mut self) -> bool {
        let mut failed = false;
        for delta in self.deltas.drain(..) {
            failed |= self.evaluator.touched(&self.trace, delta);
            self.checkpoints.touched(&self.trace, delta);
            if let Delta::Answered(call) = delta {
                // Most rules are done with the call. Its arguments are dropped, since an agent may make a million calls.
                self.trace.calls[call].forget_parsed();
            }
        }
        failed
    }
}

impl Sink for TraceSink<'_> {
    /// Takes what was sent or received at `at`: observers see it before the trace does.
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        for observer in &mut self.observers {
            observer.wire(&self.lane, at, wire);
        }
        match wire {
            // Rules and reports look at none of these, so the trace has no place for them.
            Wire::Request { .. } | Wire::Headers(_) | Wire::Taken(_) => {}
            // The bytes, such as a comment, are no event for the trace. They show that the agent is not silent.
            Wire::Alive => self.heard = Some(at),
            // `heard` is about one response, so a new request resets it.
            Wire::Sent { .. } => {
                self.heard = None;
                self.trace.begin_exchange(at);
            }
            Wire::Head { status, .. } => self.trace.head(at, status),
            Wire::Late { missing } => self.trace.late(missing),
            Wire::Frame(_) => {
                self.heard = Some(at);
                self.trace.event(at);
            }
            Wire::Closed => self.trace.end_exchange(at),
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        for observer in &mut self.observers {
            observer.change(&self.lane, at, &change);
        }
        self.trace.apply(at, change, &mut self.deltas);
        self.feed()
    }

    fn request(&mut self, request: ServerRequest) -> BoxFuture<'_, ServerAnswer> {
        // The answers that the turn writes down take precedence over those of the host.
        match self.answers.to(request.kind) {
            Some(answer) => Box::pin(std::future::ready(ServerAnswer::Accepted(answer.clone()))),
            None => self.requests.answer(request, &self.trace),
        }
    }
}
