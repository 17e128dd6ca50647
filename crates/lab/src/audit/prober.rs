//! Makes the calls of an audit, each as an exchange of its own, and keeps what came of it.

use std::time::Duration;

use serde_json::Value;

use ananke_agents::{Action, Ended, ObservedExchange, Session, ToolTurns};
use ananke_plan::PreparedHelper;
use ananke_run::RunHelpers;

/// Makes calls; after one that came to nothing, the next has a new session.
pub(super) struct Prober<'a> {
    helpers: &'a RunHelpers,
    target: &'a PreparedHelper,
    turns: ToolTurns,
    timeout: Duration,
    session: Option<Box<dyn Session>>,
}

impl<'a> Prober<'a> {
    /// Calls the tools of `target`; each call may take this long.
    pub(super) fn new(
        helpers: &'a RunHelpers,
        target: &'a PreparedHelper,
        turns: ToolTurns,
        timeout: Duration,
    ) -> Self {
        Self {
            helpers,
            target,
            turns,
            timeout,
            session: None,
        }
    }

    /// Lists the tools.
    pub(super) async fn list(&mut self) -> ObservedExchange {
        self.exchange(self.turns.list()).await
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, tool: &str, args: &Value) -> ObservedExchange {
        self.exchange(self.turns.call(tool, args).into()).await
    }

    /// Ends the session; what is odd about how the agent ended.
    pub(super) async fn close(&mut self) -> Vec<String> {
        match self.session.take() {
            Some(mut session) => session.close().await,
            None => Vec::new(),
        }
    }

    async fn exchange(&mut self, action: Action) -> ObservedExchange {
        let mut observed = ObservedExchange::default();
        let limits = self.helpers.limits(self.timeout);
        let session = match &mut self.session {
            Some(session) => session,
            none => match self
                .target
                .target
                .open(self.helpers.session_options())
                .await
            {
                Ok(session) => none.insert(session),
                Err(error) => {
                    return ObservedExchange {
                        end: Some(Err(error)),
                        ..observed
                    };
                }
            },
        };
        let ended = session
            .exchange(action.into(), &limits, &mut observed)
            .await;
        if ended != Ok(Ended::Terminal) {
            self.close().await;
        }
        observed.end = Some(ended);
        observed
    }
}
