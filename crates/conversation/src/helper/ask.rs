//! Asks a helper: a conversation of one turn on a thread of its own, whose rules are none.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::helper_role::HelperRole;
use crate::{
    Budget, Checkpoints, ConversationParts, ConversationResult, ConversationSoFar, DeclineRequests,
    InputSource, NextTurn, Observer, Oracle, ToolHost, converse,
};
use ananke_agents::{Limits, SessionOptions, Target};
use ananke_base::context::{CaseKey, lock};
use ananke_base::message::{
    Lane, MessageId, RequestContext, ServerAnswers, ToolDeclaration, TurnInput, TurnRequest,
    UserContent,
};
use ananke_model::settings::RunSettings;
use ananke_recording::AttemptEnvironment;
use ananke_rules::{Decision, Evaluator, Inherited, Question};
use ananke_trace::outcome::{ErrorKind, Halt, HelperTotals, Problem, Status, TokenTotals};
use ananke_trace::trace::{Prices, Trace};

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
    /// The prices of models; `None` if the config has none.
    pub prices: Option<Arc<Prices>>,
    /// The tokens of the helpers of the test, to which those of this one are added.
    pub spent: &'a Mutex<HelperTotals>,
    /// The kind of problem that it is if the helper has no answer.
    pub kind: ErrorKind,
}

impl Helper<'_> {
    /// The time that a helper may take to answer, with its retries, if one answer may take `once`.
    pub fn longest(once: Duration) -> Duration {
        once * (RETRIES + 1)
    }

    /// The answer to `question` that `read` finds in the helper's text. If it finds none, the helper is asked again, on another
    /// thread, at most `RETRIES` times.
    ///
    /// # Errors
    /// If no text has an answer, or for another reason than the helper: then it is not asked again.
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
                // A problem of the helper has its kind. Another problem, or a stop, does not go away if the helper is asked
                // again.
                Err(Halt::Broken(problem)) if problem.kind == self.kind => problem,
                Err(halt) => return Err(halt),
            };
            // A replay that cannot go on is the true reason. Its recording has no answer to another question either.
            if let Some(problem) = self.environment.error() {
                return Err(problem.into());
            }
            if asked > RETRIES {
                let message = format!("{} (asked {asked} times)", problem.message);
                return Err(Problem { message, ..problem }.into());
            }
        }
    }

    /// The text that the helper answers to `question`, in a conversation of one turn on a new thread.
    async fn text(&mut self, question: &HelperQuestion) -> Result<String, Halt> {
        let thread_id = self.environment.helper_ids(&self.lane).next("thread");

        // A bare model (`prompted` is `Some`) learns its role from a prompt. An agent knows its role, and gets the question in
        // the properties of its run as well as in its message.
        let connector = question.connector.as_deref();
        let model = self.target.prompted(self.role.prompt(), connector);
        let mut target = self.target;
        let mut props = Map::new();
        match &model {
            Some(model) => target = &**model,
            None => props = question.props(),
        }
        let session = match target.open(self.session_options(thread_id.clone())).await {
            Ok(session) => session,
            Err(error) => {
                let problem = self.problem(&format!("cannot be asked: {error}"), error.help);
                return Err(problem.into());
            }
        };

        // The conversation has no rules and no checkpoints: the caller judges the text.
        let evaluator = Evaluator::start(Inherited::default(), self.environment.redactor.clone());
        let evaluator = evaluator.map_err(|error| self.problem(&error.to_string(), None))?;
        // The settings of the run are about the agent under test.
        let settings = RunSettings::default();
        let parts = ConversationParts {
            lane: self.lane.clone(),
            session,
            trace: Trace::new(target.state().clone())
                .on_thread(thread_id)
                .priced(self.prices.clone()),
            evaluator,
            checkpoints: Checkpoints::default(),
            tools: &mut *self.tools,
            oracle: &NoRules,
            requests: &mut DeclineRequests,
            ids: self.environment.helper_ids(&self.lane),
            observers: (self.observers)(&self.lane),
            // The limits have the deadline of the test. A default timeout would become longer for a rule that allows more time, and
            // the helper's conversation has no rules.
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
        // The future of a conversation is large: boxed, it does not become a part of that of each caller.
        let result = Box::pin(converse(parts, &mut OnlyTurn(Some(request)))).await;
        // An answer that cannot be read, or did not come, has cost something as well.
        self.count(&result.trace);
        self.text_of(result)
    }

    /// Adds the tokens of a conversation with the helper.
    fn count(&self, trace: &Trace) {
        let Some(turn) = trace.turns.first() else {
            return;
        };
        let tokens = TokenTotals::of_turn(trace.turn_usage(turn));
        let mut spent = lock(self.spent);
        let of_role = match self.role {
            HelperRole::Validator => &mut spent.judge,
            HelperRole::Simulator => &mut spent.simulator,
            HelperRole::Generator => &mut spent.generator,
            // A report is written after the run, whose numbers it contains.
            HelperRole::Reporter => return,
        };
        *of_role = *of_role + tokens;
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

    /// The text of the helper in `result`, the conversation of one turn with it.
    ///
    /// # Errors
    /// If the conversation was halted, or its turn ended with a problem: as a problem of the helper, unless the time of the test
    /// was over.
    fn text_of(&self, result: ConversationResult) -> Result<String, Halt> {
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
            // If the deadline of the test came before the timeout of the exchange, the helper is not to blame. The problem keeps
            // another kind, so that the helper is not asked again.
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
        // A turn is skipped only if the run stops meanwhile.
        if turns.iter().any(|turn| turn.status() == Status::Skipped) {
            return Err(Halt::Stopped);
        }
        // An empty text is an answer too: the caller says that it found nothing in it.
        match trace.turns.first() {
            Some(turn) => Ok(trace.turn_text(turn)),
            None => Ok(String::new()),
        }
    }

    /// ``the judge `strict` ``
    fn title(&self) -> String {
        format!("the {} `{}`", self.role.name(), self.name)
    }

    /// A problem of the helper: `predicate` is the rest of the sentence that begins with its title.
    fn problem(&self, predicate: &str, help: Option<String>) -> Problem {
        Problem {
            kind: self.kind,
            message: format!("{} {predicate}", self.title()),
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
