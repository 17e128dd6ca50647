//! Asks a helper: a conversation of one turn on a thread of its own, whose rules are none.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::helper_role::HelperRole;
use crate::{
    Budget, Checkpoints, ConversationParts, ConversationResult, ConversationSoFar, DeclineRequests,
    InputSource, NextTurn, Observer, Oracle, ToolHost, converse,
};
use ananke_agents::{Limits, SessionOptions, Target};
use ananke_base::context::CaseKey;
use ananke_base::message::{
    Lane, MessageId, RequestContext, ServerAnswers, ToolDeclaration, TurnInput, TurnRequest,
    UserContent,
};
use ananke_model::settings::RunSettings;
use ananke_recording::AttemptEnvironment;
use ananke_rules::{Decision, Evaluator, Inherited, Question};
use ananke_trace::outcome::{ErrorKind, Halt, Problem, Status};
use ananke_trace::trace::Trace;

/// The number of times that a helper is asked again if it gave no answer, or none that can be read.
const RETRIES: u32 = 1;

/// A target as the helper of one test.
pub struct Helper<'a> {
    /// The role in which it is asked.
    pub role: HelperRole,
    /// The name of the target.
    pub name: &'a str,
    /// The lane of its own, in which it is recorded and replayed.
    pub lane: Lane,
    /// The target, or the connection to a bare model.
    pub target: &'a dyn Target,
    /// The client-side tools that are declared to it.
    pub client_tools: Arc<[ToolDeclaration]>,
    /// The host that executes client-side tools.
    pub tools: &'a mut dyn ToolHost,
    /// The limits of each exchange.
    pub limits: Limits,
    /// The test, run and attempt.
    pub key: CaseKey,
    /// Clock, ids and transport.
    pub environment: &'a AttemptEnvironment,
    /// The observers of a conversation of this lane.
    pub observers: &'a (dyn Fn(&Lane) -> Vec<Box<dyn Observer + 'a>> + Sync),
    /// The kind of problem that it is if the helper has no answer.
    pub kind: ErrorKind,
}

impl Helper<'_> {
    /// The time that a helper may take to answer, with its retries, if one answer may take `once`.
    pub fn longest(once: Duration) -> Duration {
        once * (RETRIES + 1)
    }

    /// The answer to `question` that `read` finds in the helper's text. If there is none, the helper is asked once more,
    /// on another thread.
    ///
    /// # Errors
    /// If there is none then either.
    pub async fn ask<T>(
        &mut self,
        question: &HelperQuestion,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let mut asked = 0;
        loop {
            asked += 1;
            let problem = match self.text(question).await {
                Ok(text) => match read(&text) {
                    Ok(answer) => return Ok(answer),
                    Err(found) => {
                        let help = self.role.help().map(str::to_owned);
                        self.problem(&format!("answered with {found}"), help)
                    }
                },
                // What is no problem of the helper does not go away when it is asked again.
                Err(Halt::Broken(problem)) if problem.kind == self.kind => problem,
                Err(halt) => return Err(halt),
            };
            // A recording has what was asked, and no more.
            if let Some(problem) = self.environment.error() {
                return Err(problem.into());
            }
            if asked > RETRIES {
                let message = format!("{} (asked {asked} times)", problem.message);
                return Err(Problem { message, ..problem }.into());
            }
        }
    }

    /// The answer of the helper to `question`.
    async fn text(&mut self, question: &HelperQuestion) -> Result<String, Halt> {
        let thread_id = self.environment.helper_ids(&self.lane).next("thread");

        // A bare model learns its role from a prompt, and an agent finds the question in its properties as well.
        let connector = question.connector.as_deref();
        let model = self.target.prompted(self.role.prompt(), connector);
        let (target, props) = match &model {
            Some(model) => (&**model, Map::new()),
            None => (self.target, question.props()),
        };
        let session = match target.open(self.session_options(thread_id.clone())).await {
            Ok(session) => session,
            Err(error) => {
                let problem = self.problem(&format!("cannot be asked: {error}"), error.help);
                return Err(problem.into());
            }
        };

        let rules = Evaluator::start(Inherited::default(), self.environment.redactor.clone());
        // The settings of the run are about the agent under test.
        let settings = RunSettings::default();
        let parts = ConversationParts {
            lane: self.lane.clone(),
            session,
            trace: Trace::new(target.state().clone()).on_thread(thread_id),
            evaluator: rules.map_err(|error| self.problem(&error.to_string(), None))?,
            checkpoints: Checkpoints::default(),
            tools: &mut *self.tools,
            oracle: &NoRules,
            requests: &mut DeclineRequests,
            ids: self.environment.helper_ids(&self.lane),
            observers: (self.observers)(&self.lane),
            budget: Budget {
                turn: self.limits.clone(),
                is_default_timeout: false,
                whole: None,
            },
            settings: &settings,
        };
        let message = UserContent::Text(question.body().to_string().into());
        let request = TurnRequest {
            id: None,
            input: TurnInput::User(message),
            message: MessageId::default(),
            timeout: None,
            context: RequestContext::of_props(props),
            answers: ServerAnswers::default(),
        };
        let result = Box::pin(converse(parts, &mut OnlyTurn(Some(request)))).await;
        self.read(result)
    }

    fn session_options(&self, thread_id: String) -> SessionOptions {
        let environment = self.environment;
        SessionOptions {
            client_tools: Arc::clone(&self.client_tools),
            ids: environment.helper_ids(&self.lane),
            transport: environment.helper_transport(&self.lane, &self.title()),
            programs: environment.helper_programs(&self.lane, &self.title()),
            ..environment.session_options(self.key.clone(), thread_id)
        }
    }

    /// The answer in a conversation that is over.
    fn read(&self, result: ConversationResult) -> Result<String, Halt> {
        let ConversationResult {
            turns, halt, trace, ..
        } = result;
        if let Some(halt) = halt {
            return Err(halt);
        }
        if let Some(turn) = turns.first()
            && let Some(problem) = turn.problem()
        {
            let Problem { message, help, .. } = problem.clone();
            // A test that ran out of time is not the helper's fault, and asking once more would not help.
            if problem.kind == ErrorKind::Timeout
                && let Some(exchange) = trace.exchanges.last()
                && self.limits.until(exchange.sent) < exchange.sent.plus(self.limits.timeout)
            {
                let title = self.title();
                return Err(Halt::Broken(Problem {
                    kind: ErrorKind::Timeout,
                    message: format!("the time for the whole test was over: {title}: {message}"),
                    help,
                }));
            }
            let problem = self.problem(&format!("did not answer: {message}"), help);
            return Err(problem.into());
        }
        if turns.iter().any(|turn| turn.status() == Status::Skipped) {
            return Err(Halt::Stopped);
        }
        match trace.turns.first() {
            Some(turn) => Ok(trace.turn_text(turn)),
            None => Ok(String::new()),
        }
    }

    /// ``the judge `strict` ``
    fn title(&self) -> String {
        format!("the {} `{}`", self.role.name(), self.name)
    }

    fn problem(&self, what: &str, help: Option<String>) -> Problem {
        Problem {
            kind: self.kind,
            message: format!("{} {what}", self.title()),
            help,
        }
    }
}

/// Answers no question: the conversation with a helper has no rules.
struct NoRules;

impl Oracle for NoRules {
    fn decide<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<Decision, Halt>> {
        Box::pin(std::future::ready(Ok(Decision::NotAsked)))
    }
}

/// The only turn of a conversation with a helper.
struct OnlyTurn(Option<TurnRequest>);

impl InputSource for OnlyTurn {
    fn next<'a>(
        &'a mut self,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        let request = self.0.take();
        let next = request.map(|request| NextTurn::written(request, None));
        Box::pin(std::future::ready(Ok(next)))
    }

    fn remaining(&self) -> Option<usize> {
        Some(usize::from(self.0.is_some()))
    }
}

/// The one message that a helper gets, before it becomes JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct HelperQuestion {
    /// The role in which it is asked.
    pub role: HelperRole,
    /// The id of the test that it is asked for, if it is one.
    pub test_id: Option<String>,
    /// The keys of its role, and those that the test passes on.
    pub keys: Map<String, Value>,
    /// The model that is to answer, if the question names one.
    pub connector: Option<String>,
}

impl HelperQuestion {
    /// The keys that the body has whatever the role.
    pub const KEYS: [&str; 2] = ["test_mode", "test_id"];

    /// The whole question: the only message that the helper gets.
    pub fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("test_mode".to_owned(), self.role.test_mode().into());
        if let Some(test_id) = &self.test_id {
            body.insert("test_id".to_owned(), test_id.as_str().into());
        }
        body.extend(self.keys.clone());
        Value::Object(body)
    }

    /// The question for agents that look into what is passed on with a run.
    pub(super) fn props(&self) -> Map<String, Value> {
        let mut options =
            json!({ "skip": { "history": true, "trace": false }, "metadata": self.body() });
        if let Some(connector) = &self.connector {
            options["connector"] = connector.as_str().into();
        }
        Map::from_iter([("options".to_owned(), options)])
    }
}
