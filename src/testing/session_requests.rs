//! The requests of a run of a session to it: to have a script or a judge of its project decide.

use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};
use tokio::sync::oneshot;

use super::TestingError;
use ananke_rules::{Decision, Question};
use ananke_run::DriverRequest;
use ananke_trace::outcome::Halt;

/// Asks the session, as long as it goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionRequests(Option<WeakUnboundedSender<DriverRequest>>);

impl SessionRequests {
    /// The requests that go to the session over this channel; it does not wait for them.
    pub(super) fn to(requests: WeakUnboundedSender<DriverRequest>) -> Self {
        Self(Some(requests))
    }

    /// Whether the session goes on.
    pub(super) fn are_taken(&self) -> bool {
        self.sender().is_some_and(|requests| !requests.is_closed())
    }

    fn sender(&self) -> Option<UnboundedSender<DriverRequest>> {
        self.0.as_ref()?.upgrade()
    }

    /// The decision of the script or the judge that `question` is for.
    pub(super) async fn decide(&self, question: &Question) -> Result<Decision, TestingError> {
        let is_over = || {
            let message = "rules that ask a script or a judge apply while the session goes on: this one has ended";
            TestingError::usage(message)
        };
        let (answer, answered) = oneshot::channel();
        let request = DriverRequest::Decide(Box::new(question.clone()), answer);
        self.sender()
            .and_then(|requests| requests.send(request).ok())
            .ok_or_else(is_over)?;
        match answered.await {
            Ok(Ok(decision)) => Ok(decision),
            Ok(Err(Halt::Broken(problem))) => {
                Err(TestingError::of_judging(question.unanswered(problem)))
            }
            Ok(Err(Halt::Stopped | Halt::Skipped(..))) | Err(_) => Err(is_over()),
        }
    }
}
