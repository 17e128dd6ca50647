//! A session with an agent whose own code asks models that this program answers for.

use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::attempt_models::AttemptModels;
use super::shifted_clock::ShiftedClock;
use crate::context::RequestPace;
use ananke_agents::{Action, Ended, Limits, Request, Session, Sink, Stop, TargetError, Wire};
use ananke_base::context::{At, Clock};
use ananke_base::message::{ServerAnswer, ServerRequest};
use ananke_recording::AFTER_LAST_STEP;
use ananke_trace::trace::Change;

/// The error of an exchange in which a model could not answer. The problem of the model takes its place in the outcome.
const MODEL_FAILED: &str = "the model that the agent asks had no answer";

/// A session whose turns the models know, and which reports the calls to them.
pub(crate) struct ModelledSession {
    session: Box<dyn Session>,
    models: Arc<AttemptModels>,
    pace: RequestPace,
    clock: ShiftedClock,
}

impl ModelledSession {
    /// The same conversation as in `session`, whose arrivals `clock` stamps. Waiting for other tests is not counted by `pace`.
    pub(crate) fn new(
        session: Box<dyn Session>,
        models: Arc<AttemptModels>,
        pace: RequestPace,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            session,
            models,
            pace,
            clock: ShiftedClock::new(clock),
        }
    }
}

impl Session for ModelledSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(async move {
            let text = match &request.action {
                Action::User { content, .. } => content.text().into_owned(),
                // What goes on in the same conversation brings ids that were given there.
                _ => String::new(),
            };
            // The wait for other tests is before the request, and does not count as time of the agent.
            self.pace
                .hold(async {
                    tokio::select! {
                        () = self.models.begin_turn(&text) => {}
                        () = limits.cancel.cancelled() => {}
                    }
                })
                .await;
            if limits.cancel.is_cancelled() {
                return Ok(Ended::Cancelled);
            }
            let mut sink = ModelSink {
                sink,
                models: &self.models,
                clock: &self.clock,
                step: 0,
                is_stopped: false,
            };
            let ended = self.session.exchange(request, limits, &mut sink).await;
            // Calls that came after the last event of the agent belong to this turn, too, since the next one has not begun.
            let now = self.clock.now();
            let stopped = sink.flush(now, AFTER_LAST_STEP);
            self.models.end_turn();
            if self.models.has_problem() {
                return Err(TargetError::new(MODEL_FAILED));
            }
            match ended {
                Ok(_) if stopped.is_break() => Ok(Ended::Cancelled),
                ended => ended,
            }
        })
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn last_stderr(&mut self) -> BoxFuture<'_, String> {
        self.session.last_stderr()
    }

    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        self.session.close()
    }
}

/// A sink that gets the calls to models before what the agent says next.
struct ModelSink<'s> {
    sink: &'s mut dyn Sink,
    models: &'s AttemptModels,
    clock: &'s ShiftedClock,
    /// The number of steps of the exchange so far: frames, and changes that were read in them.
    step: u32,
    /// Whether nothing more of the exchange is wanted.
    is_stopped: bool,
}

impl ModelSink<'_> {
    /// Reports what was asked before the next step, which happens at this moment of the clock that is not shifted.
    fn next_step(&mut self, at: At) -> ControlFlow<Stop> {
        let step = self.step;
        self.step = step.saturating_add(1);
        self.flush(self.clock.shifted(at), step)
    }

    /// Reports what was asked since the last time, after so many steps.
    fn flush(&mut self, at: At, step: u32) -> ControlFlow<Stop> {
        let used = self.models.take(step);
        self.clock.advance(used.passed);
        for call in used.calls {
            self.report(at, Change::ModelCalled(Box::new(call)));
        }
        for again in used.asked_again {
            self.report(at, Change::ModelAskedAgain(again));
        }
        if self.is_stopped {
            ControlFlow::Break(Stop)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn report(&mut self, at: At, change: Change<'_>) {
        if self.sink.change(at, change).is_break() {
            self.is_stopped = true;
        }
    }
}

impl Sink for ModelSink<'_> {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        // The agent has asked its model before it sends what it makes of the answer, so that the calls come first. A response that is
        // closed takes no more changes, and one of an exchange that has not begun none yet.
        if matches!(wire, Wire::Frame(_) | Wire::Closed) {
            let _is_told_by_the_next_change = self.next_step(at);
        }
        self.sink.wire(self.clock.shifted(at), wire);
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        self.next_step(at)?;
        self.sink.change(self.clock.shifted(at), change)
    }

    fn request(&mut self, request: ServerRequest) -> BoxFuture<'_, ServerAnswer> {
        self.sink.request(request)
    }
}
