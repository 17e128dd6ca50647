//! The helpers of a test: other agents that are asked something on its behalf, such as judges and simulators.

use super::hosted_tools::HostedTools;
use super::mocks::Mocks;
use super::script_oracle::ScriptOracle;
use super::tool_servers::{OpenedTools, ServerAccess};
use crate::attempt::Attempt;
use crate::context::RequestPace;
use ananke_agents::Limits;
use ananke_base::message::Lane;
use ananke_conversation::helper::{Helper, HelperQuestion};
use ananke_plan::PreparedHelper;
use ananke_plan::compile::CompiledClientTool;
use ananke_trace::outcome::{ErrorKind, Halt, Problem};

/// Asks the helpers of one attempt.
#[derive(Clone)]
pub(crate) struct Helpers<'a> {
    pub(crate) scripts: ScriptOracle<'a>,
    /// The limits of an exchange, but for its timeout and the limits of the helper.
    pub(crate) limits: Limits,
    /// The pace at which requests may be sent, but for the limits of the helper.
    pub(crate) pace: &'a RequestPace,
}

impl Helpers<'_> {
    /// Asks the helper `name` a question, and returns the answer that `read` finds in its text. `lane` identifies this
    /// conversation in recordings and reports.
    ///
    /// # Errors
    /// If the helper does not answer, or `read` finds no answer: a problem of this `kind`.
    pub(super) async fn ask<T>(
        &self,
        name: &str,
        helper: &PreparedHelper,
        lane: Lane,
        question: &HelperQuestion,
        kind: ErrorKind,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let Attempt {
            case,
            environment,
            key,
            helpers,
            ..
        } = self.scripts.attempt;
        let PreparedHelper {
            target,
            client_tools,
            timeout,
            pace,
            ..
        } = helper;
        // The helper has a timeout of its own, so the running step gets the time that it may take, with its retries.
        let longest = Helper::longest(*timeout + target.longest_wait());
        case.watchdog.extend(longest);

        // Requests to the helper are sent at the pace of this attempt, and within the limits of the helper's target.
        let pacer = self.scripts.attempt.pacer(self.pace, pace);

        // A helper may have client-side tools of its own, with mocks and servers like those of the agent under test.
        let access = ServerAccess {
            scripts: self.scripts,
            limits: &self.limits,
            pace: self.pace,
        };
        let tools = client_tools.clone();
        let opened = OpenedTools::open(tools, access, |_| environment.helper_lane("tools"));
        let opened = opened.await?;
        let declared = CompiledClientTool::declarations(&opened.declared);
        let mocks = Mocks::start(opened.declared, self.scripts)
            .map_err(|error| Problem::new(kind, error.to_string()).help("shorten the pattern"))?;
        let mut tools = HostedTools::new(None, opened.servers, mocks, self.scripts.attempt);

        // The limits are those of the test, such as its deadline, except for the two that the helper has of its own.
        let mut helper = Helper {
            role: question.role,
            name,
            lane,
            target: &**target,
            client_tools: declared.into(),
            tools: &mut tools,
            limits: Limits {
                timeout: *timeout,
                pacer,
                ..self.limits.clone()
            },
            key: (*key).clone(),
            environment,
            observers: &|lane| self.scripts.attempt.observers(lane),
            prices: case.plan.prices.clone(),
            spent: helpers,
            kind,
        };
        let answer = helper.ask(question, read).await;
        tools.servers().close().await;
        answer
    }
}
