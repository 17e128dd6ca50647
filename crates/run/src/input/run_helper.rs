//! A helper of a whole run: asked before the first test or after the last, on a thread of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::context::Stopper;
use crate::hook::{self, Expected, ScriptRequest};
use ananke_agents::{Limits, SessionOptions, TargetError, Transport};
use ananke_base::context::{CaseKey, Context, lock};
use ananke_base::message::{DeclaredTool, ToolAnswer};
use ananke_conversation::helper::{Helper, HelperQuestion, HelperRole};
use ananke_conversation::{Handling, ToolHost};
use ananke_plan::PreparedHelper;
use ananke_recording::AttemptEnvironment;
use ananke_rules::ScriptSource;
use ananke_trace::outcome::{ErrorKind, Halt, HelperTotals, Problem};
use ananke_trace::process::Launch;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Prices, ToolCall, Trace};

/// Asks the helpers of a whole run.
pub struct RunHelpers {
    environment: AttemptEnvironment,
    stopper: Stopper,
    prices: Option<Arc<Prices>>,
    spent: Mutex<HelperTotals>,
}

impl RunHelpers {
    /// Helpers in this outside world, which `stopper` stops.
    pub fn new(
        context: &Context,
        transport: &Arc<dyn Transport>,
        redactor: &Redactor,
        stopper: &Stopper,
    ) -> Self {
        let environment = AttemptEnvironment::live(context, transport, redactor);
        Self {
            environment,
            stopper: stopper.clone(),
            prices: None,
            spent: Mutex::default(),
        }
    }

    /// The same helpers, whose tokens have a cost by these prices.
    #[must_use]
    pub fn priced(mut self, prices: Option<Arc<Prices>>) -> Self {
        self.prices = prices;
        self
    }

    /// The tokens of the helpers so far.
    pub fn spent(&self) -> HelperTotals {
        *lock(&self.spent)
    }

    /// Asks the target `name` with `keys`, and returns the answer that `read` finds in its text. Client-side tools are not
    /// declared, since only a test has mocks for them.
    ///
    /// # Errors
    /// If the target does not answer, or `read` finds no answer.
    pub async fn ask<T>(
        &self,
        role: HelperRole,
        name: &str,
        helper: &PreparedHelper,
        keys: Map<String, Value>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let question = HelperQuestion {
            role,
            test_id: None,
            keys,
            connector: None,
        };
        // No test asks this question, so nothing observes the conversation, its key has the role where others have the id of
        // their test, and a problem is one of the setup.
        let mut asked = Helper {
            role,
            name,
            lane: self.environment.helper_lane(role.name()),
            target: &*helper.target,
            client_tools: Arc::default(),
            tools: &mut NoTools,
            limits: self.limits(helper.timeout),
            key: CaseKey::first(role.test_mode()),
            environment: &self.environment,
            observers: &|_| Vec::new(),
            prices: self.prices.clone(),
            spent: &self.spent,
            kind: ErrorKind::Setup,
        };
        asked.ask(&question, read).await
    }

    /// The tools that the agent `target` declares by itself; `None` if its protocol has no declarations.
    ///
    /// # Errors
    /// If it cannot be reached, or does not declare them.
    pub async fn declared_tools(
        &self,
        target: &PreparedHelper,
    ) -> Result<Option<Vec<DeclaredTool>>, TargetError> {
        let options = self.session_options();
        let limits = self.limits(target.timeout);
        target.target.declared_tools(options, &limits).await
    }

    /// The limits of an exchange of this timeout.
    pub fn limits(&self, timeout: Duration) -> Limits {
        Limits::new(timeout, self.stopper.token().clone())
    }

    /// The options of a session that belongs to no test.
    pub fn session_options(&self) -> SessionOptions {
        let thread_id = self.environment.context.ids.next("thread");
        self.environment
            .session_options(CaseKey::first(""), thread_id)
    }

    /// Asks the script `program` with `keys`, and returns the test cases that it answers with.
    ///
    /// # Errors
    /// If the script fails, or answers with anything else.
    pub async fn ask_script(
        &self,
        program: &ScriptSource,
        launch: &Launch,
        keys: Map<String, Value>,
    ) -> Result<Value, Halt> {
        // A script gets the same question as an agent that generates cases. No test asks it, so it has no id of a test.
        let question = HelperQuestion {
            role: HelperRole::Generator,
            test_id: None,
            keys,
            connector: None,
        };
        let request = ScriptRequest {
            program,
            launch,
            body: &question.body(),
            expected: Expected::Cases,
        };
        Ok(hook::ask(request, self.stopper.token()).await?)
    }
}

/// Executes no tool.
struct NoTools;

impl ToolHost for NoTools {
    fn handling(&self, _: &str) -> Handling {
        Handling::Agent
    }

    fn answer<'a>(
        &'a mut self,
        call: &'a ToolCall,
        _: &'a Trace,
    ) -> BoxFuture<'a, Result<ToolAnswer, Halt>> {
        let message = format!("nothing answers the call to `{}`", call.name);
        let problem = Problem::new(ErrorKind::Conversation, message);
        Box::pin(std::future::ready(Err(problem.into())))
    }
}
